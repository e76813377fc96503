/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_LINES_H
#define LAPLACE_LINES_H

/* lines: canonical pages that were found last.
 *
 * To find a page in the maps of lappages is to go down a tree. Here those with neighbouring
 * addresses are one line of the processor's cache. A line may go at any time, as there are at most
 * about as many as it is told; and nobody asks for it once its space has a new id. */

#include "laplace.h"

#include <stddef.h>
#include <stdint.h>

enum {
	LAPLINES_PAGES = 14, /* of a line */
	LAPLINES_FIRST = 4096,
};

struct lapline {
	uint64_t key;                  /* space and group of pages, 0: it is free */
	uint32_t page[LAPLINES_PAGES]; /* a value, 0: none */
};

struct laplines {
	void *block;
	struct lapline *lines; /* in it */
	size_t n;              /* power of two */
	size_t nused;
};

/* Where a page of a space is. The id of a space is not 0, and below 2^44. */
static inline uint64_t
laplines_key(uint64_t id, uint32_t addr)
{
	return id << 20 | (addr >> LAP_PAGE_SHIFT) / LAPLINES_PAGES;
}

/* The first of the two lines where it may be. */
static inline struct lapline *
laplines_at(const struct laplines *l, uint64_t key)
{
	/* Groups that follow each other stay so; those of other spaces are elsewhere. */
	uint64_t at = key + ((key >> 20) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	return l->lines + 2 * (at & (l->n / 2 - 1));
}

/* Prefetches the lines of a key. */
static inline void
laplines_prefetch(const struct laplines *l, uint64_t key)
{
	const struct lapline *line = laplines_at(l, key);
	__builtin_prefetch(line);
	__builtin_prefetch(line + 1);
}

/* The value of an address, 0: none. */
static inline uint32_t
laplines_find(const struct laplines *l, uint64_t key, uint32_t addr)
{
	const struct lapline *line = laplines_at(l, key);
	line += line->key != key;
	return line->key == key ? line->page[(addr >> LAP_PAGE_SHIFT) % LAPLINES_PAGES] : 0;
}

/* 0, or -1: no memory. laplines_finish() is called in any case, and accepts a zeroed struct. */
int laplines_init(struct laplines *l);
void laplines_finish(struct laplines *l);

/* Sets a value. There are less than twice `most` lines, or those of the beginning. */
void laplines_put(struct laplines *l, uint64_t key, uint32_t addr, uint32_t value, uint64_t most);

#endif
