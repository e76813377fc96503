/* SPDX-License-Identifier: MIT */
/* vcdout: a value change dump (IEEE 1364) for waveform viewers. A storage is a module; so
 * is each of its slots when there are several. A sparse slot has a bit `valid`, and its
 * fields are x while it is not. An event type is a module with an `event` variable and the
 * fields of the last one. Enumerations and texts are numbers, or, with labels, string
 * variables, which GTKWave knows and the standard does not. */
#include "exporter.h"
#include "uscope/layout.h"
#include "puttext.h"
#include "vcdvars.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	VARIABLES_MAX = 4 << 20, /* more than any viewer opens */
};

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
	vcd_put_id(v, number);
	put_str(v->w, "\n");
}

/* One word: what would end it is written as \xNN. */
static void
put_text_value(struct vcd *v, const uscope_field_t *f, uint64_t raw, uint64_t number)
{
	uint32_t n = 0;
	const char *text = value_text(&v->show, f, raw, &n);
	put_str(v->w, "s");
	for (uint32_t i = 0; text && i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c <= ' ' || c == '\\' || c == 0x7f)
			wbuf_printf(v->w, "\\x%02x", c);
		else
			wbuf_put(v->w, &text[i], 1);
	}
	if (!text)
		show_number(&v->show, f, raw);
	put_str(v->w, " ");
	vcd_put_id(v, number);
	put_str(v->w, "\n");
}

static void
put_value(struct vcd *v, const uscope_field_t *f, uint64_t raw, uint64_t number)
{
	if (vcd_is_text(v, f))
		put_text_value(v, f, raw, number);
	else
		put_bits(v, vcd_bits(f), raw, number);
}

static void
put_unknown(struct vcd *v, const uscope_field_t *f, uint64_t number)
{
	put_str(v->w, vcd_is_text(v, f) ? "s " : vcd_bits(f) == 1 ? "x"
								  : "bx ");
	vcd_put_id(v, number);
	put_str(v->w, "\n");
}

/* A whole slot, its validity included. */
static void
put_slot_values(struct vcd *v, const uscope_state_t *state, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &v->show.src->schema->storages[id];
	bool valid = uscope_slot_valid(state, (uint16_t)id, (uint16_t)slot);
	if (vcd_is_sparse(st))
		put_bits(v, 1, valid, vcd_valid(v, id, slot));
	for (uint32_t f = 0; f < st->num_fields; f++) {
		uint64_t number = vcd_field(v, id, slot, f);
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
	const schema_t *schema = v->show.src->schema;
	bool first = !v->timed;
	put_time(v, time_ps);
	put_str(v->w, first ? "$dumpvars\n" : "");
	for (uint32_t id = 0; id < schema->num_storages; id++) {
		const uscope_storage_t *st = &schema->storages[id];
		if (!v->show.src->picked.storages[id])
			continue;
		for (uint32_t p = 0; p < st->num_properties; p++)
			put_value(v, &st->properties[p], value_cut(&st->properties[p], uscope_state_prop(state, (uint16_t)id, (uint16_t)p)), vcd_property(v, id, p));
		for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(v->show.tool); slot++)
			put_slot_values(v, state, id, slot);
	}
	for (uint32_t id = 0; first && id < schema->num_events; id++)
		for (uint32_t f = 0; v->show.src->picked.events[id] && f < schema->events[id].num_fields; f++)
			put_unknown(v, &schema->events[id].fields[f], v->event_base[id] + 1 + f);
	put_str(v->w, first ? "$end\n" : "");
}

static void
vcd_op(void *self, const uscope_state_t *state, const uscope_item_t *item, bool was_valid, uint64_t before)
{
	struct vcd *v = self;
	const uscope_field_t *f = item_field(v->show.src, item);
	if (item->action == USCOPE_PROP_SET) {
		uint64_t now = uscope_state_prop(state, item->storage, item->field);
		if (now == before || !f)
			return;
		put_time(v, item->time_ps);
		put_value(v, f, value_cut(f, now), vcd_property(v, item->storage, item->field));
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
	put_value(v, f, now, vcd_field(v, item->storage, item->slot, item->field));
}

static void
vcd_event(void *self, const uscope_item_t *item)
{
	struct vcd *v = self;
	const uscope_event_type_t *e = &v->show.src->schema->events[item->event_type];
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

/* ---- */

static void
vcd_close(void *self)
{
	struct vcd *v = self;
	if (!v)
		return;
	free(v->storage_base);
	free(v->event_base);
	free(v);
}

static void *
vcd_open(struct tool *t, struct source *s, const struct export_options *o, int *status)
{
	struct vcd *v = calloc(1, sizeof(*v));
	if (v) {
		v->show = show_of(t, s);
		v->w = v->show.w;
		v->labels = o->labels;
		v->storage_base = calloc((size_t)s->schema->num_storages + 1, sizeof(*v->storage_base));
		v->event_base = calloc((size_t)s->schema->num_events + 1, sizeof(*v->event_base));
	}
	bool good = v && v->storage_base && v->event_base;
	uint64_t n = good ? vcd_number(v) : 0;
	if (n > VARIABLES_MAX) {
		utool_error(t, "too-many", "%" PRIu64 " variables are more than viewers open\nin %s\nhint: choose some with --storage, --event and --scope", n, s->path);
		*status = STATUS_BAD;
		good = false;
	} else if (!good || !vcd_put_header(v)) {
		*status = utool_no_memory(t);
		good = false;
	}
	if (good)
		return v;
	vcd_close(v);
	return NULL;
}

const struct exporter vcd_exporter = {
	.name = "vcd",
	.open = vcd_open,
	.state = vcd_state,
	.op = vcd_op,
	.event = vcd_event,
	.end = vcd_end,
	.close = vcd_close,
};
