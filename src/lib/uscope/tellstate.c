/* SPDX-License-Identifier: MIT */
/* tellstate: what an application says about the state when a segment begins. */
#include "writer.h"

/* The storage, if it may be told about now. */
static struct state_storage *
tell(uscope_writer_t *w, uint16_t storage)
{
	if (!w || w->fatal)
		return NULL;
	if (w->mode != MODE_CALLBACK)
		(void)writer_misuse(w, USCOPE_E_STATE, "a checkpoint outside of the callback");
	else if (storage >= w->nstorages)
		(void)writer_misuse(w, USCOPE_E_RANGE, "a checkpoint of storage %u, which does not exist", storage);
	else
		return &w->storages[storage];
	return NULL;
}

static void
make_bools(uint8_t *data, const struct state_field *fields, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (fields[i].mark & MARK_BOOL)
			data[fields[i].offset] = data[fields[i].offset] != 0;
}

/* Valid slots of a mask. */
static uint32_t
count_bits(const uint8_t *mask, uint32_t num_slots)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < num_slots; i++)
		n += mask[i >> 3] >> (i & 7) & 1;
	return n;
}

void
uscope_checkpoint_storage(uscope_writer_t *w, uint16_t storage, const uint8_t *valid_mask, const void *slot_data,
	uint32_t num_valid_slots)
{
	struct state_storage *st = tell(w, storage);
	if (!st)
		return;
	uint32_t n = st->num_slots;
	if (st->valid && n > 0) {
		if (!valid_mask) {
			(void)writer_misuse(w, USCOPE_E_ARG, "a checkpoint of storage %u without a mask", storage);
			return;
		}
		n = count_bits(valid_mask, n);
	}
	if (num_valid_slots != n || (!slot_data && n > 0 && st->slot_size > 0)) {
		(void)writer_misuse(w, USCOPE_E_ARG, "a checkpoint of storage %u with %u slots, not %u", storage,
			slot_data ? num_valid_slots : 0, n);
		return;
	}

	const uint8_t *from = slot_data;
	for (uint32_t i = 0; i < st->num_slots; i++) {
		uint8_t *to = st->slots + (size_t)i * st->slot_size;
		if (st->valid) {
			uint8_t bit = (uint8_t)(1u << (i & 7));
			st->valid[i >> 3] &= (uint8_t)~bit;
			st->valid[i >> 3] |= valid_mask[i >> 3] & bit;
			if (!(valid_mask[i >> 3] & bit)) {
				memset(to, 0, st->slot_size);
				continue;
			}
		}
		if (!from || st->slot_size == 0)
			continue;
		memcpy(to, from, st->slot_size);
		make_bools(to, st->fields, st->num_fields);
		from += st->slot_size;
	}
	st->num_valid = n;
}

void
uscope_checkpoint_properties(uscope_writer_t *w, uint16_t storage, const void *data)
{
	struct state_storage *st = tell(w, storage);
	if (!st || st->prop_size == 0)
		return;
	if (!data) {
		(void)writer_misuse(w, USCOPE_E_ARG, "a checkpoint of the properties of storage %u without data", storage);
		return;
	}
	memcpy(st->props, data, st->prop_size);
	make_bools(st->props, st->properties, st->num_properties);
}

void
uscope_set_checkpoint_callback(uscope_writer_t *w, uscope_checkpoint_fn fn, void *user)
{
	if (!w)
		return;
	w->callback = fn;
	w->user = user;
}
