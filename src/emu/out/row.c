/* SPDX-License-Identifier: MIT */
/* row: the names of the rows, a file for threads and one for CPUs. */
#include "out.h"
#include "paraver.h"

/* State of the sink. */
struct row_sink {
	const struct emu *emu;
	const char *dir;
	uint32_t n[ROW_CLASSES]; /* rows written so far */
};

static int
write_file(struct row_sink *s, enum row_class rows)
{
	struct arena a = { 0 };
	struct wbuf w = { 0 };
	const char *path = out_path(&a, s->emu, s->dir, rows, "row");
	int rc = path ? out_open(&w, s->emu, path) : -ERR_MEMORY;
	if (rc == 0) {
		uint32_t first = rows == ROW_THREAD ? 0 : s->emu->plan->sys.nthreads;
		uint32_t n = s->n[rows] = emu_nknown(s->emu, rows);
		paraver_put_rows(&w, n);
		for (uint32_t i = 0; i < n; i++)
			wbuf_printf(&w, "%s\n", emu_row_label(s->emu, first + i));
		rc = out_close(&w, s->emu);
	}
	arena_finish(&a);
	return rc;
}

static int
row_open(void *self, const struct emu *emu, const char *dir)
{
	struct row_sink *s = self;
	*s = (struct row_sink){ .emu = emu, .dir = dir };
	int rc = write_file(s, ROW_CPU);
	return rc < 0 ? rc : write_file(s, ROW_THREAD);
}

/* Writes the files again if threads have come since. */
static int
row_close(void *self, int64_t duration)
{
	(void)duration;
	struct row_sink *s = self;
	return s->n[ROW_THREAD] < emu_nknown(s->emu, ROW_THREAD) ? write_file(s, ROW_THREAD) : 0;
}

const struct sink_ops row_sink = {
	.name = "row",
	.size = sizeof(struct row_sink),
	.open = row_open,
	.close = row_close,
};
