/* SPDX-License-Identifier: MIT */
#include "reduce.h"

#include <string.h>

#define NOT_SHOWN INT64_MIN

static enum choice
choose(const struct breakdown_decl *d, const struct cpu_value *c)
{
	if (c->task && (!d->in_body || c->state == d->in_body))
		return CHOOSE_TASK;
	return c->state ? CHOOSE_STATE : CHOOSE_UNKNOWN;
}

static int64_t
value_of(const struct reduction *r, struct cpu_value *c)
{
	const struct breakdown_decl *d = r->decl;
	if (!r->emu->plan->options.compat || !d->in_body || c->state_written)
		c->choice = choose(d, c);
	if (d->idle >= 0 && c->idle != d->progressing)
		return c->idle;
	return c->choice == CHOOSE_TASK ? c->task : c->choice == CHOOSE_STATE ? c->state
									      : d->unknown;
}

static void
note(struct reduction *r, uint32_t row)
{
	if (!r->noted[row])
		r->order[r->nnoted++] = row;
	r->noted[row] = 1;
}

/* Notes every row, for the first lines. */
static void
note_all(struct reduction *r)
{
	r->begun = true;
	for (uint32_t row = 0; row < r->nrows; row++)
		note(r, row);
}

/* Returns the first run whose value is not below. */
static uint32_t
find_run(const struct reduction *r, int64_t value)
{
	uint32_t i = 0;
	while (i < r->nruns && r->runs[i].value < value)
		i++;
	return i;
}

/* Makes sure that there is a run of that value, if need be an empty one. */
static void
add_run(struct reduction *r, int64_t value)
{
	uint32_t i = find_run(r, value);
	if (i < r->nruns && r->runs[i].value == value)
		return;
	memmove(&r->runs[i + 1], &r->runs[i], (r->nruns++ - i) * sizeof(*r->runs));
	r->runs[i] = (struct run){ value, i ? r->runs[i - 1].end : 0 };
}

static void
drop_if_empty(struct reduction *r, uint32_t i)
{
	if (r->runs[i].end == (i ? r->runs[i - 1].end : 0))
		memmove(&r->runs[i], &r->runs[i + 1], (--r->nruns - i) * sizeof(*r->runs));
}

static inline void
show(struct reduction *r, uint32_t row, int64_t value)
{
	r->sorted[row] = value;
	if (value != r->shown[row])
		note(r, row);
}

/* Moves a CPU from one value to another: each run between them shifts by one row. Notes the
 * rows that differ, lowest first. */
static void
replace(struct reduction *r, int64_t old, int64_t value)
{
	if (!r->begun)
		note_all(r);
	add_run(r, value);
	uint32_t from = find_run(r, old);
	uint32_t to = find_run(r, value);
	for (uint32_t i = from; i < to; i++)
		show(r, --r->runs[i].end, r->runs[i + 1].value);
	for (uint32_t i = to; i < from; i++)
		show(r, r->runs[i].end++, r->runs[i].value);
	drop_if_empty(r, from);
}

/* The column of a channel of the model. NO_INDEX: it has none. */
static uint32_t
col_of(const struct model_run *mr, int chan)
{
	return chan >= 0 ? mr->first_col + (uint32_t)chan : NO_INDEX;
}

int
reduce_init(struct reduction *r, struct arena *a, const struct emu *emu, const struct model_run *mr)
{
	const struct breakdown_decl *d = mr->model->breakdown;
	uint32_t n = emu->plan->sys.nphysical;
	*r = (struct reduction){
		.emu = emu,
		.model = mr->model,
		.decl = d,
		.state_col = col_of(mr, d->state),
		.task_col = col_of(mr, d->task),
		.idle_col = col_of(mr, d->idle),
		.nrows = n,
		.shown = arena_new(a, int64_t, n),
		.changed = arena_new(a, uint32_t, n),
		.cpus = arena_new(a, struct cpu_value, emu->plan->sys.ncpus),
		.touched = arena_new(a, uint32_t, emu->plan->sys.ncpus),
		.sorted = arena_new(a, int64_t, n),
		.runs = arena_new(a, struct run, n + 1),
		.noted = arena_new(a, uint8_t, n),
		.order = arena_new(a, uint32_t, n),
	};
	if (!r->shown || !r->changed || !r->cpus || !r->touched || !r->sorted || !r->runs || !r->noted || !r->order)
		return diag_no_memory(emu->diag);
	for (uint32_t i = 0; i < n; i++)
		r->shown[i] = NOT_SHOWN;
	r->runs[r->nruns++] = (struct run){ 0, n };
	return 0;
}

void
reduce_take(struct reduction *r, const struct record *rec)
{
	uint32_t cpu = record_cpu(rec, r->emu->plan->sys.nthreads) - r->emu->plan->sys.nthreads;
	if (r->emu->plan->sys.cpus[cpu].index < 0)
		return; /* virtual CPUs do not count */
	struct cpu_value *c = &r->cpus[cpu];
	if (!c->touched)
		r->touched[r->ntouched++] = cpu;
	c->touched = true;
	if (rec->col == r->state_col) {
		c->state = rec->value;
		c->state_written = true;
	} else if (rec->col == r->task_col) {
		c->task = rec->value;
	} else {
		c->idle = rec->value;
	}
}

uint32_t
reduce_end(struct reduction *r)
{
	for (uint32_t i = 0; i < r->ntouched; i++) {
		struct cpu_value *c = &r->cpus[r->touched[i]];
		int64_t value = value_of(r, c);
		if (value != c->value)
			replace(r, c->value, value);
		c->value = value;
		c->touched = c->state_written = false;
	}
	r->ntouched = 0;
	/* Default view: every row begins with a line. */
	if (!r->begun && !r->emu->plan->options.compat)
		note_all(r);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->nnoted; i++) {
		uint32_t row = r->order[i];
		r->noted[row] = 0;
		if (r->sorted[row] == r->shown[row])
			continue;
		r->shown[row] = r->sorted[row];
		r->changed[n++] = row;
	}
	r->nnoted = 0;
	return n;
}

size_t
reduce_cols(const struct reduction *r, uint32_t cols[3])
{
	const uint32_t all[] = { r->state_col, r->idle_col, r->task_col };
	size_t n = 0;
	for (size_t i = 0; i < 3; i++)
		if (all[i] != NO_INDEX)
			cols[n++] = all[i];
	return n;
}
