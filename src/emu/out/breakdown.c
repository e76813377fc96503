/* SPDX-License-Identifier: MIT */
/* breakdown: how many physical CPUs are in each state, at every instant, as Paraver files.
 * Runs behind the merge of all records of CPUs, as it needs them all. */
#include "out.h"
#include "paraver.h"
#include "prv.h"
#include "reduce.h"

#include <inttypes.h>

/* One breakdown and its files. */
struct view {
	struct reduction red;
	struct prv prv;
	const char *pcf_path;
	int64_t time; /* of the last record that matters */
};

struct breakdown {
	const struct emu *emu;
	struct arena arena;
	struct view *views;
	size_t n;
};

/* Writes the rows that an event has changed. */
static int
end_event(struct view *v)
{
	uint32_t n = v->red.ntouched ? reduce_end(&v->red) : 0;
	int rc = 0;
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		uint32_t row = v->red.changed[i];
		rc = prv_put(&v->prv, &(struct record){ .time = v->time, .value = v->red.shown[row], .row = row });
	}
	return rc;
}

static int
take(struct view *v, const struct record *rec)
{
	int rc = rec->begins ? end_event(v) : 0;
	if (reduce_matters(&v->red, rec)) {
		v->time = rec->time;
		reduce_take(&v->red, rec);
	}
	return rc;
}

static int
write_row_file(const struct emu *emu, const char *path, uint32_t n)
{
	struct wbuf w;
	int rc = paraver_open(&w, emu->diag, path);
	if (rc < 0)
		return rc;
	paraver_put_rows(&w, emu->diag, n, emu->plan->options.gzip);
	for (uint32_t i = 0; i < n; i++)
		wbuf_printf(&w, "~CPU %4" PRIu32 "\n", n - i);
	return paraver_close(&w, emu->diag);
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
	v->pcf_path = arena_printf(&b->arena, "%s/%s.pcf", dir, d->file);
	const char *prv = arena_printf(&b->arena, "%s/%s.prv%s", dir, d->file, emu->plan->options.gzip ? PARAVER_GZIP : "");
	const char *row = arena_printf(&b->arena, "%s/%s.row", dir, d->file);
	if (!v->pcf_path || !prv || !row)
		return diag_no_memory(emu->diag);
	int rc = reduce_init(&v->red, &b->arena, emu, mr);
	if (rc == 0)
		rc = prv_start(&v->prv, &(struct prv_options){
						.diag = emu->diag,
						.path = prv,
						.nrows = v->red.nrows,
						.types = &d->prv_type,
						.ntypes = 1,
						.gzip = emu->plan->options.gzip,
						.coalesce = !emu->plan->options.compat,
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
		int bad = end_event(v);
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
breakdown_open(void *self, const struct emu *emu, const char *dir)
{
	struct breakdown *b = self;
	b->emu = emu;
	b->views = arena_new(&b->arena, struct view, emu->plan->nmodels);
	int rc = b->views ? 0 : diag_no_memory(emu->diag);
	for (size_t i = 0; i < emu->plan->nmodels && rc == 0; i++)
		if (emu->plan->models[i].breaks_down)
			rc = open_one(b, &b->views[b->n++], &emu->plan->models[i], dir);
	if (rc < 0) {
		for (size_t i = 0; i < b->n; i++)
			(void)prv_finish(&b->views[i].prv, 0);
		arena_finish(&b->arena);
	}
	return rc < 0 ? rc : b->n == 0;
}

static int
write_view(struct view *v, const struct batch *b)
{
	int rc = 0;
	for (size_t i = 0; i < b->n && rc == 0; i++)
		rc = take(v, &b->r[i]);
	return rc == 0 && b->whole ? end_event(v) : rc;
}

static int
breakdown_write(void *self, const struct batch *batch)
{
	struct breakdown *b = self;
	int rc = 0;
	for (size_t i = 0; i < b->n && rc == 0; i++)
		rc = write_view(&b->views[i], batch);
	return rc;
}

const struct sink_ops breakdown_sink = {
	.name = "breakdowns",
	.size = sizeof(struct breakdown),
	.open = breakdown_open,
	.write = breakdown_write,
	.close = breakdown_close,
};
