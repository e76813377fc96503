/* SPDX-License-Identifier: MIT */
#ifndef PICK_H
#define PICK_H

/* pick: makes of what an emulator prints what the outputs get, if that is a part of it.
 *
 * Records of rows and columns that are not chosen (choose.h) are left out, rows are counted without them, and times
 * count from the begin of the window (cut.h). Outputs see an emulator with the chosen rows and columns only. */

#include "choose.h"
#include "flow.h"

struct pick {
	int64_t zero;          /* time that becomes 0 */
	struct chosen chosen;  /* without .any the rest is not there */
	uint32_t *row;         /* by row: its number among those that are chosen; NO_INDEX: it is not */
	struct emu *shown;     /* as outputs see the emulator */
	const struct emu *emu; /* the whole */
	bool begins;           /* the first record of the event was left out, and no other is there yet */
};

/* Finds what is to be done to records, as plan->pick; NULL: nothing. Returns 0, or <0 (reported). */
int pick_make(struct emu *emu);

/* Does it to a chunk. */
void pick_apply(struct pick *p, struct chunk *c);

/* Before outputs are closed: what the emulator has learnt while it ran is shown to them. */
void pick_end(struct pick *p);

#endif
