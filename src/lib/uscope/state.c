/* SPDX-License-Identifier: MIT */
#include "state.h"

#include "schema.h"

#include <stdlib.h>

static size_t
mask_size(uint32_t num_slots)
{
	return (num_slots + 7) / 8;
}

static bool
is_valid(const struct state_storage *st, uint32_t slot)
{
	return !st->valid || (st->valid[slot >> 3] >> (slot & 7) & 1);
}

/* Definitions have 16-bit counts and at most 65535 fields of 8 bytes: no sum below can
 * pass 64 bits. */
uint64_t
state_memory(const uscope_schema_t *schema)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *def = &schema->storages[i];
		sum += (uint64_t)def->num_slots * def->slot_size + def->prop_size + mask_size(def->num_slots);
	}
	return sum;
}

uint64_t
state_checkpoint_max(const uscope_schema_t *schema)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *def = &schema->storages[i];
		sum += BLOCK_HEADER_SIZE + (uint64_t)def->num_slots * def->slot_size + def->prop_size;
		if (def->flags & USCOPE_SPARSE)
			sum += mask_size(def->num_slots);
	}
	return sum;
}

static void
copy_fields(struct state_field *to, const uscope_field_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = (struct state_field){ .offset = from[i].offset, .size = from[i].size, .type = from[i].type };
}

struct uscope_state *
state_new(const uscope_schema_t *schema)
{
	uint64_t nfields = 0;
	for (uint32_t i = 0; i < schema->num_storages; i++)
		nfields += (uint64_t)schema->storages[i].num_fields + schema->storages[i].num_properties;

	/* One block: the object, its storages, their fields, then the values. */
	uint64_t head = sizeof(struct uscope_state) + schema->num_storages * sizeof(struct state_storage) +
		nfields * sizeof(struct state_field);
	uint64_t size = head + state_memory(schema);
	if (size > SIZE_MAX)
		return NULL;
	struct uscope_state *s = calloc(1, (size_t)size);
	if (!s)
		return NULL;

	s->schema = schema_ref(schema);
	s->num_storages = schema->num_storages;
	s->storages = (struct state_storage *)(s + 1);
	struct state_field *fields = (struct state_field *)(s->storages + s->num_storages);
	uint8_t *values = (uint8_t *)(fields + nfields);
	s->values = values;
	for (uint32_t i = 0; i < s->num_storages; i++) {
		const uscope_storage_t *def = &schema->storages[i];
		struct state_storage *st = &s->storages[i];
		copy_fields(fields, def->fields, def->num_fields);
		copy_fields(fields + def->num_fields, def->properties, def->num_properties);
		*st = (struct state_storage){
			.fields = fields,
			.properties = fields + def->num_fields,
			.slot_size = def->slot_size,
			.prop_size = def->prop_size,
			.num_slots = def->num_slots,
			.num_valid = def->flags & USCOPE_SPARSE ? 0 : def->num_slots,
			.num_fields = def->num_fields,
			.num_properties = def->num_properties,
		};
		fields += (size_t)def->num_fields + def->num_properties;
		st->slots = values;
		values += (size_t)def->num_slots * def->slot_size;
		st->props = values;
		values += def->prop_size;
		if (def->flags & USCOPE_SPARSE) {
			st->valid = values;
			values += mask_size(def->num_slots);
		}
	}
	s->values_size = (size_t)(values - s->values);
	return s;
}

void
uscope_state_free(uscope_state_t *s)
{
	if (!s)
		return;
	uscope_schema_free((uscope_schema_t *)s->schema);
	free(s);
}

void
state_reset(struct uscope_state *s)
{
	memset(s->values, 0, s->values_size);
	for (uint32_t i = 0; i < s->num_storages; i++) {
		struct state_storage *st = &s->storages[i];
		st->num_valid = st->valid ? 0 : st->num_slots;
	}
}

bool
state_equal(const struct uscope_state *a, const struct uscope_state *b)
{
	return a->values_size == b->values_size && memcmp(a->values, b->values, a->values_size) == 0;
}

bool
state_op(struct uscope_state *s, uint8_t action, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	if (storage >= s->num_storages)
		return false;
	struct state_storage *st = &s->storages[storage];
	if (action == USCOPE_PROP_SET) {
		if (field >= st->num_properties)
			return false;
		store_value(st->props + st->properties[field].offset, st->properties[field].size, value);
		return true;
	}
	if (slot >= st->num_slots)
		return false;
	uint8_t *data = st->slots + (size_t)slot * st->slot_size;
	if (action == USCOPE_SLOT_CLEAR) {
		if (!st->valid)
			return false;
		if (is_valid(st, slot)) {
			memset(data, 0, st->slot_size);
			st->valid[slot >> 3] &= (uint8_t) ~(1u << (slot & 7));
			st->num_valid--;
		}
		return true;
	}
	if (field >= st->num_fields || (action != USCOPE_SLOT_SET && action != USCOPE_SLOT_ADD))
		return false;
	state_put(st, slot, &st->fields[field], value, action == USCOPE_SLOT_ADD);
	return true;
}

void
uscope_state_apply(uscope_state_t *s, const uscope_item_t *item)
{
	if (item->kind == USCOPE_ITEM_OP && !item->bad)
		(void)state_op(s, item->action, item->storage, item->slot, item->field, item->value);
}

/* Defined in doc/format/uscope.md, "Checkpoint". */
size_t
state_save(const struct uscope_state *s, uint8_t *out)
{
	uint8_t *p = out;
	for (uint32_t i = 0; i < s->num_storages; i++) {
		const struct state_storage *st = &s->storages[i];
		uint8_t *block = p;
		p += BLOCK_HEADER_SIZE;
		if (!st->valid) {
			size_t n = (size_t)st->num_slots * st->slot_size;
			memcpy(p, st->slots, n);
			p += n;
		} else {
			memcpy(p, st->valid, mask_size(st->num_slots));
			p += mask_size(st->num_slots);
			for (uint32_t slot = 0; slot < st->num_slots; slot++) {
				if (!is_valid(st, slot))
					continue;
				memcpy(p, st->slots + (size_t)slot * st->slot_size, st->slot_size);
				p += st->slot_size;
			}
		}
		memcpy(p, st->props, st->prop_size);
		p += st->prop_size;
		store16(block, (uint16_t)i);
		store16(block + 2, 0);
		store32(block + 4, (uint32_t)(p - block - BLOCK_HEADER_SIZE));
	}
	return (size_t)(p - out);
}

/* ---- Getters. ---- */

static uint64_t
sign_extend(const struct state_field *f, uint64_t value)
{
	switch (f->type) {
	case USCOPE_I8:
		return (uint64_t)(int8_t)value;
	case USCOPE_I16:
		return (uint64_t)(int16_t)value;
	case USCOPE_I32:
		return (uint64_t)(int32_t)value;
	case USCOPE_BOOL:
		return value != 0;
	default:
		return value;
	}
}

static const struct state_storage *
find(const uscope_state_t *s, uint16_t storage)
{
	return storage < s->num_storages ? &s->storages[storage] : NULL;
}

bool
uscope_slot_valid(const uscope_state_t *s, uint16_t storage, uint16_t slot)
{
	const struct state_storage *st = find(s, storage);
	return st && slot < st->num_slots && is_valid(st, slot);
}

uint64_t
uscope_slot_field_raw(const uscope_state_t *s, uint16_t storage, uint16_t slot, uint16_t field)
{
	const struct state_storage *st = find(s, storage);
	if (!st || slot >= st->num_slots || field >= st->num_fields)
		return 0;
	const struct state_field *f = &st->fields[field];
	return load_value(st->slots + (size_t)slot * st->slot_size + f->offset, f->size);
}

uint64_t
uscope_slot_field(const uscope_state_t *s, uint16_t storage, uint16_t slot, uint16_t field)
{
	uint64_t raw = uscope_slot_field_raw(s, storage, slot, field);
	return raw ? sign_extend(&s->storages[storage].fields[field], raw) : 0;
}

uint64_t
uscope_state_prop(const uscope_state_t *s, uint16_t storage, uint16_t property)
{
	const struct state_storage *st = find(s, storage);
	if (!st || property >= st->num_properties)
		return 0;
	const struct state_field *f = &st->properties[property];
	return sign_extend(f, load_value(st->props + f->offset, f->size));
}

uint32_t
uscope_storage_occupancy(const uscope_state_t *s, uint16_t storage)
{
	const struct state_storage *st = find(s, storage);
	return st ? st->num_valid : 0;
}
