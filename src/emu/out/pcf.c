/* SPDX-License-Identifier: MIT */
/* pcf: the event types of threads and of CPUs, a file for each, with the labels of their values. */
#include "out.h"
#include "paraver.h"

#include "track.h"

struct pcf {
	const struct emu *emu;
	enum row_class rows;
	struct arena arena;
	struct wbuf out;
	bool cut; /* some label has a value that Paraver cannot hold */
};

static void
put_value(void *arg, int64_t value, const char *text)
{
	struct pcf *p = arg;
	p->cut = !paraver_put_value(&p->out, value, text, p->emu->plan->options.compat) || p->cut;
}

static int
put_type(struct pcf *p, uint32_t col, const char *label)
{
	const struct chan_decl *decl = out_decl(p->emu, p->rows, col);
	paraver_put_type(&p->out, decl->prv_type, label);
	return out_labels(p->emu, p->rows, col, put_value, p);
}

int
pcf_write_type(const struct emu *emu, const char *path, int prv_type, const char *label, const uint32_t *cols, size_t ncols)
{
	struct pcf p = { .emu = emu, .rows = ROW_CPU };
	int rc = out_open(&p.out, emu, path);
	if (rc < 0)
		return rc;
	paraver_put_head(&p.out);
	paraver_put_type(&p.out, prv_type, label);
	out_states(emu, cols, ncols, put_value, &p);
	return out_close(&p.out, emu);
}

static int
write_file(const struct emu *emu, const char *dir, enum row_class rows)
{
	struct pcf p = { .emu = emu, .rows = rows };
	const char *path = out_path(&p.arena, emu, dir, rows, "pcf");
	int rc = path ? out_open(&p.out, emu, path) : -ERR_MEMORY;
	if (rc < 0) {
		arena_finish(&p.arena);
		return rc;
	}
	paraver_put_head(&p.out);
	const char **labels = out_type_labels(&p.arena, emu, rows);
	int bad = labels ? 0 : -ERR_MEMORY;
	for (uint32_t i = 0; labels && i < emu->plan->ncols && bad == 0; i++) {
		uint32_t col = out_in_order(rows, i);
		if (labels[col])
			bad = put_type(&p, col, labels[col]);
	}
	if (p.cut)
		diag_warn(emu->diag, NULL, "%s: labels of values above 2147483647 or below -2147483648 are left out, as Paraver cannot hold them", path);
	rc = out_close(&p.out, emu);
	rc = bad ? bad : rc;
	arena_finish(&p.arena);
	return rc;
}

/* State of the sink. */
struct pcf_sink {
	const struct emu *emu;
	const char *dir;
};

static int
write_both(const struct pcf_sink *s)
{
	int rc = write_file(s->emu, s->dir, ROW_CPU);
	return rc < 0 ? rc : write_file(s->emu, s->dir, ROW_THREAD);
}

/* Writes the files at once, so that a run that is killed leaves labels. */
static int
pcf_open(void *self, const struct emu *emu, const char *dir)
{
	struct pcf_sink *s = self;
	*s = (struct pcf_sink){ emu, dir };
	return write_both(s);
}

/* Writes them again if the models have learnt labels meanwhile. */
static int
pcf_close(void *self, int64_t duration)
{
	(void)duration;
	const struct pcf_sink *s = self;
	bool late = false;
	for (uint32_t col = 0; col < s->emu->plan->ncols; col++)
		late = late || s->emu->labels[col].first;
	return late ? write_both(s) : 0;
}

const struct sink_ops pcf_sink = {
	.name = "pcf",
	.size = sizeof(struct pcf_sink),
	.open = pcf_open,
	.close = pcf_close,
};
