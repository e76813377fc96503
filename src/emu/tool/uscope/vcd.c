/* SPDX-License-Identifier: MIT */
/* vcd: a value change dump (IEEE 1364) for waveform viewers. A storage is a module; so
 * is each of its slots when there are several. A sparse slot has a bit `valid`, and its
 * fields are x while it is not. An event type is a module with an `event` variable and the
 * fields of the last one. Enumerations and texts are numbers, or, with labels, string
 * variables, which GTKWave knows and the standard does not. */
#include "exporter.h"
#include "uscope/layout.h"
#include "vcdout.h"

#include <inttypes.h>

struct vcd {
	const struct source *src;
	struct vcdout out;
	uint64_t *storage_base; /* number of the first variable of each */
	uint64_t *event_base;
	bool labels;
};

/* ---- Variables and their numbers: slots, then properties. ---- */

static bool
is_sparse(const uscope_storage_t *st)
{
	return st->flags & USCOPE_SPARSE;
}

static uint64_t
slot_width(const uscope_storage_t *st)
{
	return (uint64_t)st->num_fields + is_sparse(st);
}

static uint64_t
number_of_field(const struct vcd *v, uint32_t id, uint32_t slot, uint32_t field)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	return v->storage_base[id] + slot * slot_width(st) + is_sparse(st) + field;
}

static uint64_t
number_of_valid(const struct vcd *v, uint32_t id, uint32_t slot)
{
	return v->storage_base[id] + slot * slot_width(&v->src->schema->storages[id]);
}

static uint64_t
number_of_property(const struct vcd *v, uint32_t id, uint32_t property)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	return v->storage_base[id] + st->num_slots * slot_width(st) + property;
}

/* ---- The header. ---- */

static bool
is_text(const struct vcd *v, const uscope_field_t *f)
{
	return v->labels && (f->type == USCOPE_ENUM || f->type == USCOPE_STRING_REF);
}

static unsigned
bits_of(const uscope_field_t *f)
{
	return f->type == USCOPE_BOOL ? 1 : f->size * 8u;
}

/* avoid: a name that is taken, NULL: none. */
static void
put_var(struct vcd *v, uint64_t number, const uscope_field_t *f, uint32_t index, const char *avoid)
{
	vcdout_var(&v->out, is_text(v, f) ? "string" : "wire", is_text(v, f) ? 1 : bits_of(f), number);
	vcdout_word(&v->out, f->name);
	if (pathlist_is_repeated(&v->src->paths, f) || (avoid && strcmp(f->name, avoid) == 0))
		wbuf_printf(v->out.w, "_%" PRIu32, index);
	put_str(v->out.w, " $end\n");
}

static void
put_slot(struct vcd *v, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	if (is_sparse(st)) {
		vcdout_var(&v->out, "wire", 1, number_of_valid(v, id, slot));
		put_str(v->out.w, "valid $end\n");
	}
	for (uint32_t f = 0; f < st->num_fields; f++)
		put_var(v, number_of_field(v, id, slot, f), &st->fields[f], f, is_sparse(st) ? "valid" : NULL);
}

static void
put_storage(struct vcd *v, uint32_t id)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	vcdout_open(&v->out, st->name);
	for (uint32_t p = 0; p < st->num_properties; p++)
		put_var(v, number_of_property(v, id, p), &st->properties[p], p, NULL);
	for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(v->src->tool); slot++) {
		if (st->num_slots > 1)
			wbuf_printf(v->out.w, "$scope module slot%" PRIu32 " $end\n", slot);
		put_slot(v, id, slot);
		if (st->num_slots > 1)
			vcdout_close(&v->out);
	}
	vcdout_close(&v->out);
}

static void
put_event_type(struct vcd *v, uint32_t id)
{
	const uscope_event_type_t *e = &v->src->schema->events[id];
	vcdout_open(&v->out, e->name);
	vcdout_var(&v->out, "event", 1, v->event_base[id]);
	put_str(v->out.w, "event $end\n");
	for (uint32_t f = 0; f < e->num_fields; f++)
		put_var(v, v->event_base[id] + 1 + f, &e->fields[f], f, "event");
	vcdout_close(&v->out);
}

/* All up to $enddefinitions. */
static void
put_header(struct vcd *v)
{
	const uscope_schema_t *schema = v->src->schema;
	uint32_t open = 0;
	vcdout_begin(&v->out);
	for (uint32_t k = 0; k < schema->num_scopes && !utool_stop(v->src->tool); k++) {
		const struct branch *at = &v->src->paths.tree[k];
		for (; open > at->depth; open--)
			vcdout_close(&v->out);
		vcdout_open(&v->out, schema->scopes[at->scope].name);
		open++;
		for (uint32_t i = 0; i < schema->num_storages; i++)
			if (v->src->picked.storages[i] && scope_is(schema->storages[i].scope, at->scope))
				put_storage(v, i);
		for (uint32_t i = 0; i < schema->num_events; i++)
			if (v->src->picked.events[i] && scope_is(schema->events[i].scope, at->scope))
				put_event_type(v, i);
	}
	for (; open; open--)
		vcdout_close(&v->out);
	put_str(v->out.w, "$enddefinitions $end\n");
}

/* Gives numbers to all variables. Returns how many there are. */
static uint64_t
number_all(struct vcd *v)
{
	const struct source *src = v->src;
	uint64_t n = 0;
	for (uint32_t i = 0; i < src->schema->num_storages; i++) {
		const uscope_storage_t *st = &src->schema->storages[i];
		v->storage_base[i] = n;
		if (src->picked.storages[i])
			n += st->num_slots * slot_width(st) + st->num_properties;
	}
	for (uint32_t i = 0; i < src->schema->num_events; i++) {
		v->event_base[i] = n;
		if (src->picked.events[i])
			n += 1 + (uint64_t)src->schema->events[i].num_fields;
	}
	return n;
}

/* ---- Changes. ---- */

static void
put_text_value(struct vcd *v, const uscope_field_t *f, uint64_t raw, uint64_t number)
{
	uint32_t n = 0;
	const char *text = value_text(v->src, f, raw, &n);
	if (text) {
		vcdout_text(&v->out, text, n, number);
		return;
	}
	put_str(v->out.w, "s");
	show_number(v->src, f, raw);
	put_str(v->out.w, " ");
	vcdout_number(&v->out, number);
}

static void
put_value(struct vcd *v, const uscope_field_t *f, uint64_t raw, uint64_t number)
{
	if (is_text(v, f))
		put_text_value(v, f, raw, number);
	else
		vcdout_bits(&v->out, bits_of(f), raw, number);
}

static void
put_unknown(struct vcd *v, const uscope_field_t *f, uint64_t number)
{
	put_str(v->out.w, is_text(v, f) ? "s " : bits_of(f) == 1 ? "x"
								 : "bx ");
	vcdout_number(&v->out, number);
}

/* A whole slot, its validity included. */
static void
put_slot_values(struct vcd *v, const uscope_state_t *state, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	bool valid = uscope_slot_valid(state, (uint16_t)id, (uint16_t)slot);
	if (is_sparse(st))
		vcdout_bits(&v->out, 1, valid, number_of_valid(v, id, slot));
	for (uint32_t f = 0; f < st->num_fields; f++) {
		uint64_t number = number_of_field(v, id, slot, f);
		if (valid)
			put_value(v, &st->fields[f], uscope_slot_field_raw(state, (uint16_t)id, (uint16_t)slot, (uint16_t)f), number);
		else
			put_unknown(v, &st->fields[f], number);
	}
}

/* Properties are sign-extended: they are cut to the bits that a variable has. */
static void
vcd_state(void *self, const uscope_state_t *state, uint64_t time_ps)
{
	struct vcd *v = self;
	const uscope_schema_t *schema = v->src->schema;
	bool first = !v->out.timed;
	vcdout_time(&v->out, time_ps);
	put_str(v->out.w, first ? "$dumpvars\n" : "");
	for (uint32_t id = 0; id < schema->num_storages; id++) {
		const uscope_storage_t *st = &schema->storages[id];
		if (!v->src->picked.storages[id])
			continue;
		for (uint32_t p = 0; p < st->num_properties; p++)
			put_value(v, &st->properties[p], value_cut(&st->properties[p], uscope_state_prop(state, (uint16_t)id, (uint16_t)p)), number_of_property(v, id, p));
		for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(v->src->tool); slot++)
			put_slot_values(v, state, id, slot);
	}
	for (uint32_t id = 0; first && id < schema->num_events; id++)
		for (uint32_t f = 0; v->src->picked.events[id] && f < schema->events[id].num_fields; f++)
			put_unknown(v, &schema->events[id].fields[f], v->event_base[id] + 1 + f);
	put_str(v->out.w, first ? "$end\n" : "");
}

static void
vcd_op(void *self, const uscope_state_t *state, const uscope_item_t *item, bool was_valid, uint64_t before)
{
	struct vcd *v = self;
	const uscope_field_t *f = item_field(v->src, item);
	if (item->action == USCOPE_PROP_SET) {
		uint64_t now = uscope_state_prop(state, item->storage, item->field);
		if (now == before || !f)
			return;
		vcdout_time(&v->out, item->time_ps);
		put_value(v, f, value_cut(f, now), number_of_property(v, item->storage, item->field));
		return;
	}
	if (was_valid != uscope_slot_valid(state, item->storage, item->slot)) {
		vcdout_time(&v->out, item->time_ps);
		put_slot_values(v, state, item->storage, item->slot);
		return;
	}
	uint64_t now = uscope_slot_field_raw(state, item->storage, item->slot, item->field);
	if (item->action == USCOPE_SLOT_CLEAR || now == before || !f)
		return;
	vcdout_time(&v->out, item->time_ps);
	put_value(v, f, now, number_of_field(v, item->storage, item->slot, item->field));
}

static void
vcd_event(void *self, const uscope_item_t *item)
{
	struct vcd *v = self;
	const uscope_event_type_t *e = &v->src->schema->events[item->event_type];
	const uint8_t *payload = item->payload;
	vcdout_time(&v->out, item->time_ps);
	for (uint32_t i = 0; i < e->num_fields; i++)
		put_value(v, &e->fields[i], load_value(payload + e->fields[i].offset, e->fields[i].size), v->event_base[item->event_type] + 1 + i);
	vcdout_bits(&v->out, 1, 1, v->event_base[item->event_type]);
}

/* A time behind the last change: viewers then show how long the trace is. */
static void
vcd_end(void *self, uint64_t time_ps)
{
	vcdout_time(&((struct vcd *)self)->out, time_ps);
}

static void *
vcd_open(struct tool *t, struct source *s, bool labels)
{
	struct vcd *v = arena_new(&s->arena, struct vcd, 1);
	uint64_t *storage_base = arena_new(&s->arena, uint64_t, s->schema->num_storages);
	uint64_t *event_base = arena_new(&s->arena, uint64_t, s->schema->num_events);
	if (!v || !storage_base || !event_base) {
		t->status = conv_no_memory(&t->conv);
		return NULL;
	}
	*v = (struct vcd){ .src = s, .out = { .w = s->w }, .storage_base = storage_base, .event_base = event_base, .labels = labels };
	uint64_t n = number_all(v);
	if (n > VCDOUT_VARIABLES_MAX) {
		t->status = vcdout_too_many(&t->conv, n, s->path);
		return NULL;
	}
	put_header(v);
	return v;
}

const struct exporter vcd_exporter = {
	.name = "vcd",
	.open = vcd_open,
	.state = vcd_state,
	.op = vcd_op,
	.event = vcd_event,
	.end = vcd_end,
};
