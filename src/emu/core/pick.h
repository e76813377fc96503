/* SPDX-License-Identifier: MIT */
#ifndef PICK_H
#define PICK_H

/* pick: makes of the records that an emulator prints those that the outputs get: their times count from the begin of the
 * window (cut.h). */

#include "flow.h"

struct emu;

struct pick {
	int64_t zero; /* time that becomes 0 */
};

/* Finds what is to be done to records, as plan->pick; NULL: nothing. Returns 0, or <0 (reported). */
int pick_make(struct emu *emu);

/* Does it to a chunk. */
void pick_apply(const struct pick *p, struct chunk *c);

#endif
