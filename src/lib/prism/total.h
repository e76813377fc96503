/* SPDX-License-Identifier: MIT */
#ifndef PRISM_TOTAL_H
#define PRISM_TOTAL_H

/* total: what happens in an interval of a Prism trace: totals, and how many lines of
 * memory are touched. Memory is that of the interval which touches most. */

#include "prism_machine.h"

/* Counts an event. Returns 0, or -1: no memory. A zeroed struct is ready. */
int prismtotal_mem(struct prism_total *t, const struct prism_mem *ev);
void prismtotal_comp(struct prism_total *t, const struct prism_comp *ev);

/* Frees. Accepts a zeroed struct. */
void prismtotal_finish(struct prism_total *t);

#endif
