/* SPDX-License-Identifier: MIT */
#include "file.h"

#include "uscope/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PROPERTY "ovni.protocol_version"

enum {
	CELLS_MAX = 1 << 25, /* values of all rows: what we keep of each is some 24 bytes */
	TEXT_MAX = 4000,     /* bytes of a label that are kept */
};

static const struct {
	const char *name;
	const char *protocol;
} class_names[] = {
	[TL_THREAD] = { "thread", "ovni.thread" },
	[TL_CPU] = { "cpu", "ovni.cpu" },
	[TL_BREAKDOWN] = { "breakdown", "ovni.breakdown" },
	[TL_PROC] = { "proc", "ovni.proc" },
};

bool
tlfile_is_timeline(const uscope_reader_t *r, const char **lacks)
{
	const char *version = uscope_dut_property(r, PROPERTY);
	*lacks = version ? "its property " PROPERTY " is not 1" : "it lacks the property " PROPERTY;
	return version && strcmp(version, "1") == 0;
}

__attribute__((format(printf, 2, 3))) static bool
damaged(const struct tlfile *f, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	conv_fail(&f->tool->conv, "timeline", "%s\nin %s", text, f->src->path);
	return false;
}

static bool
no_memory(const struct tlfile *f)
{
	(void)conv_no_memory(&f->tool->conv);
	return false;
}

/* ---- Finding things in the schema. ---- */

static int
find_storage(const uscope_schema_t *s, uint16_t scope, const char *name)
{
	for (uint32_t i = 0; i < s->num_storages; i++) {
		uint16_t is = s->storages[i].scope;
		if ((is == scope || (is == USCOPE_NONE && scope == 0)) && strcmp(s->storages[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

/* -1: there is none of that name. */
static int
find_field(const struct tlfile *f, int storage, const char *name)
{
	const uscope_storage_t *st = &f->src->schema->storages[storage];
	for (uint32_t i = 0; i < st->num_fields; i++)
		if (strcmp(st->fields[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* The fields of a table by name. false: one is missing (reported). */
static bool
find_fields(const struct tlfile *f, const char *table, int storage, const char *const *names, size_t n, int *fields)
{
	if (storage < 0)
		return damaged(f, "the table '%s' of a timeline is missing", table);
	for (size_t k = 0; k < n; k++) {
		fields[k] = find_field(f, storage, names[k]);
		if (fields[k] < 0)
			return damaged(f, "the table '%s' of a timeline has no field '%s'", table, names[k]);
	}
	return true;
}

/* ---- Rows. ---- */

/* A text of the file that is kept: a hostile one may name the same long one many times.
 * NULL: there is none, or no memory. */
static const char *
keep(struct tlfile *f, uint64_t index)
{
	bool there = index <= UINT32_MAX && uscope_is_complete(f->src->reader);
	const char *text = there ? uscope_string(f->src->reader, (uint32_t)index, NULL) : NULL;
	return text ? arena_strndup(&f->arena, text, strnlen(text, TEXT_MAX)) : NULL;
}

/* A copy without the blanks around. */
static const char *
trim(struct arena *a, const char *text)
{
	text += strspn(text, " ");
	size_t n = strlen(text);
	while (n && text[n - 1] == ' ')
		n--;
	return arena_strndup(a, text, n);
}

static const char *
row_label(struct tlfile *f, const uscope_state_t *state, const struct tlclass *c, uint32_t row)
{
	/* Labels of breakdown rows count down, as in the ROW file. */
	if (c->table < 0)
		return arena_printf(&f->arena, "~CPU %4" PRIu32, c->nslots - row);
	uint64_t index = uscope_slot_field(state, (uint16_t)c->table, (uint16_t)row, (uint16_t)c->label_field);
	const char *text = keep(f, index);
	return text ? text : arena_printf(&f->arena, "row %" PRIu32, row + 1);
}

/* Names the rows that there are: all of them have a label. */
static bool
name_rows(struct tlfile *f, const uscope_state_t *state, struct tlclass *c)
{
	uint32_t n = c->nslots;
	while (c->table >= 0 && n && !uscope_slot_field(state, (uint16_t)c->table, (uint16_t)(n - 1), (uint16_t)c->label_field))
		n--;
	for (; c->nrows < n; c->nrows++) {
		const char *label = row_label(f, state, c, c->nrows);
		c->labels[c->nrows] = label;
		if (c->level_field >= 0)
			c->levels[c->nrows] = (uint8_t)uscope_slot_field(state, (uint16_t)c->table, (uint16_t)c->nrows, (uint16_t)c->level_field) & 7;
		c->names[c->nrows] = label ? trim(&f->arena, label) : NULL;
		if (!c->names[c->nrows])
			return no_memory(f);
	}
	return true;
}

static bool
read_class(struct tlfile *f, const uscope_state_t *state, enum tl_class k)
{
	const uscope_schema_t *s = f->src->schema;
	struct tlclass *c = &f->classes[k];
	c->name = class_names[k].name;
	c->punctual = c->table = c->level_field = -1;
	uint32_t scope = 0;
	while (scope < s->num_scopes && (!s->scopes[scope].protocol || strcmp(s->scopes[scope].protocol, class_names[k].protocol) != 0))
		scope++;
	if (scope == s->num_scopes)
		return k > TL_CPU || damaged(f, "the scope of the %ss is missing: protocol '%s'", c->name, class_names[k].protocol);
	c->exists = true;
	c->scope = (uint16_t)scope;
	if (k == TL_BREAKDOWN) {
		for (uint32_t i = 0; i < s->num_storages; i++)
			if (s->storages[i].scope == c->scope)
				c->nslots = s->storages[i].num_slots;
	} else {
		static const char *const names[] = { "label" };
		c->table = find_storage(s, c->scope, "rows");
		if (!find_fields(f, "rows", c->table, names, 1, &c->label_field))
			return false;
		c->nslots = s->storages[c->table].num_slots;
		c->level_field = find_field(f, c->table, "level");
	}
	for (uint32_t i = 0; i < s->num_events && c->punctual < 0; i++)
		if (s->events[i].scope == c->scope && strcmp(s->events[i].name, "punctual") == 0 && s->events[i].payload_size == 14)
			c->punctual = (int)i;
	c->names = arena_new(&f->arena, const char *, c->nslots);
	c->labels = arena_new(&f->arena, const char *, c->nslots);
	c->levels = arena_new(&f->arena, uint8_t, c->nslots);
	return c->names && c->labels && c->levels ? name_rows(f, state, c) : no_memory(f);
}

/* ---- Channels. ---- */

static int
class_of(const struct tlfile *f, uint16_t scope)
{
	for (int k = 0; k < TL_CLASSES; k++)
		if (f->classes[k].exists && f->classes[k].scope == scope)
			return k;
	return -1;
}

static bool
set_kind(struct tlchannel *ch, const uscope_field_t *field)
{
	ch->enum_id = field->enum_id;
	ch->size = field->size;
	switch (field->type) {
	case USCOPE_ENUM: ch->kind = TL_ENUM; return true;
	case USCOPE_U32: ch->kind = TL_U32; return true;
	case USCOPE_I64: ch->kind = TL_I64; return true;
	case USCOPE_STRING_REF: ch->kind = TL_TEXT; return true;
	default: return false;
	}
}

enum {
	CHANNEL_TYPE,
	CHANNEL_STORAGE,
	CHANNEL_FIELD,
	CHANNEL_NAME,
	CHANNEL_FIELDS,
};

/* Reads a channel out of its row of the table. NULL, or why the row is wrong. */
static const char *
check_channel(struct tlfile *f, struct tlchannel *ch, const uint64_t v[])
{
	const uscope_schema_t *s = f->src->schema;
	if (v[CHANNEL_TYPE] == 0 || v[CHANNEL_TYPE] > UINT16_MAX)
		return "has no PRV type";
	if (v[CHANNEL_STORAGE] >= s->num_storages)
		return "is in a storage that does not exist";
	const uscope_storage_t *st = &s->storages[v[CHANNEL_STORAGE]];
	int class = class_of(f, st->scope);
	if (class < 0 || st->flags & USCOPE_SPARSE || st->num_slots != f->classes[class].nslots)
		return "is in a storage that does not hold rows";
	if (v[CHANNEL_FIELD] >= st->num_fields)
		return "is in a field that does not exist";
	if (!set_kind(ch, &st->fields[v[CHANNEL_FIELD]]))
		return "is in a field of a type that no channel has";
	if (f->of_field[f->first_field[v[CHANNEL_STORAGE]] + v[CHANNEL_FIELD]])
		return "is in the field of another one";
	ch->class = (enum tl_class) class;
	ch->type = (uint16_t)v[CHANNEL_TYPE];
	ch->storage = (uint16_t)v[CHANNEL_STORAGE];
	ch->field = (uint16_t)v[CHANNEL_FIELD];
	ch->storage_name = st->name;
	return idmap_find(&f->by_type, (uint64_t) class << 16 | ch->type) ? "has the PRV type of another one" : NULL;
}

static bool
add_channel(struct tlfile *f, struct tlchannel *ch, uint64_t label)
{
	const uscope_storage_t *st = &f->src->schema->storages[ch->storage];
	struct tlclass *c = &f->classes[ch->class];
	const char *field = st->fields[ch->field].name;
	if (ch->class == TL_BREAKDOWN)
		field = "breakdown"; /* not yet another state */
	ch->name = strcmp(st->name, "ovni") == 0 ? field : arena_printf(&f->arena, "%s.%s", st->name, field);
	ch->label = keep(f, label);
	bool room = arena_grow(&f->arena, &c->channels, c->nchannels, &c->channels_cap, sizeof(struct tlchannel *));
	if (!ch->name || !room || idmap_add(&f->by_type, &f->arena, (uint64_t)ch->class << 16 | ch->type, ch) < 0)
		return no_memory(f);
	ch->place = c->nchannels;
	c->channels[c->nchannels++] = ch;
	f->of_field[f->first_field[ch->storage] + ch->field] = ch;
	return true;
}

static bool
read_channels(struct tlfile *f, const uscope_state_t *state)
{
	static const char *const names[] = { "prv_type", "storage", "field", "name" };
	const uscope_schema_t *s = f->src->schema;
	int fields[CHANNEL_FIELDS] = { 0 };
	int table = find_storage(s, 0, "channels");
	if (!find_fields(f, "channels", table, names, CHANNEL_FIELDS, fields))
		return false;
	uint32_t n = 0;
	int levels = find_field(f, table, "levels");
	f->nchannels = s->storages[table].num_slots;
	f->channels = arena_new(&f->arena, struct tlchannel, f->nchannels);
	f->first_field = arena_new(&f->arena, uint32_t, s->num_storages);
	for (uint32_t i = 0; f->first_field && i < s->num_storages; i++) {
		f->first_field[i] = n;
		n += s->storages[i].num_fields;
	}
	f->of_field = arena_new(&f->arena, struct tlchannel *, n);
	if (!f->channels || !f->first_field || !f->of_field)
		return no_memory(f);
	for (uint32_t i = 0; i < f->nchannels; i++) {
		uint64_t v[CHANNEL_FIELDS];
		for (int k = 0; k < CHANNEL_FIELDS; k++)
			v[k] = uscope_slot_field(state, (uint16_t)table, (uint16_t)i, (uint16_t)fields[k]);
		const char *wrong = check_channel(f, &f->channels[i], v);
		if (wrong)
			return damaged(f, "channel %" PRIu32 " %s", i, wrong);
		if (levels >= 0)
			f->channels[i].levels = (uint8_t)uscope_slot_field(state, (uint16_t)table, (uint16_t)i, (uint16_t)levels);
		if (!add_channel(f, &f->channels[i], v[CHANNEL_NAME]))
			return false;
	}
	return true;
}

static bool
count_cells(struct tlfile *f)
{
	uint64_t n = 0;
	for (int k = 0; k < TL_CLASSES; k++) {
		f->classes[k].first_cell = (uint32_t)n;
		n += (uint64_t)f->classes[k].nslots * f->classes[k].nchannels;
		if (n > CELLS_MAX)
			return damaged(f, "the rows have more than %d values, which is too many", CELLS_MAX);
	}
	f->ncells = (uint32_t)n;
	return true;
}

struct tlchannel *
tlfile_channel(const struct tlfile *f, uint16_t storage, uint16_t field)
{
	const uscope_schema_t *s = f->src->schema;
	if (storage >= s->num_storages || field >= s->storages[storage].num_fields)
		return NULL;
	return f->of_field[f->first_field[storage] + field];
}

uint64_t
tlchannel_apply(const struct tlchannel *ch, uint64_t raw, const uscope_item_t *item)
{
	raw = item->action == USCOPE_SLOT_ADD ? raw + item->value : item->value;
	return ch->size < 8 ? raw & ((UINT64_C(1) << 8 * ch->size) - 1) : raw;
}

struct tlchannel *
tlfile_punctual(const struct tlfile *f, const uscope_item_t *item, uint32_t *row, int64_t *value)
{
	for (int k = 0; k < TL_CLASSES && !item->bad; k++) {
		const struct tlclass *c = &f->classes[k];
		if (c->punctual != item->event_type)
			continue;
		const uint8_t *p = item->payload;
		*row = load32(p) - 1;
		uint16_t channel = load16(p + 4);
		*value = (int64_t)load64(p + 6);
		bool good = *row < c->nrows && channel < f->nchannels && (int)f->channels[channel].class == k;
		return good ? &f->channels[channel] : NULL;
	}
	return NULL;
}

/* ---- Opening. ---- */

/* The state with all labels that are known; or, if the end is damaged, some state. */
static uscope_state_t *
last_state(struct tlfile *f)
{
	uscope_reader_t *r = f->src->reader;
	uscope_state_t *state = uscope_state_at(r, UINT64_MAX);
	uint32_t n = uscope_num_segments(r);
	for (uint32_t i = n; !state && i > 1; i--)
		state = uscope_segment_checkpoint(r, i - 1);
	if (state)
		return state;
	if (n == 0 && !uscope_is_complete(r))
		(void)damaged(f, "nothing has been written yet: the tables of the timeline come with the first segment");
	else
		(void)utool_failed(f->tool, f->src);
	return NULL;
}

bool
tlfile_learn(struct tlfile *f)
{
	uscope_state_t *state = last_state(f);
	bool good = state && tllabel_read(f, state);
	for (int k = 0; k < TL_CLASSES && good; k++)
		good = name_rows(f, state, &f->classes[k]);
	uscope_state_free(state);
	f->end_ps = moment_end(f->src->reader);
	return good;
}

static bool
read_tables(struct tlfile *f, const uscope_state_t *state)
{
	static const char *const names[] = { "class", "prv_type", "value", "text" };
	for (int k = 0; k < TL_CLASSES; k++)
		if (!read_class(f, state, (enum tl_class)k))
			return false;
	if (!read_channels(f, state) || !count_cells(f))
		return false;
	int table = find_storage(f->src->schema, 0, "labels");
	if (!find_fields(f, "labels", table, names, 4, f->labels_fields))
		return false;
	f->labels_table = (uint16_t)table;
	return tllabel_read(f, state);
}

bool
tlfile_open(struct tlfile *f, struct tool *t, struct source *src)
{
	*f = (struct tlfile){ .tool = t, .src = src };
	const char *lacks;
	if (!tlfile_is_timeline(src->reader, &lacks)) {
		conv_fail(&t->conv, "timeline", "the file is no timeline that is known: %s\nin %s\nhint: timelines are what ovniemu writes as ovni.uscp; `uscope info` tells what this is",
			lacks, src->path);
		return false;
	}
	const char *view = uscope_dut_property(src->reader, "ovni.view");
	f->compat = view && strcmp(view, "compat") == 0;
	f->end_ps = moment_end(src->reader);
	uscope_state_t *state = last_state(f);
	bool good = state && read_tables(f, state);
	uscope_state_free(state);
	return good;
}

void
tlfile_finish(struct tlfile *f)
{
	arena_finish(&f->arena);
	arena_finish(&f->labels);
	*f = (struct tlfile){ 0 };
}
