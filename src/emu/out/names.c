/* SPDX-License-Identifier: MIT */
/* names: what the numbers of a PRV mean: the names of its rows (ROW), and its types with the labels
 * of their values (PCF). */
#include "out.h"
#include "paraver.h"

#include <unistd.h>

struct pcf {
	const struct emu *emu;
	struct wbuf out;
	bool cut; /* some label has a value that Paraver cannot hold */
};

static void
put_value(void *arg, int64_t value, const char *text)
{
	struct pcf *p = arg;
	p->cut = !paraver_put_value(&p->out, value, text, p->emu->plan->options.compat) || p->cut;
}

int
pcf_write_type(const struct emu *emu, const char *path, int prv_type, const char *label, const uint32_t *cols, size_t ncols)
{
	struct pcf p = { .emu = emu };
	int rc = paraver_open(&p.out, emu->diag, path);
	if (rc < 0)
		return rc;
	paraver_put_head(&p.out);
	paraver_put_type(&p.out, prv_type, label);
	out_states(emu, cols, ncols, put_value, &p);
	return paraver_close(&p.out, emu->diag);
}

static int
write_pcf(const struct emu *emu, struct arena *a, const char *dir, enum row_class rows)
{
	struct pcf p = { .emu = emu };
	const char *path = out_path(a, emu, dir, rows, "pcf");
	int rc = path ? paraver_open(&p.out, emu->diag, path) : -ERR_MEMORY;
	if (rc < 0)
		return rc;
	paraver_put_head(&p.out);
	const char **labels = out_type_labels(a, emu, rows);
	int bad = labels ? 0 : -ERR_MEMORY;
	for (uint32_t i = 0; i < emu->plan->ncols && bad == 0; i++) {
		uint32_t col = out_in_order(rows, i);
		if (!labels[col])
			continue;
		paraver_put_type(&p.out, out_decl(emu, rows, col)->prv_type, labels[col]);
		bad = out_labels(emu, rows, col, put_value, &p);
	}
	if (p.cut)
		diag_warn(emu->diag, NULL, "%s: labels of values above 2147483647 or below -2147483648 are left out, as Paraver cannot hold them", path);
	rc = paraver_close(&p.out, emu->diag);
	return bad ? bad : rc;
}

static int
write_row(const struct emu *emu, struct arena *a, const char *dir, enum row_class rows)
{
	struct wbuf w;
	const char *path = out_path(a, emu, dir, rows, "row");
	int rc = path ? paraver_open(&w, emu->diag, path) : -ERR_MEMORY;
	if (rc < 0)
		return rc;
	uint32_t first = emu_first_row(emu, rows);
	uint32_t n = emu_nknown(emu, rows);
	paraver_put_rows(&w, emu->diag, n, emu->plan->options.gzip);
	for (uint32_t i = 0; i < n; i++)
		wbuf_printf(&w, "%s\n", emu_row_label(emu, first + i));
	return paraver_close(&w, emu->diag);
}

/* Removes the rows of processes, looms and the system of an earlier run, which showed them: they are not of what
 * stands beside them now. */
static int
remove_procs(const struct emu *emu, const char *dir)
{
	static const char *const exts[] = { "prv", ("prv" PARAVER_GZIP), "pcf", "row" };
	struct arena a = { 0 };
	int rc = 0;
	for (size_t i = 0; i < sizeof(exts) / sizeof(exts[0]) && rc == 0; i++) {
		const char *path = out_path(&a, emu, dir, ROW_PROC, exts[i]);
		rc = path ? 0 : -ERR_MEMORY;
		if (path)
			(void)unlink(path);
	}
	arena_finish(&a);
	return rc;
}

/* State of the sink. */
struct names {
	const struct emu *emu;
	const char *dir;
	uint32_t nthreads; /* threads whose names were written */
};

typedef int write_fn(const struct emu *emu, struct arena *a, const char *dir, enum row_class rows);

static int
write_all(const struct names *s, write_fn *write)
{
	struct arena a = { 0 };
	int rc = write(s->emu, &a, s->dir, ROW_CPU);
	if (rc == 0)
		rc = write(s->emu, &a, s->dir, ROW_THREAD);
	if (rc == 0 && emu_nrows(s->emu, ROW_PROC))
		rc = write(s->emu, &a, s->dir, ROW_PROC);
	arena_finish(&a);
	return rc;
}

/* Writes the files at once, so that a run that is killed leaves names. */
static int
names_open(void *self, const struct emu *emu, const char *dir)
{
	struct names *s = self;
	*s = (struct names){ emu, dir, emu_nknown(emu, ROW_THREAD) };
	int rc = emu_nrows(emu, ROW_PROC) ? 0 : remove_procs(emu, dir);
	if (rc == 0)
		rc = write_all(s, write_row);
	return rc < 0 ? rc : write_all(s, write_pcf);
}

/* Writes them again if threads have come, or the models have learnt labels. */
static int
names_close(void *self, int64_t duration)
{
	(void)duration;
	const struct names *s = self;
	bool late = false;
	for (uint32_t col = 0; col < s->emu->plan->ncols; col++)
		late = late || s->emu->labels[col].first;
	int rc = s->nthreads < emu_nknown(s->emu, ROW_THREAD) ? write_all(s, write_row) : 0;
	int bad = late ? write_all(s, write_pcf) : 0;
	return rc ? rc : bad;
}

const struct sink_ops names_sink = {
	.size = sizeof(struct names),
	.open = names_open,
	.close = names_close,
};
