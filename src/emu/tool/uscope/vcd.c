/* SPDX-License-Identifier: MIT */
/* vcd: a value change dump (IEEE 1364) for waveform viewers. A storage is a module; so
 * is each of its slots when there are several. A sparse slot has a bit `valid`, and its
 * fields are x while it is not. An event type is a module with an `event` variable and the
 * fields of the last one. Enumerations and texts are numbers, or, with labels, string
 * variables, which GTKWave knows and the standard does not. */
#include "exporter.h"
#include "uscope/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	ID_MAX = 8,
	VARIABLES_MAX = 4 << 20, /* more than any viewer opens */
};

struct vcd {
	const struct source *src;
	struct wbuf *w;
	uint64_t *storage_base; /* number of the first variable of each */
	uint64_t *event_base;
	uint64_t time_ps;
	bool labels;
	bool timed; /* a time was printed */
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

static void
put_id(struct vcd *v, uint64_t number)
{
	char id[ID_MAX];
	size_t n = 0;
	do {
		id[n++] = (char)('!' + number % 94);
		number /= 94;
	} while (number && n < ID_MAX);
	wbuf_put(v->w, id, n);
}

/* ---- The header. ---- */

/* Words of a VCD hold no spaces, and viewers take dots and brackets for more than names. */
static void
put_word(struct vcd *v, const char *name)
{
	if (!*name || strcmp(name, "/") == 0) {
		put_str(v->w, *name ? "top" : "_");
		return;
	}
	char word[PATH_CUT];
	size_t n = 0;
	for (; name[n] && n < sizeof(word) - 1; n++)
		word[n] = isalnum((unsigned char)name[n]) && (unsigned char)name[n] < 0x80 ? name[n] : '_';
	wbuf_put(v->w, word, n);
}

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
	wbuf_printf(v->w, "$var %s %u ", is_text(v, f) ? "string" : "wire", is_text(v, f) ? 1 : bits_of(f));
	put_id(v, number);
	put_str(v->w, " ");
	put_word(v, f->name);
	if (pathlist_is_repeated(&v->src->paths, f) || (avoid && strcmp(f->name, avoid) == 0))
		wbuf_printf(v->w, "_%" PRIu32, index);
	put_str(v->w, " $end\n");
}

static void
put_slot(struct vcd *v, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	if (is_sparse(st)) {
		put_str(v->w, "$var wire 1 ");
		put_id(v, number_of_valid(v, id, slot));
		put_str(v->w, " valid $end\n");
	}
	for (uint32_t f = 0; f < st->num_fields; f++)
		put_var(v, number_of_field(v, id, slot, f), &st->fields[f], f, is_sparse(st) ? "valid" : NULL);
}

static void
open_module(struct vcd *v, const char *name)
{
	put_str(v->w, "$scope module ");
	put_word(v, name);
	put_str(v->w, " $end\n");
}

static void
close_module(struct vcd *v)
{
	put_str(v->w, "$upscope $end\n");
}

static void
put_storage(struct vcd *v, uint32_t id)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	open_module(v, st->name);
	for (uint32_t p = 0; p < st->num_properties; p++)
		put_var(v, number_of_property(v, id, p), &st->properties[p], p, NULL);
	for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(v->src->tool); slot++) {
		if (st->num_slots > 1)
			wbuf_printf(v->w, "$scope module slot%" PRIu32 " $end\n", slot);
		put_slot(v, id, slot);
		if (st->num_slots > 1)
			close_module(v);
	}
	close_module(v);
}

static void
put_event_type(struct vcd *v, uint32_t id)
{
	const uscope_event_type_t *e = &v->src->schema->events[id];
	open_module(v, e->name);
	put_str(v->w, "$var event 1 ");
	put_id(v, v->event_base[id]);
	put_str(v->w, " event $end\n");
	for (uint32_t f = 0; f < e->num_fields; f++)
		put_var(v, v->event_base[id] + 1 + f, &e->fields[f], f, "event");
	close_module(v);
}

/* All up to $enddefinitions. */
static void
put_header(struct vcd *v)
{
	const uscope_schema_t *schema = v->src->schema;
	uint32_t open = 0;
	put_str(v->w, "$version uscope export $end\n$timescale 1 ps $end\n");
	for (uint32_t k = 0; k < schema->num_scopes && !utool_stop(v->src->tool); k++) {
		const struct branch *at = &v->src->paths.tree[k];
		for (; open > at->depth; open--)
			close_module(v);
		open_module(v, schema->scopes[at->scope].name);
		open++;
		for (uint32_t i = 0; i < schema->num_storages; i++)
			if (v->src->picked.storages[i] && scope_is(schema->storages[i].scope, at->scope))
				put_storage(v, i);
		for (uint32_t i = 0; i < schema->num_events; i++)
			if (v->src->picked.events[i] && scope_is(schema->events[i].scope, at->scope))
				put_event_type(v, i);
	}
	for (; open; open--)
		close_module(v);
	put_str(v->w, "$enddefinitions $end\n");
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
put_time(struct vcd *v, uint64_t time_ps)
{
	if (v->timed && time_ps <= v->time_ps)
		return;
	v->timed = true;
	v->time_ps = time_ps;
	put_str(v->w, "#");
	put_u64(v->w, time_ps);
	put_str(v->w, "\n");
}

/* Ends a change: the variable that it is of. */
static void
put_number(struct vcd *v, uint64_t number)
{
	put_id(v, number);
	put_str(v->w, "\n");
}

static void
put_bits(struct vcd *v, unsigned bits, uint64_t value, uint64_t number)
{
	if (bits == 1) {
		put_str(v->w, value ? "1" : "0");
	} else {
		char text[66];
		size_t n = 0;
		text[n++] = 'b';
		unsigned at = bits - 1;
		while (at && !(value >> at & 1))
			at--;
		for (unsigned i = at + 1; i-- > 0;)
			text[n++] = (char)('0' + (value >> i & 1));
		wbuf_put(v->w, text, n);
		put_str(v->w, " ");
	}
	put_number(v, number);
}

/* One word: what would end it is written as \xNN. */
static void
put_text_value(struct vcd *v, const uscope_field_t *f, uint64_t raw, uint64_t number)
{
	uint32_t n = 0;
	const char *text = value_text(v->src, f, raw, &n);
	put_str(v->w, "s");
	for (uint32_t i = 0; text && i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c <= ' ' || c == '\\' || c == 0x7f)
			wbuf_printf(v->w, "\\x%02x", c);
		else
			wbuf_put(v->w, &text[i], 1);
	}
	if (!text)
		show_number(v->src, f, raw);
	put_str(v->w, " ");
	put_number(v, number);
}

static void
put_value(struct vcd *v, const uscope_field_t *f, uint64_t raw, uint64_t number)
{
	if (is_text(v, f))
		put_text_value(v, f, raw, number);
	else
		put_bits(v, bits_of(f), raw, number);
}

static void
put_unknown(struct vcd *v, const uscope_field_t *f, uint64_t number)
{
	put_str(v->w, is_text(v, f) ? "s " : bits_of(f) == 1 ? "x"
							     : "bx ");
	put_number(v, number);
}

/* A whole slot, its validity included. */
static void
put_slot_values(struct vcd *v, const uscope_state_t *state, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &v->src->schema->storages[id];
	bool valid = uscope_slot_valid(state, (uint16_t)id, (uint16_t)slot);
	if (is_sparse(st))
		put_bits(v, 1, valid, number_of_valid(v, id, slot));
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
	bool first = !v->timed;
	put_time(v, time_ps);
	put_str(v->w, first ? "$dumpvars\n" : "");
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
	put_str(v->w, first ? "$end\n" : "");
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
		put_time(v, item->time_ps);
		put_value(v, f, value_cut(f, now), number_of_property(v, item->storage, item->field));
		return;
	}
	if (was_valid != uscope_slot_valid(state, item->storage, item->slot)) {
		put_time(v, item->time_ps);
		put_slot_values(v, state, item->storage, item->slot);
		return;
	}
	uint64_t now = uscope_slot_field_raw(state, item->storage, item->slot, item->field);
	if (item->action == USCOPE_SLOT_CLEAR || now == before || !f)
		return;
	put_time(v, item->time_ps);
	put_value(v, f, now, number_of_field(v, item->storage, item->slot, item->field));
}

static void
vcd_event(void *self, const uscope_item_t *item)
{
	struct vcd *v = self;
	const uscope_event_type_t *e = &v->src->schema->events[item->event_type];
	const uint8_t *payload = item->payload;
	put_time(v, item->time_ps);
	for (uint32_t i = 0; i < e->num_fields; i++)
		put_value(v, &e->fields[i], load_value(payload + e->fields[i].offset, e->fields[i].size), v->event_base[item->event_type] + 1 + i);
	put_bits(v, 1, 1, v->event_base[item->event_type]);
}

/* A time behind the last change: viewers then show how long the trace is. */
static void
vcd_end(void *self, uint64_t time_ps)
{
	put_time(self, time_ps);
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
	*v = (struct vcd){ .src = s, .w = s->w, .storage_base = storage_base, .event_base = event_base, .labels = labels };
	uint64_t n = number_all(v);
	if (n > VARIABLES_MAX) {
		t->status = conv_fail(&t->conv, "too-many", "%" PRIu64 " variables are more than viewers open\nin %s\nhint: choose some with --storage, --event and --scope", n, s->path);
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
