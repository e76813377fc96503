/* SPDX-License-Identifier: MIT */
#include "diffstate.h"

#include "uscope/state.h"

#include <stdlib.h>

struct side {
	struct source *src;
	uscope_state_t *state;
	uscope_state_t *fresh; /* checkpoint of the segment that begins; NULL: an operation is next */
	uscope_item_iter_t *it;
	uscope_item_t item;
	uint64_t time_ps; /* of what is next; does not go back */
	uint32_t next;    /* segment */
	bool ready;       /* something is next */
};

struct touched {
	uint32_t storage; /* index into the pairs */
	uint64_t cell;
};

struct diffstate {
	struct tool *tool;
	struct source *in;
	const struct pairs *pairs;
	struct side sides[SIDES];
	uint8_t **marks; /* by storage: a bit for each cell that is touched */
	uint64_t *ncells;
	struct touched *touched;
	size_t ntouched, cap;
	uint32_t count; /* items, for the progress */
	int status;
};

/* ---- Cells: of each slot its validity and its fields, then the properties. ---- */

static uint32_t
max_slots(const struct diffstate *d, const struct owner_pair *o)
{
	uint32_t a = d->in[0].schema->storages[o->id[0]].num_slots;
	uint32_t b = d->in[1].schema->storages[o->id[1]].num_slots;
	return a > b ? a : b;
}

static uint64_t
cell_of_field(const struct owner_pair *o, uint32_t slot, uint32_t pair)
{
	return (uint64_t)slot * (o->fields.n + 1) + 1 + pair;
}

static uint64_t
cell_of_property(const struct diffstate *d, uint32_t storage, uint32_t pair)
{
	return d->ncells[storage] - d->pairs->storages[storage].properties.n + pair;
}

static struct cell
cell_at(const struct diffstate *d, const struct touched *t)
{
	const struct owner_pair *o = &d->pairs->storages[t->storage];
	uint64_t properties = d->ncells[t->storage] - o->properties.n;
	if (t->cell >= properties)
		return (struct cell){ .kind = CELL_PROPERTY, .storage = o, .pair = (uint32_t)(t->cell - properties) };
	uint32_t width = o->fields.n + 1;
	uint32_t k = (uint32_t)(t->cell % width);
	return (struct cell){ .kind = k ? CELL_FIELD : CELL_VALID, .storage = o, .slot = (uint32_t)(t->cell / width), .pair = k ? k - 1 : 0 };
}

static void
touch(struct diffstate *d, uint32_t storage, uint64_t cell)
{
	uint8_t *mark = &d->marks[storage][cell >> 3];
	uint8_t bit = (uint8_t)(1u << (cell & 7));
	if (*mark & bit)
		return;
	if (d->ntouched == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 1024;
		struct touched *more = realloc(d->touched, cap * sizeof(*more));
		if (!more) {
			d->status = d->status ? d->status : utool_no_memory(d->tool);
			return;
		}
		d->touched = more;
		d->cap = cap;
	}
	*mark |= bit;
	d->touched[d->ntouched++] = (struct touched){ storage, cell };
}

static void
touch_slot(struct diffstate *d, uint32_t storage, uint32_t slot)
{
	const struct owner_pair *o = &d->pairs->storages[storage];
	touch(d, storage, (uint64_t)slot * (o->fields.n + 1));
	for (uint32_t f = 0; f < o->fields.n; f++)
		touch(d, storage, cell_of_field(o, slot, f));
}

/* ---- One file. ---- */

static bool
damaged(struct diffstate *d, struct side *s)
{
	d->status = utool_failed(d->tool, s->src);
	return false;
}

/* Opens the next segment, its checkpoint is next. false: the end, or damage. */
static bool
open_segment(struct diffstate *d, struct side *s)
{
	uscope_reader_t *r = s->src->reader;
	uint32_t n = uscope_num_segments(r);
	uscope_segment_t seg;
	if (s->next >= n)
		return false;
	if (s->src == &d->in[0])
		utool_progress(d->tool, s->next, n);
	if (uscope_segment_info(r, s->next, &seg) < 0)
		return damaged(d, s);
	s->fresh = uscope_segment_checkpoint(r, s->next);
	if (!s->fresh)
		return damaged(d, s);
	s->it = uscope_segment_items(r, s->next++);
	if (!s->it) {
		d->status = utool_no_memory(d->tool);
		return false;
	}
	s->time_ps = seg.time_start_ps > s->time_ps ? seg.time_start_ps : s->time_ps;
	return true;
}

static bool
is_paired(const struct diffstate *d, const struct side *s)
{
	return s->item.kind == USCOPE_ITEM_OP && !s->item.bad &&
		d->pairs->storage_of[s == &d->sides[1]][s->item.storage] != UINT32_MAX;
}

/* Finds what is next. */
static bool
look(struct diffstate *d, struct side *s)
{
	while (!s->ready && d->status == STATUS_GOOD && !utool_stop(d->tool)) {
		if (!s->it) {
			if (!open_segment(d, s))
				return false;
			s->ready = true;
		} else if (uscope_item_next(s->it, &s->item)) {
			s->ready = is_paired(d, s);
			if (s->item.time_ps > s->time_ps)
				s->time_ps = s->item.time_ps;
		} else {
			if (uscope_item_iter_status(s->it) < 0)
				return damaged(d, s);
			uscope_item_iter_free(s->it);
			s->it = NULL;
		}
	}
	return s->ready && d->status == STATUS_GOOD;
}

static void
apply_op(struct diffstate *d, struct side *s, int side)
{
	const uscope_item_t *i = &s->item;
	uint32_t storage = d->pairs->storage_of[side][i->storage];
	const struct owner_pair *o = &d->pairs->storages[storage];
	if (i->action == USCOPE_PROP_SET) {
		uint64_t old = uscope_state_prop(s->state, i->storage, i->field);
		uscope_state_apply(s->state, i);
		uint16_t pair = o->properties.index[side][i->field];
		if (pair != NO_PAIR && old != uscope_state_prop(s->state, i->storage, i->field))
			touch(d, storage, cell_of_property(d, storage, pair));
		return;
	}
	bool valid = uscope_slot_valid(s->state, i->storage, i->slot);
	uint64_t old = uscope_slot_field_raw(s->state, i->storage, i->slot, i->field);
	uscope_state_apply(s->state, i);
	if (valid != uscope_slot_valid(s->state, i->storage, i->slot)) {
		touch_slot(d, storage, i->slot);
		return;
	}
	if (i->action == USCOPE_SLOT_CLEAR || old == uscope_slot_field_raw(s->state, i->storage, i->slot, i->field))
		return;
	uint16_t pair = o->fields.index[side][i->field];
	if (pair != NO_PAIR)
		touch(d, storage, cell_of_field(o, i->slot, pair));
}

/* Touches what of a storage is not the same in the checkpoint. */
static void
compare_checkpoint(struct diffstate *d, const struct side *s, int side, uint32_t storage)
{
	const struct owner_pair *o = &d->pairs->storages[storage];
	uint16_t id = o->id[side];
	const uscope_storage_t *st = &s->src->schema->storages[id];
	for (uint32_t slot = 0; slot < st->num_slots; slot++) {
		if (uscope_slot_valid(s->state, id, (uint16_t)slot) != uscope_slot_valid(s->fresh, id, (uint16_t)slot)) {
			touch_slot(d, storage, slot);
			continue;
		}
		for (uint32_t f = 0; f < o->fields.n; f++) {
			uint16_t field = o->fields.of[side][f];
			if (uscope_slot_field_raw(s->state, id, (uint16_t)slot, field) != uscope_slot_field_raw(s->fresh, id, (uint16_t)slot, field))
				touch(d, storage, cell_of_field(o, slot, f));
		}
	}
	for (uint32_t p = 0; p < o->properties.n; p++) {
		uint16_t field = o->properties.of[side][p];
		if (uscope_state_prop(s->state, id, field) != uscope_state_prop(s->fresh, id, field))
			touch(d, storage, cell_of_property(d, storage, p));
	}
}

static void
apply(struct diffstate *d, int side)
{
	struct side *s = &d->sides[side];
	s->ready = false;
	if (!s->fresh) {
		apply_op(d, s, side);
		return;
	}
	for (uint32_t i = 0; i < d->pairs->nstorages; i++)
		compare_checkpoint(d, s, side, i);
	uscope_state_free(s->state);
	s->state = s->fresh;
	s->fresh = NULL;
}

/* ---- Both. ---- */

struct diffstate *
diffstate_new(struct tool *t, struct source *in, const struct pairs *pairs)
{
	struct diffstate *d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->tool = t;
	d->in = in;
	d->pairs = pairs;
	d->marks = calloc((size_t)pairs->nstorages + 1, sizeof(*d->marks));
	d->ncells = calloc((size_t)pairs->nstorages + 1, sizeof(*d->ncells));
	bool good = d->marks && d->ncells;
	for (uint32_t i = 0; i < pairs->nstorages && good; i++) {
		const struct owner_pair *o = &pairs->storages[i];
		d->ncells[i] = (uint64_t)max_slots(d, o) * (o->fields.n + 1) + o->properties.n;
		d->marks[i] = calloc((size_t)(d->ncells[i] / 8 + 1), 1);
		good = d->marks[i] != NULL;
	}
	for (int s = 0; s < SIDES && good; s++) {
		d->sides[s] = (struct side){ .src = &in[s], .state = state_new(in[s].schema) };
		good = d->sides[s].state != NULL;
	}
	if (good)
		return d;
	diffstate_free(d);
	return NULL;
}

void
diffstate_free(struct diffstate *d)
{
	if (!d)
		return;
	for (int s = 0; s < SIDES; s++) {
		uscope_item_iter_free(d->sides[s].it);
		uscope_state_free(d->sides[s].state);
		uscope_state_free(d->sides[s].fresh);
	}
	for (uint32_t i = 0; d->marks && i < d->pairs->nstorages; i++)
		free(d->marks[i]);
	free(d->marks);
	free(d->ncells);
	free(d->touched);
	free(d);
}

bool
diffstate_next(struct diffstate *d, uint64_t *time_ps)
{
	bool any = false;
	for (int s = 0; s < SIDES; s++) {
		if (!look(d, &d->sides[s]))
			continue;
		if (!any || d->sides[s].time_ps < *time_ps)
			*time_ps = d->sides[s].time_ps;
		any = true;
	}
	return any && d->status == STATUS_GOOD;
}

bool
same_value(const struct source *in, const uscope_field_t *f, uint64_t a, uint64_t b)
{
	if (f->type != USCOPE_STRING_REF)
		return a == b;
	uint32_t na = 0;
	uint32_t nb = 0;
	const char *ta = uscope_string(in[0].reader, (uint32_t)a, &na);
	const char *tb = uscope_string(in[1].reader, (uint32_t)b, &nb);
	if (!ta || !tb)
		return !ta && !tb && a == b;
	return na == nb && memcmp(ta, tb, na) == 0;
}

static bool
differs(const struct diffstate *d, const struct cell *c)
{
	const uscope_state_t *a = d->sides[0].state;
	const uscope_state_t *b = d->sides[1].state;
	const uint16_t *id = c->storage->id;
	uint16_t slot = (uint16_t)c->slot;
	if (c->kind == CELL_PROPERTY) {
		uint16_t pa = c->storage->properties.of[0][c->pair];
		uint16_t pb = c->storage->properties.of[1][c->pair];
		return !same_value(d->in, &d->in[0].schema->storages[id[0]].properties[pa], uscope_state_prop(a, id[0], pa), uscope_state_prop(b, id[1], pb));
	}
	bool va = uscope_slot_valid(a, id[0], slot);
	bool vb = uscope_slot_valid(b, id[1], slot);
	if (c->kind == CELL_VALID)
		return va != vb;
	uint16_t fa = c->storage->fields.of[0][c->pair];
	uint16_t fb = c->storage->fields.of[1][c->pair];
	return va && vb && !same_value(d->in, &d->in[0].schema->storages[id[0]].fields[fa], uscope_slot_field(a, id[0], slot, fa), uscope_slot_field(b, id[1], slot, fb));
}

static int
by_cell(const void *x, const void *y)
{
	const struct touched *a = x;
	const struct touched *b = y;
	if (a->storage != b->storage)
		return a->storage < b->storage ? -1 : 1;
	return (a->cell > b->cell) - (a->cell < b->cell);
}

bool
diffstate_advance(struct diffstate *d, uint64_t time_ps, cell_differs_fn *fn, void *user)
{
	for (int s = 0; s < SIDES; s++)
		while (look(d, &d->sides[s]) && d->sides[s].time_ps <= time_ps)
			apply(d, s);
	if (d->ntouched > 1)
		qsort(d->touched, d->ntouched, sizeof(*d->touched), by_cell);
	bool go = d->status == STATUS_GOOD;
	for (size_t i = 0; i < d->ntouched; i++) {
		struct cell c = cell_at(d, &d->touched[i]);
		d->marks[d->touched[i].storage][d->touched[i].cell >> 3] = 0;
		if (go && differs(d, &c))
			go = fn(user, time_ps, &c) && !utool_stop(d->tool);
	}
	d->ntouched = 0;
	return go;
}

int
diffstate_status(const struct diffstate *d)
{
	return d->status;
}

const uscope_state_t *
diffstate_state(const struct diffstate *d, int side)
{
	return d->sides[side].state;
}
