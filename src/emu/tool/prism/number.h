/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_NUMBER_H
#define TOOL_PRISM_NUMBER_H

/* number: gives names their numbers, and writes the table of them, each once (doc/format/prism.md, "Names by number"). */

#include "prism/table.h"

#include <stdbool.h>
#include <stdint.h>

struct wbuf;

/* Zeroed: empty. */
struct ptnames {
	struct prismtable numbers; /* of those that were written */
	uint64_t size;             /* bytes of the table */
};

/* Puts the number of a name of 1 to 256 bytes into *number. One that is new is written. false: no memory. */
bool ptnames_number(struct ptnames *n, struct wbuf *out, const char *text, uint32_t len, uint64_t *number);

void ptnames_finish(struct ptnames *n);

#endif
