/* SPDX-License-Identifier: MIT */
/* pcf: the event types of one class of rows, with the labels of their values. */
#include "out.h"

#include "track.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                    \
	"DEFAULT_OPTIONS\n\n"                   \
	"LEVEL               THREAD\n"          \
	"UNITS               NANOSEC\n"         \
	"LOOK_BACK           100\n"             \
	"SPEED               1\n"               \
	"FLAG_ICONS          ENABLED\n"         \
	"NUM_OF_STATE_COLORS 1000\n"            \
	"YMAX_SCALE          37\n\n\n"          \
	"DEFAULT_SEMANTIC\n\n"                  \
	"THREAD_FUNC         State As Is\n\n\n" \
	"STATES_COLOR\n"

static const uint8_t colors[][3] = {
	{ 0, 0, 0 },
	{ 0, 130, 200 },
	{ 217, 217, 217 },
	{ 230, 25, 75 },
	{ 60, 180, 75 },
	{ 255, 225, 25 },
	{ 245, 130, 48 },
	{ 145, 30, 180 },
	{ 70, 240, 240 },
	{ 240, 50, 230 },
	{ 210, 245, 60 },
	{ 250, 190, 212 },
	{ 0, 128, 128 },
	{ 128, 128, 128 },
	{ 220, 190, 255 },
	{ 170, 110, 40 },
	{ 255, 250, 200 },
	{ 128, 0, 0 },
	{ 170, 255, 195 },
	{ 128, 128, 0 },
	{ 255, 215, 180 },
	{ 0, 0, 128 },
	{ 0, 0, 255 },
};

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
	/* The peer keeps 32 bits. A cut value would label another one: leave it out. */
	int64_t v = p->emu->options.compat ? (int32_t)value : value;
	if (v > INT32_MAX || v < INT32_MIN) {
		p->cut = true;
		return;
	}
	if (!p->emu->options.compat && text[strspn(text, " \t\r\n")] == 0)
		return; /* Paraver ignores the line */
	wbuf_printf(&p->out, "%-4" PRId64 " ", v);
	out_put_line(&p->out, text);
	wbuf_put(&p->out, "\n", 1);
}

static int
put_type(struct pcf *p, uint32_t col, const char *label)
{
	const struct chan_decl *decl = out_decl(p->emu, p->rows, col);
	wbuf_printf(&p->out, "\n\nEVENT_TYPE\n0 %-10d ", decl->prv_type);
	out_put_line(&p->out, label);
	wbuf_printf(&p->out, "\nVALUES\n");
	return out_labels(p->emu, p->rows, col, put_value, p);
}

static void
put_head(struct pcf *p)
{
	wbuf_put(&p->out, HEAD, sizeof(HEAD) - 1);
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
		wbuf_printf(&p->out, "%-3zu {%3d, %3d, %3d}\n", i, colors[i][0], colors[i][1], colors[i][2]);
}

int
pcf_write_type(const struct emu *emu, const char *path, int prv_type, const char *label, const uint32_t *cols, size_t ncols)
{
	struct pcf p = { .emu = emu, .rows = ROW_CPU };
	int rc = out_open(&p.out, emu, path);
	if (rc < 0)
		return rc;
	put_head(&p);
	wbuf_printf(&p.out, "\n\nEVENT_TYPE\n0 %-10d %s\nVALUES\n", prv_type, label);
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
	put_head(&p);
	const char **labels = out_type_labels(&p.arena, emu, rows);
	int bad = labels ? 0 : -ERR_MEMORY;
	for (uint32_t i = 0; labels && i < emu->ncols && bad == 0; i++) {
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

/* Between open and close. */
struct pcf_sink {
	const struct emu *emu;
	const char *dir;
	enum row_class rows;
};

/* Written at once, so that a run that is killed leaves labels. */
static int
pcf_open(void *self, const struct emu *emu, const char *dir, enum row_class rows)
{
	struct pcf_sink *s = self;
	*s = (struct pcf_sink){ emu, dir, rows };
	return write_file(emu, dir, rows);
}

/* And again if the models have learnt labels meanwhile. */
static int
pcf_close(void *self, int64_t duration)
{
	(void)duration;
	const struct pcf_sink *s = self;
	bool late = false;
	for (uint32_t col = 0; col < s->emu->ncols; col++)
		late = late || s->emu->cols[col].first_label;
	return late ? write_file(s->emu, s->dir, s->rows) : 0;
}

const struct sink_ops pcf_sink = {
	.name = "pcf",
	.size = sizeof(struct pcf_sink),
	.open = pcf_open,
	.close = pcf_close,
};
