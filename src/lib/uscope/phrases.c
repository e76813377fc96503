/* SPDX-License-Identifier: MIT */
/* phrases: SETs that are made ready. */
#include "writer.h"

enum {
	COMPACT_VALUE = 7, /* where it is in an operation */
	WIDE_VALUE = 8,
};

static inline bool
is_wide(const uscope_phrase_t *p)
{
	return p->ops[0] == TAG_WIDE;
}

/* Bits that a value of a place can have; 0: no phrase can set it. Slots of sparse storages are among
 * these, as the summary counts their SETs. */
static inline unsigned
bits_of(const uscope_writer_t *w, uscope_place_t s)
{
	if (s.storage >= w->nstorages)
		return 0;
	const struct state_storage *st = &w->storages[s.storage];
	if (st->valid || s.slot >= st->num_slots || s.field >= st->num_fields)
		return 0;
	uint64_t cut = st->fields[s.field].cut;
	return cut ? (unsigned)__builtin_ctzll(cut) : 64;
}

static inline bool
fits(uint64_t value, unsigned bits)
{
	return bits == 64 || value >> bits == 0;
}

bool
uscope_phrase_init(uscope_writer_t *w, uscope_phrase_t *p, uint64_t value, const uscope_place_t *places, size_t n)
{
	if (!w || n - 1 >= USCOPE_PHRASE_PLACES)
		return false;
	bool wide = value > UINT16_MAX;
	unsigned bits = 64;
	for (size_t i = 0; i < n; i++) {
		unsigned k = bits_of(w, places[i]);
		bits = k < bits ? k : bits;
		wide |= places[i].storage > UINT8_MAX;
	}
	if (bits == 0 || !fits(value, bits))
		return false;
	latest_leave(w, p);
	size_t item = op_size(wide, true);
	*p = (uscope_phrase_t){ .bytes = (uint8_t)(n * item), .sets = (uint8_t)n, .bits = (uint8_t)bits };
	for (size_t i = 0; i < n; i++)
		op_store(p->ops + i * item, true, (struct op){ wide, USCOPE_SLOT_SET, places[i].storage, places[i].slot, places[i].field, value });
	return true;
}

bool
uscope_phrase_change(uscope_writer_t *w, uscope_phrase_t *p, uint64_t value)
{
	bool wide = is_wide(p);
	if ((value > UINT16_MAX) != wide || !fits(value, p->bits))
		return false;
	latest_change(&w->latest, p);
	for (unsigned i = 0; i < p->sets; i++) {
		if (wide)
			store64(p->ops + i * OP_WIDE_SIZE + WIDE_VALUE, value);
		else
			store16(p->ops + i * ITEM_COMPACT_SIZE + COMPACT_VALUE, (uint16_t)value);
	}
	return true;
}

void
uscope_phrase(uscope_writer_t *w, uscope_phrase_t *p)
{
	for (unsigned i = 0; i < p->sets; i++) {
		struct op op = op_load(p->ops + i * op_size(is_wide(p), true), is_wide(p), true);
		uscope_slot_set(w, op.storage, op.slot, op.field, op.value);
	}
}
