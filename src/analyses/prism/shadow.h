/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_SHADOW_H
#define ANALYSES_SHADOW_H

/* shadow: a cell for each granule of memory that was written, such as who wrote it last. Cells are in chunks of 64, which are
 * zeroed; when there are as many as memory was given for, one that was not used for long is forgotten. */

#include "lines.h"

enum {
	SHADOW_CHUNK = 64, /* cells */
	SHADOW_BITS = 6,
};

struct shadow {
	struct lines chunks; /* values: their number, from 1 */
	struct shadow_chunk {
		uint64_t key;
		bool used; /* since the hand passed it */
	} * list;
	char *cells;
	size_t size; /* of a cell */
	size_t n, list_cap, cells_cap;
	size_t most; /* chunks */
	size_t hand; /* of a clock: the chunk that is forgotten next, unless it was used */
	uint64_t forgotten;
	uint64_t last_key; /* of the chunk that was found last, */
	char *last;        /* and that chunk; NULL: it is not there */
};

/* For cells of so many bytes, in so many bytes of memory. Returns 0, or -1 when memory is exhausted. */
int shadow_begin(struct shadow *s, size_t size, uint64_t memory);

/* Finds a chunk, or adds it. */
char *shadow_find_chunk(struct shadow *s, uint64_t chunk, bool add);

/* The cell of a granule, by its key; the cells up to the end of its chunk follow. NULL: it is not there and is not to be added, or
 * memory is exhausted. */
static inline void *
shadow_cell(struct shadow *s, uint64_t key, bool add)
{
	uint64_t chunk = key >> SHADOW_BITS;
	char *cells = chunk == s->last_key && (s->last || !add) ? s->last : shadow_find_chunk(s, chunk, add);
	return cells ? cells + key % SHADOW_CHUNK * s->size : NULL;
}

/* Accepts a zeroed one. */
void shadow_finish(struct shadow *s);

#endif
