/* SPDX-License-Identifier: MIT */
#ifndef CHOOSE_H
#define CHOOSE_H

/* choose: the rows and columns that --rows and --types name.
 *
 * Rows: a list with commas of thread:, cpu:, proc:, pid: and loom:, with a number, a range (1-8) or a pattern with * ? [ ]
 * behind each. Columns: PRV types, ranges of them, and patterns of channels, models and titles. */

#include "sink.h"

struct chosen {
	bool *rows;                /* by row */
	bool *cols[ROW_CLASSES];   /* by column */
	bool *tasks;               /* by model: its tasks are shown, */
	bool *breakdowns;          /* and its breakdown */
	bool narrows[ROW_CLASSES]; /* some rows of the class are not chosen */
	bool any;                  /* something is not chosen */
};

/* Finds them, for all rows and columns that there are; in the arena of the plan. Returns 0, or <0 (reported): something is named
 * that there is not, or what was asked for lacks something. */
int choose_make(struct chosen *c, struct emu *emu, const char *rows, const char *types);

#endif
