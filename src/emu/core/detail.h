/* SPDX-License-Identifier: MIT */
#ifndef DETAIL_H
#define DETAIL_H

/* detail: what only some outputs tell: how values stand on the stacks of threads, when tasks are created
 * and first executed, and labels that come during the run. Behind each event it marks and adds
 * records (sink.h); without such an output it costs nothing. */

#include "sink.h"

struct label;

/* What the sinks know of a stack: its depth, and how many of its values differ from the one below. */
enum {
	TOLD_LEVELS = 1 << 16,
	TOLD_LEVEL = TOLD_LEVELS + 1, /* a value that differs */
};

struct detail {
	uint32_t *stack_of;   /* by column: number of the stack + 1; 0: it is none */
	uint32_t *told;       /* by thread and stack; 0 while the row does not show it */
	struct record *tasks; /* of the current event */
	size_t ntasks, cap;
};

/* Makes emu->detail if an output wants it. Returns 0, or -1 when memory is exhausted. */
int detail_init(struct emu *emu);

/* Tells the labels that came while nothing was told. */
void detail_begin(struct emu *emu);

/* Tells the stack of a thread whose row shows it, as records of the current time, in place of one of the value on top. */
void detail_stack(struct emu *emu, uint32_t thread, uint32_t col);

/* Completes the records of the current event, which were all added. */
void detail_event(struct emu *emu);

/* Notes that a task of the model that is being called is created, or first executed. Due only if there is emu->detail. */
void detail_task(struct emu *emu, uint32_t task, bool executed);

/* Passes on a label, which lives as long as the emulator. */
void detail_label(struct emu *emu, uint32_t col, const struct label *label);

#endif
