/* SPDX-License-Identifier: MIT */
#ifndef TOOL_EMULATE_SUMMARY_H
#define TOOL_EMULATE_SUMMARY_H

/* summary: what ovniemu tells of a run behind its end. */

#include "emu.h"

/* Facts that are told after the emulator is closed. */
struct summary {
	uint64_t events;
	uint32_t threads, cpus;
	int64_t span;
	struct cut_window window; /* of it that is shown */
	bool is_part;
	bool is_lonely; /* one process of a team has done it all */
	double part;    /* of the bytes of the trace that were read */
	bool live;
	int sig; /* that has stopped the run, or 0 */
	uint32_t rows[ROW_CLASSES];
	unsigned outputs;
	bool gzip;
	char dir[4096];
	char models[512];
};

/* How much of a trace was read, 0 to 1. */
double part_read(const struct emu *emu);

/* Takes what is told from an emulator that has run, and is not closed. */
void take_summary(struct summary *s, const struct emu *emu);

/* Prints it, of a run that took so many seconds and ended with rc. */
void print_summary(struct diag *d, const struct summary *s, double took, int rc);

#endif
