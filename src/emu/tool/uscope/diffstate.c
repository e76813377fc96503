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
	return d->ncells[storage] - d->pairs->storages.at[storage].properties.n + pair;
}

static struct cell
cell_at(const struct diffstate *d, uint32_t storage, uint64_t number)
{
	const struct owner_pair *o = &d->pairs->storages.at[storage];
	uint64_t properties = d->ncells[storage] - o->properties.n;
	if (number >= properties)
		return (struct cell){ .kind = CELL_PROPERTY, .storage = o, .pair = (uint32_t)(number - properties) };
	uint32_t width = o->fields.n + 1u;
	uint32_t k = (uint32_t)(number % width);
	return (struct cell){ .kind = k ? CELL_FIELD : CELL_VALID, .storage = o, .slot = (uint32_t)(number / width), .pair = k ? k - 1 : 0 };
}

uint16_t
cell_index(const struct cell *c, int side)
{
	return c->kind == CELL_PROPERTY ? c->storage->properties.of[side][c->pair] : c->storage->fields.of[side][c->pair];
}

const uscope_field_t *
cell_field(const struct source *in, const struct cell *c, int side)
{
	const uscope_storage_t *st = &in[side].schema->storages[c->storage->id[side]];
	if (c->kind == CELL_VALID)
		return NULL;
	return c->kind == CELL_PROPERTY ? &st->properties[cell_index(c, side)] : &st->fields[cell_index(c, side)];
}

static uint64_t
raw_in(const uscope_state_t *state, const struct cell *c, int side)
{
	uint16_t id = c->storage->id[side];
	if (c->kind == CELL_VALID)
		return uscope_slot_valid(state, id, (uint16_t)c->slot);
	if (c->kind == CELL_PROPERTY)
		return uscope_state_prop(state, id, cell_index(c, side));
	return uscope_slot_field_raw(state, id, (uint16_t)c->slot, cell_index(c, side));
}

uint64_t
diffstate_raw(const struct diffstate *d, const struct cell *c, int side)
{
	return raw_in(d->sides[side].state, c, side);
}

static void
touch(struct diffstate *d, uint32_t storage, uint64_t cell)
{
	uint8_t *mark = &d->marks[storage][cell >> 3];
	uint8_t bit = (uint8_t)(1u << (cell & 7));
	if (*mark & bit)
		return;
	if (!arena_grow(&d->in[0].arena, &d->touched, d->ntouched, &d->cap, sizeof(*d->touched))) {
		d->status = d->status ? d->status : conv_no_memory(&d->tool->conv);
		return;
	}
	*mark |= bit;
	d->touched[d->ntouched++] = (struct touched){ storage, cell };
}

static void
touch_slot(struct diffstate *d, uint32_t storage, uint32_t slot)
{
	const struct owner_pair *o = &d->pairs->storages.at[storage];
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
		d->status = conv_no_memory(&d->tool->conv);
		return false;
	}
	s->time_ps = seg.time_start_ps > s->time_ps ? seg.time_start_ps : s->time_ps;
	return true;
}

static bool
is_paired(const struct diffstate *d, const struct side *s)
{
	return s->item.kind == USCOPE_ITEM_OP && !s->item.bad &&
		d->pairs->storages.ids.index[s == &d->sides[1]][s->item.storage] != NO_PAIR;
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

static uint64_t
value_of_op(const uscope_state_t *state, const uscope_item_t *i)
{
	return i->action == USCOPE_PROP_SET ? uscope_state_prop(state, i->storage, i->field)
					    : uscope_slot_field_raw(state, i->storage, i->slot, i->field);
}

static void
apply_op(struct diffstate *d, struct side *s, int side)
{
	const uscope_item_t *i = &s->item;
	bool property = i->action == USCOPE_PROP_SET;
	uint32_t storage = d->pairs->storages.ids.index[side][i->storage];
	const struct owner_pair *o = &d->pairs->storages.at[storage];
	bool valid = uscope_slot_valid(s->state, i->storage, i->slot);
	uint64_t old = value_of_op(s->state, i);
	uscope_state_apply(s->state, i);
	if (!property && valid != uscope_slot_valid(s->state, i->storage, i->slot)) {
		touch_slot(d, storage, i->slot);
		return;
	}
	if (i->action == USCOPE_SLOT_CLEAR || old == value_of_op(s->state, i))
		return;
	uint16_t pair = property ? o->properties.index[side][i->field] : o->fields.index[side][i->field];
	if (pair != NO_PAIR)
		touch(d, storage, property ? cell_of_property(d, storage, pair) : cell_of_field(o, i->slot, pair));
}

/* Touches the cells of a storage that the checkpoint changes. */
static void
compare_checkpoint(struct diffstate *d, const struct side *s, int side, uint32_t storage)
{
	for (uint64_t n = 0; n < d->ncells[storage]; n++) {
		struct cell c = cell_at(d, storage, n);
		if (raw_in(s->state, &c, side) == raw_in(s->fresh, &c, side))
			continue;
		if (c.kind == CELL_VALID)
			touch_slot(d, storage, c.slot);
		else
			touch(d, storage, n);
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
	for (uint32_t i = 0; i < d->pairs->storages.ids.n; i++)
		compare_checkpoint(d, s, side, i);
	uscope_state_free(s->state);
	s->state = s->fresh;
	s->fresh = NULL;
}

/* ---- Both. ---- */

struct diffstate *
diffstate_new(struct tool *t, struct source *in, const struct pairs *pairs)
{
	struct arena *a = &in[0].arena;
	uint32_t n = pairs->storages.ids.n;
	struct diffstate *d = arena_new(a, struct diffstate, 1);
	if (!d)
		return NULL;
	d->tool = t;
	d->in = in;
	d->pairs = pairs;
	d->marks = arena_new(a, uint8_t *, n);
	d->ncells = arena_new(a, uint64_t, n);
	bool good = d->marks && d->ncells;
	for (uint32_t i = 0; i < n && good; i++) {
		const struct owner_pair *o = &pairs->storages.at[i];
		d->ncells[i] = (uint64_t)max_slots(d, o) * (o->fields.n + 1) + o->properties.n;
		d->marks[i] = arena_new(a, uint8_t, (size_t)(d->ncells[i] / 8 + 1));
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
	uint64_t a = diffstate_raw(d, c, 0);
	uint64_t b = diffstate_raw(d, c, 1);
	const uscope_field_t *f = cell_field(d->in, c, 0);
	if (!f)
		return a != b;
	for (int s = 0; s < SIDES && c->kind == CELL_FIELD; s++)
		if (!uscope_slot_valid(d->sides[s].state, c->storage->id[s], (uint16_t)c->slot))
			return false;
	return f->type == USCOPE_BOOL ? !a != !b : !same_value(d->in, f, a, b);
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
		struct cell c = cell_at(d, d->touched[i].storage, d->touched[i].cell);
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
