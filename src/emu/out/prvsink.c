/* SPDX-License-Identifier: MIT */
/* prvsink: the timelines of one class of rows as a Paraver trace. */
#include "out.h"
#include "prv.h"

/* What the emulator hands over at once is grouped as a whole. */
_Static_assert((int)PRV_INSTANT >= (int)FEED_RECORDS, "an instant of a chunk is grouped in parts");

struct prv_sink {
	const struct emu *emu;
	enum row_class rows;
	struct prv prv;
	struct arena arena; /* of its path */
};

static int
sink_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	struct arena a = { 0 };
	int *types = arena_new(&a, int, emu->ncols);
	const char *path = arena_printf(&a, "%s/%s.prv", dir, out_class(rows));
	struct prv_sink *s = self;
	s->emu = emu;
	s->rows = rows;
	int rc = types && path ? 0 : diag_no_memory(emu->diag);
	for (uint32_t col = 0; rc == 0 && col < emu->ncols; col++)
		types[col] = out_decl(emu, rows, col)->prv_type;
	const struct prv_options o = {
		.diag = emu->diag,
		.path = path,
		.first_row = rows == ROW_THREAD ? 0 : emu->sys.nthreads,
		.nrows = emu_nrows(emu, rows),
		.late_rows = emu_nknown(emu, rows) < emu_nrows(emu, rows),
		.types = types,
		.ntypes = emu->ncols,
		.coalesce = !emu->options.compat,
	};
	if (rc == 0)
		rc = prv_start(&s->prv, &o);
	s->arena = a;
	if (rc < 0) {
		(void)prv_finish(&s->prv, 0);
		arena_finish(&s->arena);
	}
	return rc;
}

static int
sink_write(void *self, const struct record *r, size_t n)
{
	return prv_write(&((struct prv_sink *)self)->prv, r, n);
}

static int
sink_close(void *self, int64_t duration)
{
	struct prv_sink *s = self;
	prv_set_rows(&s->prv, emu_nknown(s->emu, s->rows));
	int rc = prv_finish(&s->prv, duration);
	arena_finish(&s->arena);
	return rc;
}

const struct sink_ops prv_sink = {
	.name = "prv",
	.size = sizeof(struct prv_sink),
	.open = sink_open,
	.write = sink_write,
	.close = sink_close,
};
