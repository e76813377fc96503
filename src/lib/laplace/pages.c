/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

/* Beyond this, pages get numbers only by touches: a read event may claim 2^52 pages. */
#define PAGES_MAX (UINT64_MAX / 4)

/* Bit of a page in p->found that is in no mapping. */
#define OUTSIDE (UINT32_C(1) << 31)

int
lappages_init(struct lappages *p, uint32_t kernel_base, bool offset_in_pages)
{
	*p = (struct lappages){ .kernel_base = kernel_base, .offset_in_pages = offset_in_pages, .next_cache_id = 1 };
	laprange_init(&p->pool);
	return laplines_init(&p->found) == 0 ? 0 : -LAP_E_MEMORY;
}

void
lappages_finish(struct lappages *p)
{
	for (size_t i = 0; i < p->nspaces; i++)
		free(p->spaces[i]);
	for (size_t i = 0; i < p->nobjects; i++)
		free(p->objects[i]);
	free(p->spaces);
	free(p->objects);
	laplines_finish(&p->found);
	lapids_finish(&p->contexts);
	lapids_finish(&p->files);
	lapids_finish(&p->segments);
	laprange_finish(&p->pool);
	*p = (struct lappages){ 0 };
}

/* ---- Spaces and objects. ---- */

struct lap_space *
lappages_space(const struct lappages *p, uint32_t context)
{
	struct lap_space *s = lapids_find(&p->contexts, context, 0, 0);
	return s && !s->dead ? s : NULL;
}

struct lap_space *
lappages_new_space(struct lappages *p, uint32_t context)
{
	struct lap_space *old = lapids_find(&p->contexts, context, 0, 0);
	struct lap_space **spaces = lap_grow(p->spaces, p->nspaces, &p->spaces_cap, sizeof(struct lap_space *));
	struct lap_space *s = spaces ? calloc(1, sizeof(*s)) : NULL;
	p->spaces = spaces ? spaces : p->spaces;
	if (!s || p->failed || lapids_set(&p->contexts, context, 0, 0, s) < 0) {
		free(s);
		p->failed = true;
		return NULL;
	}
	spaces[p->nspaces++] = s;
	p->nalive++;
	s->index = (uint32_t)p->nspaces;
	s->context = context;
	s->life = old ? old->life + 1 : 1;
	s->cache_id = p->next_cache_id++;
	if (old && !old->dead)
		lappages_end_space(p, old);
	return s;
}

void
lappages_end_space(struct lappages *p, struct lap_space *s)
{
	laprange_free(&p->pool, s->maps);
	laprange_free(&p->pool, s->pages);
	s->maps = NULL;
	s->pages = NULL;
	s->mapped = 0;
	p->nalive -= !s->dead;
	s->dead = true;
}

/* The file or segment of an event, made if it is new. */
static struct lap_object *
object_of(struct lappages *p, const struct lap_event *ev)
{
	const uint64_t *arg = ev->arg;
	bool segment = ev->tag == 's' || ev->tag == '/'; /* which have no device */
	struct lapids *ids = segment ? &p->segments : &p->files;
	uint64_t id = segment ? arg[LAP_SHM] : arg[LAP_INODE];
	struct lap_object *o = lapids_find(ids, id, arg[LAP_MAJOR], arg[LAP_MINOR]);
	if (o)
		return o;
	struct lap_object **objects = lap_grow(p->objects, p->nobjects, &p->objects_cap, sizeof(struct lap_object *));
	p->objects = objects ? objects : p->objects;
	o = objects ? calloc(1, sizeof(*o)) : NULL;
	if (!o || lapids_set(ids, id, arg[LAP_MAJOR], arg[LAP_MINOR], o) < 0) {
		free(o);
		p->failed = true;
		return NULL;
	}
	objects[p->nobjects++] = o;
	o->index = (uint32_t)p->nobjects;
	o->class = segment ? LAP_CLASS_SEGMENT : LAP_CLASS_FILE;
	return o;
}

/* ---- Touches. ---- */

static uint64_t
new_page(struct lappages *p, struct lapmap **map, uint64_t page, uint32_t owner)
{
	laprange_set(&p->pool, map, page, page, owner, ++p->npages);
	p->failed = p->failed || p->pool.failed;
	return p->npages;
}

/* Returns the page in a map, or adds a new one. */
static uint64_t
page_in(struct lappages *p, struct lapmap **map, uint64_t page, uint8_t new_class, uint8_t *class)
{
	struct laprange r;
	if (laprange_find(*map, page, &r))
		return laprange_value(&r, page);
	*class = new_class;
	return new_page(p, map, page, new_class);
}

static uint64_t
find_page(struct lappages *p, struct lap_space *s, uint64_t page, uint8_t *class)
{
	struct laprange r;
	if (laprange_find(s->pages, page, &r)) {
		p->outside = r.owner == LAP_CLASS_UNMAPPED;
		return laprange_value(&r, page);
	}
	bool mapped = laprange_find(s->maps, page, &r);
	if (mapped && r.owner) {
		struct lap_object *o = p->objects[r.owner - 1];
		return page_in(p, &o->pages, laprange_value(&r, page), o->class, class);
	}
	p->outside = !mapped;
	*class = mapped ? LAP_CLASS_ANONYMOUS : LAP_CLASS_UNMAPPED;
	return new_page(p, &s->pages, page, *class);
}

/* Invalidates the pages found in a space. */
static void
forget(struct lappages *p, struct lap_space *s)
{
	s->cache_id = p->next_cache_id++;
}

/* Invalidates the pages found in all spaces: each gets a new id when it is touched again. */
static void
forget_all(struct lappages *p)
{
	p->first_cache_id = p->next_cache_id;
}

/* The id of the kernel is 2^43. */
static inline uint64_t
key_of(const struct lappages *p, const struct lap_space *s, uint32_t addr)
{
	return laplines_key(addr >= p->kernel_base ? UINT64_C(1) << 43 : s->cache_id, addr);
}

static void
remember(struct lappages *p, uint64_t key, uint32_t addr, uint64_t page)
{
	/* Larger numbers are not cached. */
	uint32_t value = page < OUTSIDE ? (uint32_t)page : 0;
	laplines_put(&p->found, key, addr, value && p->outside ? value | OUTSIDE : value, p->npages / 2);
}

void
lappages_prefetch(const struct lappages *p, const struct lap_space *s, uint32_t addr)
{
	laplines_prefetch(&p->found, key_of(p, s, addr));
}

uint64_t
lappages_peek(const struct lappages *p, const struct lap_space *s, uint32_t addr)
{
	return laplines_find(&p->found, key_of(p, s, addr), addr) & ~OUTSIDE;
}

uint64_t
lappages_touch(struct lappages *p, struct lap_space *s, uint32_t addr, uint8_t *class)
{
	bool kernel = addr >= p->kernel_base;
	uint64_t page = addr >> LAP_PAGE_SHIFT;
	*class = LAP_CLASS_NONE;
	p->outside = false;
	if (!kernel && !s)
		return 0;
	if (s && s->cache_id < p->first_cache_id)
		forget(p, s);
	uint64_t key = key_of(p, s, addr);
	uint32_t known = laplines_find(&p->found, key, addr);
	if (known) {
		p->outside = known & OUTSIDE;
		return known & ~OUTSIDE;
	}
	uint64_t found = kernel ? page_in(p, &p->kernel, page, LAP_CLASS_KERNEL, class) : find_page(p, s, page, class);
	remember(p, key, addr, found);
	return found;
}

uint8_t
lappages_class(const struct lappages *p, const struct lap_space *s, uint32_t addr, bool *known)
{
	uint64_t page = addr >> LAP_PAGE_SHIFT;
	bool kernel = addr >= p->kernel_base;
	struct laprange r;
	*known = laprange_find(kernel ? p->kernel : s ? s->pages
						      : NULL,
		page, &r);
	if (kernel)
		return LAP_CLASS_KERNEL;
	if (*known)
		return (uint8_t)r.owner;
	if (!s || !laprange_find(s->maps, page, &r))
		return LAP_CLASS_UNMAPPED;
	if (!r.owner)
		return LAP_CLASS_ANONYMOUS;
	const struct lap_object *o = p->objects[r.owner - 1];
	*known = laprange_find(o->pages, laprange_value(&r, page), &r);
	return o->class;
}

/* ---- Events. ---- */

/* The pages of a range in bytes, which is not empty. */
struct span {
	uint64_t first;
	uint64_t last;
};

static struct span
span_of(uint64_t address, uint64_t length)
{
	return (struct span){ address >> LAP_PAGE_SHIFT, (address + length - 1) >> LAP_PAGE_SHIFT };
}

static void
unmap(struct lappages *p, struct lap_space *s, struct span at)
{
	struct lapmap *gone = laprange_cut(&p->pool, &s->maps, at.first, at.last);
	s->mapped -= laprange_total(gone);
	laprange_free(&p->pool, gone);
	laprange_free(&p->pool, laprange_cut(&p->pool, &s->pages, at.first, at.last));
	forget(p, s);
}

static void
map(struct lappages *p, struct lap_space *s, struct span at, uint32_t owner, uint64_t base)
{
	unmap(p, s, at);
	laprange_set(&p->pool, &s->maps, at.first, at.last, owner, base);
	s->mapped += at.last - at.first + 1;
}

static void
move_mapping(struct lappages *p, struct lap_space *s, struct span to, struct span from)
{
	uint64_t n = from.last - from.first < to.last - to.first ? from.last - from.first : to.last - to.first;
	uint64_t shift = to.first - from.first;
	struct lapmap *maps = laprange_cut(&p->pool, &s->maps, from.first, from.first + n);
	struct lapmap *pages = laprange_cut(&p->pool, &s->pages, from.first, from.first + n);
	/* The added part of a mapping continues its end. */
	struct laprange end, tail = { .base = from.first + n };
	bool has_end = laprange_find(maps, from.first + n, &end);
	if (has_end)
		tail = (struct laprange){ .owner = end.owner, .base = laprange_value(&end, from.first + n) };
	s->mapped -= laprange_total(maps);
	unmap(p, s, from);
	unmap(p, s, to);
	s->mapped += laprange_total(maps);
	laprange_put(&p->pool, &s->maps, maps, shift);
	laprange_put(&p->pool, &s->pages, pages, shift);
	if (to.last > to.first + n || !has_end)
		map(p, s, (struct span){ has_end ? to.first + n + 1 : to.first, to.last }, tail.owner, tail.base + has_end);
	forget(p, s);
}

static void
duplicate(struct lappages *p, struct lap_space *s, struct lap_space *dup, struct span at)
{
	if (s == dup)
		return;
	unmap(p, dup, at);
	/* The trees are shared until one of them is changed. */
	struct lapmap *maps = laprange_copy(&p->pool, &s->maps, at.first, at.last);
	dup->mapped += laprange_total(maps);
	laprange_put(&p->pool, &dup->maps, maps, 0);
	laprange_put(&p->pool, &dup->pages, laprange_copy(&p->pool, &s->pages, at.first, at.last), 0);
}

/* Touches the pages of the file cache that a transfer uses: only gaps are visited, as a file may
 * be read again and again. */
static void
transfer(struct lappages *p, struct lap_object *o, struct span at)
{
	uint64_t page = at.first;
	while (o && !p->pool.failed && (page = laprange_gap(o->pages, page)) <= at.last) {
		struct laprange r;
		uint64_t last = laprange_next(o->pages, page, &r) && r.first <= at.last ? r.first - 1 : at.last;
		uint64_t n = last - page + 1;
		if (p->npages + n > PAGES_MAX)
			return;
		laprange_set(&p->pool, &o->pages, page, last, o->class, p->npages + 1);
		p->npages += n;
	}
}

/* Removes the pages of a file or segment from an index on. */
static void
retire(struct lappages *p, struct lap_object *o, uint64_t first)
{
	struct lapmap *gone = o ? laprange_cut(&p->pool, &o->pages, first, UINT64_MAX) : NULL;
	if (!gone)
		return;
	laprange_free(&p->pool, gone);
	forget_all(p);
}

static uint64_t
copy_on_write(struct lappages *p, struct lap_space *s, uint64_t page)
{
	uint64_t canonical = new_page(p, &s->pages, page, LAP_CLASS_COPY);
	/* References have 32 bits, and those from kernel_base on are of the kernel. */
	if (page >> 20 == 0 && page << LAP_PAGE_SHIFT < p->kernel_base) {
		uint32_t addr = (uint32_t)(page << LAP_PAGE_SHIFT);
		p->outside = false;
		remember(p, key_of(p, s, addr), addr, canonical);
	}
	return canonical;
}

/* Changes a space. Returns the page that is copied, or 0. */
static uint64_t
change_space(struct lappages *p, const struct lap_event *ev, struct span at, struct lap_space *s, struct lap_space *dup)
{
	const uint64_t *arg = ev->arg;
	const struct lap_object *o;
	switch (ev->tag) {
	case 'D':
		if (dup)
			duplicate(p, s, dup, span_of(arg[LAP_START], arg[LAP_STOP] - arg[LAP_START]));
		break;
	case 'M':
	case 's':
		o = object_of(p, ev);
		if (o)
			map(p, s, at, o->index, p->offset_in_pages ? arg[LAP_OFFSET] : arg[LAP_OFFSET] >> LAP_PAGE_SHIFT);
		break;
	/* Anonymous pages have their own number as index, so that neighbours become one range. */
	case 'm': map(p, s, at, 0, at.first); break;
	case '@': move_mapping(p, s, at, span_of(arg[LAP_OLD_ADDRESS], arg[LAP_OLD_LENGTH])); break;
	case 'U': unmap(p, s, at); break;
	case 'C': return copy_on_write(p, s, arg[LAP_ADDRESS] >> LAP_PAGE_SHIFT);
	default: break;
	}
	return 0;
}

uint64_t
lappages_event(struct lappages *p, const struct lap_event *ev, struct lap_space *s, struct lap_space *dup)
{
	const uint64_t *arg = ev->arg;
	struct span at = { 0 };
	uint64_t page = 0;
	if (arg[LAP_LENGTH])
		at = span_of(arg[LAP_ADDRESS], arg[LAP_LENGTH]);
	switch (ev->tag) {
	case '<':
	case '>': transfer(p, object_of(p, ev), span_of(arg[LAP_OFFSET], arg[LAP_LENGTH])); break;
	case '-':
	case '/': retire(p, object_of(p, ev), 0); break;
	case 't': retire(p, object_of(p, ev), (arg[LAP_LENGTH] >> LAP_PAGE_SHIFT) + (arg[LAP_LENGTH] % LAP_PAGE_SIZE != 0)); break;
	default:
		if (s && !s->dead)
			page = change_space(p, ev, at, s, dup);
	}
	p->failed = p->failed || p->pool.failed;
	return page;
}
