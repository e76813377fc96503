/* SPDX-License-Identifier: MIT */
/* regions: mappings of address spaces in the table of a µScope file. After an event only
 * what it can have changed is compared with what the table has. */
#include "uscope.h"

#include <stdlib.h>

static bool
same(const struct lu_region *a, const struct lu_region *b)
{
	return a->first == b->first && a->last == b->last && a->base == b->base && a->owner == b->owner;
}

static void
drop(struct luscope *u, const struct lu_region *r)
{
	uscope_slot_clear(u->file.w, LU_REGIONS, r->slot);
	conv_slots_give(&u->regions, r->slot);
	u->live--;
}

static void
show_live(struct luscope *u, uint32_t before)
{
	if (u->live != before)
		uscope_prop_set(u->file.w, LU_REGIONS, 0, u->live);
}

static void
put(struct luscope *u, const struct lu_space *e, const struct lu_region *r)
{
	static const struct lu_object none;
	const struct lap_object *object = r->owner ? u->machine->pages.objects[r->owner - 1] : NULL;
	const struct lu_object *o = object && object->user ? object->user : &none;
	uint64_t end = (r->last + 1) << LAP_PAGE_SHIFT;
	const uint64_t values[] = {
		[LU_REGION_SPACE] = e->entry.slot,
		[LU_REGION_CLASS] = object ? object->class : LAP_CLASS_ANONYMOUS,
		[LU_REGION_START] = r->first << LAP_PAGE_SHIFT,
		[LU_REGION_END] = end < UINT32_MAX ? end : UINT32_MAX,
		[LU_REGION_MAJOR] = o->major,
		[LU_REGION_MINOR] = o->minor,
		[LU_REGION_INODE] = o->inode,
		[LU_REGION_OFFSET] = r->owner ? r->base << LAP_PAGE_SHIFT : 0,
		[LU_REGION_NAME] = o->name,
	};
	for (int i = 0; i <= LU_REGION_NAME; i++)
		uscope_slot_set(u->file.w, LU_REGIONS, r->slot, (uint16_t)i, values[i]);
	u->live++;
}

/* The first region of a space that ends at a page or behind it. */
static size_t
find(const struct lu_space *e, uint64_t page)
{
	size_t low = 0;
	size_t high = e->nregions;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (e->regions[mid].last < page)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether a range continues a region: maps that were copied in part have such neighbours. */
static bool
continues(const struct lu_region *a, const struct laprange *b)
{
	return a->last + 1 == b->first && a->owner == b->owner && a->base + (b->first - a->first) == b->base;
}

/* The regions of a map that touch [first, last], as far as there is room. */
static size_t
collect(struct luscope *u, const struct lap_space *s, uint64_t first, uint64_t last)
{
	const uint64_t pages = UINT64_C(1) << (32 - LAP_PAGE_SHIFT);
	size_t n = 0;
	struct laprange r;
	for (; laprange_next(s->maps, first, &r) && r.first <= last; first = r.last + 1) {
		if (r.first >= pages) {
			u->beyond++;
			break;
		}
		if (n > 0 && continues(&u->fresh[n - 1], &r)) {
			u->fresh[n - 1].last = r.last;
		} else if (n < LU_REGIONS_MAX) {
			u->fresh[n++] = (struct lu_region){ r.first, r.last, r.base, r.owner, CONV_NO_SLOT };
		} else {
			u->regions.lost++;
			break;
		}
	}
	return n;
}

/* Regions that are as before keep their slots, the others give them back. */
static void
match(struct luscope *u, const struct lu_space *e, size_t from, size_t to, size_t n)
{
	size_t k = 0;
	for (size_t i = from; i < to; i++) {
		const struct lu_region *r = &e->regions[i];
		while (k < n && u->fresh[k].first < r->first)
			k++;
		if (k < n && same(&u->fresh[k], r))
			u->fresh[k].slot = r->slot;
		else
			drop(u, r);
	}
}

/* Puts the first n of `fresh` in place of [from, to). */
static void
splice(struct luscope *u, struct lu_space *e, size_t from, size_t to, size_t n)
{
	size_t total = e->nregions - (to - from) + n;
	while (total > e->regions_cap) {
		struct lu_region *p = lap_grow(e->regions, e->regions_cap, &e->regions_cap, sizeof(*p));
		if (!p) {
			u->file.failed = true;
			return;
		}
		e->regions = p;
	}
	if (!e->regions)
		return;
	memmove(e->regions + from + n, e->regions + to, (e->nregions - to) * sizeof(*e->regions));
	memcpy(e->regions + from, u->fresh, n * sizeof(*e->regions));
	e->nregions = total;
}

/* Pages [first, last] of a space may be mapped in another way. */
static void
update(struct luscope *u, const struct lap_space *s, uint64_t first, uint64_t last)
{
	struct lu_space *e = s && !s->dead ? s->user : NULL;
	if (!e || e->entry.slot == CONV_NO_SLOT)
		return;
	/* Neighbours may have become one with it. */
	first -= first > 0;
	last += last < UINT64_MAX;
	uint32_t before = u->live;
	size_t from = find(e, first);
	size_t to = from;
	while (to < e->nregions && e->regions[to].first <= last)
		to++;
	/* Nor need the map have them in the same pieces as before. */
	if (to > from && e->regions[from].first < first)
		first = e->regions[from].first;
	if (to > from && e->regions[to - 1].last > last)
		last = e->regions[to - 1].last;
	size_t n = collect(u, s, first, last);
	match(u, e, from, to, n);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct lu_region *r = &u->fresh[i];
		if (r->slot == CONV_NO_SLOT && (r->slot = conv_slots_take(&u->regions)) != CONV_NO_SLOT)
			put(u, e, r);
		if (r->slot != CONV_NO_SLOT)
			u->fresh[kept++] = *r;
	}
	splice(u, e, from, to, kept);
	show_live(u, before);
	ltables_space(u, s);
}

/* Notes the file or segment whose pages are mapped at the address of an event. */
static void
note_object(struct luscope *u, const struct lap_event *ev, const struct lap_space *s)
{
	struct laprange r;
	if (!s || !laprange_find(s->maps, ev->arg[LAP_ADDRESS] >> LAP_PAGE_SHIFT, &r) || !r.owner)
		return;
	struct lap_object *o = u->machine->pages.objects[r.owner - 1];
	if (!o->user)
		o->user = calloc(1, sizeof(struct lu_object));
	u->file.failed = u->file.failed || !o->user;
	if (o->user)
		*(struct lu_object *)o->user = (struct lu_object){
			.major = (uint32_t)ev->arg[LAP_MAJOR],
			.minor = (uint32_t)ev->arg[LAP_MINOR],
			.inode = (uint32_t)(ev->tag == 's' ? ev->arg[LAP_SHM] : ev->arg[LAP_INODE]),
			.name = ev->name ? convscope_text(&u->file, ev->name, ev->name_len) : 0,
		};
}

static void
update_range(struct luscope *u, const struct lap_space *s, uint64_t address, uint64_t length)
{
	if (length)
		update(u, s, address >> LAP_PAGE_SHIFT, (address + length - 1) >> LAP_PAGE_SHIFT);
}

void
lregions_event(struct luscope *u, const struct lap_event *ev, const struct lap_step *step)
{
	const uint64_t *arg = ev->arg;
	const struct lap_space *s = step->space;
	switch (ev->tag) {
	case 'M':
	case 's':
		note_object(u, ev, s);
		update_range(u, s, arg[LAP_ADDRESS], arg[LAP_LENGTH]);
		break;
	case '@':
		update_range(u, s, arg[LAP_OLD_ADDRESS], arg[LAP_OLD_LENGTH]);
		update_range(u, s, arg[LAP_ADDRESS], arg[LAP_LENGTH]);
		break;
	case 'm':
	case 'U': update_range(u, s, arg[LAP_ADDRESS], arg[LAP_LENGTH]); break;
	case 'D': update_range(u, lappages_space(&u->machine->pages, (uint32_t)arg[LAP_DUP]), arg[LAP_START], arg[LAP_STOP] - arg[LAP_START]); break;
	default: break;
	}
}

void
lregions_end(struct luscope *u, struct lu_space *s)
{
	uint32_t before = u->live;
	for (size_t i = 0; i < s->nregions; i++)
		drop(u, &s->regions[i]);
	free(s->regions);
	s->regions = NULL;
	s->nregions = 0;
	s->regions_cap = 0;
	show_live(u, before);
}
