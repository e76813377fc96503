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

#define TOO_MANY "Error: too many threads"

struct pcf {
	const struct emu *emu;
	enum row_class rows;
	struct arena arena;
	struct wbuf out;
	bool no_memory;
	bool cut; /* some label has a value that Paraver cannot hold */
};

static void
put_value(struct pcf *p, int64_t value, const char *text)
{
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

/* Labels of states: a value may be entered in several ways, but is listed once. */
static void
put_states(struct pcf *p, const struct col *k)
{
	const struct model *m = k->model;
	if (!m || k->decl < m->chans || k->decl >= m->chans + m->nchans)
		return;
	int chan = (int)(k->decl - m->chans);
	for (size_t i = 0; i < m->nstates; i++) {
		const struct state_decl *s = &m->states[i];
		bool listed = s->chan != chan;
		for (size_t j = 0; j < i && !listed; j++)
			listed = m->states[j].chan == chan && m->states[j].value == s->value;
		if (!listed)
			put_value(p, s->value, s->label);
	}
}

/* Labels that the models have learnt while the trace ran. */
static void
put_late(struct pcf *p, const struct col *k)
{
	for (const struct late_label *l = k->first_label; l; l = l->next)
		put_value(p, l->label.value, l->label.text);
}

static void
put_type(struct pcf *p, uint32_t col, const char *label)
{
	const struct emu *emu = p->emu;
	const struct chan_decl *decl = out_decl(emu, p->rows, col);
	wbuf_printf(&p->out, "\n\nEVENT_TYPE\n0 %-10d ", decl->prv_type);
	out_put_line(&p->out, label);
	wbuf_printf(&p->out, "\nVALUES\n");
	if (p->rows == ROW_THREAD && col == COL_CPU)
		for (uint32_t i = 0; i < emu->sys.ncpus; i++)
			put_value(p, (int64_t)i + 1, emu->sys.cpus[i].label);
	bool errors = p->rows == ROW_CPU && !emu->options.compat && col != COL_NRUNNING;
	bool taken = false;
	for (size_t i = 0; i < decl->nlabels; i++) {
		const struct label *l = &decl->labels[i];
		bool both = errors && l->value == ST_TOO_MANY_TH; /* the user's value and ours */
		const char *text = both ? arena_printf(&p->arena, "%s, or %s", l->text, TOO_MANY) : l->text;
		if (!text)
			p->no_memory = true;
		else
			put_value(p, l->value, text);
		taken = taken || both;
	}
	if (col >= NBASE)
		put_states(p, &emu->cols[col]);
	if (col >= NBASE)
		put_late(p, &emu->cols[col]);
	if (!errors)
		return;
	if (!taken)
		put_value(p, ST_TOO_MANY_TH, TOO_MANY);
	/* Reachable when the CPU row follows more states than the thread row shows. */
	if (col >= NBASE && decl->cpu_track == TRACK_ACTIVE && decl->thread_track == TRACK_RUNNING)
		put_value(p, ST_BAD, "Error: the thread does not show it");
}

/* The columns, with TID and state of a thread in the order that users know: 6, 2, 4. */
static uint32_t
in_order(enum row_class rows, uint32_t i)
{
	if (rows == ROW_THREAD && (i == COL_STATE || i == COL_TID))
		return i == COL_STATE ? COL_TID : COL_STATE;
	return i;
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
	for (size_t i = 0; i < ncols; i++) {
		put_states(&p, &emu->cols[cols[i]]);
		put_late(&p, &emu->cols[cols[i]]);
	}
	if (!emu->options.compat)
		put_value(&p, ST_TOO_MANY_TH, TOO_MANY);
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
	for (uint32_t i = 0; labels && i < emu->ncols; i++) {
		uint32_t col = in_order(rows, i);
		if (labels[col])
			put_type(&p, col, labels[col]);
	}
	if (p.cut)
		diag_warn(emu->diag, NULL, "%s: labels of values above 2147483647 or below -2147483648 are left out, as Paraver cannot hold them", path);
	rc = out_close(&p.out, emu);
	if (p.no_memory)
		rc = diag_no_memory(emu->diag);
	if (!labels)
		rc = -ERR_MEMORY;
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
