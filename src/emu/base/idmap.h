/* SPDX-License-Identifier: MIT */
#ifndef IDMAP_H
#define IDMAP_H

/* idmap: integers to pointers, or to numbers, in an arena. Nothing is ever removed. A zeroed
 * struct is empty and ready; a copy may be read until something is added to either. */

#include "arena.h"

struct idmap_slot {
	uint64_t key;
	union {
		void *value;      /* NULL: the slot is free */
		uintptr_t number; /* in place of it; 0: the slot is free */
	};
};

struct idmap {
	struct idmap_slot *slots;
	size_t n;
	size_t cap;             /* power of two */
	const struct arena *of; /* that has the slots */
};

/* The value of a key, NULL if there is none. O(1). */
void *idmap_find(const struct idmap *m, uint64_t key);

/* The slot of a key, for adding it: its value is NULL if it is new, and must be set before
 * the next call. NULL when memory is exhausted. O(1) in the mean. */
struct idmap_slot *idmap_slot(struct idmap *m, struct arena *a, uint64_t key);

/* Adds a key that is not there; the value is not NULL. Returns 0, or -1 when memory is
 * exhausted. */
int idmap_add(struct idmap *m, struct arena *a, uint64_t key, void *value);

#endif
