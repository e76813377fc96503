/* SPDX-License-Identifier: MIT */
/* cyclesets: a whole cycle of SETs in one call. Where the frame simply goes on in its
 * segment and all SETs are good, all is known before a byte is written: whether operations
 * are wide, and that there is room. Anything else is done call by call. */
#include "writer.h"

enum {
	FRAME_HEADER = 2, /* number of items */
};

/* Whether a frame of n SETs needs nothing but to be appended. */
static inline bool
goes_on(const uscope_writer_t *w, uint64_t time, size_t n)
{
	if (w->mode != MODE_IDLE || w->v01 || w->segment->frames == 0)
		return false;
	size_t used = (size_t)(w->p - w->segment->raw);
	size_t room = w->segment->raw_cap - used;
	return time >= w->min_time && time < w->next_grid && used < w->options.max_raw && n - 1 < MAX_ITEMS &&
		room >= LEB_MAX + FRAME_HEADER + (n + 1) * OP_WIDE_SIZE;
}

/* The state changes, and `p` gets the operation. NULL: it is not a good one. */
static inline uint8_t *
put_set(struct state_storage *st, uscope_set_t s, uint8_t *p, bool wide)
{
	if (unlikely(s.slot >= st->num_slots || s.field >= st->num_fields))
		return NULL;
	const struct state_field *f = &st->fields[s.field];
	if (unlikely((s.value & f->cut) || (f->mark & MARK_DENSITY)))
		return NULL;
	store_value(st->slots + (size_t)s.slot * st->slot_size + f->offset, f->size, s.value);
	if (st->valid)
		state_make_valid(st, s.slot);
	uint64_t place = (uint64_t)s.slot << 16 | (uint64_t)s.field << 32;
	if (wide) {
		store64(p, TAG_WIDE | USCOPE_SLOT_SET << 8 | (uint64_t)s.storage << 16 | place << 16);
		store64(p + 8, s.value);
		return p + OP_WIDE_SIZE;
	}
	p[0] = TAG_COMPACT;
	store64(p + 1, USCOPE_SLOT_SET | (uint64_t)s.storage << 8 | place | s.value << 48);
	return p + ITEM_COMPACT_SIZE;
}

/* Appends the frame. false: some SET is not a good one, and what was done may be done
 * again. */
static inline bool
put_frame(uscope_writer_t *w, uint64_t time, const uscope_set_t *sets, size_t n, bool wide)
{
	uint8_t *p = store_leb(w->p, time - w->base_time);
	store16(p, (uint16_t)n);
	p += FRAME_HEADER;
	/* Bytes may be anything, so the compiler would load these each time. */
	struct state_storage *storages = w->storages;
	uint32_t nstorages = w->nstorages;
	for (size_t i = 0; i < n; i++) {
		if (unlikely(sets[i].storage >= nstorages) || !(p = put_set(&storages[sets[i].storage], sets[i], p, wide)))
			return false;
	}
	w->p = p;
	return true;
}

static bool
append(uscope_writer_t *w, uint64_t time, const uscope_set_t *sets, size_t n)
{
	bool wide = false;
	for (size_t i = 0; i < n && !wide; i++)
		wide = sets[i].value > UINT16_MAX || sets[i].storage > UINT8_MAX;
	if (!(wide ? put_frame(w, time, sets, n, true) : put_frame(w, time, sets, n, false)))
		return false;
	w->guess_wide = wide;
	w->time = w->min_time = w->base_time = w->last_frame = time;
	w->stats.operations += n;
	w->stats.frames++;
	w->segment->frames++;
	w->segment->active++;
	return true;
}

void
uscope_cycle_sets(uscope_writer_t *w, uint64_t time_ps, const uscope_set_t *sets, size_t n)
{
	if (!w || (goes_on(w, time_ps, n) && append(w, time_ps, sets, n)))
		return;
	uscope_begin_cycle(w, time_ps);
	for (size_t i = 0; i < n; i++)
		uscope_slot_set(w, sets[i].storage, sets[i].slot, sets[i].field, sets[i].value);
	uscope_end_cycle(w);
}
