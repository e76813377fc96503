/* SPDX-License-Identifier: MIT */
#ifndef SCOPETREE_H
#define SCOPETREE_H

/* scopetree: the scopes of a schema from the root down, each before those below it.
 * Without recursion: a file can nest thousands. */

#include "uscope/uscope.h"

struct scopetree {
	const schema_t *schema;
	uint32_t *child;   /* first one, 0: none, as the root is no child */
	uint32_t *brother; /* next one, likewise */
	uint32_t at;
	uint32_t depth;
	bool begun;
};

/* 0, or -1: out of memory. */
int scopetree_init(struct scopetree *t, const schema_t *schema);
void scopetree_finish(struct scopetree *t);
/* false: that were all. */
bool scopetree_next(struct scopetree *t, uint16_t *scope, uint32_t *depth);

/* Whether something with this scope is in scope `id`: none is the root. */
static inline bool
scope_is(uint16_t scope, uint16_t id)
{
	return scope == id || (scope == USCOPE_NONE && id == 0);
}

#endif
