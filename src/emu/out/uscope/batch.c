/* SPDX-License-Identifier: MIT */
/* batch: writes whole cycles at once, as far as their records need no more than phrases of rows and texts that are in the file. */
#include "shown.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* so that struct known is no memory, and flags are constants */

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
	struct uscp_shown *other = shown_other(s);
	struct uscp_shown *old = shown_older(s, other);
	if (old->phrase.tag != u->mark)
		return old;
	old = old == s ? other : s;
	return old->phrase.tag != u->mark ? old : NULL;
}

/* Returns times.other. "used", so that it gets the record as it is: the compiler would pass its members, and keep them in
 * registers for that, though it is called rarely. */
static __attribute__((noinline, used)) int64_t
turn_times(struct uscp *u, const struct record *r)
{
	uscp_turn_times(u, r->chan, r->cpu, r->time);
	return u->times.other;
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

/* What put_known() needs of *u for each record: the compiler cannot keep members of that in registers. */
struct known {
	struct uscp_shown *shown;
	size_t mask;
	size_t stride;
	struct uscp_run *runs;
	const struct uscp_pair *of_shown;
	int64_t *times;
	uint32_t mark;
};

/* Begins the line of a record with the first of its entries, and asks the cache for what it will need: the table is larger
 * than that. */
static ALWAYS_INLINE void
ask_for(const struct known *k, const struct record *r, uscope_line_t *line, bool timed)
{
	const size_t offset = (r->chan & k->mask) * (k->stride * sizeof(*k->shown)) + shown_offset(r->value);
	struct uscp_shown *s = (struct uscp_shown *)((char *)k->shown + offset);
	line->phrase = &s->phrase;
	__builtin_prefetch(s);
	if (timed) {
		__builtin_prefetch(&k->runs[r->chan]);
		__builtin_prefetch((const char *)k->of_shown + offset / (sizeof(*k->shown) / sizeof(*k->of_shown)));
	}
}

/* As put_known(). ask: there are EARLY records from `end` on. */
static ALWAYS_INLINE const struct record *
put_each(struct uscp *u, const struct known *k, const struct record *r, const struct record *end, uscope_line_t *next, bool timed, bool ask)
{
	int64_t other = u->times.other;
	for (; r < end; r++, next++) {
		if (ask)
			ask_for(k, r + EARLY, next + EARLY, timed);
		const int64_t value = r->value;
		const int64_t time = r->time;
		struct uscp_shown *s = (struct uscp_shown *)next->phrase;
		if (__builtin_expect(!shown_is(s, shown_place(r), value), 0)) {
			s = shown_other(s);
			if (!shown_is(s, shown_place(r), value))
				break;
			next->phrase = &s->phrase;
		}
		s->phrase.tag = k->mark;
		next->time = (uint64_t)time | (r->begins - UINT64_C(1));
		if (!timed)
			continue;
		struct uscp_run *run = &k->runs[r->chan];
		if (__builtin_expect(uscp_turns(run, r->cpu, time, other), 0))
			other = turn_times(u, r);
		uscp_count_run(run, k->times, k->of_shown[s - k->shown], time);
	}
	return r;
}

/* As put_known(). */
static ALWAYS_INLINE const struct record *
put_timed(struct uscp *u, const struct record *r, const struct record *end, uscope_line_t *next, const struct record **asked, bool timed)
{
	const struct uscp_times *t = &u->times;
	const struct known k = { u->shown, u->shown_mask, u->shown_stride, t->runs, t->of_shown, t->times, u->mark };
	const bool many = end - r > EARLY;
	const struct record *last = many ? end - EARLY : r;
	for (const struct record *a = *asked; a < (many ? r + EARLY : end); a++)
		ask_for(&k, a, next + (a - r), timed);
	const struct record *stop = put_each(u, &k, r, last, next, timed, true);
	*asked = stop < last ? stop + EARLY + 1 : end;
	return stop < last ? stop : put_each(u, &k, last, end, next + (last - r), timed, false);
}

/* Makes the lines of records in the table, up to the first that is not, which is returned. `next` must have room for all.
 * *asked: the first record whose line is not begun. */
static __attribute__((noinline)) const struct record *
put_known(struct uscp *u, const struct record *r, const struct record *end, uscope_line_t *next, const struct record **asked)
{
	return u->times.runs ? put_timed(u, r, end, next, asked, true) : put_timed(u, r, end, next, asked, false);
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
	const struct record *asked = r;
	uscope_line_t *next = u->lines;
	u->mark++;
	for (;;) {
		const struct record *stop = u->lines + USCP_LINES - next < end - r ? r + (u->lines + USCP_LINES - next) : end;
		const struct record *from = r;
		r = put_known(u, r, stop, next, &asked);
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
			continue;
		}
		const uscope_line_t *behind = next + 1;
		if (!put_any(u, cycle, r, &next))
			break;
		r++;
		if (next != behind) /* the lines were written, and those begun are elsewhere */
			asked = r;
	}
	uscope_cycles(u->w, u->lines, (size_t)(next - u->lines - (r - cycle)));
	if (cycle > batch)
		u->time = cycle[-1].time;
	return cycle;
}
