/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_LINES_H
#define LAPLACE_LINES_H

/* lines: a cache of canonical pages.
 *
 * Finding a page in the maps of pages.h walks a tree. Here pages with neighbouring addresses share
 * a line of the processor's cache. The caller bounds the number of lines, so that any of them may
 * be dropped; lines of a space are never looked up again once the space has a new id. */

#include "laplace.h"

#include <stddef.h>
#include <stdint.h>

enum {
	LAPLINES_PAGES = 14, /* pages in a line */
	LAPLINES_FIRST = 4096,
};

struct lapline {
	uint64_t key;                  /* space and group of pages, 0: it is free */
	uint32_t page[LAPLINES_PAGES]; /* a value, 0: none */
};

struct laplines {
	void *block;
	struct lapline *lines; /* allocated block; the lines are aligned in it */
	size_t n;              /* power of two */
	size_t nused;
};

/* Key of the line of an address. The id of a space is not 0, and below 2^44. */
static inline uint64_t
laplines_key(uint64_t id, uint32_t addr)
{
	return id << 20 | (addr >> LAP_PAGE_SHIFT) / LAPLINES_PAGES;
}

/* Returns the first of the two lines that may have the key. */
static inline struct lapline *
laplines_at(const struct laplines *l, uint64_t key)
{
	/* Consecutive groups stay neighbours; spaces are spread. */
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

/* Sets a value. The table grows to less than twice `most` lines, at least to its first size. */
void laplines_put(struct laplines *l, uint64_t key, uint32_t addr, uint32_t value, uint64_t most);

#endif
