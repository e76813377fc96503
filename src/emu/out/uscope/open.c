/* SPDX-License-Identifier: MIT */
/* open: begins ovni.uscp: the writer, and the tables of rows, channels and labels. */
#include "uscp.h"

#include "uscope/extra.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "ovni.uscp"

/* Checkpoints: one a second, but within bounds in bytes of deltas, so that they stay a small
 * part of the file and a state is found soon. */
static const uint64_t interval_ps = 1000000000000;
static const uint64_t min_bytes = 256 << 10;
static const uint64_t max_bytes_low = 1 << 20;
static const uint64_t max_bytes_low_zstd = 4 << 20; /* zstd finds matches that LZ4 does not look for */
static const uint64_t max_bytes_high = 64 << 20;

/* Enough for an overview of one or two screens. */
static const uint64_t summary_bytes = 4 << 20;

/* The facts of a row of a process, a loom or the system, which has a loom, a process and so on only if it is below them. */
static void
put_proc_row(struct uscp *u, uint16_t slot)
{
	const struct uscp_class *c = &u->map.classes[ROW_PROC];
	const struct system *sys = &u->emu->plan->sys;
	uint32_t index;
	enum chan_of of = rows_level(u->emu, c->first_row + slot, &index);
	const struct proc none = { .loom = of == OF_LOOM ? index : UINT16_MAX, .rank = -1 };
	const struct proc *p = of == OF_PROC ? &sys->procs[index] : &none;
	uscope_slot_set(u->w, c->rows, slot, ROWS_OF_LEVEL, of);
	uscope_slot_set(u->w, c->rows, slot, ROWS_OF_LOOM, p->loom);
	uscope_slot_set(u->w, c->rows, slot, ROWS_OF_PID, (uint32_t)p->pid);
	uscope_slot_set(u->w, c->rows, slot, ROWS_OF_APP, (uint32_t)p->app_id);
	uscope_slot_set(u->w, c->rows, slot, ROWS_OF_RANK, (uint64_t)(int64_t)p->rank);
}

void
uscp_put_rows(struct uscp *u, enum row_class rows, uint32_t end)
{
	const struct uscp_class *c = &u->map.classes[rows];
	const struct system *sys = &u->emu->plan->sys;
	uscp_begin_cycle(u);
	for (uint32_t i = u->nknown[rows]; i < end; i++) {
		uint16_t slot = (uint16_t)i;
		uscope_slot_set(u->w, c->rows, slot, ROWS_LABEL, uscp_put_text(u, emu_row_label(u->emu, c->first_row + i)));
		if (rows == ROW_CPU) {
			uscope_slot_set(u->w, c->rows, slot, ROWS_LOOM, sys->cpus[i].loom);
			uscope_slot_set(u->w, c->rows, slot, ROWS_PHYID, (uint64_t)(int64_t)sys->cpus[i].phyid);
			uscope_slot_set(u->w, c->rows, slot, ROWS_VIRTUAL, sys->cpus[i].index < 0);
			continue;
		}
		if (rows == ROW_PROC) {
			put_proc_row(u, slot);
			continue;
		}
		const struct thread *th = &sys->threads[i];
		const struct proc *p = &sys->procs[th->proc];
		uscope_slot_set(u->w, c->rows, slot, ROWS_LOOM, p->loom);
		uscope_slot_set(u->w, c->rows, slot, ROWS_PROC, th->proc);
		uscope_slot_set(u->w, c->rows, slot, ROWS_PID, (uint32_t)p->pid);
		uscope_slot_set(u->w, c->rows, slot, ROWS_TID, (uint32_t)th->tid);
		uscope_slot_set(u->w, c->rows, slot, ROWS_APP, (uint32_t)p->app_id);
		uscope_slot_set(u->w, c->rows, slot, ROWS_RANK, (uint64_t)(int64_t)p->rank);
	}
	u->nknown[rows] = end;
}

static void
put_channel(struct uscp *u, const struct uscp_col *k, int prv_type, enum chan_kind kind, const char *name, const char *title)
{
	uint16_t t = u->map.channels;
	uscope_slot_set(u->w, t, k->channel, CHANNELS_TYPE, (uint64_t)prv_type);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_STORAGE, k->storage);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_FIELD, k->field);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_MODE, kind);
	uscope_slot_set(u->w, t, k->channel, CHANNELS_NAME, uscp_put_text(u, name));
	uscope_slot_set(u->w, t, k->channel, CHANNELS_TITLE, uscp_put_text(u, title));
}

/* Which of the rows of processes, looms and the system have the channel as numbers: there 0 is a value. */
static void
put_levels(struct uscp *u, const struct uscp_col *k, uint32_t col)
{
	const struct uscp_class *c = &u->map.classes[ROW_PROC];
	unsigned levels = 0;
	uint32_t index;
	bool counts = u->emu->plan->cols[col].decl->kind == CHAN_SINGLE && k->kind != USCP_TEXT;
	for (uint32_t row = c->first_row; row < c->first_row + c->nrows && counts; row++)
		if (rows_have(u->emu, row, col))
			levels |= 1u << rows_level(u->emu, row, &index);
	uscope_slot_set(u->w, u->map.channels, k->channel, CHANNELS_LEVELS, levels);
}

struct label_put {
	struct uscp *u;
	unsigned class;
	int prv_type;
};

static void
put_one_label(void *arg, int64_t value, const char *text)
{
	struct label_put *p = arg;
	uscp_put_label(p->u, p->class, p->prv_type, value, uscp_put_text(p->u, text));
}

static int
put_channels(struct uscp *u, enum row_class rows)
{
	const struct emu *emu = u->emu;
	const struct uscp_class *c = &u->map.classes[rows];
	const char **labels = out_type_labels(&u->arena, emu, rows);
	if (!labels)
		return -ERR_MEMORY;
	for (uint32_t i = 0; i < emu->plan->ncols; i++) {
		uint32_t col = out_in_order(rows, i);
		if (c->cols[col].kind == USCP_NONE)
			continue;
		const struct chan_decl *decl = out_decl(emu, rows, col);
		const char *title = out_title(&u->arena, rows, decl);
		if (!title)
			return diag_no_memory(emu->diag);
		put_channel(u, &c->cols[col], decl->prv_type, decl->kind, labels[col], title);
		if (rows == ROW_PROC)
			put_levels(u, &c->cols[col], col);
		/* The schema has the labels of an enum. */
		struct label_put p = { u, uscp_label_class(rows), decl->prv_type };
		int rc = c->cols[col].kind == USCP_ENUM ? 0 : out_labels(emu, rows, col, put_one_label, &p);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
open_reductions(struct uscp *u)
{
	const struct emu *emu = u->emu;
	const struct uscp_class *c = &u->map.classes[USCP_BREAKDOWN];
	u->reductions = arena_new(&u->arena, struct reduction, emu->plan->nmodels);
	if (!u->reductions)
		return diag_no_memory(emu->diag);
	for (size_t i = 0; i < emu->plan->nmodels && c->cols; i++) {
		if (!emu->plan->models[i].breaks_down)
			continue;
		struct reduction *r = &u->reductions[u->nreductions];
		int rc = reduce_init(r, &u->arena, emu, &emu->plan->models[i]);
		if (rc < 0)
			return rc;
		const struct uscp_col *k = &c->cols[u->nreductions++];
		put_channel(u, k, r->decl->prv_type, CHAN_SINGLE, r->decl->title, r->decl->title);
		uint32_t cols[3];
		size_t n = reduce_cols(r, cols);
		struct label_put p = { u, LABEL_OF_BREAKDOWN, r->decl->prv_type };
		out_states(emu, cols, n, put_one_label, &p);
	}
	return 0;
}

/* Adds a counter of a CPU; NONE: nobody can count, as the file lacks the channel. */
static struct span
add_counter(struct uscp *u, const char *label, const char *what)
{
	const struct uscp_col *k = &u->map.classes[ROW_CPU].cols[COL_NRUNNING];
	char name[256];
	(void)snprintf(name, sizeof(name), "cpu/%.200s/%s", label, what);
	return (struct span){ k->kind != USCP_NONE ? uscope_summary_counter(u->w, name, k->storage) : NONE, NONE };
}

/* Adds two counters for each CPU: time busy and oversubscribed. Beyond the limit of a file
 * counters have no id, and are not written. */
static int
open_counters(struct uscp *u)
{
	const struct emu *emu = u->emu;
	uint32_t n = emu->plan->sys.ncpus;
	u->busy = arena_new(&u->arena, struct span, n);
	u->over = arena_new(&u->arena, struct span, n);
	if (!u->busy || !u->over)
		return diag_no_memory(emu->diag);
	for (uint32_t i = 0; i < n; i++) {
		const char *label = emu->plan->sys.cpus[i].label;
		u->busy[i] = add_counter(u, label, "busy");
		u->over[i] = add_counter(u, label, "oversubscribed");
	}
	return 0;
}

static uint64_t
between(uint64_t low, uint64_t n, uint64_t high)
{
	return n < low ? low : n > high ? high
					: n;
}

enum {
	OWN_PROPERTIES = 6, /* properties of the file itself */
};

static int
open_writer(struct uscp *u)
{
	const struct emu *emu = u->emu;
	const struct uscope_options *o = &emu->plan->options.uscope;
	char models[512];
	size_t n = 0;
	for (size_t i = 0; i < emu->plan->nmodels && n < sizeof(models); i++)
		if (emu->plan->models[i].enabled)
			n += (size_t)snprintf(models + n, sizeof(models) - n, "%s%s", n ? "," : "", emu->plan->models[i].model->name);
	char clock[24];
	(void)snprintf(clock, sizeof(clock), "%" PRId64, emu->plan->start + emu->plan->window.zero);
	const char *name = strrchr(emu->plan->trace.dir, '/');
	uscope_dut_property_t properties[OWN_PROPERTIES + EMU_PROPERTIES] = {
		{ "dut_name", name && name[1] ? name + 1 : emu->plan->trace.dir },
		{ "ovni.protocol_version", "1" },
		{ "ovni.models", models },
		{ "ovni.first_clock_ns", clock },
		{ "ovni.view", emu->plan->options.compat ? "compat" : "default" },
		{ "ovni.density", "events" },
	};
	for (size_t i = 0; i < emu->plan->nproperties; i++)
		properties[OWN_PROPERTIES + i] = (uscope_dut_property_t){ emu->plan->properties[i].key, emu->plan->properties[i].value };
	const uscope_dut_desc_t dut = { properties, (uint32_t)(OWN_PROPERTIES + emu->plan->nproperties) };
	uint64_t size = u->map.state_size;
	uint64_t low = o->compression == USCOPE_ZSTD ? max_bytes_low_zstd : max_bytes_low;
	uscope_error_t error;
	const uscope_writer_options_t wo = {
		.compression = (enum uscope_compression)o->compression,
		.lz4_size_prefix = o->lz4_prefix,
		.interval_ps = interval_ps,
		.min_raw = between(min_bytes, 8 * size, max_bytes_high),
		.max_raw = between(low, 16 * size, max_bytes_high),
		.no_auto_summary = true,
		.summary_budget = summary_bytes,
		.background = plan_compresses_apart(&emu->plan->options),
		.error = &error,
	};
	const struct uscope_taker page = { uscp_take_data, u };
	u->w = uscope_writer_open_to(uscp_is_page(u) ? NULL : u->path, u->html ? &page : NULL, &dut, u->map.schema, &wo, NULL);
	if (!u->w)
		uscp_give_up(u, error.reason, error.status);
	else
		(void)uscope_set_tick(u->w, PS_PER_NS);
	return 0;
}

/* Writes the tables, in one cycle at time 0. */
static int
put_tables(struct uscp *u)
{
	int rc = open_counters(u);
	u->told = arena_new(&u->arena, const struct late_label *, u->emu->plan->ncols);
	if (!u->told || !uscp_open_shown(u))
		return diag_no_memory(u->emu->diag);
	for (uint32_t col = 0; col < u->emu->plan->ncols; col++)
		u->told[col] = u->emu->labels[col].last;
	uscp_begin_cycle(u);
	(void)uscp_put_text(u, "");
	(void)uscp_put_text(u, "Error: the thread does not show it");
	(void)uscp_put_text(u, "Error: too many threads");
	for (enum row_class i = 0; i < ROW_CLASSES && rc == 0; i++) {
		if (!u->map.classes[i].name)
			continue;
		uscp_put_rows(u, i, emu_nknown(u->emu, i));
		rc = put_channels(u, i);
	}
	if (rc == 0)
		rc = open_reductions(u);
	uscp_end_cycle(u);
	return rc;
}

void
uscp_finish(struct uscp *u)
{
	uscope_writer_close(u->w);
	overview_finish(&u->overview);
	uscp_close_page(u);
	uscope_schema_free(u->map.schema);
	arena_finish(&u->arena);
}

/* Builds the schema and opens the file. A file that nobody has asked for may be left out: then there is no writer. */
static int
open_file(struct uscp *u)
{
	const struct emu *emu = u->emu;
	const char *reason = "memory is exhausted";
	int status = uscpmap_build(&u->map, &u->arena, emu, emu->plan->options.uscope.labels, &reason);
	if (status == USCOPE_E_NOMEM)
		return diag_no_memory(emu->diag);
	if (status < 0 && !emu->plan->options.uscope.asked)
		diag_warn(emu->diag, NULL, "%s is not written: %s", u->path, reason);
	else if (status < 0)
		uscp_give_up(u, reason, status);
	else
		return open_writer(u);
	return 0;
}

int
uscp_open(void *self, const struct emu *emu, const char *dir)
{
	struct uscp *u = self;
	u->emu = emu;
	u->flushed = -1;
	u->last_text = emu->texts;
	u->path = arena_printf(&u->arena, "%s/" FILE_NAME, dir);
	int rc = uscp_open_page(u, dir);
	if (rc == 0)
		rc = u->path ? open_file(u) : diag_no_memory(emu->diag);
	if (rc == 0 && u->w)
		rc = put_tables(u);
	uscp_check_writer(u);
	if (rc < 0)
		uscp_finish(u);
	return rc < 0 ? rc : !u->w && !u->failed;
}
