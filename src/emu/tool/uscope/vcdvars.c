/* SPDX-License-Identifier: MIT */
#include "vcdvars.h"

#include "puttext.h"
#include "scopetree.h"

#include <ctype.h>
#include <inttypes.h>

enum {
	ID_MAX = 8,
};

/* ---- Variables and their numbers: slots, then properties. ---- */

bool
vcd_is_sparse(const uscope_storage_t *st)
{
	return st->flags & USCOPE_SPARSE;
}

static uint64_t
slot_width(const uscope_storage_t *st)
{
	return (uint64_t)st->num_fields + vcd_is_sparse(st);
}

uint64_t
vcd_field(const struct vcd *v, uint32_t id, uint32_t slot, uint32_t field)
{
	const uscope_storage_t *st = &v->show.src->schema->storages[id];
	return v->storage_base[id] + slot * slot_width(st) + vcd_is_sparse(st) + field;
}

uint64_t
vcd_valid(const struct vcd *v, uint32_t id, uint32_t slot)
{
	return v->storage_base[id] + slot * slot_width(&v->show.src->schema->storages[id]);
}

uint64_t
vcd_property(const struct vcd *v, uint32_t id, uint32_t property)
{
	const uscope_storage_t *st = &v->show.src->schema->storages[id];
	return v->storage_base[id] + st->num_slots * slot_width(st) + property;
}

void
vcd_put_id(struct vcd *v, uint64_t number)
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

bool
vcd_is_text(const struct vcd *v, const uscope_field_t *f)
{
	return v->labels && (f->type == USCOPE_ENUM || f->type == USCOPE_STRING_REF);
}

unsigned
vcd_bits(const uscope_field_t *f)
{
	return f->type == USCOPE_BOOL ? 1 : f->size * 8u;
}

/* avoid: a name that is taken, NULL: none. */
static void
put_var(struct vcd *v, uint64_t number, const uscope_field_t *f, uint32_t index, const char *avoid)
{
	wbuf_printf(v->w, "$var %s %u ", vcd_is_text(v, f) ? "string" : "wire", vcd_is_text(v, f) ? 1 : vcd_bits(f));
	vcd_put_id(v, number);
	put_str(v->w, " ");
	put_word(v, f->name);
	if (pathlist_is_repeated(&v->show.src->paths, f) || (avoid && strcmp(f->name, avoid) == 0))
		wbuf_printf(v->w, "_%" PRIu32, index);
	put_str(v->w, " $end\n");
}

static void
put_slot(struct vcd *v, uint32_t id, uint32_t slot)
{
	const uscope_storage_t *st = &v->show.src->schema->storages[id];
	if (vcd_is_sparse(st)) {
		put_str(v->w, "$var wire 1 ");
		vcd_put_id(v, vcd_valid(v, id, slot));
		put_str(v->w, " valid $end\n");
	}
	for (uint32_t f = 0; f < st->num_fields; f++)
		put_var(v, vcd_field(v, id, slot, f), &st->fields[f], f, vcd_is_sparse(st) ? "valid" : NULL);
}

static void
put_storage(struct vcd *v, uint32_t id)
{
	const uscope_storage_t *st = &v->show.src->schema->storages[id];
	put_str(v->w, "$scope module ");
	put_word(v, st->name);
	put_str(v->w, " $end\n");
	for (uint32_t p = 0; p < st->num_properties; p++)
		put_var(v, vcd_property(v, id, p), &st->properties[p], p, NULL);
	for (uint32_t slot = 0; slot < st->num_slots && !utool_stop(v->show.tool); slot++) {
		if (st->num_slots > 1)
			wbuf_printf(v->w, "$scope module slot%" PRIu32 " $end\n", slot);
		put_slot(v, id, slot);
		if (st->num_slots > 1)
			put_str(v->w, "$upscope $end\n");
	}
	put_str(v->w, "$upscope $end\n");
}

static void
put_event_type(struct vcd *v, uint32_t id)
{
	const uscope_event_type_t *e = &v->show.src->schema->events[id];
	put_str(v->w, "$scope module ");
	put_word(v, e->name);
	put_str(v->w, " $end\n$var event 1 ");
	vcd_put_id(v, v->event_base[id]);
	put_str(v->w, " event $end\n");
	for (uint32_t f = 0; f < e->num_fields; f++)
		put_var(v, v->event_base[id] + 1 + f, &e->fields[f], f, "event");
	put_str(v->w, "$upscope $end\n");
}

bool
vcd_put_header(struct vcd *v)
{
	const schema_t *schema = v->show.src->schema;
	struct scopetree tree;
	uint16_t scope;
	uint32_t depth;
	uint32_t open = 0;
	if (scopetree_init(&tree, schema) < 0)
		return false;
	put_str(v->w, "$version uscope export $end\n$timescale 1 ps $end\n");
	while (!utool_stop(v->show.tool) && scopetree_next(&tree, &scope, &depth)) {
		for (; open > depth; open--)
			put_str(v->w, "$upscope $end\n");
		put_str(v->w, "$scope module ");
		put_word(v, schema->scopes[scope].name);
		put_str(v->w, " $end\n");
		open = depth + 1;
		for (uint32_t i = 0; i < schema->num_storages; i++)
			if (v->show.src->picked.storages[i] && scope_is(schema->storages[i].scope, scope))
				put_storage(v, i);
		for (uint32_t i = 0; i < schema->num_events; i++)
			if (v->show.src->picked.events[i] && scope_is(schema->events[i].scope, scope))
				put_event_type(v, i);
	}
	for (; open; open--)
		put_str(v->w, "$upscope $end\n");
	put_str(v->w, "$enddefinitions $end\n");
	scopetree_finish(&tree);
	return true;
}

uint64_t
vcd_number(struct vcd *v)
{
	const struct source *src = v->show.src;
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
