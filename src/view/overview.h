/* SPDX-License-Identifier: MIT */
#ifndef OVERVIEW_H
#define OVERVIEW_H

/* overview: the pyramid of a page: what rows showed for most of the time, in some thousand buckets.
 *
 * A track is a field of a slot. Buckets are 2^n ticks long, and become twice as long when there are too many of them, or
 * runs of equal ones: of two values that stays which was there longer, with the time that is known of it. So a time is never too
 * long, and exact where both halves have the same value. Bytes: doc/format/page.md, "Pyramid". */

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OVERVIEW_BUCKETS = 4096, /* at most */
	OVERVIEW_VALUES = 6,     /* that are told apart in a bucket; of more the rarest are forgotten */
};

/* Buckets in which a value was there for so long each; up to the first of the next run. */
struct overview_run {
	uint64_t time;
	uint64_t value;
	uint32_t first;
};

struct overview_track {
	uint64_t since;  /* up to there all time is counted */
	uint64_t end;    /* of the present bucket */
	uint32_t nshown; /* values in it, */
	uint32_t shown;  /* of which this is there now */
	uint64_t times[OVERVIEW_VALUES];
	uint64_t values[OVERVIEW_VALUES];
	uint64_t place; /* storage, slot and field, 16 bits each */
	struct overview_run *runs;
	uint32_t nruns;
	uint32_t cap;
	uint32_t nbuckets; /* before the present one */
};

struct overview {
	struct arena arena;
	struct overview_track **tracks; /* by number; NULL: it was not added */
	struct overview_run *spare;
	uint32_t ntracks;
	uint64_t begin;
	unsigned shift; /* buckets are 2^shift ticks long */
	uint32_t nadded;
	size_t nruns;   /* of all tracks */
	size_t nturns;  /* runs that were ever made */
	bool dropped;   /* nothing is counted any more, and nothing will be written: there are too many tracks, */
	bool no_memory; /* or this */
};

/* For up to n tracks, from a time on, with buckets of 2^shift ticks at first. false: no memory. */
bool overview_init(struct overview *o, uint32_t n, uint64_t begin, unsigned shift);
/* Accepts a zeroed object. */
void overview_finish(struct overview *o);

/* Returns a track, which is added if it is not there, and has then shown 0 since the begin. NULL: all is dropped. Valid
 * until finish. */
struct overview_track *overview_add(struct overview *o, uint32_t track, uint16_t storage, uint16_t slot, uint16_t field);

/* overview_show() where the present bucket ends before the time, or the time goes back, which counts as none. */
void overview_turn(struct overview *o, struct overview_track *t, uint64_t value, uint64_t time);

/* Finds or makes the entry of a value in the present bucket. */
static inline uint32_t
overview_find(struct overview_track *t, uint64_t value)
{
	uint32_t i = 0;
	while (i < t->nshown && t->values[i] != value)
		i++;
	if (__builtin_expect(i < t->nshown, 1))
		return i;
	if (i == OVERVIEW_VALUES) {
		i = 0;
		for (uint32_t k = 1; k < OVERVIEW_VALUES; k++)
			i = t->times[k] < t->times[i] ? k : i;
	} else {
		t->nshown++;
	}
	t->values[i] = value;
	t->times[i] = 0;
	return i;
}

/* A track shows a value from a time on. */
static inline void
overview_show(struct overview *o, struct overview_track *t, uint64_t value, uint64_t time)
{
	if (__builtin_expect(time - t->since >= t->end - t->since, 0)) {
		overview_turn(o, t, value, time);
		return;
	}
	t->times[t->shown] += time - t->since;
	t->since = time;
	t->shown = overview_find(t, value);
}

/* Makes the bytes of the pyramid of what was shown up to a time, at most so many. Returns them, valid until finish; NULL:
 * they would be more, or all is dropped. tick: ps. The last call. */
const uint8_t *overview_bytes(struct overview *o, uint64_t end, uint64_t tick, size_t most, size_t *n);

#endif
