/* SPDX-License-Identifier: MIT */
#ifndef STATE_H
#define STATE_H

/* state: the values of all storages at one time. The writer keeps one as its shadow, the
 * reader makes them from checkpoints. An invalid slot holds zeros. */

#include "layout.h"
#include "uscope.h"

struct state_field {
	uint32_t offset; /* in the slot or the property block */
	uint8_t size;    /* 1, 2, 4, 8 */
	uint8_t type;
	uint8_t mark; /* the writer's: what to do besides storing the value */
	uint64_t cut; /* the writer's: bits that a value as it is stored has not */
};

struct state_storage {
	uint8_t *slots; /* num_slots * slot_size */
	uint8_t *valid; /* one bit each, as on disk; NULL: dense */
	uint8_t *props; /* prop_size */
	const struct state_field *fields;
	const struct state_field *properties;
	uint32_t slot_size;
	uint32_t prop_size;
	uint32_t num_slots;
	uint32_t num_valid;
	uint16_t num_fields;
	uint16_t num_properties;
};

struct uscope_state {
	const uscope_schema_t *schema; /* a reference */
	struct state_storage *storages;
	uint8_t *values; /* of all storages: slots, properties, masks */
	size_t values_size;
	uint32_t num_storages;
};

/* Bytes that state_new would allocate for slots, masks and properties; the largest
 * checkpoint. */
uint64_t state_memory(const uscope_schema_t *schema);
uint64_t state_checkpoint_max(const uscope_schema_t *schema);

/* All zero, sparse slots invalid. NULL: out of memory. Free with uscope_state_free. */
struct uscope_state *state_new(const uscope_schema_t *schema);
void state_reset(struct uscope_state *s);
/* Same schema, same values. */
bool state_equal(const struct uscope_state *a, const struct uscope_state *b);

/* One operation. false: it names something that does not exist, or clears a dense slot,
 * and nothing was done. `value` is cut to the width of the field; BOOL is kept as 0 or 1
 * by the caller. */
bool state_op(struct uscope_state *s, uint8_t action, uint16_t storage, uint16_t slot,
	uint16_t field, uint64_t value);

/* The slot of a sparse storage becomes valid, if it is not. */
static inline void
state_make_valid(struct state_storage *st, uint16_t slot)
{
	uint8_t *byte = &st->valid[slot >> 3];
	if (__builtin_expect(*byte >> (slot & 7) & 1, 1))
		return;
	*byte |= (uint8_t)(1u << (slot & 7));
	st->num_valid++;
}

/* A SET of a field of a slot, or an ADD. */
static inline void
state_put(struct state_storage *st, uint16_t slot, const struct state_field *f, uint64_t value, bool add)
{
	uint8_t *data = st->slots + (size_t)slot * st->slot_size + f->offset;
	if (add)
		value += load_value(data, f->size);
	store_value(data, f->size, value);
	if (st->valid)
		state_make_valid(st, slot); /* an invalid slot is zero already */
}

/* The checkpoint of the state now, at most state_checkpoint_max() bytes. Returns the bytes. */
size_t state_save(const struct uscope_state *s, uint8_t *out);

#endif
