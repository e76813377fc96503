/* SPDX-License-Identifier: MIT */
/* breakdown: how many physical CPUs are in each state, at every instant.
 *
 * Each CPU contributes one value, taken from what its row shows (struct breakdown_decl);
 * the values are sorted, and row i of the breakdown shows the i-th lowest. Runs behind
 * the merge of all records of CPUs, as it needs them all. Rules in doc/internals.md,
 * "Breakdowns". */
#include "prv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOT_SHOWN INT64_MIN

enum {
	BATCH = 1024, /* records that are written at a time */
};

/* What the state and the task of a CPU contribute: --compat chooses anew only when the
 * state is written, and follows the choice meanwhile. */
enum choice {
	CHOOSE_UNKNOWN,
	CHOOSE_STATE,
	CHOOSE_TASK,
};

struct cpu_value {
	int64_t state, task, idle;
	int64_t value; /* what it contributes */
	enum choice choice;
	bool touched;       /* by the current event */
	bool state_written; /* by the current event */
};

struct reduction {
	const struct breakdown_decl *decl;
	uint32_t state_col, task_col, idle_col;
	struct prv prv;
	struct record *batch; /* not split inside an instant, unless it is longer */
	size_t nbatch;
	const char *pcf_path;
	struct cpu_value *cpus; /* by CPU, virtual ones too */
	uint32_t *touched;      /* CPUs, in order */
	uint32_t ntouched;
	int64_t *sorted; /* of the physical CPUs */
	int64_t *shown;  /* what each row has printed */
	uint8_t *noted;  /* rows to print */
	uint32_t *order; /* of them */
	uint32_t nnoted;
	uint32_t n;   /* physical CPUs */
	bool changed; /* some row was noted before */
	int64_t time;
	int event; /* current one, -1: none */
};

struct breakdown {
	const struct emu *emu;
	struct arena arena;
	struct reduction *reductions;
	size_t n;
};

/* ---- From the rows of a CPU to its value. ---- */

static enum choice
choose(const struct breakdown_decl *d, const struct cpu_value *c)
{
	if (c->task && (!d->in_body || c->state == d->in_body))
		return CHOOSE_TASK;
	return c->state ? CHOOSE_STATE : CHOOSE_UNKNOWN;
}

static int64_t
value_of(const struct emu *emu, const struct breakdown_decl *d, struct cpu_value *c)
{
	if (!emu->options.compat || !d->in_body || c->state_written)
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
	for (; to + 1 < r->n && r->sorted[to + 1] < value; to++)
		r->sorted[to] = r->sorted[to + 1];
	for (; to > 0 && r->sorted[to - 1] > value; to--)
		r->sorted[to] = r->sorted[to - 1];
	r->sorted[to] = value;
	/* The first time, no row has printed anything. */
	uint32_t low = !r->changed ? 0 : from < to ? from
						   : to;
	uint32_t high = !r->changed ? r->n - 1 : from < to ? to
							   : from;
	for (uint32_t row = low; row <= high; row++)
		if (r->sorted[row] != r->shown[row])
			note(r, row);
	r->changed = true;
}

/* Writes the batch, all of it or up to its last instant, which may go on. */
static int
write_batch(struct reduction *r, bool all)
{
	size_t n = r->nbatch;
	while (!all && n && r->batch[n - 1].time == r->batch[r->nbatch - 1].time)
		n--;
	n = n ? n : r->nbatch;
	int rc = n ? prv_write(&r->prv, r->batch, n) : 0;
	memmove(r->batch, r->batch + n, (r->nbatch - n) * sizeof(*r->batch));
	r->nbatch -= n;
	return rc;
}

static int
end_event(const struct emu *emu, struct reduction *r)
{
	for (uint32_t i = 0; i < r->ntouched; i++) {
		struct cpu_value *c = &r->cpus[r->touched[i]];
		int64_t value = value_of(emu, r->decl, c);
		if (value != c->value)
			replace(r, c->value, value);
		c->value = value;
		c->touched = c->state_written = false;
	}
	r->ntouched = 0;
	/* Default view: every row begins with a line. */
	if (!r->changed && !emu->options.compat) {
		r->changed = true;
		for (uint32_t row = 0; row < r->n; row++)
			note(r, row);
	}
	int rc = 0;
	for (uint32_t i = 0; i < r->nnoted; i++) {
		uint32_t row = r->order[i];
		r->noted[row] = 0;
		if (r->sorted[row] == r->shown[row] || rc < 0)
			continue;
		r->shown[row] = r->sorted[row];
		if (r->nbatch == BATCH)
			rc = write_batch(r, false);
		r->batch[r->nbatch++] = (struct record){ .time = r->time, .value = r->sorted[row], .row = row };
	}
	r->nnoted = 0;
	return rc;
}

static int
reduce(const struct emu *emu, struct reduction *r, const struct record *rec)
{
	bool ours = rec->col == r->state_col || rec->col == r->task_col || rec->col == r->idle_col;
	if (!ours || rec->event & RECORD_PUNCTUAL)
		return 0;
	int rc = 0;
	if (r->event >= 0 && (rec->time != r->time || rec->event != r->event))
		rc = end_event(emu, r);
	r->time = rec->time;
	r->event = rec->event;
	uint32_t cpu = rec->row - emu->sys.nthreads;
	if (emu->sys.cpus[cpu].index < 0)
		return rc;
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
	return rc;
}

/* ---- The sink. ---- */

static int
write_row_file(const struct emu *emu, const char *path, uint32_t n)
{
	struct wbuf w;
	int rc = out_open(&w, emu, path);
	if (rc < 0)
		return rc;
	wbuf_printf(&w, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %" PRIu32 "\n", n);
	for (uint32_t i = n; i > 0; i--)
		wbuf_printf(&w, "~CPU %4" PRIu32 "\n", i);
	return out_close(&w, emu);
}

static int
write_pcf(const struct emu *emu, const struct reduction *r)
{
	uint32_t cols[3];
	size_t n = 0;
	cols[n++] = r->state_col;
	if (r->decl->idle >= 0)
		cols[n++] = r->idle_col;
	cols[n++] = r->task_col;
	return pcf_write_type(emu, r->pcf_path, r->decl->prv_type, r->decl->title, cols, n);
}

static int
open_one(struct breakdown *b, struct reduction *r, const struct model_run *mr, const char *dir)
{
	const struct emu *emu = b->emu;
	const struct breakdown_decl *d = mr->model->breakdown;
	uint32_t n = emu->sys.ncpus - emu->sys.nlooms;
	*r = (struct reduction){
		.decl = d,
		.state_col = mr->first_col + (uint32_t)d->state,
		.task_col = mr->first_col + (uint32_t)d->task,
		.idle_col = d->idle >= 0 ? mr->first_col + (uint32_t)d->idle : UINT32_MAX,
		.cpus = arena_new(&b->arena, struct cpu_value, emu->sys.ncpus),
		.touched = arena_new(&b->arena, uint32_t, emu->sys.ncpus),
		.sorted = arena_new(&b->arena, int64_t, n),
		.shown = arena_new(&b->arena, int64_t, n),
		.noted = arena_new(&b->arena, uint8_t, n),
		.order = arena_new(&b->arena, uint32_t, n),
		.batch = arena_new(&b->arena, struct record, BATCH),
		.pcf_path = arena_printf(&b->arena, "%s/%s.pcf", dir, d->file),
		.n = n,
		.event = -1,
	};
	const char *prv = arena_printf(&b->arena, "%s/%s.prv", dir, d->file);
	const char *row = arena_printf(&b->arena, "%s/%s.row", dir, d->file);
	if (!r->cpus || !r->touched || !r->sorted || !r->shown || !r->noted || !r->order || !r->batch || !r->pcf_path || !prv || !row)
		return diag_no_memory(emu->diag);
	for (uint32_t i = 0; i < n; i++)
		r->shown[i] = NOT_SHOWN;
	int rc = prv_start(&r->prv, emu, prv, 0, n, &d->prv_type, 1);
	if (rc == 0)
		rc = write_row_file(emu, row, n);
	return rc < 0 ? rc : write_pcf(emu, r);
}

static int
breakdown_close(void *self, int64_t duration)
{
	struct breakdown *b = self;
	int rc = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct reduction *r = &b->reductions[i];
		int bad = r->event >= 0 ? end_event(b->emu, r) : 0;
		if (bad == 0)
			bad = write_batch(r, true);
		int bad2 = prv_finish(&r->prv, duration);
		int bad3 = write_pcf(b->emu, r); /* with the labels of task types */
		rc = rc ? rc : bad ? bad
			: bad2     ? bad2
				   : bad3;
	}
	arena_finish(&b->arena);
	return rc;
}

static int
breakdown_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	(void)rows;
	struct breakdown *b = self;
	b->emu = emu;
	b->reductions = arena_new(&b->arena, struct reduction, emu->nmodels);
	int rc = b->reductions ? 0 : diag_no_memory(emu->diag);
	for (size_t i = 0; i < emu->nmodels && rc == 0; i++)
		if (emu->models[i].breaks_down)
			rc = open_one(b, &b->reductions[b->n++], &emu->models[i], dir);
	if (rc < 0) {
		for (size_t i = 0; i < b->n; i++)
			(void)prv_finish(&b->reductions[i].prv, 0);
		arena_finish(&b->arena);
	}
	return rc;
}

static int
breakdown_write(void *self, const struct record *r, size_t n)
{
	struct breakdown *b = self;
	for (size_t k = 0; k < b->n; k++)
		for (size_t i = 0; i < n; i++) {
			int rc = reduce(b->emu, &b->reductions[k], &r[i]);
			if (rc < 0)
				return rc;
		}
	return 0;
}

const struct sink_ops breakdown_sink = {
	.name = "breakdown",
	.size = sizeof(struct breakdown),
	.open = breakdown_open,
	.write = breakdown_write,
	.close = breakdown_close,
};
