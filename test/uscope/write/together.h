/* SPDX-License-Identifier: MIT */
#ifndef TOGETHER_H
#define TOGETHER_H

/* together: cycles of SETs as phrases, many cycles in one call. */

#include "phrase.h"

struct set {
	uscope_place_t place;
	uint64_t value;
};

/* Whether a cycle can be lines, and is: all its operations are compact, or all are wide. */
bool together_add(uscope_writer_t *writer, uint64_t time, const struct set *sets, size_t nsets);
/* Those that were added. */
void together_put(uscope_writer_t *writer);

#endif
