/* SPDX-License-Identifier: MIT */
#ifndef PRVLINE_H
#define PRVLINE_H

/* prvline: states as lines of a Paraver trace. Lines are put together from texts that are made once:
 * rows, types, small values, and the digits of the time that seldom change. */

#include "prv.h"

/* Makes the texts of all rows and types (p->nrows, p->ntypes) and of time 0. */
void prvline_prepare(struct prv *p, const int *types);

/* Writes states that are in order of time: whole instants, or parts of long ones, of at most PRV_HELD
 * records. Failures are kept in p->out. */
void prvline_put(struct prv *p, const struct record *r, const struct record *end);

/* The same for a file of threads and one of CPUs (NULL: there is none): a line that both show is
 * formatted once. */
void prvline_put_both(struct prv *p, struct prv *cpus, const struct record *r, const struct record *end);

#endif
