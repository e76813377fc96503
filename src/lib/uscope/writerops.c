/* SPDX-License-Identifier: MIT */
/* writerops: the functions called for each change. An operation is checked, applied to the state of the
 * writer and appended to the frame as a compact one; rarer work is kept off that path. */
#include "writer.h"

/* ---- Values. ---- */

static __attribute__((noinline, cold)) uint64_t
cut_value(uscope_writer_t *w, const struct state_field *f, uint64_t value)
{
	if (f->mark & MARK_BOOL)
		return 1;
	uint64_t mask = ~f->cut;
	bool negative = (value | mask) == UINT64_MAX && (value >> (8 * f->size - 1) & 1);
	w->stats.truncated += !negative;
	return value & mask;
}

/* The value as it is stored: cut to the width of the field. */
static inline uint64_t
canonical(uscope_writer_t *w, const struct state_field *f, uint64_t value)
{
	return unlikely(value & f->cut) ? cut_value(w, f, value) : value;
}

/* ---- Operations. ---- */

/* Action, storage, slot, field, value: the 8 bytes of a compact operation. */
static inline uint64_t
compact_op(uint64_t action, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	return action | (uint64_t)storage << 8 | (uint64_t)slot << 16 | (uint64_t)field << 32 | value << 48;
}

static inline void
put_op(uscope_writer_t *w, uint64_t action, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	if (unlikely(w->p > w->limit) && !frame_room(w, OP_WIDE_SIZE))
		return;
	uint64_t needs = value >> 16 | storage >> 8;
	if (unlikely(w->wide || needs)) {
		uint64_t head = w->v01 ? action : TAG_WIDE | action << 8;
		head |= (uint64_t)storage << 16 | (uint64_t)slot << 32 | (uint64_t)field << 48;
		(void)frame_wide(w, head, value, needs != 0);
		return;
	}
	uint64_t op = compact_op(action, storage, slot, field, value);
	uint8_t *p = w->p;
	if (w->v01) {
		store64(p, op);
		w->p = p + OP_COMPACT_SIZE;
	} else {
		p[0] = TAG_COMPACT;
		store64(p + 1, op);
		w->p = p + ITEM_COMPACT_SIZE;
	}
}

static __attribute__((noinline)) void
count_summary(uscope_writer_t *w, int status)
{
	if (status)
		(void)writer_fail(w, status, "out of memory for the summary");
}

static __attribute__((noinline, cold)) void
no_such(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field)
{
	if (storage >= w->nstorages)
		(void)writer_misuse(w, USCOPE_E_RANGE, "there is no storage %u", storage);
	else if (slot >= w->storages[storage].num_slots)
		(void)writer_misuse(w, USCOPE_E_RANGE, "storage %u has no slot %u", storage, slot);
	else
		(void)writer_misuse(w, USCOPE_E_RANGE, "storage %u has no field %u", storage, field);
}

/* The storage, if it has that slot and field. */
static inline struct state_storage *
find_slot(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field)
{
	if (likely(storage < w->nstorages)) {
		struct state_storage *st = &w->storages[storage];
		if (likely(slot < st->num_slots && field < st->num_fields))
			return st;
	}
	no_such(w, storage, slot, field);
	return NULL;
}

/* Whether an operation may be asked for now. */
static inline bool
enter(uscope_writer_t *w, const char *what)
{
	return likely(w && w->mode == MODE_CYCLE) || (w && writer_enter(w, what));
}

/* Begins the frame for an operation that was found good. Called before the state changes, as the state may
 * become the checkpoint of a new segment. */
static inline bool
ready(uscope_writer_t *w)
{
	return likely(w->mode == MODE_CYCLE) || writer_begin_frame(w);
}

static inline bool
is_valid(const struct state_storage *st, uint16_t slot)
{
	return !st->valid || (st->valid[slot >> 3] >> (slot & 7) & 1);
}

/* Whether operations are compared with the state; while it lacks phrases, they cannot be. */
static inline bool
compares(const uscope_writer_t *w)
{
	return w->options.only_changes && w->latest.n == 0;
}

/* Whether a SET changes nothing, and is left out. */
static inline bool
is_there(const uscope_writer_t *w, const struct state_storage *st, uint16_t slot, const uint8_t *data, unsigned size, uint64_t value)
{
	return compares(w) && is_valid(st, slot) && load_value(data, size) == value;
}

/* A SET of any kind. */
static __attribute__((noinline)) void
set_any(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	if (!enter(w, "slot_set"))
		return;
	struct state_storage *st = find_slot(w, storage, slot, field);
	if (!st)
		return;
	const struct state_field *f = &st->fields[field];
	uint8_t *data = st->slots + (size_t)slot * st->slot_size + f->offset;
	value = canonical(w, f, value);
	if (is_there(w, st, slot, data, f->size, value) || !ready(w))
		return;
	store_value(data, f->size, value);
	if (st->valid)
		state_make_valid(st, slot);
	put_op(w, USCOPE_SLOT_SET, storage, slot, field, value);
	if (f->mark & MARK_DENSITY)
		count_summary(w, pyramid_density(w->summary, w->time, 1));
}

/* A SET that needs nothing but its operation and its value, which nearly all do. Calls no other function, as
 * that would cost as much as the rest. compare: with only_changes. false: nothing was done. */
static inline __attribute__((always_inline)) bool
set_plain(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value, bool compare)
{
	const struct plain_storage *s = &w->plain[storage];
	size_t k = slot;
	if (unlikely(field >= s->num_fields))
		return false;
	const struct plain_field *f = &s->fields[field];
	uint8_t *p = w->p;
	if (unlikely(k >= f->num_slots || value >= f->most || p > w->limit))
		return false;
	uint8_t *data = f->data + k * f->slot_size;
	if (compare && compares(w) && load_value(data, f->size) == value && (!f->valid || f->valid[k >> 3] >> (k & 7) & 1))
		return true;
	store_value(data, f->size, value);
	if (f->valid && unlikely(!(f->valid[k >> 3] >> (k & 7) & 1))) {
		f->valid[k >> 3] |= (uint8_t)(1u << (k & 7));
		++*f->num_valid;
	}
	store64(p, f->head | k << 24);
	store16(p + 7, (uint16_t)value);
	w->p = p + ITEM_COMPACT_SIZE;
	return true;
}

static __attribute__((noinline)) void
set_other(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	bool compact = w && storage < w->ncompared && w->mode == MODE_CYCLE && !w->wide;
	if (!compact || !set_plain(w, storage, slot, field, value, true))
		set_any(w, storage, slot, field, value);
}

void
uscope_slot_set(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	if (unlikely(!w || storage >= w->nfast || !set_plain(w, storage, slot, field, value, false)))
		set_other(w, storage, slot, field, value);
}

void
uscope_slot_add(uscope_writer_t *w, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	if (!enter(w, "slot_add"))
		return;
	struct state_storage *st = find_slot(w, storage, slot, field);
	if (unlikely(!st))
		return;
	const struct state_field *f = &st->fields[field];
	if (unlikely(f->mark & MARK_NO_ADD)) {
		(void)writer_misuse(w, USCOPE_E_ARG, "field %u of storage %u is of type %s, which has no sum", field, storage,
			uscope_type_name(f->type));
		return;
	}
	value = canonical(w, f, value);
	if ((unlikely(value == 0) && compares(w) && is_valid(st, slot)) || !ready(w))
		return;
	if (likely(w->latest.n == 0)) { /* else the value is not here yet */
		uint8_t *data = st->slots + (size_t)slot * st->slot_size + f->offset;
		store_value(data, f->size, load_value(data, f->size) + value);
		if (st->valid)
			state_make_valid(st, slot);
	}
	put_op(w, USCOPE_SLOT_ADD, storage, slot, field, value);
	if (unlikely(f->mark & MARK_COUNTER))
		count_summary(w, pyramid_add(w->summary, (uint32_t)w->counter_of[storage], w->time, value));
}

void
uscope_slot_clear(uscope_writer_t *w, uint16_t storage, uint16_t slot)
{
	if (!enter(w, "slot_clear"))
		return;
	if (unlikely(storage >= w->nstorages || slot >= w->storages[storage].num_slots)) {
		no_such(w, storage, slot, 0);
		return;
	}
	if (unlikely(!w->storages[storage].valid)) {
		(void)writer_misuse(w, USCOPE_E_ARG, "storage %u is dense: its slots cannot be cleared", storage);
		return;
	}
	if ((compares(w) && !is_valid(&w->storages[storage], slot)) || !ready(w))
		return;
	(void)state_op(w->state, USCOPE_SLOT_CLEAR, storage, slot, 0, 0);
	put_op(w, USCOPE_SLOT_CLEAR, storage, slot, 0, 0);
}

void
uscope_prop_set(uscope_writer_t *w, uint16_t storage, uint16_t property, uint64_t value)
{
	if (!enter(w, "prop_set"))
		return;
	if (unlikely(storage >= w->nstorages)) {
		no_such(w, storage, 0, 0);
		return;
	}
	struct state_storage *st = &w->storages[storage];
	if (unlikely(property >= st->num_properties)) {
		(void)writer_misuse(w, USCOPE_E_RANGE, "storage %u has no property %u", storage, property);
		return;
	}
	const struct state_field *f = &st->properties[property];
	uint8_t *data = st->props + f->offset;
	value = canonical(w, f, value);
	if ((w->options.only_changes && load_value(data, f->size) == value) || !ready(w))
		return;
	store_value(data, f->size, value);
	put_op(w, USCOPE_PROP_SET, storage, 0, property, value);
}

/* ---- Events. ---- */

/* What a caller gives for an event: `size` bytes, or `size` values in place of bytes. */
enum event_given {
	GIVEN_PAYLOAD, /* of the size of the type, whatever it is */
	GIVEN_BYTES,
	GIVEN_VALUES,
};

/* Begins an event, if what is given fits its type. Returns the place for the payload; NULL: there is no event. */
static uint8_t *
begin_event(uscope_writer_t *w, uint16_t type, const void *given, enum event_given what, uint32_t size)
{
	if (!enter(w, "event"))
		return NULL;
	if (unlikely(type >= w->schema->num_events)) {
		(void)writer_misuse(w, USCOPE_E_RANGE, "there is no event type %u", type);
		return NULL;
	}
	const uscope_event_type_t *e = &w->schema->events[type];
	if (what == GIVEN_VALUES && size != e->num_fields)
		(void)writer_misuse(w, USCOPE_E_ARG, "event %u has %u fields, not %u", type, e->num_fields, size);
	else if (what == GIVEN_BYTES && size != e->payload_size)
		(void)writer_misuse(w, USCOPE_E_ARG, "event %u has a payload of %u bytes, not %u", type, e->payload_size, size);
	else if (e->payload_size > 0 && !given)
		(void)writer_misuse(w, USCOPE_E_ARG, "event %u without its payload of %u bytes", type, e->payload_size);
	else if (ready(w))
		return frame_event(w, type, e->payload_size);
	return NULL;
}

static void
put_event(uscope_writer_t *w, uint16_t type, const void *payload, enum event_given what, uint32_t size)
{
	uint8_t *p = begin_event(w, type, payload, what, size);
	if (p && payload)
		memcpy(p, payload, w->schema->events[type].payload_size);
}

void
uscope_event(uscope_writer_t *w, uint16_t type, const void *payload)
{
	put_event(w, type, payload, GIVEN_PAYLOAD, 0);
}

void
uscope_event_bytes(uscope_writer_t *w, uint16_t type, const void *payload, uint32_t size)
{
	put_event(w, type, payload, GIVEN_BYTES, size);
}

void
uscope_event_values(uscope_writer_t *w, uint16_t type, const uint64_t *values, uint32_t n)
{
	uint8_t *p = begin_event(w, type, values, GIVEN_VALUES, n);
	for (uint32_t i = 0; p && i < n; i++) {
		const uscope_field_t *def = &w->schema->events[type].fields[i];
		struct state_field f = { .offset = def->offset, .size = def->size, .type = def->type };
		mark_field(&f);
		store_value(p + f.offset, f.size, canonical(w, &f, values[i]));
	}
}
