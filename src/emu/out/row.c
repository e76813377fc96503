/* SPDX-License-Identifier: MIT */
/* row: the names of the rows of one class. */
#include "out.h"
#include "paraver.h"

/* Between open and close. */
struct row_sink {
	const struct emu *emu;
	const char *dir;
	enum row_class rows;
	uint32_t n; /* that are written */
};

static int
write_file(struct row_sink *s)
{
	struct arena a = { 0 };
	struct wbuf w = { 0 };
	const char *path = out_path(&a, s->emu, s->dir, s->rows, "row");
	int rc = path ? out_open(&w, s->emu, path) : -ERR_MEMORY;
	if (rc == 0) {
		uint32_t first = s->rows == ROW_THREAD ? 0 : s->emu->sys.nthreads;
		s->n = emu_nknown(s->emu, s->rows);
		paraver_put_rows(&w, s->n);
		for (uint32_t i = 0; i < s->n; i++)
			wbuf_printf(&w, "%s\n", emu_row_label(s->emu, first + i));
		rc = out_close(&w, s->emu);
	}
	arena_finish(&a);
	return rc;
}

static int
row_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	struct row_sink *s = self;
	*s = (struct row_sink){ emu, dir, rows, 0 };
	return write_file(s);
}

/* Again if threads have come meanwhile. */
static int
row_close(void *self, int64_t duration)
{
	(void)duration;
	struct row_sink *s = self;
	return s->n < emu_nknown(s->emu, s->rows) ? write_file(s) : 0;
}

const struct sink_ops row_sink = {
	.name = "row",
	.size = sizeof(struct row_sink),
	.open = row_open,
	.close = row_close,
};
