/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_TIMELINE_H
#define TOOL_USCOPE_TIMELINE_TIMELINE_H

/* timeline: the parts of `uscope timeline`, one for each option. They return the exit
 * status. */

#include "scan.h"

/* The opened file and the choice of the user, for all parts. */
struct timeline {
	struct tool *tool;
	struct tlfile file;
	struct tlpick pick;
	uint64_t from;
	uint64_t to; /* included */
	bool all;
};

/* The state of all rows at a time (at.c). */
int timeline_at(struct timeline *t, uint64_t time_ps);
/* Time in each state (profile.c). */
int timeline_profile(struct timeline *t);
/* The Paraver files, in a directory (prv.c). */
int timeline_prv(struct timeline *t, const char *dir);
/* Trace, rows and channels of the file (info.c). */
int timeline_info(struct timeline *t);

#endif
