/* SPDX-License-Identifier: MIT */
#ifndef PRISM_TABLE_H
#define PRISM_TABLE_H

/* table: a hash table of keys of bytes, and of a value for each. Nothing is removed, and a value
 * stays where it is. The order in which slots are probed differs between runs, so that nobody
 * can choose keys that all meet in one. */

#include <stddef.h>
#include <stdint.h>

struct prismtable_slot {
	void *value; /* NULL: the slot is free */
	uint32_t hash;
	uint32_t len; /* of the key, which is behind the value */
};

/* Zeroed but for `size`: empty and ready. */
struct prismtable {
	uint32_t size; /* bytes of a value */
	uint32_t n;
	uint32_t cap; /* power of two */
	uint64_t seed;
	struct prismtable_slot *slots;
};

/* The value of the key of n bytes at p; NULL: there is none. O(1) in the mean. */
void *prismtable_find(const struct prismtable *t, const void *p, uint32_t n);

/* The value of the key, a zeroed one if there is none. A NUL is behind the copy of the key. NULL: no
 * memory. O(1) in the mean. */
void *prismtable_get(struct prismtable *t, const void *p, uint32_t n);

/* Frees values and table. Accepts a zeroed struct. */
void prismtable_finish(struct prismtable *t);

#endif
