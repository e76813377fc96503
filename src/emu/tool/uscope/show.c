/* SPDX-License-Identifier: MIT */
#include "show.h"

#include "uscope/layout.h"
#include "when.h"

#include <inttypes.h>

/* ---- Values. ---- */

bool
value_is_signed(const uscope_field_t *f)
{
	return f->type >= USCOPE_I8 && f->type <= USCOPE_I64;
}

int64_t
value_signed(const uscope_field_t *f, uint64_t raw)
{
	switch (f->type) {
	case USCOPE_I8: return (int8_t)raw;
	case USCOPE_I16: return (int16_t)raw;
	case USCOPE_I32: return (int32_t)raw;
	default: return (int64_t)raw;
	}
}

uint64_t
value_cut(const uscope_field_t *f, uint64_t v)
{
	return f->size >= 8 ? v : v & ((UINT64_C(1) << (f->size * 8)) - 1);
}

const char *
value_text(const struct source *s, const uscope_field_t *f, uint64_t raw, uint32_t *length)
{
	if (s->tool->raw)
		return NULL;
	const char *text = NULL;
	if (f->type == USCOPE_STRING_REF) {
		text = raw <= UINT32_MAX ? uscope_string(s->reader, (uint32_t)raw, length) : NULL;
	} else if (f->type == USCOPE_ENUM) {
		text = raw <= UINT8_MAX ? uscope_enum_label(s->schema, f->enum_id, (uint8_t)raw) : NULL;
		*length = text ? (uint32_t)strlen(text) : 0;
	}
	return text;
}

void
show_number(const struct source *s, const uscope_field_t *f, uint64_t raw)
{
	/* BOOL, ENUM and STRING_REF are no integers. */
	if (f->type == USCOPE_BOOL && !s->tool->raw)
		put_str(s->w, raw ? "true" : "false");
	else if (s->tool->hex && f->type < USCOPE_BOOL)
		wbuf_printf(s->w, s->tool->json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, value_cut(f, raw));
	else if (value_is_signed(f))
		put_i64(s->w, value_signed(f, raw));
	else
		put_u64(s->w, raw);
}

void
show_value(const struct source *s, const uscope_field_t *f, uint64_t raw)
{
	uint32_t n = 0;
	const char *text = value_text(s, f, raw, &n);
	if (text && s->tool->json)
		json_text(s->w, NULL, text, n);
	else if (text && f->type == USCOPE_STRING_REF)
		put_quoted(s->w, text, n);
	else if (text)
		put_text(s->w, text, n);
	else if (f->type == USCOPE_STRING_REF && !s->tool->json)
		wbuf_printf(s->w, "#%" PRIu64, raw);
	else
		show_number(s, f, raw);
}

/* ---- Parts of a line. ---- */

void
show_time(struct wbuf *w, uint64_t ps)
{
	char buf[WHEN_TEXT];
	put_str(w, when_text(buf, ps));
}

void
show_begin(const struct source *s, const char *kind, uint64_t time_ps)
{
	if (s->tool->json) {
		json_open(s->w, NULL, '{');
		json_str(s->w, "kind", kind);
		json_u64(s->w, "time_ps", time_ps);
	} else {
		show_time(s->w, time_ps);
		put_str(s->w, "  ");
	}
}

void
show_end(const struct source *s)
{
	put_str(s->w, s->tool->json ? "}\n" : "\n");
}

void
show_open(const struct source *s, const char *key, char bracket, const char *text)
{
	if (s->tool->json)
		json_open(s->w, key, bracket);
	else
		put_str(s->w, text);
}

void
show_close(const struct source *s, char bracket, const char *text)
{
	if (s->tool->json)
		json_close(s->w, bracket);
	else
		put_str(s->w, text);
}

void
show_key(const struct source *s, const char *key, const char *text)
{
	if (s->tool->json)
		json_key(s->w, key);
	else
		put_str(s->w, text);
}

void
show_u64(const struct source *s, const char *key, const char *text, uint64_t v)
{
	show_key(s, key, text);
	put_u64(s->w, v);
}

void
show_name(const struct source *s, const uscope_field_t *f, uint32_t index)
{
	if (!s->tool->json) {
		put_text(s->w, f->name, strlen(f->name));
		return;
	}
	json_key(s->w, NULL);
	put_str(s->w, "\"");
	put_form(s->w, TEXT_JSON, f->name, strlen(f->name));
	if (pathlist_is_repeated(&s->paths, f))
		wbuf_printf(s->w, "#%" PRIu32, index);
	put_str(s->w, "\"");
}

void
show_field(const struct source *s, const uscope_field_t *f, uint32_t index, uint64_t raw)
{
	show_name(s, f, index);
	put_str(s->w, s->tool->json ? ":" : "=");
	show_value(s, f, raw);
}

void
show_path(const struct source *s, uint16_t scope, const char *key, const char *name)
{
	const char *path = pathlist_scope(&s->paths, scope);
	if (s->tool->json) {
		json_str(s->w, "scope", *path ? path : "/");
		json_str(s->w, key, name);
		return;
	}
	put_text(s->w, path, strlen(path));
	put_str(s->w, "/");
	put_text(s->w, name, strlen(name));
}

void
show_slot(const struct source *s, uint32_t slot)
{
	if (s->tool->json)
		json_u64(s->w, "slot", slot);
	else
		wbuf_printf(s->w, "[%" PRIu32 "]", slot);
}

void
show_payload(const struct source *s, const uscope_event_type_t *e, const uint8_t *payload)
{
	show_open(s, "fields", '{', "");
	for (uint32_t i = 0; i < e->num_fields; i++) {
		const uscope_field_t *f = &e->fields[i];
		put_str(s->w, s->tool->json ? "" : " ");
		show_field(s, f, i, load_value(payload + f->offset, f->size));
	}
	show_close(s, '}', "");
}

/* ---- Items. ---- */

const uscope_field_t *
item_field(const struct source *s, const uscope_item_t *item)
{
	if (item->storage >= s->schema->num_storages)
		return NULL;
	const uscope_storage_t *st = &s->schema->storages[item->storage];
	if (item->action == USCOPE_PROP_SET)
		return item->field < st->num_properties ? &st->properties[item->field] : NULL;
	return item->field < st->num_fields ? &st->fields[item->field] : NULL;
}

bool
is_picked(const struct source *s, const uscope_item_t *item)
{
	if (item->kind == USCOPE_ITEM_OP)
		return item->storage < s->schema->num_storages ? s->picked.storages[item->storage] : s->picked.nstorages > 0;
	if (item->kind == USCOPE_ITEM_EVENT)
		return item->event_type < s->schema->num_events ? s->picked.events[item->event_type] : s->picked.nevents > 0;
	return false;
}

const char *
action_name(const uscope_item_t *item)
{
	static const char *const names[] = {
		[USCOPE_SLOT_SET] = "set",
		[USCOPE_SLOT_CLEAR] = "clear",
		[USCOPE_SLOT_ADD] = "add",
		[USCOPE_PROP_SET] = "prop",
	};
	bool known = item->action < sizeof(names) / sizeof(names[0]) && names[item->action];
	return item->bad || !known ? "bad" : names[item->action];
}

/* One that does not suit the schema is shown as numbers. */
static void
show_op(const struct source *s, const uscope_item_t *item)
{
	if (item->bad) {
		show_u64(s, "action", "action ", item->action);
		show_u64(s, "storage_id", ", storage ", item->storage);
		show_u64(s, "slot", ", slot ", item->slot);
		show_u64(s, "field_id", ", field ", item->field);
		show_u64(s, "value", ", value ", item->value);
		return;
	}
	const uscope_storage_t *st = &s->schema->storages[item->storage];
	const uscope_field_t *f = item_field(s, item);
	bool property = item->action == USCOPE_PROP_SET;
	show_path(s, st->scope, "storage", st->name);
	if (!property)
		show_slot(s, item->slot);
	if (item->action == USCOPE_SLOT_CLEAR || !f)
		return;
	show_key(s, property ? "property" : "field", ".");
	show_name(s, f, item->field);
	show_key(s, "value", item->action == USCOPE_SLOT_ADD ? " += " : " = ");
	show_value(s, f, item->value);
}

static void
show_event(const struct source *s, const uscope_item_t *item)
{
	if (item->bad) {
		show_u64(s, "event_id", "type ", item->event_type);
		show_u64(s, "payload_size", ", ", item->payload_size);
		put_str(s->w, s->tool->json ? "" : " bytes, not as the schema says");
		return;
	}
	const uscope_event_type_t *e = &s->schema->events[item->event_type];
	show_path(s, e->scope, "event", e->name);
	show_payload(s, e, item->payload);
}

void
show_item(const struct source *s, const uscope_item_t *item)
{
	bool op = item->kind == USCOPE_ITEM_OP;
	bool event = item->kind == USCOPE_ITEM_EVENT;
	const char *kind = op ? action_name(item) : event ? "event"
							  : "frame";
	show_begin(s, s->tool->json && item->bad ? "bad" : kind, item->time_ps);
	if (!s->tool->json)
		wbuf_printf(s->w, op || event ? "%-5s  " : "%s", kind);
	if (op)
		show_op(s, item);
	else if (event)
		show_event(s, item);
	show_end(s);
}

/* ---- States. ---- */

bool
slot_has_content(const struct source *s, const uscope_state_t *state, uint16_t storage, uint16_t slot)
{
	const uscope_storage_t *st = &s->schema->storages[storage];
	if (!uscope_slot_valid(state, storage, slot))
		return false;
	if (st->flags & USCOPE_SPARSE)
		return true;
	for (uint32_t f = 0; f < st->num_fields; f++)
		if (uscope_slot_field_raw(state, storage, slot, (uint16_t)f))
			return true;
	return false;
}

/* A state that is shown. */
struct view {
	const struct source *src;
	const uscope_state_t *state;
	const char *kind;
	uint64_t time_ps;
};

/* Begins an object about a storage; in text all is below the name of the storage. */
static void
begin_part(const struct view *v, uint16_t id)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	show_begin(v->src, v->kind, v->time_ps);
	show_path(v->src, st->scope, "storage", st->name);
}

static void
show_properties(const struct view *v, uint16_t id)
{
	const struct source *s = v->src;
	const uscope_storage_t *st = &s->schema->storages[id];
	bool json = s->tool->json && st->num_properties;
	if (json) {
		begin_part(v, id);
		json_open(s->w, "properties", '{');
	}
	for (uint32_t p = 0; p < st->num_properties; p++) {
		put_str(s->w, json ? "" : "  ");
		show_field(s, &st->properties[p], p, uscope_state_prop(v->state, id, (uint16_t)p));
		put_str(s->w, json ? "" : "\n");
	}
	if (json) {
		json_close(s->w, '}');
		json_end(s->w);
	}
}

static void
show_fields(const struct view *v, uint16_t id, uint16_t slot)
{
	const struct source *s = v->src;
	const uscope_storage_t *st = &s->schema->storages[id];
	if (s->tool->json)
		begin_part(v, id);
	else
		put_str(s->w, "  ");
	show_slot(s, slot);
	show_open(s, "fields", '{', "");
	for (uint32_t f = 0; f < st->num_fields; f++) {
		put_str(s->w, s->tool->json ? "" : " ");
		show_field(s, &st->fields[f], f, uscope_slot_field_raw(v->state, id, slot, (uint16_t)f));
	}
	show_close(s, '}', "");
	show_end(s);
}

static void
show_storage(const struct view *v, uint16_t id, bool all)
{
	const struct source *s = v->src;
	const uscope_storage_t *st = &s->schema->storages[id];
	const char *plural = st->num_slots == 1 ? "" : "s";
	bool sparse = st->flags & USCOPE_SPARSE;
	uint32_t left_out = 0;
	if (!s->tool->json) {
		show_path(s, st->scope, NULL, st->name);
		if (sparse)
			wbuf_printf(s->w, ": %" PRIu32 " of %u slots valid\n", uscope_storage_occupancy(v->state, id), st->num_slots);
		else
			wbuf_printf(s->w, ": %u slot%s\n", st->num_slots, plural);
	}
	show_properties(v, id);
	for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(s->tool); slot++) {
		if (all ? uscope_slot_valid(v->state, id, (uint16_t)slot) : slot_has_content(s, v->state, id, (uint16_t)slot))
			show_fields(v, id, (uint16_t)slot);
		else
			left_out++;
	}
	if (left_out && !sparse && !s->tool->json)
		wbuf_printf(s->w, "  (%" PRIu32 " slot%s of zeros)\n", left_out, left_out == 1 ? "" : "s");
}

void
show_state(const struct source *s, const uscope_state_t *state, bool all, const char *kind, uint64_t time_ps)
{
	const struct view v = { s, state, kind, time_ps };
	for (uint32_t id = 0; id < s->schema->num_storages && !utool_stop(s->tool); id++)
		if (s->picked.storages[id])
			show_storage(&v, (uint16_t)id, all);
}

uint64_t
show_diags(const struct source *s, const char *key, const char *kinds, const char *broken, const char *note)
{
	uint64_t sum = 0;
	show_open(s, key, '{', "");
	for (int i = 0; i < USCOPE_NUM_DIAGS; i++) {
		const char *name = uscope_diag_name((enum uscope_diag)i);
		uint64_t n = uscope_reader_diag(s->reader, (enum uscope_diag)i);
		if (n == 0 || !strchr(kinds, name[0]))
			continue;
		if (s->tool->json)
			json_u64(s->w, name, n);
		else
			wbuf_printf(s->w, "%s%s: %s (%" PRIu64 ")\n", name[0] == 'V' ? broken : note, name, uscope_diag_text((enum uscope_diag)i), n);
		sum += n;
	}
	show_close(s, '}', "");
	return sum;
}
