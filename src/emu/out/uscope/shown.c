/* SPDX-License-Identifier: MIT */
/* shown: writes records as phrases. Nearly every record equals an earlier one, of the same
 * thread in the same CPU: a table by channel and value keeps the phrases shown last. */
#include "uscp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Values. ---- */

/* Gives up for a value that does not fit its field. Returns false. */
static bool
refuse_value(struct uscp *u, const struct record *r)
{
	char what[400];
	const struct model *m = u->emu->plan->cols[r->col].model;
	(void)snprintf(what, sizeof(what), "the value %" PRId64 " of the channel %.100s%s%.100s, row %" PRIu32 ", at %" PRId64 " ns does not fit its field: a channel holds 0 to 4294967295, with VALUES_ANY any number",
		r->value, m ? m->name : "", m ? "." : "", out_decl(u->emu, ROW_THREAD, r->col)->name, r->row + 1, r->time);
	uscp_give_up(u, what, USCOPE_E_RANGE);
	return false;
}

/* Converts a value that is not written as it is. Returns false if it does not fit
 * (reported). */
static bool
convert(struct uscp *u, const struct uscp_col *k, const struct record *r, uint64_t *value)
{
	if (k->kind == USCP_TEXT) {
		*value = uscp_text_of(u, r->value);
		return *value != UINT32_MAX || refuse_value(u, r);
	}
	bool error = r->value == ST_BAD || r->value == ST_TOO_MANY_TH;
	*value = r->value == ST_BAD ? USCP_ENUM_BAD : USCP_ENUM_TOO_MANY;
	return (k->kind == USCP_ENUM && error) || refuse_value(u, r);
}

/* ---- How many threads run in a CPU, for the overview. ---- */

void
uscp_count_busy(struct uscp *u, struct span *s, bool now, int64_t time)
{
	if (s->counter < 0 || now == (s->since != NONE))
		return;
	if (!now)
		uscope_summary_span(u->w, s->counter, uscp_ps(s->since), uscp_ps(time));
	s->since = now ? time : NONE;
}

void
uscp_count_running(struct uscp *u, const struct record *r)
{
	uint32_t first = u->map.classes[ROW_CPU].first_row;
	if (r->row < first)
		return;
	uscp_count_busy(u, &u->busy[r->row - first], r->value >= 1, r->time);
	uscp_count_busy(u, &u->over[r->row - first], r->value >= 2, r->time);
}

/* ---- The table. ---- */

enum {
	SHOWN_VALUES = 32, /* consecutive values of a channel without collisions: a power of two */
	SHOWN_STRIDE = 17, /* entries between two channels; odd: entries 2^n apart would share few cache sets */
	SHOWN_MAX = 1 << 18,
	CACHE_LINE = 64,
};

#define NOTHING UINT64_MAX
#define COUNTED (UINT64_C(1) << 31) /* flag of a place: the record also counts for the overview */
#define OWN (UINT64_C(1) << 63)     /* flag of a place: a row of a breakdown */

_Static_assert(sizeof(struct uscp_shown) == CACHE_LINE, "two share a cache line");

bool
uscp_open_shown(struct uscp *u)
{
	const struct emu *emu = u->emu;
	size_t nchans = ((size_t)emu_first_row(emu, ROW_PROC) + emu_nrows(emu, ROW_PROC)) * emu->plan->ncols;
	if (nchans >= COUNTED)
		return false;
	size_t places = 1;
	while (places < nchans && places < SHOWN_MAX)
		places *= 2;
	u->shown_mask = places - 1;
	u->shown_stride = SHOWN_STRIDE;
	while (u->shown_stride > 1 && places * u->shown_stride > SHOWN_MAX)
		u->shown_stride -= 2;
	size_t n = places * u->shown_stride + SHOWN_VALUES + 1;
	char *p = arena_alloc(&u->arena, n, sizeof(struct uscp_shown));
	if (!p || !uscp_open_times(u, n) || !uscp_open_overview(u))
		return false;
	u->shown = (struct uscp_shown *)(p + (-(uintptr_t)p & (CACHE_LINE - 1)));
	/* A zeroed entry would match value 0 of channel 0, which is found here only. */
	u->shown[0].place = u->shown[1].place = NOTHING;
	return true;
}

/* Key of a record's place: its channel, and the row of a CPU that shows it too. */
static inline uint64_t
place_of(const struct record *r)
{
	return r->chan | (uint64_t)r->cpu << 32;
}

static inline uint64_t
any_place_of(const struct record *r)
{
	return place_of(r) | (r->col == COL_NRUNNING ? COUNTED : 0);
}

static inline bool
is_shown(const struct uscp_shown *s, uint64_t place, int64_t value)
{
	return s->place == place && s->value == value;
}

/* The first of the two entries that may hold a value; the other one differs in the last bit. */
static inline size_t
entry_of(const struct uscp *u, size_t chan, int64_t value)
{
	return (chan & u->shown_mask) * u->shown_stride + ((size_t)value & (SHOWN_VALUES - 1));
}

static inline struct uscp_shown *
shown_at(const struct uscp *u, size_t chan, int64_t value)
{
	return &u->shown[entry_of(u, chan, value)];
}

/* Returns the other one of the two. */
static inline struct uscp_shown *
other_of(const struct uscp *u, struct uscp_shown *s)
{
	return &u->shown[(size_t)(s - u->shown) ^ 1];
}

/* Finds the entry of a record; NULL: it is not in the table. */
static inline struct uscp_shown *
find_shown(const struct uscp *u, size_t chan, uint64_t place, int64_t value)
{
	struct uscp_shown *s = shown_at(u, chan, value);
	if (is_shown(s, place, value))
		return s;
	s = other_of(u, s);
	return is_shown(s, place, value) ? s : NULL;
}

static bool
is_used(const struct uscp_shown *s, const uscope_line_t *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lines[i].phrase == &s->phrase)
			return true;
	return false;
}

static uscope_place_t
place_in(const struct uscp_class *c, uint32_t row, uint32_t col)
{
	const struct uscp_col *k = &c->cols[col];
	return (uscope_place_t){ k->storage, (uint16_t)(row - c->first_row), k->field };
}

/* Whether CPUs write a column in the form in which threads do. */
static bool
is_shared(const struct uscp *u, uint32_t col)
{
	return u->map.classes[ROW_THREAD].cols[col].kind == u->map.classes[ROW_CPU].cols[col].kind;
}

/* The place of the CPU that shows a record. */
static inline uint32_t
cpu_place(const struct uscp *u, const struct record *r)
{
	return r->cpu * (uint32_t)u->emu->plan->ncols + r->col;
}

/* Makes s the entry of a record. Returns false if the value does not fit the file
 * (reported). */
static __attribute__((noinline)) bool
make_shown(struct uscp *u, struct uscp_shown *s, const struct record *r)
{
	const struct uscp_class *c = &u->map.classes[uscp_class_of(u, r->row)];
	const struct uscp_col *k = &c->cols[r->col];
	uint64_t place = any_place_of(r);
	bool same = s->place == place;
	uint64_t value = (uint64_t)r->value;
	s->place = NOTHING;
	if (value > k->most && !convert(u, k, r, &value))
		return false;
	if (!same || !uscope_phrase_change(u->w, &s->phrase, value)) {
		uscope_place_t places[USCOPE_PHRASE_PLACES] = { place_in(c, r->row, r->col) };
		if (r->cpu)
			places[1] = place_in(&u->map.classes[ROW_CPU], r->cpu, r->col);
		if (!uscope_phrase_init(u->w, &s->phrase, value, places, r->cpu ? 2 : 1))
			return refuse_value(u, r);
	}
	s->place = place;
	s->value = r->value;
	if (u->times.runs) {
		struct uscp_pair *pair = &u->times.of_shown[s - u->shown];
		pair->row = uscp_time_of(u, c, k, r->row - c->first_row, r->chan, value);
		const struct uscp_class *cpus = &u->map.classes[ROW_CPU];
		pair->cpu = r->cpu ? uscp_time_of(u, cpus, &cpus->cols[r->col], r->cpu - cpus->first_row, cpu_place(u, r), value) : 0;
	}
	return true;
}

/* Counts what rows have shown up to a time, when they show s. */
static inline void
count_times(struct uscp *u, const struct uscp_shown *s, const struct record *r, int64_t time)
{
	if (u->times.runs)
		uscp_count_time(u, r->chan, r->cpu, u->times.of_shown[s - u->shown], time);
}

/* ---- In a cycle. ---- */

static void
put_line(struct uscp *u, struct uscp_shown *s)
{
	if (u->nlines == USCP_LINES)
		uscp_begin_cycle(u);
	u->lines[u->nlines] = (uscope_line_t){ u->nlines ? USCOPE_GOES_ON : (uint64_t)u->time, &s->phrase };
	u->nlines++;
}

/* Returns the entry that was written longer ago. */
static struct uscp_shown *
older_of(struct uscp_shown *s, struct uscp_shown *other)
{
	return s->phrase.at > other->phrase.at ? other : s;
}

/* Chooses the entry that a new record replaces. If a buffered line uses it, the lines are
 * written first. */
static struct uscp_shown *
replace(struct uscp *u, size_t chan, int64_t value)
{
	struct uscp_shown *s = shown_at(u, chan, value);
	s = older_of(s, other_of(u, s));
	if (is_used(s, u->lines, u->nlines))
		uscp_begin_cycle(u);
	return s;
}

void
uscp_show(struct uscp *u, const struct record *r)
{
	if (r->cpu && !is_shared(u, r->col)) {
		struct record one = *r;
		one.cpu = 0;
		uscp_show(u, &one);
		one.row = r->cpu;
		one.chan = cpu_place(u, r);
		uscp_show(u, &one);
		return;
	}
	struct uscp_shown *s = find_shown(u, r->chan, any_place_of(r), r->value);
	if (!s && !make_shown(u, s = replace(u, r->chan, r->value), r))
		return;
	count_times(u, s, r, u->time);
	put_line(u, s);
}

static uint32_t
own_place(const struct uscp *u, const struct uscp_col *k, uint32_t row)
{
	const struct uscp_class *c = &u->map.classes[USCP_BREAKDOWN];
	return u->own + (uint32_t)(k - c->cols) * c->nrows + row;
}

void
uscp_show_own(struct uscp *u, const struct uscp_col *k, uint32_t row, int64_t value)
{
	uint64_t place = OWN | (uint64_t)row << 16 | k->channel;
	size_t chan = (size_t)row * u->emu->plan->ncols + k->channel;
	struct uscp_shown *s = find_shown(u, chan, place, value);
	if (!s) {
		s = replace(u, chan, value);
		const uscope_place_t in = { k->storage, (uint16_t)row, k->field };
		s->place = NOTHING;
		if (!uscope_phrase_init(u->w, &s->phrase, (uint64_t)value, &in, 1)) {
			uscp_give_up(u, "a state of a breakdown does not fit its field", USCOPE_E_RANGE);
			return;
		}
		s->place = place;
		s->value = value;
		if (u->times.runs)
			u->times.of_shown[s - u->shown] = (struct uscp_pair){
				.row = uscp_time_of(u, &u->map.classes[USCP_BREAKDOWN], k, row, own_place(u, k, row), (uint64_t)value),
			};
	}
	if (u->times.runs)
		uscp_count_time(u, own_place(u, k, row), 0, u->times.of_shown[s - u->shown], u->time);
	put_line(u, s);
}

/* ---- Many cycles. ---- */

/* Writes the lines up to `end`, moves those behind it to the front and marks them anew.
 * Returns their end. */
static uscope_line_t *
write_lines(struct uscp *u, const uscope_line_t *end, const uscope_line_t *next)
{
	size_t left = (size_t)(next - end);
	uscope_cycles(u->w, u->lines, (size_t)(end - u->lines));
	memmove(u->lines, end, left * sizeof(*end));
	u->mark++;
	for (size_t i = 0; i < left; i++)
		u->lines[i].phrase->tag = u->mark;
	return u->lines + left;
}

/* Whether a record new to the table needs only an entry: its row and its text are in the
 * file. */
static bool
is_simple(const struct uscp *u, const struct record *r)
{
	enum row_class rows = uscp_class_of(u, r->row);
	const struct uscp_class *c = &u->map.classes[rows];
	return r->row - c->first_row < u->nknown[rows] && (!r->cpu || is_shared(u, r->col)) &&
		(c->cols[r->col].kind != USCP_TEXT || uscp_knows_text(u, r->value));
}

/* Returns the older of the two entries for a record that no line uses; NULL: lines use both. */
static struct uscp_shown *
find_free(const struct uscp *u, const struct record *r)
{
	struct uscp_shown *s = shown_at(u, r->chan, r->value);
	struct uscp_shown *other = other_of(u, s);
	struct uscp_shown *old = older_of(s, other);
	if (old->phrase.tag != u->mark)
		return old;
	old = old == s ? other : s;
	return old->phrase.tag != u->mark ? old : NULL;
}

/* Makes the line of a record. No branch: the number of records in a cycle is unpredictable. */
static inline void
set_line(struct uscp *u, uscope_line_t *line, struct uscp_shown *s, const struct record *r, bool goes_on)
{
	int64_t time = r->time;
	count_times(u, s, r, time);
	line->time = (uint64_t)time | (0 - (uint64_t)goes_on);
	line->phrase = &s->phrase;
}

/* Makes the lines of records in the table, up to the first that is not, which is returned.
 * `next` must have room for all. */
static __attribute__((noinline)) const struct record *
put_known(struct uscp *u, const struct record *r, const struct record *end, uscope_line_t *next)
{
	/* The compiler cannot keep these in registers when they are members. */
	struct uscp_shown *const shown = u->shown;
	struct uscp_run *const runs = u->times.runs;
	const struct uscp_pair *const of_shown = u->times.of_shown;
	int64_t *const times = u->times.times;
	int64_t other = u->times.other;
	const uint32_t mark = u->mark;
	for (; r < end; r++, next++) {
		const int64_t value = r->value;
		const int64_t time = r->time;
		size_t i = entry_of(u, r->chan, value);
		if (__builtin_expect(!is_shown(&shown[i], place_of(r), value), 0) && !is_shown(&shown[i ^= 1], place_of(r), value))
			break;
		struct uscp_shown *s = &shown[i];
		s->phrase.tag = mark;
		next->phrase = &s->phrase;
		next->time = (uint64_t)time | (r->begins - UINT64_C(1));
		if (!runs)
			continue;
		struct uscp_run *run = &runs[r->chan];
		if (__builtin_expect(uscp_turns(run, r->cpu, time, other), 0)) {
			uscp_turn_times(u, r->chan, r->cpu, time);
			other = u->times.other;
		}
		uscp_count_run(run, times, of_shown[i], time);
	}
	return r;
}

/* Makes the line of a record that put_known() has left, if it needs only an entry. */
static bool
put_new(struct uscp *u, const struct record *r, uscope_line_t *next)
{
	if (r->col == COL_NRUNNING || !is_simple(u, r))
		return false;
	struct uscp_shown *s = find_free(u, r);
	if (!s || !make_shown(u, s, r))
		return false;
	s->phrase.tag = u->mark;
	set_line(u, next, s, r, !r->begins);
	return true;
}

/* Makes the line of a record that needs more: a CPU has other threads, or lines use both
 * entries. Its cycle begins at `cycle`. Returns false if the cycle must be shown by
 * uscp_show(). */
static bool
put_any(struct uscp *u, const struct record *cycle, const struct record *r, uscope_line_t **next)
{
	if (!is_simple(u, r))
		return false;
	struct uscp_shown *s = find_shown(u, r->chan, any_place_of(r), r->value);
	if (!s) {
		s = find_free(u, r);
		if (!s) {
			*next = write_lines(u, *next - (r - cycle), *next);
			s = find_free(u, r);
		}
		if (!s || !make_shown(u, s, r))
			return false;
	}
	s->phrase.tag = u->mark;
	if (r->col == COL_NRUNNING)
		uscp_count_running(u, r);
	set_line(u, (*next)++, s, r, r > cycle);
	return true;
}

/* A cycle left here is shown again by uscp_show(). Counting its threads twice does no harm. */
const struct record *
uscp_show_cycles(struct uscp *u, const struct record *r, const struct record *end)
{
	const struct record *batch = r;
	const struct record *cycle = r;
	uscope_line_t *next = u->lines;
	u->mark++;
	for (;;) {
		const struct record *stop = u->lines + USCP_LINES - next < end - r ? r + (u->lines + USCP_LINES - next) : end;
		const struct record *from = r;
		r = put_known(u, r, stop, next);
		next += r - from;
		if (r < stop && put_new(u, r, next)) {
			next++;
			r++;
			continue;
		}
		cycle = r;
		if (r == end)
			break;
		if (!r->begins)
			for (cycle--; !cycle->begins;)
				cycle--;
		if (r == stop) {
			if (r - cycle == USCP_LINES)
				break;
			next = write_lines(u, next - (r - cycle), next);
		} else if (put_any(u, cycle, r, &next)) {
			r++;
		} else {
			break;
		}
	}
	uscope_cycles(u->w, u->lines, (size_t)(next - u->lines - (r - cycle)));
	if (cycle > batch)
		u->time = cycle[-1].time;
	return cycle;
}
