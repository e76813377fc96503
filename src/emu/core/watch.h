/* SPDX-License-Identifier: MIT */
#ifndef WATCH_H
#define WATCH_H

/* watch: what some outputs want to know of the events themselves: how many there were
 * when, and what they carried. Without such an output nothing is done. */

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
/* There were so many. */
void density_end(struct density *d, uint64_t n);

/* Notes the current event; after its operation. Due from emu->watch_at on. */
void watch_event(struct emu *emu, const struct event *ev);

/* Memory for what the options ask for. Returns 0, or -1 when it is exhausted. */
int watch_init(struct emu *emu);

#endif
