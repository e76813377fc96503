/* SPDX-License-Identifier: MIT */
#include "shown.h"

#include <inttypes.h>
#include <stdio.h>

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
	SHOWN_STRIDE = 17, /* entries between two channels; odd: entries 2^n apart would share few cache sets */
	SHOWN_MAX = 1 << 18,
	CACHE_LINE = 64,
};

#define NOTHING UINT64_MAX
#define OWN (UINT64_C(1) << 63) /* flag of a place: a row of a breakdown */

_Static_assert(sizeof(struct uscp_shown) == CACHE_LINE, "two would share a cache line, or shown_other() miss");

bool
uscp_open_shown(struct uscp *u)
{
	const struct emu *emu = u->emu;
	size_t nchans = ((size_t)emu_first_row(emu, ROW_PROC) + emu_nrows(emu, ROW_PROC)) * emu->plan->ncols;
	if (nchans >= SHOWN_COUNTED)
		return false;
	size_t places = 1;
	while (places < nchans && places < SHOWN_MAX)
		places *= 2;
	u->shown_mask = places - 1;
	u->shown_stride = SHOWN_STRIDE;
	while (u->shown_stride > 1 && places * u->shown_stride > SHOWN_MAX)
		u->shown_stride -= 2;
	size_t n = places * u->shown_stride + SHOWN_VALUES + 2; /* 2: so that a pair can be aligned */
	char *p = arena_alloc(&u->arena, n, sizeof(struct uscp_shown));
	if (!p || !uscp_open_times(u, n) || !uscp_open_overview(u))
		return false;
	u->shown = (struct uscp_shown *)(p + (-(uintptr_t)p & (2 * CACHE_LINE - 1)));
	/* A zeroed entry would match value 0 of channel 0, which is found here only. */
	u->shown[0].place = u->shown[1].place = NOTHING;
	return true;
}

static uscope_place_t
place_in(const struct uscp_class *c, uint32_t row, uint32_t col)
{
	const struct uscp_col *k = &c->cols[col];
	return (uscope_place_t){ k->storage, (uint16_t)(row - c->first_row), k->field };
}

/* The place of the CPU that shows a record. */
static inline uint32_t
cpu_place(const struct uscp *u, const struct record *r)
{
	return r->cpu * (uint32_t)u->emu->plan->ncols + r->col;
}

bool
shown_make(struct uscp *u, struct uscp_shown *s, const struct record *r)
{
	const struct uscp_class *c = &u->map.classes[uscp_class_of(u, r->row)];
	const struct uscp_col *k = &c->cols[r->col];
	uint64_t place = shown_any_place(r);
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
		pair->cpu = r->cpu ? uscp_time_of(u, cpus, &cpus->cols[r->col], r->cpu - cpus->first_row, cpu_place(u, r), value) : uscp_uncounted(u);
	}
	return true;
}

/* ---- In a cycle. ---- */

static bool
is_used(const struct uscp_shown *s, const uscope_line_t *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lines[i].phrase == &s->phrase)
			return true;
	return false;
}

static void
put_line(struct uscp *u, struct uscp_shown *s)
{
	if (u->nlines == USCP_LINES)
		uscp_begin_cycle(u);
	u->lines[u->nlines] = (uscope_line_t){ u->nlines ? USCOPE_GOES_ON : (uint64_t)u->time, &s->phrase };
	u->nlines++;
}

/* Chooses the entry that a new record replaces. If a buffered line uses it, the lines are
 * written first. */
static struct uscp_shown *
replace(struct uscp *u, size_t chan, int64_t value)
{
	struct uscp_shown *s = shown_at(u, chan, value);
	s = shown_older(s, shown_other(s));
	if (is_used(s, u->lines, u->nlines))
		uscp_begin_cycle(u);
	return s;
}

void
uscp_show(struct uscp *u, const struct record *r)
{
	if (r->cpu && !shown_is_shared(u, r->col)) {
		struct record one = *r;
		one.cpu = 0;
		uscp_show(u, &one);
		one.row = r->cpu;
		one.chan = cpu_place(u, r);
		uscp_show(u, &one);
		return;
	}
	struct uscp_shown *s = shown_find(u, r->chan, shown_any_place(r), r->value);
	if (!s && !shown_make(u, s = replace(u, r->chan, r->value), r))
		return;
	shown_count_times(u, s, r, u->time);
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
	struct uscp_shown *s = shown_find(u, chan, place, value);
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
