/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_IDS_H
#define LAPLACE_IDS_H

/* ids: a map from numbers of a trace (pids, contexts, files, segments) to structures. */

#include <stddef.h>
#include <stdint.h>

struct lapids_slot {
	uint64_t key[3];
	void *value; /* NULL: the slot is free */
};

/* A zeroed struct is empty and ready. */
struct lapids {
	struct lapids_slot *slots;
	size_t n;
	size_t cap; /* power of two */
	uint64_t seed;
};

/* The value of a key, NULL: there is none. */
void *lapids_find(const struct lapids *ids, uint64_t a, uint64_t b, uint64_t c);

/* Adds a key or replaces its value, which is not NULL. 0, or -1: no memory. */
int lapids_set(struct lapids *ids, uint64_t a, uint64_t b, uint64_t c, void *value);

/* Frees; not the values. Accepts a zeroed struct. */
void lapids_finish(struct lapids *ids);

#endif
