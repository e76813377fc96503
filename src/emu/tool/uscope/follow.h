/* SPDX-License-Identifier: MIT */
#ifndef FOLLOW_H
#define FOLLOW_H

/* follow: a file that is being written, looked at again and again until it is complete. */

#include "tool.h"

struct follow {
	struct tool *tool;
	struct source *src;
	bool on;              /* else the file is taken as it is */
	uint64_t interval_ps; /* between two looks */
	uint64_t timeout_ps;  /* without anything new, 0: none */
	uint64_t quiet_ps;    /* for how long nothing has come */
	int status;           /* once something went wrong (reported) */
};

void follow_init(struct follow *f, struct tool *t, struct source *src);
/* Opens the file, and waits for the begin of one that has just been created. false: see
 * status. */
bool follow_open(struct follow *f, const char *path);
/* Waits for more. false: the file is complete, or not followed; or see status. */
bool follow_more(struct follow *f);

#endif
