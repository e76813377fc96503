/* SPDX-License-Identifier: MIT */
/* item: operations and events, as text and as JSON. */
#include "show.h"

#include "uscope/layout.h"
#include "jsonout.h"

#include <inttypes.h>

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

/* ---- Text. ---- */

void
show_payload(const struct show *s, const uscope_event_type_t *e, const uint8_t *payload)
{
	for (uint32_t i = 0; i < e->num_fields; i++) {
		const uscope_field_t *f = &e->fields[i];
		put_str(s->w, " ");
		show_field(s, f, load_value(payload + f->offset, f->size));
	}
}

static void
show_op(const struct show *s, const uscope_item_t *item)
{
	const uscope_field_t *f = item_field(s->src, item);
	wbuf_printf(s->w, "%-5s  ", action_name(item));
	if (item->bad) {
		wbuf_printf(s->w, "action %u, storage %u, slot %u, field %u, value %" PRIu64, item->action,
			item->storage, item->slot, item->field, item->value);
		return;
	}
	const uscope_storage_t *st = &s->src->schema->storages[item->storage];
	show_path(s, st->scope, st->name);
	if (item->action != USCOPE_PROP_SET)
		wbuf_printf(s->w, "[%u]", item->slot);
	if (item->action == USCOPE_SLOT_CLEAR || !f)
		return;
	put_str(s->w, ".");
	put_text(s->w, f->name, strlen(f->name));
	put_str(s->w, item->action == USCOPE_SLOT_ADD ? " += " : " = ");
	show_value(s, f, item->value);
}

static void
show_event(const struct show *s, const uscope_item_t *item)
{
	put_str(s->w, "event  ");
	if (item->bad) {
		wbuf_printf(s->w, "type %u, %" PRIu32 " bytes, not as the schema says", item->event_type, item->payload_size);
		return;
	}
	const uscope_event_type_t *e = &s->src->schema->events[item->event_type];
	show_path(s, e->scope, e->name);
	show_payload(s, e, item->payload);
}

void
show_item(const struct show *s, const uscope_item_t *item)
{
	show_time(s->w, item->time_ps);
	put_str(s->w, "  ");
	if (item->kind == USCOPE_ITEM_OP)
		show_op(s, item);
	else if (item->kind == USCOPE_ITEM_EVENT)
		show_event(s, item);
	else
		put_str(s->w, "frame");
	put_str(s->w, "\n");
}

/* ---- JSON. ---- */

void
json_payload(const struct show *s, const uscope_event_type_t *e, const uint8_t *payload)
{
	json_open(s->w, "fields", '{');
	for (uint32_t i = 0; i < e->num_fields; i++)
		json_field(s, &e->fields[i], i, load_value(payload + e->fields[i].offset, e->fields[i].size));
	json_close(s->w, '}');
}

static void
json_op(const struct show *s, const uscope_item_t *item)
{
	const uscope_storage_t *st = &s->src->schema->storages[item->storage];
	const uscope_field_t *f = item_field(s->src, item);
	json_path(s, st->scope, "storage", st->name);
	if (item->action != USCOPE_PROP_SET)
		json_u64(s->w, "slot", item->slot);
	if (item->action == USCOPE_SLOT_CLEAR || !f)
		return;
	json_key(s->w, item->action == USCOPE_PROP_SET ? "property" : "field");
	json_field_name(s, f, item->field);
	json_key(s->w, "value");
	json_value(s, f, item->value);
}

static void
json_event(const struct show *s, const uscope_item_t *item)
{
	const uscope_event_type_t *e = &s->src->schema->events[item->event_type];
	json_path(s, e->scope, "event", e->name);
	json_payload(s, e, item->payload);
}

/* An item that does not suit the schema, as numbers. */
static void
json_bad(const struct show *s, const uscope_item_t *item)
{
	if (item->kind == USCOPE_ITEM_EVENT) {
		json_u64(s->w, "event_id", item->event_type);
		json_u64(s->w, "payload_size", item->payload_size);
	} else if (item->kind == USCOPE_ITEM_OP) {
		json_u64(s->w, "action", item->action);
		json_u64(s->w, "storage_id", item->storage);
		json_u64(s->w, "slot", item->slot);
		json_u64(s->w, "field_id", item->field);
		json_u64(s->w, "value", item->value);
	}
}

void
json_item(const struct show *s, const uscope_item_t *item)
{
	bool op = item->kind == USCOPE_ITEM_OP;
	bool event = item->kind == USCOPE_ITEM_EVENT;
	json_open(s->w, NULL, '{');
	json_str(s->w, "kind", op ? action_name(item) : event ? (item->bad ? "bad" : "event")
							      : "frame");
	json_u64(s->w, "time_ps", item->time_ps);
	if (item->bad)
		json_bad(s, item);
	else if (op)
		json_op(s, item);
	else if (event)
		json_event(s, item);
	json_end(s->w);
}

void
print_item(const struct show *s, const uscope_item_t *item)
{
	if (s->tool->json)
		json_item(s, item);
	else
		show_item(s, item);
}
