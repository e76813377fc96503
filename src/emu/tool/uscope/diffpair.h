/* SPDX-License-Identifier: MIT */
#ifndef DIFFPAIR_H
#define DIFFPAIR_H

/* diffpair: pairs the storages, events and fields of two files: they have the same path and name;
 * fields have the same type as well. */

#include "show.h"

enum {
	SIDES = 2,
	NO_PAIR = 0xffff,
};

/* The entries of two lists that are pairs. */
struct matching {
	uint16_t *of[SIDES];    /* pair -> entry */
	uint16_t *index[SIDES]; /* entry -> pair, or NO_PAIR */
	uint16_t n;
};

/* A storage or type of event that both have. */
struct owner_pair {
	uint16_t id[SIDES];
	struct matching fields;
	struct matching properties; /* storages only */
};

struct owner_pairs {
	struct matching ids;
	struct owner_pair *at; /* by pair */
};

struct pairs {
	struct owner_pairs storages, events;
};

/* Called for each "storage", "event" or "field" that one file has and the other lacks. `in` is the side
 * that has it. false: stop. */
typedef bool pair_missing_fn(void *user, const char *what, int in, uint16_t scope, const char *owner, const char *field);

/* Pairs all that is chosen of two sources; the pairs live in the arena of the first. false: out of
 * memory, or stopped. */
bool pairs_init(struct pairs *p, struct source *in, pair_missing_fn *missing, void *user);

#endif
