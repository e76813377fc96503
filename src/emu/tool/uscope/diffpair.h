/* SPDX-License-Identifier: MIT */
#ifndef DIFFPAIR_H
#define DIFFPAIR_H

/* diffpair: which storage, event and field of one file is which of another: those of the
 * same path and name; the type of a field has to be the same as well. */

#include "show.h"

enum {
	SIDES = 2,
	NO_PAIR = 0xffff,
};

/* Fields that both have. */
struct field_pairs {
	uint16_t *of[SIDES];    /* pair -> field */
	uint16_t *index[SIDES]; /* field -> pair, or NO_PAIR */
	uint32_t n;
};

/* A storage or type of event that both have. */
struct owner_pair {
	uint16_t id[SIDES];
	struct field_pairs fields;
	struct field_pairs properties; /* storages only */
};

struct pairs {
	struct owner_pair *storages;
	struct owner_pair *events;
	uint32_t nstorages;
	uint32_t nevents;
	uint32_t *storage_of[SIDES]; /* id -> index into storages, UINT32_MAX: none */
	uint32_t *event_of[SIDES];
};

/* Called for what one file has and the other lacks: "storage", "event", "field". `in` is
 * the side that has it. false: stop. */
typedef bool pair_missing_fn(void *user, const char *what, int in, uint16_t scope, const char *owner, const char *field);

/* What is chosen of two sources. false: out of memory, or stopped. Free it in all cases. */
bool pairs_init(struct pairs *p, const struct source *in, pair_missing_fn *missing, void *user);
void pairs_finish(struct pairs *p);

#endif
