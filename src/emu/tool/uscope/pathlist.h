/* SPDX-License-Identifier: MIT */
#ifndef PATHLIST_H
#define PATHLIST_H

/* pathlist: the scopes of a schema as a tree, their paths, each made once, and the fields whose
 * name another field of the same owner has too. */

#include "arena.h"
#include "uscope/uscope.h"

enum {
	PATH_CUT = 1000, /* bytes; longer ones lose their begin, as no tree that deep is browsed */
};

/* A scope in its tree. */
struct branch {
	uint16_t scope;
	uint32_t depth; /* of the root: 0 */
};

struct pathlist {
	const uscope_schema_t *schema;
	struct branch *tree;             /* all scopes, each before those below it */
	const char **scopes;             /* "" for the root, "/soc/core0" below it */
	const uscope_field_t **repeated; /* by address */
	size_t nrepeated;
};

/* The lists live in the arena. 0, or -1: out of memory. */
int pathlist_init(struct pathlist *p, const uscope_schema_t *schema, struct arena *a);

/* USCOPE_NONE is the root. */
const char *pathlist_scope(const struct pathlist *p, uint16_t scope);
bool pathlist_is_repeated(const struct pathlist *p, const uscope_field_t *field);

/* Whether something with this scope is in scope `id`: none is the root. */
static inline bool
scope_is(uint16_t scope, uint16_t id)
{
	return scope == id || (scope == USCOPE_NONE && id == 0);
}

#endif
