/* SPDX-License-Identifier: MIT */
#ifndef SHOWN_H
#define SHOWN_H

/* shown: the phrases of the records shown last, in a table by channel and value. Nearly every record equals an earlier one, of
 * the same thread in the same CPU. A record has two entries that may hold it. shown.c writes records of one cycle with it, batch.c those
 * of many. */

#include "uscp.h"

enum { SHOWN_VALUES = 32 }; /* consecutive values of a channel without collisions: a power of two */

#define SHOWN_COUNTED (UINT64_C(1) << 31) /* flag of a place: the record also counts for the overview */

/* Key of a record's place: its channel, and the row of a CPU that shows it too. */
static inline uint64_t
shown_place(const struct record *r)
{
	return r->chan | (uint64_t)r->cpu << 32;
}

static inline uint64_t
shown_any_place(const struct record *r)
{
	return shown_place(r) | (r->col == COL_NRUNNING ? SHOWN_COUNTED : 0);
}

static inline bool
shown_is(const struct uscp_shown *s, uint64_t place, int64_t value)
{
	return s->place == place && s->value == value;
}

/* Bytes between the first entry of a channel and that for a value. */
static inline size_t
shown_offset(int64_t value)
{
	return (size_t)value * sizeof(struct uscp_shown) & (SHOWN_VALUES - 1) * sizeof(struct uscp_shown);
}

/* The first of the two entries that may hold a value. */
static inline struct uscp_shown *
shown_at(const struct uscp *u, size_t chan, int64_t value)
{
	return &u->shown[(chan & u->shown_mask) * u->shown_stride] + shown_offset(value) / sizeof(struct uscp_shown);
}

/* Returns the other one of the two: the table begins where the bit of their size is 0. */
static inline struct uscp_shown *
shown_other(const struct uscp_shown *s)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	return (struct uscp_shown *)((uintptr_t)s ^ sizeof(*s));
}

/* Finds the entry of a record; NULL: it is not in the table. */
static inline struct uscp_shown *
shown_find(const struct uscp *u, size_t chan, uint64_t place, int64_t value)
{
	struct uscp_shown *s = shown_at(u, chan, value);
	if (shown_is(s, place, value))
		return s;
	s = shown_other(s);
	return shown_is(s, place, value) ? s : NULL;
}

/* Returns the entry that was written longer ago. */
static inline struct uscp_shown *
shown_older(struct uscp_shown *s, struct uscp_shown *other)
{
	return s->phrase.at > other->phrase.at ? other : s;
}

/* Whether CPUs write a column in the form in which threads do. */
static inline bool
shown_is_shared(const struct uscp *u, uint32_t col)
{
	return u->map.classes[ROW_THREAD].cols[col].kind == u->map.classes[ROW_CPU].cols[col].kind;
}

/* Counts what rows have shown up to a time, when they show s. */
static inline void
shown_count_times(struct uscp *u, const struct uscp_shown *s, const struct record *r, int64_t time)
{
	if (u->times.runs)
		uscp_count_time(u, r->chan, r->cpu, u->times.of_shown[s - u->shown], time);
}

/* Makes s the entry of a record. Returns false if the value does not fit the file
 * (reported). */
bool shown_make(struct uscp *u, struct uscp_shown *s, const struct record *r);

#endif
