/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_NAMES_H
#define MODELS_PRISM_NAMES_H

/* names: the names in a Prism trace (functions, operators, nets), each once.
 *
 * Names are bytes, any of them, 1 to 256. A name stays where it is until the arena is
 * freed; nothing is removed. A zeroed table with its arena is ready. */

#include "arena.h"

#include <stdint.h>

enum prismnames_kind {
	PRISMNAMES_FUNC,
	PRISMNAMES_OPERATOR,
	PRISMNAMES_NET,
	PRISMNAMES_KINDS,
};

struct prism_name {
	uint32_t id; /* 1, 2 ... in the order of first appearance, whatever it names */
	uint32_t len;
	uint32_t index[PRISMNAMES_KINDS]; /* of the model, by what it names; 0: none yet */
	uint32_t hash;
	char text[]; /* NUL behind, which is not counted */
};

struct prismnames {
	struct arena *arena;
	struct prism_name **slots;
	uint32_t n;
	uint32_t cap; /* power of two */
	uint64_t seed;
};

/* The name of n bytes at p, which need not live on. NULL when memory is exhausted. O(1) in
 * the mean, also if an enemy has chosen the names. */
struct prism_name *prismnames_get(struct prismnames *names, const char *p, uint32_t n);

#endif
