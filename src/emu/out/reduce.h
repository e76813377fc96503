/* SPDX-License-Identifier: MIT */
#ifndef REDUCE_H
#define REDUCE_H

/* reduce: from what the rows of the physical CPUs show to how many CPUs are in each state.
 *
 * Each CPU contributes one value, made of its records (struct breakdown_decl); the values
 * are sorted, and row i of the breakdown shows the i-th lowest. Rules in
 * doc/rules.md, "Breakdowns". */

#include "emu.h"
#include "sink.h"

/* Source of a CPU's value: its state or its task. --compat chooses only when the state is
 * written, and keeps the choice until then. */
enum choice {
	CHOOSE_UNKNOWN,
	CHOOSE_STATE,
	CHOOSE_TASK,
};

struct cpu_value {
	int64_t state, task, idle;
	int64_t value; /* in the breakdown */
	enum choice choice;
	bool touched;       /* by the current event */
	bool state_written; /* by the current event */
};

struct run {
	int64_t value;
	uint32_t end; /* the row behind its last one */
};

struct reduction {
	const struct emu *emu;
	const struct model *model;
	const struct breakdown_decl *decl;
	uint32_t state_col, task_col, idle_col; /* NO_INDEX: it has none */
	uint32_t nrows;                         /* physical CPUs */
	int64_t *shown;                         /* what each row shows */
	uint32_t *changed;                      /* rows that the last event changed, in order */

	struct cpu_value *cpus; /* by CPU, virtual ones too */
	uint32_t *touched;      /* CPUs, in order */
	uint32_t ntouched;
	int64_t *sorted;  /* of the physical CPUs */
	struct run *runs; /* `sorted` as runs of equal values: few, even with many CPUs */
	uint32_t nruns;
	uint8_t *noted;  /* rows that may have changed */
	uint32_t *order; /* noted rows, in order */
	uint32_t nnoted;
	bool begun; /* the first lines were printed */
};

/* Prepares the breakdown of a model. Memory comes from the arena. Returns 0, or <0
 * (reported). */
int reduce_init(struct reduction *r, struct arena *a, const struct emu *emu, const struct model_run *mr);

/* Whether a record matters: of a CPU row, and of a column that is reduced. */
static inline bool
reduce_matters(const struct reduction *r, const struct record *rec)
{
	bool ours = rec->col == r->state_col || rec->col == r->task_col || rec->col == r->idle_col;
	return ours && record_is_state(rec->kind) && record_cpu(rec, r->emu->plan->sys.nthreads);
}

/* Takes a record for which reduce_matters(). */
void reduce_take(struct reduction *r, const struct record *rec);

/* Ends an event of which records were taken. Returns the number of rows that changed:
 * r->changed[] names them, r->shown[] has their values. */
uint32_t reduce_end(struct reduction *r);

/* Finds the columns whose labels the values have, in the order of the PCF. Returns how many. */
size_t reduce_cols(const struct reduction *r, uint32_t cols[3]);

#endif
