/* SPDX-License-Identifier: MIT */
#ifndef PRISM_NAMES_H
#define PRISM_NAMES_H

/* names: the names in a Prism trace (functions, operators, nets), each once. */

#include "prism_machine.h"
#include "table.h"

/* A zeroed struct is empty and ready. */
struct prismnames {
	struct prismtable table;
};

/* Returns the name of n bytes at p, which are copied; it is valid until the table is freed.
 * NULL: no memory. */
struct prism_name *prismnames_get(struct prismnames *names, const char *p, uint32_t n);

void prismnames_finish(struct prismnames *names);

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
