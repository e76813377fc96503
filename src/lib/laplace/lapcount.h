/* SPDX-License-Identifier: MIT */
#ifndef LAPCOUNT_H
#define LAPCOUNT_H

/* lapcount: what a row (a task, the processor) counts in a window, and which pages it touches.
 *
 * A row lists the pages it has ever touched, with the window in which it did last: the first
 * gives the footprint, the second the working set. A page costs 16 bytes in a table that is
 * a third to three quarters full. */

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

struct lapcount_slot {
	uint64_t page; /* from 1 */
	uint32_t window;
};

struct lapcount {
	uint64_t n[LAPCOUNT_TOTALS]; /* in the current window */
	struct lapcount_slot *slots;
	size_t cap;         /* power of two, or 0 */
	uint64_t footprint; /* pages in slots */
	bool listed;        /* of whoever uses it: this window or the last had something */
	bool active;        /* this one has */
};

enum {
	LAPCOUNT_OLD,       /* touched in this window already */
	LAPCOUNT_IN_WINDOW, /* the first time in this window */
	LAPCOUNT_EVER,      /* the first time */
	LAPCOUNT_NO_MEMORY = -1,
};

/* Notes that a page is touched in a window (from 1). */
int lapcount_touch(struct lapcount *c, uint64_t page, uint32_t window);

/* Frees. Accepts a zeroed struct. */
void lapcount_finish(struct lapcount *c);

#endif
