/* SPDX-License-Identifier: MIT */
#include "reduce.h"

#define NOT_SHOWN INT64_MIN

/* ---- From the rows of a CPU to its value. ---- */

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
	if (!r->emu->options.compat || !d->in_body || c->state_written)
		c->choice = choose(d, c);
	if (d->idle >= 0 && c->idle != d->progressing)
		return c->idle;
	return c->choice == CHOOSE_TASK ? c->task : c->choice == CHOOSE_STATE ? c->state
									      : d->unknown;
}

/* ---- From the values to the rows. ---- */

static void
note(struct reduction *r, uint32_t row)
{
	if (!r->noted[row])
		r->order[r->nnoted++] = row;
	r->noted[row] = 1;
}

/* Replaces one value in the sorted list and notes the rows that differ, lowest first. */
static void
replace(struct reduction *r, int64_t old, int64_t value)
{
	uint32_t from = 0;
	while (r->sorted[from] != old)
		from++;
	uint32_t to = from;
	for (; to + 1 < r->nrows && r->sorted[to + 1] < value; to++)
		r->sorted[to] = r->sorted[to + 1];
	for (; to > 0 && r->sorted[to - 1] > value; to--)
		r->sorted[to] = r->sorted[to - 1];
	r->sorted[to] = value;
	/* The first time, no row has shown anything. */
	uint32_t low = !r->begun ? 0 : from < to ? from
						 : to;
	uint32_t high = !r->begun ? r->nrows - 1 : from < to ? to
							     : from;
	for (uint32_t row = low; row <= high; row++)
		if (r->sorted[row] != r->shown[row])
			note(r, row);
	r->begun = true;
}

int
reduce_init(struct reduction *r, struct arena *a, const struct emu *emu, const struct model_run *mr)
{
	const struct breakdown_decl *d = mr->model->breakdown;
	uint32_t n = emu->sys.ncpus - emu->sys.nlooms;
	*r = (struct reduction){
		.emu = emu,
		.model = mr->model,
		.decl = d,
		.state_col = mr->first_col + (uint32_t)d->state,
		.task_col = mr->first_col + (uint32_t)d->task,
		.idle_col = d->idle >= 0 ? mr->first_col + (uint32_t)d->idle : UINT32_MAX,
		.nrows = n,
		.shown = arena_new(a, int64_t, n),
		.changed = arena_new(a, uint32_t, n),
		.cpus = arena_new(a, struct cpu_value, emu->sys.ncpus),
		.touched = arena_new(a, uint32_t, emu->sys.ncpus),
		.sorted = arena_new(a, int64_t, n),
		.noted = arena_new(a, uint8_t, n),
		.order = arena_new(a, uint32_t, n),
	};
	if (!r->shown || !r->changed || !r->cpus || !r->touched || !r->sorted || !r->noted || !r->order)
		return diag_no_memory(emu->diag);
	for (uint32_t i = 0; i < n; i++)
		r->shown[i] = NOT_SHOWN;
	return 0;
}

void
reduce_take(struct reduction *r, const struct record *rec)
{
	uint32_t cpu = rec->row - r->emu->sys.nthreads;
	if (r->emu->sys.cpus[cpu].index < 0)
		return; /* a virtual CPU */
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
	if (!r->begun && !r->emu->options.compat) {
		r->begun = true;
		for (uint32_t row = 0; row < r->nrows; row++)
			note(r, row);
	}
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
	size_t n = 0;
	cols[n++] = r->state_col;
	if (r->decl->idle >= 0)
		cols[n++] = r->idle_col;
	cols[n++] = r->task_col;
	return n;
}
