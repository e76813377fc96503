/* SPDX-License-Identifier: MIT */
#ifndef IDMAP_H
#define IDMAP_H

/* idmap: integers to pointers, or to numbers, in an arena. Nothing is ever removed. A zeroed
 * struct is empty and ready; a copy may be read until something is added to either.
 *
 * Ids are often consecutive, and those that are near are used together: keys that differ in the last bits
 * are one block, and blocks are found in a hash table. */

#include "arena.h"

struct idmap_slot {
	union {
		void *value;      /* NULL: the slot is free */
		uintptr_t number; /* in place of it; 0: the slot is free */
	};
};

struct idmap_block {
	uint64_t key;             /* of its slots, without the last bits */
	struct idmap_slot *slots; /* NULL: there is no block here */
};

struct idmap {
	struct idmap_block *blocks;
	size_t n; /* keys */
	size_t nblocks;
	size_t cap;             /* for blocks: a power of two */
	const struct arena *of; /* that has them */
};

/* The value of a key, NULL if there is none. O(1). */
void *idmap_find(const struct idmap *m, uint64_t key);

/* The slot of a key, for adding it: its value is NULL if it is new. It stays where it is. NULL when memory is exhausted.
 * O(1) in the mean. */
struct idmap_slot *idmap_slot(struct idmap *m, struct arena *a, uint64_t key);

/* Adds a key that is not there; the value is not NULL. Returns 0, or -1 when memory is
 * exhausted. */
int idmap_add(struct idmap *m, struct arena *a, uint64_t key, void *value);

/* Returns a key that is there, and its value: from *at on, which moves behind it; 0 at first. NULL: there are no more. In any order. */
void *idmap_next(const struct idmap *m, size_t *at, uint64_t *key);

#endif
