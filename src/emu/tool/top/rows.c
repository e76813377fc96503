/* SPDX-License-Identifier: MIT */
/* rows: what was counted, as rows. */
#include "count.h"

#include <stdlib.h>
#include <string.h>

enum {
	MODELS = 256,
	LINES = 20, /* about as many rows when no interval is given */
};

/* There is room for all rows. */
static void
add_row(struct top *top, const struct top_row *row)
{
	if (row->tally.events || top->by == TOP_TIME)
		top->rows[top->nrows++] = *row;
}

static const char *
model_name(const struct top *top, uint8_t letter)
{
	const struct model *m = modelset_find(top->catalog.models, letter);
	return m ? m->name : NULL;
}

static void
event_rows(struct top *top)
{
	for (size_t i = 1; i < top->catalog.dispatch.nops; i++) {
		struct top_row row = { .tally = top->kinds[i], .name = top->catalog.kinds[i].model->name };
		memcpy(row.mcv, top->catalog.kinds[i].sig->mcv, 3);
		add_row(top, &row);
	}
	const struct tally *tally;
	uint64_t mcv;
	for (size_t at = 0; (tally = idmap_next(&top->odd, &at, &mcv));) {
		struct top_row row = { .tally = *tally, .mcv = { (uint8_t)(mcv >> 16), (uint8_t)(mcv >> 8), (uint8_t)mcv } };
		row.name = model_name(top, row.mcv[0]);
		add_row(top, &row);
	}
}

static void
model_rows(struct top *top)
{
	for (int c = 0; c < MODELS; c++)
		add_row(top, &(struct top_row){ .tally = top->models[c], .mcv = { (uint8_t)c }, .name = model_name(top, (uint8_t)c) });
}

/* The name as the runtime names directories, or the stream when that is not known. */
static const char *
stream_name(struct top *top, const struct stream *s)
{
	const struct thread_meta *m = &s->meta;
	struct arena *a = &top->trace->arena;
	bool known = m->loom && (m->pid || top->by == TOP_LOOM) && (m->tid || top->by != TOP_THREAD);
	if (!known)
		return s->relpath;
	if (top->by == TOP_LOOM)
		return arena_printf(a, "loom.%s", m->loom);
	if (top->by == TOP_PROCESS)
		return arena_printf(a, "loom.%s/proc.%d", m->loom, m->pid);
	return arena_printf(a, "loom.%s/proc.%d/thread.%d", m->loom, m->pid, m->tid);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct top_row *)a)->name, ((const struct top_row *)b)->name);
}

/* Returns 0, or <0 (reported). */
static int
stream_rows(struct top *top)
{
	for (size_t i = 0; i < top->trace->nstreams; i++) {
		const struct stream *s = &top->trace->streams[i];
		struct top_row row = { .tally = top->streams[i], .stream = s, .name = stream_name(top, s) };
		if (!row.name)
			return diag_no_memory(top->trace->diag);
		add_row(top, &row);
	}
	/* Streams of one name are one row. */
	qsort(top->rows, top->nrows, sizeof(*top->rows), by_name);
	size_t n = 0;
	for (size_t i = 0; i < top->nrows; i++) {
		if (n && by_name(&top->rows[n - 1], &top->rows[i]) == 0)
			tally_add(&top->rows[n - 1].tally, &top->rows[i].tally);
		else
			top->rows[n++] = top->rows[i];
	}
	top->nrows = n;
	return 0;
}

/* The step, of 1, 2 or 5 and zeros, that gives about LINES rows. As all clocks are within
 * 2^64 ns it is 10^18 at most. */
static int64_t
choose_step(const struct top *top)
{
	static const int64_t factors[] = { 1, 2, 5 };
	int64_t unit = top->width;
	for (;;) {
		for (int i = 0; i < 3; i++)
			if ((int64_t)top->nbins / (unit / top->width * factors[i]) < LINES)
				return unit * factors[i];
		unit *= 10;
	}
}

static void
time_rows(struct top *top)
{
	size_t each = (size_t)(top->step / top->width);
	/* Only the intervals from the first event counted to the last one. */
	size_t begin = 0;
	while (begin < top->nbins && top->bins[begin].events == 0)
		begin++;
	if (top->early.events)
		add_row(top, &(struct top_row){ .tally = top->early, .early = true });
	for (size_t i = begin / each * each; i < top->nbins; i += each) {
		struct top_row row = { .time = i * (uint64_t)top->width };
		for (size_t k = i; k < i + each && k < top->nbins; k++)
			tally_add(&row.tally, &top->bins[k]);
		add_row(top, &row);
	}
}

static int
by_count(const void *a, const void *b)
{
	const struct top_row *x = a;
	const struct top_row *y = b;
	if (x->tally.events != y->tally.events)
		return x->tally.events < y->tally.events ? 1 : -1;
	if (x->stream)
		return by_name(x, y);
	return memcmp(x->mcv, y->mcv, 3);
}

int
top_rows(struct top *top)
{
	if (top->by == TOP_TIME && !top->step)
		top->step = choose_step(top);
	size_t most[] = {
		[TOP_EVENT] = top->catalog.dispatch.nops + top->odd.n,
		[TOP_MODEL] = MODELS,
		[TOP_TIME] = top->by == TOP_TIME ? top->nbins / (size_t)(top->step / top->width) + 2 : 0,
		[TOP_THREAD] = top->trace->nstreams,
		[TOP_PROCESS] = top->trace->nstreams,
		[TOP_LOOM] = top->trace->nstreams,
	};
	int rc = 0;
	top->rows = arena_new(&top->trace->arena, struct top_row, most[top->by]);
	if (!top->rows)
		return diag_no_memory(top->trace->diag);
	switch (top->by) {
	case TOP_EVENT: event_rows(top); break;
	case TOP_MODEL: model_rows(top); break;
	case TOP_TIME: time_rows(top); return 0;
	default: rc = stream_rows(top); break;
	}
	qsort(top->rows, top->nrows, sizeof(*top->rows), by_count);
	return rc;
}
