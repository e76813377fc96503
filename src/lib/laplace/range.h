/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_RANGE_H
#define LAPLACE_RANGE_H

/* range: maps of ranges of pages, such as the mappings of an address space.
 *
 * A map holds ranges [first, last] that do not overlap. Each has an owner, and a base that
 * belongs to `first` and grows by one a page: page p has the value base + (p - first).
 * Neighbours that continue each other are one range. Pages of addresses are below 2^52;
 * laprange_next() does not see page 2^64 - 1, which a file may have.
 *
 * A map is a B-tree whose nodes may be shared by maps and are copied when one of
 * them is changed: a copy of a map, or of a part of it, costs O(log n), as a fork does not
 * copy what it shares. Maps are pointers; NULL is the empty one. All nodes are in a pool,
 * and freed with it: a range takes 28 bytes of a node, which is half full at least. When memory is
 * exhausted the pool says so from then on, and maps may lack ranges; nothing else happens. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laprange {
	uint64_t first;
	uint64_t last;
	uint64_t base;
	uint32_t owner;
};

struct lapmap;
struct laprange_chunk;

struct laprange_pool {
	struct laprange_chunk *chunks;
	struct lapmap *free;
	struct lapmap *fresh, *end; /* of the last chunk, never used */
	size_t chunk_nodes;         /* of the next chunk */
	size_t nfree;               /* with the fresh ones */
	size_t nodes;               /* in use */
	bool failed;                /* memory was exhausted */
};

void laprange_init(struct laprange_pool *pool);
/* Frees all nodes of all maps. Accepts a zeroed pool. */
void laprange_finish(struct laprange_pool *pool);

/* Finds the range that has the page. False: none has. */
bool laprange_find(const struct lapmap *map, uint64_t page, struct laprange *r);

/* Finds the range with the lowest page that is not below `page`. False: there is none. */
bool laprange_next(const struct lapmap *map, uint64_t page, struct laprange *r);

/* The lowest page from `page` on that the map lacks; it must lack one. O(log n log n). */
uint64_t laprange_gap(const struct lapmap *map, uint64_t page);

/* The value of a page that the range has. */
static inline uint64_t
laprange_value(const struct laprange *r, uint64_t page)
{
	return r->base + (page - r->first);
}

/* Sets [first, last] to one range, replacing others there. */
void laprange_set(struct laprange_pool *pool, struct lapmap **map, uint64_t first, uint64_t last,
	uint32_t owner, uint64_t base);

/* Takes [first, last] out of the map and returns it as a map. */
struct lapmap *laprange_cut(struct laprange_pool *pool, struct lapmap **map, uint64_t first, uint64_t last);

/* Returns a copy of [first, last] as a map of its own. */
struct lapmap *laprange_copy(struct laprange_pool *pool, struct lapmap **map, uint64_t first, uint64_t last);

/* Puts `add`, moved by `shift` pages (modulo 2^64), into a map that has nothing from its first
 * to its last page, and frees it. O(log n) where shift is 0, else for each range of `add`. */
void laprange_put(struct laprange_pool *pool, struct lapmap **map, struct lapmap *add, uint64_t shift);

/* Gives the nodes of a map back to the pool. */
void laprange_free(struct laprange_pool *pool, struct lapmap *map);

/* The pages that a map has. O(1). */
uint64_t laprange_total(const struct lapmap *map);

#endif
