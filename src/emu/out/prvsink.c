/* SPDX-License-Identifier: MIT */
/* prvsink: the timelines of threads and of CPUs as two Paraver traces, and those of processes, looms and the system, if there
 * are any, as another one. */
#include "out.h"
#include "paraver.h"
#include "prv.h"
#include "team.h"

static int
describe(struct prv_options *o, struct arena *a, const struct emu *emu, const char *dir, enum row_class rows)
{
	int *types = arena_new(a, int, emu->plan->ncols);
	bool gzip = emu->plan->options.gzip;
	const char *path = out_path(a, emu, dir, rows, gzip ? "prv" PARAVER_GZIP : "prv");
	if (!types || !path)
		return path ? diag_no_memory(emu->diag) : -ERR_MEMORY;
	for (uint32_t col = 0; col < emu->plan->ncols; col++)
		types[col] = out_decl(emu, rows, col)->prv_type;
	*o = (struct prv_options){
		.diag = emu->diag,
		.path = path,
		.first_row = emu_first_row(emu, rows),
		.nrows = emu_nrows(emu, rows),
		.types = types,
		.ntypes = emu->plan->ncols,
		.gzip = gzip,
		.coalesce = !emu->plan->options.compat,
		.joins = emu->plan->options.team && emu->plan->options.team->rank,
	};
	return 0;
}

/* ---- Threads and CPUs. ---- */

enum {
	NFILES = ROW_CPU + 1,
};

struct prv_sink {
	const struct emu *emu;
	struct arena arena; /* for paths and texts */
	struct prv_texts texts[NFILES];
	struct prv_file files[NFILES];
	bool others; /* there are records that are not of these rows */
};

struct formatter {
	struct arena arena;
	struct prv_form form;
	struct gzip gzip;       /* of compressed files */
	uint32_t first_other;   /* row */
	struct record *records; /* without others; NULL: there are none */
	uint32_t *odd;
};

static int
open_file(struct prv_sink *s, const char *dir, enum row_class rows)
{
	struct prv_options o;
	int rc = describe(&o, &s->arena, s->emu, dir, rows);
	if (rc == 0 && prv_texts_init(&s->texts[rows], &s->arena, &o) < 0)
		rc = diag_no_memory(s->emu->diag);
	return rc < 0 ? rc : prvfile_open(&s->files[rows], &o);
}

static int
close_files(struct prv_sink *s, int64_t duration)
{
	int rc = prvfile_close(&s->files[ROW_CPU], &s->texts[ROW_CPU], duration);
	int bad = prvfile_close(&s->files[ROW_THREAD], &s->texts[ROW_THREAD], duration);
	arena_finish(&s->arena);
	return rc ? rc : bad;
}

static int
sink_open(void *self, const struct emu *emu, const char *dir)
{
	struct prv_sink *s = self;
	s->emu = emu;
	s->others = emu->plan->options.uscope.raw_events || emu_nrows(emu, ROW_PROC);
	int rc = open_file(s, dir, ROW_CPU);
	if (rc == 0)
		rc = open_file(s, dir, ROW_THREAD);
	if (rc < 0)
		(void)close_files(s, 0);
	return rc;
}

static int
format_open(void *formatter, void *self)
{
	struct formatter *f = formatter;
	const struct prv_sink *s = self;
	f->first_other = emu_first_row(s->emu, ROW_PROC);
	bool made = prvform_init(&f->form, &f->arena, &s->texts[ROW_THREAD], &s->texts[ROW_CPU]) == 0;
	if (made && s->others) {
		f->records = arena_new(&f->arena, struct record, FLOW_RECORDS);
		f->odd = arena_new(&f->arena, uint32_t, FLOW_RECORDS);
		made = f->records && f->odd;
	}
	if (made && s->files[ROW_THREAD].gzip)
		made = gzip_init(&f->gzip) == 0;
	if (made)
		return 0;
	arena_finish(&f->arena);
	return diag_no_memory(s->emu->diag);
}

static void
format_close(void *formatter, void *self)
{
	struct formatter *f = formatter;
	struct prv_sink *s = self;
	prvline_finish(&f->form.lines, &s->texts[ROW_THREAD]);
	prvline_finish(f->form.cpus, &s->texts[ROW_CPU]);
	gzip_finish(&f->gzip);
	arena_finish(&f->arena);
}

/* Leaves out of a batch what is not of threads and CPUs; events of the trace stand between the states of an instant. */
static void
drop_others(struct formatter *f, struct batch *b)
{
	size_t n = 0;
	size_t nodd = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (b->r[i].kind >= RECORD_EVENT || b->r[i].row >= f->first_other)
			continue;
		if (!record_is_state(b->r[i].kind))
			f->odd[nodd++] = (uint32_t)n;
		f->records[n++] = b->r[i];
	}
	b->r = f->records;
	b->n = n;
	b->odd = f->odd;
	b->nodd = nodd;
}

static int
format(void *formatter, const struct batch *b, struct textbuf *texts)
{
	struct formatter *f = formatter;
	struct batch rest = *b;
	if (f->records)
		drop_others(f, &rest);
	f->form.lines.out = texts[ROW_THREAD];
	f->form.cpus->out = texts[ROW_CPU];
	prvform_write(&f->form, &rest);
	if (b->flush)
		prvform_release(&f->form, b->next);
	if (b->apart)
		prvform_settle(&f->form);
	texts[ROW_THREAD] = f->form.lines.out;
	texts[ROW_CPU] = f->form.cpus->out;
	for (unsigned i = 0; f->gzip.packed.data && i < NFILES; i++)
		gzip_pack(&f->gzip, &texts[i]);
	return 0;
}

static int
put(void *self, unsigned file, struct textbuf *text)
{
	struct prv_sink *s = self;
	return prvfile_put(&s->files[file], text);
}

static uint64_t
begun(const void *self, unsigned file)
{
	const struct prv_sink *s = self;
	return s->files[file].out.written;
}

static int
place(void *self, unsigned file, struct textbuf *text, uint64_t at)
{
	struct prv_sink *s = self;
	return prvfile_place(&s->files[file], text, at);
}

static void
unite(void *self, struct team *t)
{
	struct prv_sink *s = self;
	for (int i = 0; i < NFILES; i++)
		for (size_t col = 0; col < s->texts[i].ntypes; col++) {
			uint64_t odd = s->texts[i].odd_types[col];
			team_reduce(t, TEAM_EITHER, &odd, 1);
			s->texts[i].odd_types[col] = odd;
		}
}

static int
sink_close(void *self, int64_t duration)
{
	struct prv_sink *s = self;
	/* In this order, whichever failed first. */
	(void)prvfile_check(&s->files[ROW_THREAD]);
	(void)prvfile_check(&s->files[ROW_CPU]);
	s->files[ROW_CPU].nknown = emu_nknown(s->emu, ROW_CPU);
	s->files[ROW_THREAD].nknown = emu_nknown(s->emu, ROW_THREAD);
	return close_files(s, duration);
}

const struct sink_ops prv_sink = {
	.size = sizeof(struct prv_sink),
	.open = sink_open,
	.formatter = sizeof(struct formatter),
	.nfiles = NFILES,
	.format_open = format_open,
	.format = format,
	.put = put,
	.format_close = format_close,
	.begun = begun,
	.place = place,
	.unite = unite,
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
	if (!emu_nrows(emu, ROW_PROC))
		return 1;
	struct prv_options o;
	int rc = describe(&o, &s->arena, emu, dir, ROW_PROC);
	if (rc == 0)
		rc = prv_start(&s->prv, &o);
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
	return prv_release(&s->prv, time);
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
	.name = "proc.prv",
	.size = sizeof(struct proc_out),
	.open = proc_open,
	.write = proc_write,
	.flush = proc_flush,
	.close = proc_close,
};
