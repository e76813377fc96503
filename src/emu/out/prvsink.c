/* SPDX-License-Identifier: MIT */
/* prvsink: the timelines of threads and of CPUs as two Paraver traces, and those of processes, looms and the system, if there
 * are any, as another one. */
#include "out.h"
#include "prv.h"

struct prv_sink {
	const struct emu *emu;
	struct prv prv[ROW_CPU + 1];
	struct arena arena;     /* for the paths, and the two below */
	struct record *records; /* without the events of the trace, and those of proc.prv; NULL: there are none */
	uint32_t *odd;
};

static int
start(struct prv *p, struct arena *a, const struct emu *emu, const char *dir, enum row_class rows)
{
	int *types = arena_new(a, int, emu->plan->ncols);
	const char *path = out_path(a, emu, dir, rows, "prv");
	if (!types || !path)
		return path ? diag_no_memory(emu->diag) : -ERR_MEMORY;
	for (uint32_t col = 0; col < emu->plan->ncols; col++)
		types[col] = out_decl(emu, rows, col)->prv_type;
	return prv_start(p, &(struct prv_options){
				    .diag = emu->diag,
				    .path = path,
				    .first_row = emu_first_row(emu, rows),
				    .nrows = emu_nrows(emu, rows),
				    .late_rows = emu_nknown(emu, rows) < emu_nrows(emu, rows),
				    .types = types,
				    .ntypes = emu->plan->ncols,
				    .coalesce = !emu->plan->options.compat,
			    });
}

static int
sink_open(void *self, const struct emu *emu, const char *dir)
{
	struct prv_sink *s = self;
	s->emu = emu;
	if (emu->plan->options.uscope.raw_events || emu_nrows(emu, ROW_PROC)) {
		s->records = arena_new(&s->arena, struct record, FLOW_RECORDS);
		s->odd = arena_new(&s->arena, uint32_t, FLOW_RECORDS);
		if (!s->records || !s->odd) {
			arena_finish(&s->arena);
			return diag_no_memory(emu->diag);
		}
	}
	int rc = start(&s->prv[ROW_CPU], &s->arena, emu, dir, ROW_CPU);
	if (rc == 0)
		rc = start(&s->prv[ROW_THREAD], &s->arena, emu, dir, ROW_THREAD);
	if (rc < 0) {
		(void)prv_finish(&s->prv[ROW_CPU], 0);
		(void)prv_finish(&s->prv[ROW_THREAD], 0);
		arena_finish(&s->arena);
	}
	return rc;
}

/* Leaves out of a batch what is not of threads and CPUs; events of the trace stand between the states of an instant. */
static void
drop_others(struct prv_sink *s, struct batch *b)
{
	uint32_t end = emu_first_row(s->emu, ROW_PROC);
	size_t n = 0;
	size_t nodd = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (b->r[i].kind >= RECORD_EVENT || b->r[i].row >= end)
			continue;
		if (!record_is_state(b->r[i].kind))
			s->odd[nodd++] = (uint32_t)n;
		s->records[n++] = b->r[i];
	}
	*b = (struct batch){ .r = s->records, .n = n, .odd = s->odd, .nodd = nodd, .whole = b->whole };
}

static int
sink_write(void *self, const struct batch *b)
{
	struct prv_sink *s = self;
	struct batch rest = *b;
	if (s->records)
		drop_others(s, &rest);
	return prv_write(&s->prv[ROW_THREAD], &s->prv[ROW_CPU], &rest);
}

static int
sink_flush(void *self, int64_t time)
{
	struct prv_sink *s = self;
	return prv_release(&s->prv[ROW_THREAD], &s->prv[ROW_CPU], time);
}

static int
sink_close(void *self, int64_t duration)
{
	struct prv_sink *s = self;
	prv_set_rows(&s->prv[ROW_CPU], emu_nknown(s->emu, ROW_CPU));
	prv_set_rows(&s->prv[ROW_THREAD], emu_nknown(s->emu, ROW_THREAD));
	(void)prv_settle(&s->prv[ROW_THREAD], &s->prv[ROW_CPU]); /* prv_finish() reports a failure */
	int rc = prv_finish(&s->prv[ROW_CPU], duration);
	int bad = prv_finish(&s->prv[ROW_THREAD], duration);
	arena_finish(&s->arena);
	return rc ? rc : bad;
}

const struct sink_ops prv_sink = {
	.size = sizeof(struct prv_sink),
	.open = sink_open,
	.write = sink_write,
	.flush = sink_flush,
	.close = sink_close,
};

/* ---- Processes, looms and the system. ---- */

struct proc_out {
	const struct emu *emu;
	struct prv prv;
	struct arena arena; /* for the path */
};

static int
proc_open(void *self, const struct emu *emu, const char *dir)
{
	struct proc_out *s = self;
	s->emu = emu;
	int rc = emu_nrows(emu, ROW_PROC) ? start(&s->prv, &s->arena, emu, dir, ROW_PROC) : 1;
	if (rc < 0) {
		(void)prv_finish(&s->prv, 0);
		arena_finish(&s->arena);
	}
	return rc;
}

static int
proc_write(void *self, const struct batch *b)
{
	struct proc_out *s = self;
	uint32_t first = emu_first_row(s->emu, ROW_PROC);
	int rc = 0;
	for (const struct record *r = b->r; r < b->r + b->n && rc == 0; r++)
		if (r->row >= first && r->kind < RECORD_EVENT)
			rc = prv_put(&s->prv, r);
	return rc;
}

static int
proc_flush(void *self, int64_t time)
{
	struct proc_out *s = self;
	return prv_release(&s->prv, NULL, time);
}

static int
proc_close(void *self, int64_t duration)
{
	struct proc_out *s = self;
	int rc = prv_finish(&s->prv, duration);
	arena_finish(&s->arena);
	return rc;
}

const struct sink_ops proc_sink = {
	.size = sizeof(struct proc_out),
	.open = proc_open,
	.write = proc_write,
	.flush = proc_flush,
	.close = proc_close,
};
