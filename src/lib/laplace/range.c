/* SPDX-License-Identifier: MIT */
/* A B-tree: leaves have ranges, the nodes above have children, and all leaves are equally deep. Each
 * node but the root is at least half full, so that no input makes the tree deep or its nodes empty. */
#include "range.h"

#include "laplace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE = 64,
	ENTRIES = 27,
	HALF = ENTRIES / 2,
	CHUNK_NODES = 256, /* of the first chunk; each is twice as large as the one before, up to */
	CHUNK_MOST = 65536,
	/* New nodes of one operation for each level of its trees: it splits and joins them a few times. */
	LEVEL_NODES = 32,
};

/* 768 bytes: with less, more levels wait for memory; with more, a copy costs more. Nodes that several maps or nodes hold are not changed, but copied. */
struct lapmap {
	uint32_t refs; /* maps and nodes that hold it */
	uint16_t n;
	uint16_t height;         /* 0: a leaf */
	uint64_t first[ENTRIES]; /* page of the range, or of the child */
	uint64_t pages[ENTRIES]; /* in the range, or in and below the child */
	union {
		uint64_t base;
		struct lapmap *child; /* of a free node, the first: the next one */
	} of[ENTRIES];
	uint32_t owner[ENTRIES]; /* of a range */
};

struct laprange_chunk {
	struct laprange_chunk *next;
};

/* ---- Nodes. ---- */

void
laprange_init(struct laprange_pool *pool)
{
	*pool = (struct laprange_pool){ .chunk_nodes = CHUNK_NODES };
}

void
laprange_finish(struct laprange_pool *pool)
{
	while (pool->chunks) {
		struct laprange_chunk *next = pool->chunks->next;
		free(pool->chunks);
		pool->chunks = next;
	}
	*pool = (struct laprange_pool){ 0 };
}

static void
push(struct laprange_pool *pool, struct lapmap *n)
{
	n->of[0].child = pool->free;
	pool->free = n;
}

/* Adds nodes to the pool, each at the begin of a line of the cache; what is left of the last chunk becomes free nodes. */
static void
add_chunk(struct laprange_pool *pool)
{
	size_t n = pool->chunk_nodes;
	struct laprange_chunk *c = malloc(sizeof(*c) + LINE + n * sizeof(struct lapmap));
	if (!c) {
		pool->failed = true;
		return;
	}
	while (pool->fresh < pool->end)
		push(pool, pool->fresh++);
	c->next = pool->chunks;
	pool->chunks = c;
	pool->fresh = (struct lapmap *)(void *)((char *)(c + 1) + (LINE - (uintptr_t)(c + 1) % LINE) % LINE);
	pool->end = pool->fresh + n;
	pool->nfree += n;
	pool->chunk_nodes = n < CHUNK_MOST ? 2 * n : n;
	lap_huge(pool->fresh, n * sizeof(struct lapmap));
}

/* Makes sure that an operation with these maps (NULL: empty) gets all the nodes that it asks for. */
static bool
reserve(struct laprange_pool *pool, const struct lapmap *a, const struct lapmap *b)
{
	size_t height = a ? a->height : 0;
	if (b && b->height > height)
		height = b->height;
	while (pool->nfree < LEVEL_NODES * (height + 2) && !pool->failed)
		add_chunk(pool);
	return !pool->failed;
}

static struct lapmap *
new_node(struct laprange_pool *pool, unsigned height)
{
	assert(pool->nfree > 0);
	struct lapmap *n = pool->free;
	if (n)
		pool->free = n->of[0].child;
	else
		n = pool->fresh++;
	pool->nfree--;
	pool->nodes++;
	n->refs = 1;
	n->n = 0;
	n->height = (uint16_t)height;
	return n;
}

static void
free_node(struct laprange_pool *pool, struct lapmap *n)
{
	push(pool, n);
	pool->nfree++;
	pool->nodes--;
}

/* Recursion here and below is as deep as the tree. */
// NOLINTNEXTLINE(misc-no-recursion)
void
laprange_free(struct laprange_pool *pool, struct lapmap *n)
{
	if (!n || --n->refs > 0)
		return;
	for (unsigned i = 0; n->height && i < n->n; i++)
		laprange_free(pool, n->of[i].child);
	free_node(pool, n);
}

/* The node itself if nobody else holds it, else a copy in its place. */
static struct lapmap *
own(struct laprange_pool *pool, struct lapmap *n)
{
	if (n->refs == 1)
		return n;
	struct lapmap *copy = new_node(pool, n->height);
	*copy = *n;
	copy->refs = 1;
	n->refs--;
	for (unsigned i = 0; n->height && i < n->n; i++)
		n->of[i].child->refs++;
	return copy;
}

/* ---- Entries of a node. ---- */

uint64_t
laprange_total(const struct lapmap *n)
{
	uint64_t pages = 0;
	for (unsigned i = 0; n && i < n->n; i++)
		pages += n->pages[i];
	return pages;
}

/* How many entries begin at or below a page. */
static unsigned
rank(const struct lapmap *n, uint64_t page)
{
	unsigned below = 0;
	/* Without branches, as they would be guessed. */
	for (unsigned rest = n->n; rest > 0; rest /= 2) {
		unsigned half = (rest + 1) / 2;
		below += half & -(unsigned)(n->first[below + half - 1] <= page);
	}
	return below;
}

static struct laprange
range_at(const struct lapmap *leaf, unsigned i)
{
	return (struct laprange){ leaf->first[i], leaf->first[i] + leaf->pages[i] - 1, leaf->of[i].base, leaf->owner[i] };
}

static void
set_range(struct lapmap *leaf, unsigned i, const struct laprange *r)
{
	leaf->first[i] = r->first;
	leaf->pages[i] = r->last - r->first + 1;
	leaf->of[i].base = r->base;
	leaf->owner[i] = r->owner;
}

static void
set_child(struct lapmap *n, unsigned i, struct lapmap *child)
{
	n->first[i] = child->first[0];
	n->pages[i] = laprange_total(child);
	n->of[i].child = child;
}

/* Copies entries to a place of another node, or of the same. */
static void
copy(struct lapmap *to, unsigned at, const struct lapmap *from, unsigned i, unsigned n)
{
	memmove(&to->first[at], &from->first[i], n * sizeof(to->first[0]));
	memmove(&to->pages[at], &from->pages[i], n * sizeof(to->pages[0]));
	memmove(&to->of[at], &from->of[i], n * sizeof(to->of[0]));
	memmove(&to->owner[at], &from->owner[i], n * sizeof(to->owner[0]));
}

/* Moves the last entries of a node to the begin of the one behind it, or -n of the first ones back. */
static void
shift(struct lapmap *a, struct lapmap *b, int n)
{
	unsigned count = (unsigned)(n < 0 ? -n : n);
	if (n > 0)
		copy(b, count, b, 0, b->n);
	if (n > 0)
		copy(b, 0, a, a->n - count, count);
	else
		copy(a, a->n, b, 0, count);
	if (n < 0)
		copy(b, 0, b, count, b->n - count);
	a->n = (uint16_t)(a->n - n);
	b->n = (uint16_t)(b->n + n);
}

/* Makes room for entry *i of *n, which may become a place in the new node behind it, which is returned
 * (NULL: there is none, the node had room). */
static struct lapmap *
insert(struct laprange_pool *pool, struct lapmap **n, unsigned *i)
{
	struct lapmap *more = NULL;
	if ((*n)->n == ENTRIES) {
		more = new_node(pool, (*n)->height);
		shift(*n, more, HALF);
		if (*i > (*n)->n) {
			*i -= (*n)->n;
			*n = more;
		}
	}
	copy(*n, *i + 1, *n, *i, (*n)->n - *i);
	(*n)->n++;
	return more;
}

static struct lapmap *
insert_child(struct laprange_pool *pool, struct lapmap *n, unsigned i, struct lapmap *child)
{
	struct lapmap *more = insert(pool, &n, &i);
	set_child(n, i, child);
	return more;
}

/* ---- Trees. ---- */

/* A root above two nodes, or the first one if there is no second. */
static struct lapmap *
root(struct laprange_pool *pool, struct lapmap *a, struct lapmap *b)
{
	if (!b)
		return a;
	struct lapmap *n = new_node(pool, a->height + 1U);
	n->n = 2;
	set_child(n, 0, a);
	set_child(n, 1, b);
	return n;
}

/* Joins two trees that are owned; the result is as high as the higher one. Returns it, and in *more a second
 * one of that height, to be behind it (NULL: all is in the first). */
// NOLINTNEXTLINE(misc-no-recursion)
static struct lapmap *
join_trees(struct laprange_pool *pool, struct lapmap *a, struct lapmap *b, struct lapmap **more)
{
	*more = NULL;
	if (a->height == b->height) {
		unsigned sum = (unsigned)a->n + b->n;
		if (sum <= ENTRIES) {
			shift(a, b, -(int)b->n);
			free_node(pool, b);
			return a;
		}
		if (a->n < HALF || b->n < HALF)
			shift(a, b, (int)a->n - (int)(sum / 2));
		*more = b;
		return a;
	}
	struct lapmap *n = a->height > b->height ? a : b;
	unsigned i = n == a ? n->n - 1U : 0;
	struct lapmap *child = own(pool, n->of[i].child), *second;
	child = n == a ? join_trees(pool, child, b, &second) : join_trees(pool, a, child, &second);
	set_child(n, i, child);
	if (second)
		*more = insert_child(pool, n, i + 1, second);
	return n;
}

/* Joins two trees, the pages of a before those of b. Takes both. */
static struct lapmap *
join(struct laprange_pool *pool, struct lapmap *a, struct lapmap *b)
{
	if (!a || !b)
		return a ? a : b;
	struct lapmap *more;
	a = join_trees(pool, own(pool, a), own(pool, b), &more);
	return root(pool, a, more);
}

/* Takes entries out of an owned node from i on, as a tree; NULL: there are none. */
static struct lapmap *
upper(struct laprange_pool *pool, struct lapmap *n, unsigned i)
{
	if (i == n->n)
		return NULL;
	struct lapmap *high = new_node(pool, n->height);
	high->n = 0;
	shift(n, high, (int)(n->n - i));
	return high;
}

/* The tree of an owned node that has lost entries: nothing, or its only child, or itself. */
static struct lapmap *
trim(struct laprange_pool *pool, struct lapmap *n)
{
	if (!n || n->n > 1 || (n->n == 1 && n->height == 0))
		return n;
	struct lapmap *child = n->n ? n->of[0].child : NULL;
	free_node(pool, n);
	return child;
}

/* Takes the tree apart: pages below `page`, and the others. A range that has both sides
 * becomes two. */
// NOLINTNEXTLINE(misc-no-recursion)
static void
split(struct laprange_pool *pool, struct lapmap *n, uint64_t page, struct lapmap **low, struct lapmap **high)
{
	*low = NULL;
	*high = n;
	if (!n || page <= n->first[0])
		return;
	n = own(pool, n);
	unsigned i = rank(n, page - 1); /* at least one */
	struct lapmap *behind = upper(pool, n, i);
	if (n->height == 0) {
		struct laprange r = range_at(n, i - 1);
		*low = n;
		*high = behind;
		if (r.last < page)
			return;
		n->pages[i - 1] = page - r.first;
		*high = behind ? behind : new_node(pool, 0);
		copy(*high, 1, *high, 0, (*high)->n++);
		set_range(*high, 0, &(struct laprange){ page, r.last, laprange_value(&r, page), r.owner });
		return;
	}
	struct lapmap *child = n->of[--n->n].child;
	split(pool, child, page, low, high);
	*low = join(pool, trim(pool, n), *low);
	*high = join(pool, *high, trim(pool, behind));
}

/* Cuts [first, last] out of a tree; returns it. The rest is left as two trees to be joined. */
static struct lapmap *
take_out(struct laprange_pool *pool, struct lapmap *map, uint64_t first, uint64_t last,
	struct lapmap **low, struct lapmap **high)
{
	struct lapmap *rest, *inside;
	split(pool, map, first, low, &rest);
	*high = NULL;
	inside = rest;
	if (last != UINT64_MAX)
		split(pool, rest, last + 1, &inside, high);
	return inside;
}

/* ---- Maps. ---- */

/* Finds the last range that begins at or below a page. False: there is none. next: the first page of the
 * range behind it, UINT64_MAX: there is none. */
static bool
find_last(const struct lapmap *n, uint64_t page, struct laprange *r, uint64_t *next)
{
	*next = UINT64_MAX;
	while (n) {
		unsigned i = rank(n, page);
		if (i < n->n)
			*next = n->first[i];
		if (i == 0)
			return false;
		if (n->height == 0) {
			*r = range_at(n, i - 1);
			return true;
		}
		n = n->of[i - 1].child;
		for (unsigned k = 0; k < sizeof(*n); k += LINE)
			__builtin_prefetch((const char *)n + k);
	}
	return false;
}

bool
laprange_find(const struct lapmap *n, uint64_t page, struct laprange *r)
{
	uint64_t next;
	return find_last(n, page, r, &next) && page <= r->last;
}

bool
laprange_next(const struct lapmap *n, uint64_t page, struct laprange *r)
{
	uint64_t next;
	if (find_last(n, page, r, &next) && page <= r->last)
		return true;
	return next != UINT64_MAX && laprange_find(n, next, r);
}

// NOLINTNEXTLINE(misc-no-recursion)
uint64_t
laprange_gap(const struct lapmap *n, uint64_t page)
{
	unsigned i = n ? rank(n, page) : 0;
	for (i -= i > 0; n && i < n->n && n->first[i] <= page; i++) {
		uint64_t end = n->first[i] + n->pages[i];
		/* A child has all pages up to the next one, or a gap. */
		if (n->height && (i + 1 == n->n || end != n->first[i + 1]))
			page = laprange_gap(n->of[i].child, page);
		else if (page < end)
			page = end;
	}
	return page;
}

/* Whether a range is continued by another one. */
static bool
continues(const struct laprange *r, const struct laprange *next)
{
	return r->last + 1 == next->first && r->owner == next->owner && laprange_value(r, next->first) == next->base;
}

/* Adds a range where an owned tree has none; longer: it makes the one that ends in front of it longer. Returns
 * a tree of the same height to be behind it, or NULL. */
// NOLINTNEXTLINE(misc-no-recursion)
static struct lapmap *
add(struct laprange_pool *pool, struct lapmap *n, const struct laprange *r, bool longer)
{
	unsigned i = rank(n, r->first);
	if (n->height == 0) {
		struct lapmap *more = NULL;
		if (longer) {
			n->pages[i - 1] += r->last - r->first + 1;
		} else {
			more = insert(pool, &n, &i);
			set_range(n, i, r);
		}
		return more;
	}
	i -= i > 0;
	struct lapmap *child = own(pool, n->of[i].child);
	struct lapmap *more = add(pool, child, r, longer);
	n->first[i] = child->first[0];
	n->pages[i] += r->last - r->first + 1;
	n->of[i].child = child;
	if (!more)
		return NULL;
	n->pages[i] -= laprange_total(more);
	return insert_child(pool, n, i + 1, more);
}

/* Joins two trees; where they meet, ranges that continue each other become one. */
static struct lapmap *
glue(struct laprange_pool *pool, struct lapmap *low, struct lapmap *high)
{
	struct laprange last, next;
	uint64_t behind;
	if (!low || !high || !find_last(low, UINT64_MAX, &last, &behind) || !laprange_find(high, high->first[0], &next) ||
		!continues(&last, &next))
		return join(pool, low, high);
	struct lapmap *none;
	laprange_free(pool, take_out(pool, high, next.first, next.last, &none, &high));
	low = own(pool, low);
	(void)add(pool, low, &next, true);
	return join(pool, low, high);
}

void
laprange_set(struct laprange_pool *pool, struct lapmap **map, uint64_t first, uint64_t last,
	uint32_t owner, uint64_t base)
{
	const struct laprange new = { first, last, base, owner };
	struct laprange before, behind;
	uint64_t next;
	if (!reserve(pool, *map, NULL))
		return;
	bool is_behind = find_last(*map, first, &before, &next);
	bool is_free = *map && (!is_behind || before.last < first) && last < next;
	if (is_free && (last + 1 != next || !laprange_find(*map, next, &behind) || !continues(&new, &behind))) {
		*map = own(pool, *map);
		*map = root(pool, *map, add(pool, *map, &new, is_behind && continues(&before, &new)));
		return;
	}
	struct lapmap *low, *high, *n = new_node(pool, 0);
	n->n = 1;
	set_range(n, 0, &new);
	laprange_free(pool, take_out(pool, *map, first, last, &low, &high));
	*map = glue(pool, glue(pool, low, n), high);
}

struct lapmap *
laprange_cut(struct laprange_pool *pool, struct lapmap **map, uint64_t first, uint64_t last)
{
	struct lapmap *low, *high;
	if (!*map || !reserve(pool, *map, NULL))
		return NULL;
	struct lapmap *inside = take_out(pool, *map, first, last, &low, &high);
	*map = join(pool, low, high);
	return inside;
}

struct lapmap *
laprange_copy(struct laprange_pool *pool, struct lapmap **map, uint64_t first, uint64_t last)
{
	struct lapmap *low, *high;
	if (!*map || !reserve(pool, *map, NULL))
		return NULL;
	struct lapmap *inside = take_out(pool, *map, first, last, &low, &high);
	if (inside)
		inside->refs++;
	*map = glue(pool, glue(pool, low, inside), high);
	return inside;
}

void
laprange_put(struct laprange_pool *pool, struct lapmap **map, struct lapmap *more, uint64_t by)
{
	struct laprange r;
	if (by == 0 && more && reserve(pool, *map, more)) {
		struct lapmap *low, *high;
		split(pool, *map, more->first[0], &low, &high);
		*map = glue(pool, glue(pool, low, more), high);
		return;
	}
	for (uint64_t at = 0; by != 0 && laprange_next(more, at, &r); at = r.last + 1)
		laprange_set(pool, map, r.first + by, r.last + by, r.owner, r.base);
	laprange_free(pool, more);
}
