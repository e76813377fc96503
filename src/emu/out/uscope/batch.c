/* SPDX-License-Identifier: MIT */
/* batch: writes whole cycles at once, as far as their records need no more than phrases of rows and texts that are in the file. */
#include "shown.h"

#include <string.h>

enum {
	EARLY = 12, /* records between the one that is written and that whose entry is loaded into the cache */
};

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
	return r->row - c->first_row < u->nknown[rows] && (!r->cpu || shown_is_shared(u, r->col)) &&
		(c->cols[r->col].kind != USCP_TEXT || uscp_knows_text(u, r->value));
}

/* Returns the older of the two entries for a record that no line uses; NULL: lines use both. */
static struct uscp_shown *
find_free(const struct uscp *u, const struct record *r)
{
	struct uscp_shown *s = shown_at(u, r->chan, r->value);
	struct uscp_shown *other = shown_other(u, s);
	struct uscp_shown *old = shown_older(s, other);
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
	shown_count_times(u, s, r, time);
	line->time = (uint64_t)time | (0 - (uint64_t)goes_on);
	line->phrase = &s->phrase;
}

/* Asks the cache for what the line of a record will need: the table is larger than that. Inlined always, as the compiler would
 * take a function that does nothing else for one that does nothing. */
static inline __attribute__((always_inline)) void
ask_for(const struct uscp *u, const struct record *r)
{
	const struct uscp_shown *s = &u->shown[shown_entry(u, r->chan, r->value)];
	__builtin_prefetch(s);
	__builtin_prefetch((const char *)u->shown + (((uintptr_t)s - (uintptr_t)u->shown) ^ sizeof(*s)));
	if (u->times.runs) {
		__builtin_prefetch(&u->times.runs[r->chan]);
		__builtin_prefetch(&u->times.of_shown[s - u->shown]);
	}
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
		if (end - r > EARLY)
			ask_for(u, r + EARLY);
		const int64_t value = r->value;
		const int64_t time = r->time;
		size_t i = shown_entry(u, r->chan, value);
		if (__builtin_expect(!shown_is(&shown[i], shown_place(r), value), 0) && !shown_is(&shown[i ^= 1], shown_place(r), value))
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
	if (!s || !shown_make(u, s, r))
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
	struct uscp_shown *s = shown_find(u, r->chan, shown_any_place(r), r->value);
	if (!s) {
		s = find_free(u, r);
		if (!s) {
			*next = write_lines(u, *next - (r - cycle), *next);
			s = find_free(u, r);
		}
		if (!s || !shown_make(u, s, r))
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
