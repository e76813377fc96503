/* SPDX-License-Identifier: MIT */
/* breakdown: how many physical CPUs are in each state, at every instant, as Paraver files.
 * Runs behind the merge of all records of CPUs, as it needs them all. */
#include "out.h"
#include "paraver.h"
#include "prv.h"
#include "reduce.h"

#include <string.h>

enum {
	BATCH = 1024, /* records that are written at a time */
};

/* One breakdown and its files. */
struct view {
	struct reduction red;
	struct prv prv;
	struct record *batch; /* not split inside an instant, unless it is longer */
	size_t nbatch;
	const char *pcf_path;
	int64_t time;
	int event; /* current one, -1: none */
};

struct breakdown {
	const struct emu *emu;
	struct arena arena;
	struct view *views;
	size_t n;
};

/* Writes the batch, all of it or up to its last instant, which may go on. */
static int
write_batch(struct view *v, bool all)
{
	size_t n = v->nbatch;
	while (!all && n && v->batch[n - 1].time == v->batch[v->nbatch - 1].time)
		n--;
	n = n ? n : v->nbatch;
	int rc = n ? prv_write(&v->prv, v->batch, n) : 0;
	memmove(v->batch, v->batch + n, (v->nbatch - n) * sizeof(*v->batch));
	v->nbatch -= n;
	return rc;
}

static int
end_event(struct view *v)
{
	uint32_t n = reduce_end(&v->red);
	int rc = 0;
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		uint32_t row = v->red.changed[i];
		if (v->nbatch == BATCH)
			rc = write_batch(v, false);
		v->batch[v->nbatch++] = (struct record){ .time = v->time, .value = v->red.shown[row], .row = row };
	}
	return rc;
}

static int
take(struct view *v, const struct record *rec)
{
	if (!reduce_matters(&v->red, rec))
		return 0;
	bool ends = v->event >= 0 && (rec->time != v->time || rec->event != v->event);
	int rc = ends ? end_event(v) : 0;
	v->time = rec->time;
	v->event = rec->event;
	reduce_take(&v->red, rec);
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
	paraver_put_rows(&w, n);
	for (uint32_t i = 0; i < n; i++) {
		char label[PARAVER_BREAKDOWN_LABEL];
		wbuf_printf(&w, "%s\n", paraver_breakdown_label(label, i, n));
	}
	return out_close(&w, emu);
}

static int
write_pcf(const struct emu *emu, const struct view *v)
{
	uint32_t cols[3];
	size_t n = reduce_cols(&v->red, cols);
	return pcf_write_type(emu, v->pcf_path, v->red.decl->prv_type, v->red.decl->title, cols, n);
}

static int
open_one(struct breakdown *b, struct view *v, const struct model_run *mr, const char *dir)
{
	const struct emu *emu = b->emu;
	const struct breakdown_decl *d = mr->model->breakdown;
	v->event = -1;
	v->batch = arena_new(&b->arena, struct record, BATCH);
	v->pcf_path = arena_printf(&b->arena, "%s/%s.pcf", dir, d->file);
	const char *prv = arena_printf(&b->arena, "%s/%s.prv", dir, d->file);
	const char *row = arena_printf(&b->arena, "%s/%s.row", dir, d->file);
	if (!v->batch || !v->pcf_path || !prv || !row)
		return diag_no_memory(emu->diag);
	int rc = reduce_init(&v->red, &b->arena, emu, mr);
	if (rc == 0)
		rc = prv_start(&v->prv, &(struct prv_options){
						.diag = emu->diag,
						.path = prv,
						.nrows = v->red.nrows,
						.types = &d->prv_type,
						.ntypes = 1,
						.coalesce = !emu->options.compat,
					});
	if (rc == 0)
		rc = write_row_file(emu, row, v->red.nrows);
	return rc < 0 ? rc : write_pcf(emu, v);
}

static int
breakdown_close(void *self, int64_t duration)
{
	struct breakdown *b = self;
	int rc = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct view *v = &b->views[i];
		int bad = v->event >= 0 ? end_event(v) : 0;
		if (bad == 0)
			bad = write_batch(v, true);
		int bad2 = prv_finish(&v->prv, duration);
		int bad3 = write_pcf(b->emu, v); /* with the labels of task types */
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
	b->views = arena_new(&b->arena, struct view, emu->nmodels);
	int rc = b->views ? 0 : diag_no_memory(emu->diag);
	for (size_t i = 0; i < emu->nmodels && rc == 0; i++)
		if (emu->models[i].breaks_down)
			rc = open_one(b, &b->views[b->n++], &emu->models[i], dir);
	if (rc < 0) {
		for (size_t i = 0; i < b->n; i++)
			(void)prv_finish(&b->views[i].prv, 0);
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
			int rc = take(&b->views[k], &r[i]);
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
