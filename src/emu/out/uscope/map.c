/* SPDX-License-Identifier: MIT */
/* map: how rows and columns of the emulator stand in a µScope file: its schema. */
#include "uscp.h"

#include "track.h"

#include <stdio.h>
#include <string.h>

enum {
	SLOTS_MAX = 65535,
	ENUM_LABELS_MAX = 255,
	LOOMS_MAX = 16384, /* bytes of the schema for scopes of looms and processes */
	SCOPE_BYTES = 12,
};

struct builder {
	struct uscp_map *map;
	struct arena *arena;
	const struct emu *emu;
	const char **reason;
	int status; /* first error */
};

/* Keeps the first failure; returns the id. */
static int
made(struct builder *b, int id)
{
	if (id < 0 && !b->status) {
		b->status = id;
		*b->reason = "the schema of the file has no room for so many channels and labels";
	}
	return id < 0 ? 0 : id;
}

static void
refuse(struct builder *b, const char *reason)
{
	if (!b->status)
		*b->reason = reason;
	b->status = b->status ? b->status : USCOPE_E_LIMIT;
}

static void
add_field(struct builder *b, int storage, const char *name, uint8_t type)
{
	(void)made(b, uscope_schema_add_field(b->map->schema, storage, name, type, 0));
}

/* ---- Columns. ---- */

struct label_scan {
	struct builder *b;
	int id;       /* of the enum; -1: count only */
	uint32_t n;   /* number of labels */
	uint32_t own; /* labels that are no error states */
	bool fits;
};

static void
scan_label(void *arg, int64_t value, const char *text)
{
	struct label_scan *s = arg;
	bool error = value == ST_BAD || value == ST_TOO_MANY_TH;
	s->n++;
	s->own += !error;
	s->fits = s->fits && (error || (value >= 0 && value <= USCP_ENUM_MAX));
	if (s->id < 0)
		return;
	uint8_t v = (uint8_t)(value == ST_BAD ? USCP_ENUM_BAD : value == ST_TOO_MANY_TH ? USCP_ENUM_TOO_MANY
											: value);
	(void)made(s->b, uscope_schema_add_enum_value(s->b->map->schema, s->id, v, text));
}

static enum uscp_kind
kind_of(struct builder *b, enum row_class rows, uint32_t col, const struct label_scan *s)
{
	const struct chan_decl *decl = out_decl(b->emu, rows, col);
	if (decl->values == VALUES_TEXT)
		return USCP_TEXT;
	if (decl->values == VALUES_ANY)
		return USCP_I64;
	if (decl->of != OF_THREAD) /* counts may go beyond what is labelled */
		return USCP_U32;
	bool cpu_rows = rows == ROW_THREAD && col == COL_CPU; /* labelled, but without limit */
	return s->own && s->fits && s->n <= ENUM_LABELS_MAX && !cpu_rows ? USCP_ENUM : USCP_U32;
}

static void
add_column(struct builder *b, enum row_class rows, uint32_t col, int storage)
{
	static const uint8_t types[] = {
		[USCP_ENUM] = USCOPE_ENUM,
		[USCP_U32] = USCOPE_U32,
		[USCP_I64] = USCOPE_I64,
		[USCP_TEXT] = USCOPE_STRING_REF,
	};
	static const uint64_t most[] = {
		[USCP_ENUM] = USCP_ENUM_MAX,
		[USCP_U32] = UINT32_MAX,
		[USCP_I64] = UINT64_MAX,
		[USCP_TEXT] = 0, /* USCP_TEXT_EMPTY */
	};
	struct uscp_map *m = b->map;
	const struct chan_decl *decl = out_decl(b->emu, rows, col);
	struct label_scan counted = { .b = b, .id = -1, .fits = true };
	out_labels(b->emu, rows, col, scan_label, &counted);
	enum uscp_kind kind = kind_of(b, rows, col, &counted);
	int id = 0;
	if (kind == USCP_ENUM) {
		const char *name = arena_printf(b->arena, "%s.%s", m->classes[rows].name, decl->name);
		id = made(b, name ? uscope_schema_add_enum(m->schema, name) : USCOPE_E_NOMEM);
		struct label_scan s = { .b = b, .id = id, .fits = true };
		out_labels(b->emu, rows, col, scan_label, &s);
	}
	m->classes[rows].cols[col] = (struct uscp_col){
		.storage = (uint16_t)storage,
		.field = (uint16_t)made(b, uscope_schema_add_field(m->schema, storage, decl->name, types[kind], id)),
		.channel = (uint16_t)m->nchannels++,
		.kind = (uint8_t)kind,
		.is_state = counted.own || kind == USCP_TEXT,
		.most = most[kind],
	};
}

/* The storages of a class: the base columns and the marks are "ovni", then each model. */
static void
add_models(struct builder *b, enum row_class rows)
{
	struct uscp_class *c = &b->map->classes[rows];
	const struct emu *emu = b->emu;
	c->cols = arena_new(b->arena, struct uscp_col, emu->plan->ncols);
	if (!c->cols) {
		(void)made(b, USCOPE_E_NOMEM);
		return;
	}
	/* Only threads and CPUs have base columns. */
	int ovni = rows == ROW_PROC ? 0 : made(b, uscope_schema_add_storage(b->map->schema, "ovni", c->scope, (uint16_t)c->nrows, 0));
	int storage = ovni;
	const struct model *model = NULL;
	for (uint32_t i = 0; i < emu->plan->ncols && !b->status; i++) {
		uint32_t col = out_in_order(rows, i);
		if (!track_has(emu, rows, col))
			continue;
		const struct model *owner = emu->plan->cols[col].model;
		if (rows != ROW_PROC && (!owner || strcmp(owner->name, "ovni") == 0)) {
			add_column(b, rows, col, ovni);
			continue;
		}
		if (owner != model)
			storage = made(b, uscope_schema_add_storage(b->map->schema, owner->name, c->scope, (uint16_t)c->nrows, 0));
		model = owner;
		add_column(b, rows, col, storage);
	}
}

/* ---- Tables. ---- */

static int
add_enum(struct builder *b, const char *name, const char *const *labels, size_t n)
{
	int id = made(b, uscope_schema_add_enum(b->map->schema, name));
	for (size_t i = 0; i < n; i++)
		(void)made(b, uscope_schema_add_enum_value(b->map->schema, id, (uint8_t)i, labels[i]));
	return id;
}

static void
add_rows(struct builder *b, enum row_class rows)
{
	struct uscp_class *c = &b->map->classes[rows];
	int t = made(b, uscope_schema_add_storage(b->map->schema, "rows", c->scope, (uint16_t)c->nrows, 0));
	c->rows = (uint16_t)t;
	add_field(b, t, "label", USCOPE_STRING_REF);
	if (rows == ROW_PROC) {
		static const char *const levels[] = { "thread", "process", "loom", "system" };
		int level = add_enum(b, "level", levels, sizeof(levels) / sizeof(levels[0]));
		(void)made(b, uscope_schema_add_field(b->map->schema, t, "level", USCOPE_ENUM, level));
	}
	add_field(b, t, "loom", USCOPE_U16);
	if (rows == ROW_THREAD) {
		add_field(b, t, "proc", USCOPE_U16);
		add_field(b, t, "pid", USCOPE_U32);
		add_field(b, t, "tid", USCOPE_U32);
		add_field(b, t, "app", USCOPE_U32);
		add_field(b, t, "rank", USCOPE_I32);
	} else if (rows == ROW_CPU) {
		add_field(b, t, "phyid", USCOPE_I32);
		add_field(b, t, "is_virtual", USCOPE_BOOL);
	} else {
		add_field(b, t, "pid", USCOPE_U32);
		add_field(b, t, "app", USCOPE_U32);
		add_field(b, t, "rank", USCOPE_I32);
	}
}

static void
add_tables(struct builder *b, uint16_t nlabels)
{
	static const char *const modes[] = { "single", "stack", "punctual" };
	static const char *const classes[] = { "thread", "cpu", "breakdown", "both", "proc" };
	bool procs = emu_nrows(b->emu, ROW_PROC) > 0;
	uscope_schema_t *s = b->map->schema;
	int mode = add_enum(b, "mode", modes, sizeof(modes) / sizeof(modes[0]));
	int class = add_enum(b, "class", classes, procs ? LABEL_OF_PROC + 1 : LABEL_OF_PROC);

	int t = made(b, uscope_schema_add_storage(s, "channels", 0, (uint16_t)b->map->nchannels, 0));
	b->map->channels = (uint16_t)t;
	add_field(b, t, "prv_type", USCOPE_U16);
	add_field(b, t, "storage", USCOPE_U16);
	add_field(b, t, "field", USCOPE_U16);
	(void)made(b, uscope_schema_add_field(s, t, "mode", USCOPE_ENUM, mode));
	add_field(b, t, "name", USCOPE_STRING_REF);
	add_field(b, t, "title", USCOPE_STRING_REF);
	if (procs)
		add_field(b, t, "levels", USCOPE_U8);

	t = made(b, uscope_schema_add_storage(s, "labels", 0, nlabels, USCOPE_SPARSE));
	b->map->labels = (uint16_t)t;
	(void)made(b, uscope_schema_add_field(s, t, "class", USCOPE_ENUM, class));
	add_field(b, t, "prv_type", USCOPE_U16);
	add_field(b, t, "value", USCOPE_I64);
	add_field(b, t, "text", USCOPE_STRING_REF);

	t = made(b, uscope_schema_add_storage(s, "colors", 0, nlabels, USCOPE_SPARSE));
	b->map->colors = (uint16_t)t;
	(void)made(b, uscope_schema_add_field(s, t, "class", USCOPE_ENUM, class));
	add_field(b, t, "prv_type", USCOPE_U16);
	add_field(b, t, "value", USCOPE_I64);
	add_field(b, t, "rgb", USCOPE_U32);
}

/* ---- Events. ---- */

struct event_field {
	const char *name;
	uint8_t type;
};

static uint16_t
add_event(struct builder *b, const char *name, int scope, const struct event_field *fields, size_t n)
{
	int id = made(b, uscope_schema_add_event(b->map->schema, name, scope));
	for (size_t i = 0; i < n; i++)
		(void)made(b, uscope_schema_add_event_field(b->map->schema, id, fields[i].name, fields[i].type, 0));
	return (uint16_t)id;
}

static void
add_events(struct builder *b)
{
	static const struct event_field punctual[] = { { "row", USCOPE_U32 }, { "channel", USCOPE_U16 }, { "value", USCOPE_I64 } };
	static const struct event_field raw[] = {
		{ "row", USCOPE_U32 },
		{ "model", USCOPE_U8 },
		{ "category", USCOPE_U8 },
		{ "value", USCOPE_U8 },
		{ "size", USCOPE_U8 },
		{ "p0", USCOPE_U64 },
		{ "p1", USCOPE_U64 },
	};
	struct uscp_map *m = b->map;
	for (int i = 0; i < ROW_CLASSES; i++)
		if (m->classes[i].name)
			m->classes[i].punctual = add_event(b, "punctual", m->classes[i].scope, punctual, sizeof(punctual) / sizeof(punctual[0]));
	m->raw_event = add_event(b, "ovni", m->classes[ROW_THREAD].scope, raw, sizeof(raw) / sizeof(raw[0]));
}

/* ---- Scopes. ---- */

/* Adds looms and their processes as empty scopes, for browsing. */
static void
add_looms(struct builder *b)
{
	const struct system *sys = &b->emu->plan->sys;
	size_t left = LOOMS_MAX;
	for (uint32_t i = 0; i < sys->nlooms && left >= SCOPE_BYTES; i++) {
		const struct loom *l = &sys->looms[i];
		left -= SCOPE_BYTES;
		const char *name = arena_printf(b->arena, "loom.%s", l->name);
		int scope = made(b, name ? uscope_schema_add_scope(b->map->schema, name, 0, NULL, -1) : USCOPE_E_NOMEM);
		for (uint32_t p = 0; p < l->nprocs && left >= SCOPE_BYTES; p++) {
			left -= SCOPE_BYTES;
			name = arena_printf(b->arena, "proc.%d", sys->procs[l->first_proc + p].pid);
			(void)made(b, name ? uscope_schema_add_scope(b->map->schema, name, scope, NULL, -1) : USCOPE_E_NOMEM);
		}
	}
}

static void
add_class(struct builder *b, int i, const char *name, const char *protocol, uint32_t first, uint32_t n)
{
	struct uscp_class *c = &b->map->classes[i];
	c->name = name;
	c->scope = (uint16_t)made(b, uscope_schema_add_scope(b->map->schema, name, 0, protocol, -1));
	c->first_row = first;
	c->nrows = n;
	if (n > SLOTS_MAX)
		refuse(b, "it holds at most 65535 threads, and as many CPUs");
}

/* A storage of one field for each model with a breakdown. */
static void
add_breakdowns(struct builder *b)
{
	const struct emu *emu = b->emu;
	struct uscp_class *c = &b->map->classes[USCP_BREAKDOWN];
	uint32_t n = 0;
	for (size_t i = 0; i < emu->plan->nmodels; i++)
		n += emu->plan->models[i].breaks_down;
	if (!n)
		return;
	add_class(b, USCP_BREAKDOWN, "breakdown", "ovni.breakdown", 0, emu->plan->sys.nphysical);
	c->cols = arena_new(b->arena, struct uscp_col, n);
	if (!c->cols) {
		(void)made(b, USCOPE_E_NOMEM);
		return;
	}
	n = 0;
	for (size_t i = 0; i < emu->plan->nmodels; i++) {
		if (!emu->plan->models[i].breaks_down)
			continue;
		int t = made(b, uscope_schema_add_storage(b->map->schema, emu->plan->models[i].model->name, c->scope, (uint16_t)c->nrows, 0));
		add_field(b, t, "state", USCOPE_U32);
		c->cols[n++] = (struct uscp_col){ .storage = (uint16_t)t, .channel = (uint16_t)b->map->nchannels++, .kind = USCP_U32, .is_state = true };
	}
}

/* The rows of processes, looms and the system, if there are any. */
static void
add_procs(struct builder *b)
{
	uint32_t first = emu_first_row(b->emu, ROW_PROC);
	uint32_t n = emu_nrows(b->emu, ROW_PROC);
	b->map->classes[ROW_PROC].first_row = first;
	if (!n)
		return;
	add_class(b, ROW_PROC, "proc", "ovni.proc", first, n);
	add_models(b, ROW_PROC);
}

static uint64_t
state_size(const uscope_schema_t *s)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < s->num_storages; i++)
		if (!(s->storages[i].flags & USCOPE_SPARSE))
			n += (uint64_t)s->storages[i].num_slots * s->storages[i].slot_size;
	return n;
}

int
uscpmap_build(struct uscp_map *m, struct arena *a, const struct emu *emu, uint16_t nlabels, const char **reason)
{
	*m = (struct uscp_map){ .schema = uscope_schema_new(), .nlabels = nlabels };
	struct builder b = { .map = m, .arena = a, .emu = emu, .reason = reason };
	if (!m->schema)
		return USCOPE_E_NOMEM;
	(void)made(&b, uscope_schema_add_clock(m->schema, "ns", 1000));
	(void)made(&b, uscope_schema_add_scope(m->schema, "/", -1, NULL, 0));
	add_class(&b, ROW_THREAD, "thread", "ovni.thread", 0, emu->plan->sys.nthreads);
	add_class(&b, ROW_CPU, "cpu", "ovni.cpu", emu->plan->sys.nthreads, emu->plan->sys.ncpus);
	add_looms(&b);
	for (enum row_class i = 0; i <= ROW_CPU && !b.status; i++)
		add_models(&b, i);
	add_breakdowns(&b);
	add_procs(&b);
	for (enum row_class i = 0; i < ROW_CLASSES; i++)
		if (m->classes[i].name)
			add_rows(&b, i);
	add_tables(&b, nlabels);
	add_events(&b);
	m->state_size = state_size(m->schema);
	return b.status;
}
