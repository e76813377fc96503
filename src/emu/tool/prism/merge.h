/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_MERGE_H
#define TOOL_PRISM_MERGE_H

/* merge: the events of all inputs in the order of their times; where these are equal the
 * stream named first comes first. */

#include "input.h"

struct ptmerge {
	struct ptinput **heap; /* the next event of each; the earliest first */
	size_t n;
	bool started;
};

/* Loads the first event of each. 0, or <0 (reported). Finish accepts a zeroed one. */
int ptmerge_open(struct ptmerge *m, struct ptool *t);
void ptmerge_finish(struct ptmerge *m);

/* The input that has the next event, in ->ev. Returns 1, 0 at the end, <0 (reported). *ended:
 * an input that ended since, of which there is no event left; NULL: none. Then no event is
 * given, and 1 returned with *in NULL. */
int ptmerge_next(struct ptmerge *m, struct ptinput **in, struct ptinput **ended);

#endif
