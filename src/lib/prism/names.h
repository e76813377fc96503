/* SPDX-License-Identifier: MIT */
#ifndef PRISM_NAMES_H
#define PRISM_NAMES_H

/* names: the names in a Prism trace (functions, operators, nets), each once, and the words of settings. */

#include "prism_machine.h"
#include "table.h"

/* Returns the name of n bytes at p, which are copied to a table that was zeroed; it is valid until the
 * table is freed. NULL: no memory. */
static inline struct prism_name *
prismnames_get(struct prismtable *names, const char *p, uint32_t n)
{
	names->size = sizeof(struct prism_name);
	struct prism_name *name = prismtable_get(names, p, n);
	if (name && !name->id)
		*name = (struct prism_name){ .text = (const char *)(name + 1), .len = n, .id = names->n };
	return name;
}

/* "mem", "comp", "sync", "cxt", "cf", and "wide", "packed", as descriptions have them. */
extern const char *const prism_kind_words[PRISM_KINDS];
extern const char *const prism_layout_words[2];

/* The stack that a context with a name is pushed to, or popped from. */
static inline enum prism_stack_kind
prism_stack_of(unsigned type)
{
	return type < PRISM_THREAD ? PRISM_FUNCTIONS : type < PRISM_OPERATOR_ENTER ? PRISM_NETS
										   : PRISM_OPERATORS;
}

/* Whether a context with a name is pushed. */
static inline bool
prism_cxt_enters(unsigned type)
{
	return type == PRISM_FUNC_ENTER || type == PRISM_NET_ENTER || type == PRISM_OPERATOR_ENTER;
}

#endif
