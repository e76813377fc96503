/* SPDX-License-Identifier: MIT */
#ifndef WATCH_H
#define WATCH_H

/* watch: counts events over time, and passes them on, for outputs that need it. Otherwise it
 * costs nothing. */

#include "arena.h"
#include "trace.h"

#include <stdbool.h>
#include <stdint.h>

struct emu;

enum {
	DENSITY_BUCKETS = 1 << 20,
	DENSITY_SHIFT = 10, /* buckets begin with 2^10 ns, and double when there are too many */
};

struct density {
	uint32_t *n;      /* events in each bucket; saturates */
	unsigned shift;   /* a bucket is 2^shift ns */
	size_t bucket;    /* of the events that are not counted yet */
	uint64_t counted; /* in all */
};

/* Returns 0, or -1 when memory is exhausted. */
int density_init(struct density *d, struct arena *a);
/* Events are not counted one by one, as nearly all are in the bucket of the one before. The
 * first in another comes at `time`, behind `before` events. Returns when that bucket ends. */
int64_t density_next(struct density *d, int64_t time, uint64_t before);
/* Counts events of these times, which do not go back, from `zero` on. */
void density_count(struct density *d, const int64_t *times, size_t n, int64_t zero);
/* Adds events that were counted elsewhere, in a bucket of 2^shift ns. */
void density_add(struct density *d, unsigned shift, size_t bucket, uint32_t n);
/* Ends with n events in all. */
void density_end(struct density *d, uint64_t n);

/* Counts and passes on the current event, after its operation. Due from emu->watch_at on. */
void watch_event(struct emu *emu, const struct event *ev);

/* Allocates what the options need. Returns 0, or -1 when memory is exhausted. */
int watch_init(struct emu *emu);

/* Watches from the next event on: those before were not, as emu->watch_at was INT64_MAX. */
void watch_begin(struct emu *emu);

#endif
