/* SPDX-License-Identifier: MIT */
/* uscpshown: records as phrases. Nearly all that is shown was shown before, by the same row
 * or by the same thread in the same CPU; how it is written is kept in a table, in pairs by
 * hash, of what was shown last. */
#include "uscp.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Values. ---- */

/* false, for a value that has no place in the file. */
static bool
refuse_value(struct uscp *u, const struct record *r)
{
	char what[160];
	(void)snprintf(what, sizeof(what), "the value %" PRId64 " of row %" PRIu32 ", column %u, at %" PRId64 " ns does not fit its field",
		r->value, r->row + 1, r->col, r->time);
	uscp_give_up(u, what, USCOPE_E_RANGE);
	return false;
}

/* A value that is not written as it is. */
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
		uscope_summary_span(u->w, s->counter, (uint64_t)s->since * PS_PER_NS, (uint64_t)time * PS_PER_NS);
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
	OWN = (1 << 20) - 1, /* in the place of a CPU: the row is one of a breakdown */
	PAIRS_OF_PLACE_BITS = 5,
	PAIRS_OF_ROW = 32, /* what a thread shows by turns, twice */
	PAIRS_BITS_MIN = 11,
	PAIRS_BITS_MAX = 16,
	CACHE_LINE = 64,
};

#define PLACE_MASK (UINT64_MAX >> 8)

_Static_assert(sizeof(struct uscp_shown) == CACHE_LINE, "two share a cache line");

bool
uscp_open_shown(struct uscp *u)
{
	unsigned bits = PAIRS_BITS_MIN;
	while (bits < PAIRS_BITS_MAX && (size_t)1 << bits < (size_t)u->map.classes[ROW_THREAD].nrows * PAIRS_OF_ROW)
		bits++;
	u->shown_shift = 64 - bits;
	char *p = arena_alloc(&u->arena, ((size_t)2 << bits) + 1, sizeof(struct uscp_shown));
	if (p)
		u->shown = (struct uscp_shown *)(p + (-(uintptr_t)p & (CACHE_LINE - 1)));
	return p;
}

/* Not 0. A file has at most 65535 rows of a class, and there are at most COLUMNS_MAX columns. */
static inline uint64_t
place_of(uint32_t row, uint32_t cpu, uint32_t col)
{
	return (row | (uint64_t)cpu << 32) + ((uint64_t)(col + 1) << 17);
}

static inline bool
is_shown(const struct uscp_shown *s, uint64_t place, int64_t value)
{
	return ((s->place ^ place) | (uint64_t)(s->value ^ value)) == 0;
}

/* The first of the two where it may be. What a place shows is near together, so that a new
 * value finds the bytes for its place there. */
static inline struct uscp_shown *
pair_of(struct uscp_shown *table, unsigned shift, uint64_t place, int64_t value)
{
	uint64_t pair = place * UINT64_C(0x9FB21C651E98DF25) >> shift;
	pair ^= (uint64_t)value * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PAIRS_OF_PLACE_BITS);
	return &table[pair * 2];
}

static inline struct uscp_shown *
shown_at(const struct uscp *u, uint64_t place, int64_t value)
{
	return pair_of(u->shown, u->shown_shift, place, value);
}

/* Of these two; NULL: it was not shown. */
static inline struct uscp_shown *
find_shown(struct uscp_shown *s, uint64_t place, int64_t value)
{
	s += !is_shown(s, place, value); /* without a branch, as nobody can foresee in which */
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

static const struct uscp_class *
class_of(const struct uscp *u, uint32_t row)
{
	return &u->map.classes[row < u->map.classes[ROW_CPU].first_row ? ROW_THREAD : ROW_CPU];
}

/* Whether a CPU has the column as a thread has it. */
static bool
is_shared(const struct uscp *u, uint32_t col)
{
	return u->map.classes[ROW_THREAD].cols[col].kind == u->map.classes[ROW_CPU].cols[col].kind;
}

/* The record in s. false: it has no place in the file (reported). */
static __attribute__((noinline)) bool
make_shown(struct uscp *u, struct uscp_shown *s, const struct record *r)
{
	const struct uscp_class *c = class_of(u, r->row);
	const struct uscp_col *k = &c->cols[r->col];
	uint64_t place = place_of(r->row, r->cpu, r->col);
	bool same = s->place == place;
	uint64_t value = (uint64_t)r->value;
	s->place = 0;
	if (value > k->most && !convert(u, k, r, &value))
		return false;
	if (!same || !uscope_phrase_change(u->w, &s->phrase, value)) {
		uscope_place_t places[USCOPE_PHRASE_PLACES] = { place_in(c, r->row, r->col) };
		if (r->cpu)
			places[1] = place_in(&u->map.classes[ROW_CPU], r->cpu, r->col);
		if (!uscope_phrase_init(u->w, &s->phrase, value, places, r->cpu ? 2 : 1))
			return refuse_value(u, r);
	}
	s->place = place & PLACE_MASK;
	s->value = r->value;
	return true;
}

/* ---- In a cycle. ---- */

static void
put_line(struct uscp *u, struct uscp_shown *s)
{
	if (u->nlines == USCP_LINES)
		uscp_begin_cycle(u);
	u->lines[u->nlines] = (uscope_line_t){ u->nlines ? USCOPE_GOES_ON : (uint64_t)u->time * PS_PER_NS, &s->phrase };
	u->nlines++;
}

/* The one of two that was written longer ago, and has to be by now. */
static struct uscp_shown *
replace(struct uscp *u, uint64_t place, int64_t value)
{
	struct uscp_shown *s = shown_at(u, place, value);
	s += s[0].phrase.at > s[1].phrase.at;
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
		uscp_show(u, &one);
		return;
	}
	uint64_t place = place_of(r->row, r->cpu, r->col);
	struct uscp_shown *s = find_shown(shown_at(u, place, r->value), place, r->value);
	if (!s && !make_shown(u, s = replace(u, place, r->value), r))
		return;
	put_line(u, s);
}

void
uscp_show_own(struct uscp *u, const struct uscp_col *k, uint32_t row, int64_t value)
{
	uint64_t place = place_of(row, OWN, k->channel);
	struct uscp_shown *s = find_shown(shown_at(u, place, value), place, value);
	if (!s) {
		s = replace(u, place, value);
		const uscope_place_t in = { k->storage, (uint16_t)row, k->field };
		s->place = 0;
		if (!uscope_phrase_init(u->w, &s->phrase, (uint64_t)value, &in, 1)) {
			uscp_give_up(u, "a state of a breakdown does not fit its field", USCOPE_E_RANGE);
			return;
		}
		s->place = place & PLACE_MASK;
		s->value = value;
	}
	put_line(u, s);
}

/* ---- Many cycles. ---- */

/* Writes the lines up to `end`; those behind it are the first then, and have another mark.
 * Returns their end. */
static uscope_line_t *
write_lines(struct uscp *u, const uscope_line_t *end, const uscope_line_t *next)
{
	size_t left = (size_t)(next - end);
	uscope_cycles(u->w, u->lines, (size_t)(end - u->lines));
	memmove(u->lines, end, left * sizeof(*end));
	u->mark++;
	for (size_t i = 0; i < left; i++)
		((struct uscp_shown *)((char *)u->lines[i].phrase - offsetof(struct uscp_shown, phrase)))->mark = u->mark;
	return u->lines + left;
}

/* Whether a record that is shown for the first time needs nothing but a place in the table. */
static bool
is_simple(const struct uscp *u, const struct record *r)
{
	enum row_class rows = r->row < u->map.classes[ROW_CPU].first_row ? ROW_THREAD : ROW_CPU;
	const struct uscp_class *c = &u->map.classes[rows];
	return r->row - c->first_row < u->nknown[rows] && (!r->cpu || is_shared(u, r->col)) &&
		(c->cols[r->col].kind != USCP_TEXT || uscp_knows_text(u, r->value));
}

/* The one of two that was written longer ago and is in no line; NULL: both are. */
static struct uscp_shown *
find_free(const struct uscp *u, const struct record *r)
{
	struct uscp_shown *s = shown_at(u, place_of(r->row, r->cpu, r->col), r->value);
	struct uscp_shown *old = s + (s[0].phrase.at > s[1].phrase.at);
	if (old->mark != u->mark)
		return old;
	old = old == s ? s + 1 : s;
	return old->mark != u->mark ? old : NULL;
}

/* The line of a record. */
static inline void
set_line(uscope_line_t *line, struct uscp_shown *s, int64_t time, bool goes_on)
{
	line->time_ps = (uint64_t)time * PS_PER_NS | (0 - (uint64_t)goes_on);
	line->phrase = &s->phrase;
}

/* One of them may be punctual. */
static inline bool
is_same_cycle(const struct record *a, const struct record *b)
{
	return a->time == b->time && ((a->event ^ b->event) & ~RECORD_PUNCTUAL) == 0;
}

/* Lines of records that were shown before, up to the first that needs more than that, which is
 * returned. There is room for all; the first of a batch begins a cycle. */
static __attribute__((noinline)) const struct record *
put_known(const struct uscp *u, const struct record *batch, const struct record *r, const struct record *end, uscope_line_t *next)
{
	struct uscp_shown *table = u->shown;
	unsigned shift = u->shown_shift;
	uint8_t mark = u->mark;
	int64_t time = r > batch ? r[-1].time : NONE;
	uint16_t event = r > batch ? r[-1].event : 0;
	for (; r < end; r++, next++) {
		uint64_t place = place_of(r->row, r->cpu, r->col);
		struct uscp_shown *s = find_shown(pair_of(table, shift, place, r->value), place, r->value);
		if (__builtin_expect(!s || r->event & RECORD_PUNCTUAL || r->col == COL_NRUNNING, 0))
			break;
		/* Without branches, as nobody can foresee how many records a cycle has. */
		bool goes_on = (r->time == time) & (r->event == event);
		time = r->time;
		event = r->event;
		s->mark = mark;
		set_line(next, s, time, goes_on);
	}
	return r;
}

/* The line of any record, of the cycle that begins at `cycle`. false: the cycle has to be shown
 * the other way. */
static bool
put_any(struct uscp *u, const struct record *cycle, const struct record *r, uscope_line_t **next)
{
	if (r->event & RECORD_PUNCTUAL)
		return false;
	uint64_t place = place_of(r->row, r->cpu, r->col);
	struct uscp_shown *s = find_shown(shown_at(u, place, r->value), place, r->value);
	if (!s) {
		if (!is_simple(u, r))
			return false;
		s = find_free(u, r);
		if (!s) {
			*next = write_lines(u, *next - (r - cycle), *next);
			s = find_free(u, r);
		}
		if (!s || !make_shown(u, s, r))
			return false;
	}
	s->mark = u->mark;
	if (r->col == COL_NRUNNING)
		uscp_count_running(u, r);
	set_line((*next)++, s, r->time, r > cycle);
	return true;
}

/* A cycle that is left and is put once more counts what runs once more: that is nothing. */
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
		r = put_known(u, batch, r, stop, next);
		next += r - from;
		cycle = r;
		if (r == end)
			break;
		while (cycle > batch && is_same_cycle(cycle - 1, r))
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
	if (cycle > batch) {
		u->time = cycle[-1].time;
		u->last_event = cycle[-1].event;
	}
	return cycle;
}
