/* SPDX-License-Identifier: MIT */
/* row: the names of the rows of one class. */
#include "out.h"
#include "paraver.h"

static int
row_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	(void)self;
	struct arena a = { 0 };
	struct wbuf w = { 0 };
	const char *path = out_path(&a, emu, dir, rows, "row");
	int rc = path ? out_open(&w, emu, path) : -ERR_MEMORY;
	if (rc == 0) {
		uint32_t first = rows == ROW_THREAD ? 0 : emu->sys.nthreads;
		uint32_t n = emu_nrows(emu, rows);
		paraver_put_rows(&w, n);
		for (uint32_t i = 0; i < n; i++)
			wbuf_printf(&w, "%s\n", emu_row_label(emu, first + i));
		rc = out_close(&w, emu);
	}
	arena_finish(&a);
	return rc;
}

static int
row_close(void *self, int64_t duration)
{
	(void)self;
	(void)duration;
	return 0;
}

const struct sink_ops row_sink = { .name = "row", .open = row_open, .close = row_close };
