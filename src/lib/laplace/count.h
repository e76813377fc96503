/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_COUNT_H
#define LAPLACE_COUNT_H

/* count: the totals of a row (a task, the processor) in a window, and the pages that it touches.
 *
 * A row lists the pages it has ever touched, with the window in which it did last: the first
 * gives the footprint, the second the working set. Numbers that follow each other are often
 * touched together, so they stand together: a slot of 32 bytes has six of them, and slots are in a
 * table that is a third to three quarters full. Where most numbers are touched, as by the
 * processor, a page costs 4 bytes in an array. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lapcount_total {
	LAPCOUNT_LOADS,
	LAPCOUNT_STORES,
	LAPCOUNT_FETCHES,
	LAPCOUNT_LOAD_BYTES,
	LAPCOUNT_STORE_BYTES,
	LAPCOUNT_FETCH_BYTES, /* not shown */
	LAPCOUNT_NEW_PAGES,
	LAPCOUNT_FILE_READ,
	LAPCOUNT_FILE_WRITE,
	LAPCOUNT_WORKING_SET,
	LAPCOUNT_TOTALS,
};

enum {
	LAPCOUNT_GROUP = 6,       /* pages in a slot */
	LAPCOUNT_CHUNK = 64,      /* pages in a part of the array, */
	LAPCOUNT_DENSE = 1 << 22, /* which ends here: numbers jump where a file of terabytes is read */
};

struct lapcount_slot {
	uint64_t group; /* from 1, 0: it is free */
	uint32_t window[LAPCOUNT_GROUP];
};

struct lapcount {
	uint64_t n[LAPCOUNT_TOTALS]; /* in the current window */
	struct lapcount_slot *slots;
	size_t nslots;
	size_t cap;        /* power of two, or 0 */
	uint32_t **chunks; /* windows by number */
	size_t nchunks;
	uint64_t footprint; /* pages */
	bool dense;         /* set by the user before the first touch: most pages are touched */
	bool listed;        /* for the caller: this window or the last had touches */
	bool active;        /* this window has touches */
};

/* Where the search for a group begins. */
static inline size_t
lapcount_hash(uint64_t group, size_t cap)
{
	/* Numbers follow each other: the high bits of a product are spread evenly. */
	return (size_t)((group * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (cap - 1);
}

enum {
	LAPCOUNT_OLD,       /* touched in this window already */
	LAPCOUNT_IN_WINDOW, /* the first time in this window */
	LAPCOUNT_EVER,      /* the first time */
	LAPCOUNT_NO_MEMORY = -1,
};

/* Prefetches the memory of a page. */
static inline void
lapcount_prefetch(const struct lapcount *c, uint64_t page)
{
	if (c->dense && page < LAPCOUNT_DENSE) {
		if (page / LAPCOUNT_CHUNK < c->nchunks && c->chunks[page / LAPCOUNT_CHUNK])
			__builtin_prefetch(&c->chunks[page / LAPCOUNT_CHUNK][page % LAPCOUNT_CHUNK]);
	} else if (c->cap) {
		__builtin_prefetch(&c->slots[lapcount_hash(page / LAPCOUNT_GROUP + 1, c->cap)]);
	}
}

/* Notes that a page is touched in a window (from 1). */
int lapcount_touch(struct lapcount *c, uint64_t page, uint32_t window);

/* Frees. Accepts a zeroed struct. */
void lapcount_finish(struct lapcount *c);

#endif
