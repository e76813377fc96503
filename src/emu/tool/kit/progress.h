/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_PROGRESS_H
#define TOOL_KIT_PROGRESS_H

/* progress: when a tool tells how far it is: five times a second on a terminal, where short work
 * shows nothing, and once a second in a log. diag_progress() prints the line. */

#include <stdbool.h>

struct progress {
	bool wanted;   /* --progress, or the standard error is a terminal */
	bool terminal; /* the standard error is one */
	double begin, last;
};

/* Begins; what is wanted may be changed by options. */
void progress_init(struct progress *p);

/* Whether a line is due; the first one is at the first call, but not on a terminal. */
bool progress_due(struct progress *p);

/* Seconds since progress_init(). */
double progress_took(const struct progress *p);

#endif
