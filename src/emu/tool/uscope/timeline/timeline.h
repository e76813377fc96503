/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TIMELINE_TIMELINE_H
#define TOOL_USCOPE_TIMELINE_TIMELINE_H

/* timeline: the parts of `uscope timeline`, one for each option. They return the exit
 * status. */

#include "scan.h"

/* What all of them work on. */
struct timeline {
	struct tool *tool;
	struct tlfile file;
	struct tlpick pick;
	uint64_t from;
	uint64_t to; /* included */
	bool all;
};

/* What the rows show at a time (tlat.c). */
int timeline_at(struct timeline *t, uint64_t time_ps);
/* Time in each state (tlprofile.c). */
int timeline_profile(struct timeline *t);
/* The Paraver files, in a directory (tlprv.c). */
int timeline_prv(struct timeline *t, const char *dir);
/* What the file is (tlinfo.c). */
int timeline_info(struct timeline *t);

#endif
