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
	uint32_t *n;    /* events in each bucket; saturates */
	unsigned shift; /* a bucket is 2^shift ns */
};

/* Returns 0, or -1 when memory is exhausted. */
int density_init(struct density *d, struct arena *a);
void density_count(struct density *d, int64_t time);

/* Notes the current event; after its operation. */
void watch_event(struct emu *emu, const struct event *ev);

#endif
