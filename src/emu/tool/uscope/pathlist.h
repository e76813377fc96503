/* SPDX-License-Identifier: MIT */
#ifndef PATHLIST_H
#define PATHLIST_H

/* pathlist: the paths of all scopes of a schema, each made once, and the fields whose
 * name another field of the same owner has too. */

#include "uscope/uscope.h"

enum {
	PATH_CUT = 1000, /* bytes; longer ones lose their begin, as no tree that deep is browsed */
};

struct pathlist {
	const schema_t *schema;
	char **scopes;                   /* "" for the root, "/soc/core0" below it */
	const uscope_field_t **repeated; /* by address */
	size_t nrepeated;
};

/* 0, or -1: out of memory. Free it in both cases. */
int pathlist_init(struct pathlist *p, const schema_t *schema);
void pathlist_finish(struct pathlist *p);

/* USCOPE_NONE is the root. */
const char *pathlist_scope(const struct pathlist *p, uint16_t scope);
bool pathlist_is_repeated(const struct pathlist *p, const uscope_field_t *field);

#endif
