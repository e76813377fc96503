/* SPDX-License-Identifier: MIT */
#ifndef OVERLAP_H
#define OVERLAP_H

/* overlap: notices processes of a host that do not overlap in time, as two runs of a program in one
 * trace directory do. */

#include "emu.h"

/* To be called when the first event of each stream is known. Returns 0, or -ERR_MEMORY (not reported). */
int overlap_begin(struct plan *plan);

/* To be called when all events have been read. Without overlap_begin() it does nothing. */
void overlap_report(const struct plan *plan, struct diag *d);

#endif
