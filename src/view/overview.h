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
	OVERVIEW_SLOTS = 16,
};

/* Buckets in which a value was there for so long each; up to the first of the next run. */
struct overview_run {
	uint64_t time;
	uint64_t value;
	uint32_t first;
};

/* Of the values with the same last bits one is counted in a bucket: nearly always all, as numbers of states are small. */
struct overview_slot {
	uint64_t value;
	uint64_t time; /* in the present bucket */
};

struct overview_track {
	uint64_t since; /* up to there all time is counted */
	uint64_t end;   /* of the present bucket */
	uint64_t shown; /* the value since then */
	uint64_t place; /* storage, slot and field, 16 bits each */
	struct overview_run *runs;
	uint32_t nruns;
	uint32_t cap;
	uint32_t nbuckets; /* before the present one */
	bool used;         /* something else than 0 was there for some time */
	bool counted;      /* a slot may have time */
	struct overview_slot slots[OVERVIEW_SLOTS];
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

/* In place of overview_show(), for a caller that counts by itself how long a track showed each value, which costs it nothing more
 * where it does so anyway: it tells when a bucket ends, counts the rest of the last one, and sets `used`. */

/* Makes buckets longer if there would be too many of them up to a time. All may be dropped then. */
void overview_reach(struct overview *o, uint64_t time);
/* Time of a value in the present bucket. Of two in a slot the one with less is forgotten. */
void overview_count(struct overview_track *t, uint64_t value, uint64_t time);
/* The present bucket ends, in which `value` was there for longest of all that was not counted, so long. From then on `shown` is there,
 * up to `time` at least, which was reached and is in a later bucket. */
void overview_end(struct overview *o, struct overview_track *t, uint64_t value, uint64_t length, uint64_t shown, uint64_t time);

/* overview_show() where the present bucket ends before the time, the slot has another value, or the time goes back, which counts
 * as none. */
void overview_turn(struct overview *o, struct overview_track *t, uint64_t value, uint64_t time);

/* A track shows a value from a time on. */
static inline void
overview_show(struct overview *o, struct overview_track *t, uint64_t value, uint64_t time)
{
	struct overview_slot *s = &t->slots[t->shown % OVERVIEW_SLOTS];
	if (__builtin_expect(time - t->since >= t->end - t->since || s->value != t->shown, 0)) {
		overview_turn(o, t, value, time);
		return;
	}
	s->time += time - t->since;
	t->since = time;
	t->shown = value;
}

/* Makes the bytes of the pyramid of what was shown up to a time, at most so many. Returns them, valid until finish; NULL:
 * they would be more, or all is dropped. tick: ps. The last call. */
const uint8_t *overview_bytes(struct overview *o, uint64_t end, uint64_t tick, size_t most, size_t *n);

#endif
