/* SPDX-License-Identifier: MIT */
/* csv: a line for each operation and for each field of an event. */
#include "exporter.h"
#include "uscope/layout.h"

struct csv {
	struct source *src;
	struct wbuf *w;
	uint64_t items; /* operations and events: the lines of one share the number */
};

static void *
csv_open(struct tool *t, struct source *s, bool labels)
{
	(void)labels; /* both are printed */
	struct csv *c = arena_new(&s->arena, struct csv, 1);
	if (!c) {
		t->status = conv_no_memory(&t->conv);
		return NULL;
	}
	*c = (struct csv){ .src = s, .w = s->w };
	put_str(c->w, "time_ps,item,kind,scope,storage,slot,field,value,label\n");
	return c;
}

/* Ends a cell. */
static void
put_cell(struct csv *c, const char *text)
{
	put_csv(c->w, text, strlen(text));
	put_str(c->w, ",");
}

/* slot < 0: none; f NULL: a line without field. */
static void
put_line(struct csv *c, uint64_t time_ps, const char *kind, uint16_t scope, const char *name, int32_t slot, const uscope_field_t *f, uint64_t value)
{
	const char *path = pathlist_scope(&c->src->paths, scope);
	put_u64(c->w, time_ps);
	put_str(c->w, ",");
	put_u64(c->w, c->items);
	put_str(c->w, ",");
	put_cell(c, kind);
	put_cell(c, *path ? path : "/");
	put_cell(c, name);
	if (slot >= 0)
		put_i64(c->w, slot);
	put_str(c->w, ",");
	put_cell(c, f ? f->name : "");
	if (f)
		show_number(c->src, f, value);
	put_str(c->w, ",");
	uint32_t n = 0;
	const char *text = f ? value_text(c->src, f, value, &n) : NULL;
	if (text)
		put_csv(c->w, text, n);
	put_str(c->w, "\n");
}

static void
csv_state(void *self, const uscope_state_t *state, uint64_t time_ps)
{
	struct csv *c = self;
	const uscope_schema_t *schema = c->src->schema;
	for (uint32_t id = 0; id < schema->num_storages && !utool_stop(c->src->tool); id++) {
		const uscope_storage_t *st = &schema->storages[id];
		if (!c->src->picked.storages[id])
			continue;
		for (uint32_t p = 0; p < st->num_properties; p++) {
			uint64_t v = uscope_state_prop(state, (uint16_t)id, (uint16_t)p);
			if (v == 0)
				continue;
			put_line(c, time_ps, "init", st->scope, st->name, -1, &st->properties[p], v);
			c->items++;
		}
		for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(c->src->tool); slot++) {
			if (!slot_has_content(c->src, state, (uint16_t)id, (uint16_t)slot))
				continue;
			for (uint32_t f = 0; f < st->num_fields; f++)
				put_line(c, time_ps, "init", st->scope, st->name, (int32_t)slot, &st->fields[f], uscope_slot_field_raw(state, (uint16_t)id, (uint16_t)slot, (uint16_t)f));
			c->items++;
		}
	}
}

static void
csv_op(void *self, const uscope_state_t *state, const uscope_item_t *item, bool was_valid, uint64_t before)
{
	(void)state;
	(void)was_valid;
	(void)before;
	struct csv *c = self;
	const uscope_storage_t *st = &c->src->schema->storages[item->storage];
	const uscope_field_t *f = item->action == USCOPE_SLOT_CLEAR ? NULL : item_field(c->src, item);
	put_line(c, item->time_ps, action_name(item), st->scope, st->name, item->action == USCOPE_PROP_SET ? -1 : item->slot, f, item->value);
	c->items++;
}

static void
csv_event(void *self, const uscope_item_t *item)
{
	struct csv *c = self;
	const uscope_event_type_t *e = &c->src->schema->events[item->event_type];
	const uint8_t *payload = item->payload;
	for (uint32_t i = 0; i < e->num_fields; i++) {
		const uscope_field_t *f = &e->fields[i];
		put_line(c, item->time_ps, "event", e->scope, e->name, -1, f, load_value(payload + f->offset, f->size));
	}
	if (e->num_fields == 0)
		put_line(c, item->time_ps, "event", e->scope, e->name, -1, NULL, 0);
	c->items++;
}

const struct exporter csv_exporter = {
	.name = "csv",
	.open = csv_open,
	.state = csv_state,
	.op = csv_op,
	.event = csv_event,
};
