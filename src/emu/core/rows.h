/* SPDX-License-Identifier: MIT */
#ifndef ROWS_H
#define ROWS_H

/* rows: those of processes, looms and the system, which channels may be of (enum chan_of).
 *
 * They stand behind the rows of threads and CPUs: the system, the looms, the processes, each kind
 * only if some channel needs it. Their values are in struct chans as all are, and an event
 * changes them through its list of changes; nothing of them depends on what threads do (track.h).
 * A value is a number from the beginning on, never CHAN_NULL. */

#include "chan.h"
#include "system.h"

struct emu;

enum {
	ROWS_OF = OF_SYSTEM + 1,
};

struct proc_rows {
	uint32_t n;                               /* 0: no channel is of them */
	uint32_t first[ROWS_OF], number[ROWS_OF]; /* by enum chan_of: row of the first, among those of all classes; of threads the number only */
	const char **labels;                      /* by row, from the first of this class on */
	uint32_t *index;                          /* likewise: which process or loom it is; NULL: all are there, in order */
};

/* Makes the rows that the columns of the plan need, when all columns are there. Returns 0, or <0 (reported). */
int rows_make(struct emu *emu);

/* Gives the channels their first values. */
void rows_begin(struct emu *emu);

/* Of what a row is, and which of those. */
enum chan_of rows_level(const struct emu *emu, uint32_t row, uint32_t *index);

/* Whether a row has a column: it is of that row, or the sum of what is below it. */
bool rows_have(const struct emu *emu, uint32_t row, uint32_t col);

/* Changes the channel of the process, or of what it is in, of the event's thread; `kind` is OP_SET, OP_ADD or OP_PUNCTUAL.
 * Returns 0, or <0 (reported). */
int rows_apply(struct emu *emu, enum op_kind kind, uint32_t col, int64_t value);

#endif
