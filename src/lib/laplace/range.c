/* SPDX-License-Identifier: MIT */
/* A treap: a search tree by page and a heap by weight. The weights are random and not
 * the same in each run, so that no input can make the tree deep; its shape is not seen. */
#include "range.h"

#include <stdlib.h>
#include <time.h>

enum {
	CHUNK_NODES = 1024,
};

struct laprange_chunk {
	struct laprange_chunk *next;
	struct laprange nodes[CHUNK_NODES];
};

/* ---- Nodes. ---- */

void
laprange_init(struct laprange_pool *pool)
{
	struct timespec now = { 0 };
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	*pool = (struct laprange_pool){ 0 };
	pool->random = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)(uintptr_t)pool ^ (uint64_t)now.tv_sec) | 1;
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

static struct laprange *
new_node(struct laprange_pool *pool)
{
	if (!pool->free && !pool->failed) {
		struct laprange_chunk *c = calloc(1, sizeof(*c));
		if (!c) {
			pool->failed = true;
			return NULL;
		}
		c->next = pool->chunks;
		pool->chunks = c;
		for (size_t i = 0; i < CHUNK_NODES; i++) {
			c->nodes[i].right = pool->free;
			pool->free = &c->nodes[i];
		}
	}
	struct laprange *n = pool->free;
	if (!n)
		return NULL;
	pool->free = n->right;
	pool->nodes++;
	pool->random ^= pool->random << 13;
	pool->random ^= pool->random >> 7;
	pool->random ^= pool->random << 17;
	*n = (struct laprange){ .refs = 1, .weight = (uint32_t)(pool->random >> 32) };
	return n;
}

/* Recursion is as deep as the tree. */
// NOLINTNEXTLINE(misc-no-recursion)
void
laprange_free(struct laprange_pool *pool, struct laprange *n)
{
	while (n && --n->refs == 0) {
		struct laprange *right = n->right;
		laprange_free(pool, n->left);
		n->right = pool->free;
		pool->free = n;
		pool->nodes--;
		n = right;
	}
}

static struct laprange *
hold(struct laprange *n)
{
	if (n)
		n->refs++;
	return n;
}

/* The node itself if no other map has it, else a copy in its place. NULL: no memory. */
static struct laprange *
own(struct laprange_pool *pool, struct laprange *n)
{
	if (n->refs == 1)
		return n;
	struct laprange *copy = new_node(pool);
	if (copy) {
		copy->first = n->first;
		copy->last = n->last;
		copy->base = n->base;
		copy->total = n->total;
		copy->owner = n->owner;
		copy->weight = n->weight;
		copy->left = hold(n->left);
		copy->right = hold(n->right);
	}
	laprange_free(pool, n);
	return copy;
}

/* ---- Trees. ---- */

static struct laprange *
sum(struct laprange *n)
{
	n->total = n->last - n->first + 1 + laprange_total(n->left) + laprange_total(n->right);
	return n;
}

/* Joins two trees, the pages of a before those of b. Takes both. */
static struct laprange *
join(struct laprange_pool *pool, struct laprange *a, struct laprange *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->weight > b->weight) {
		a = own(pool, a);
		if (!a)
			return b;
		a->right = join(pool, a->right, b);
		return sum(a);
	}
	b = own(pool, b);
	if (!b)
		return a;
	b->left = join(pool, a, b->left);
	return sum(b);
}

/* Takes the tree apart: pages below `page`, and the others. A range that has both sides
 * becomes two. */
static void
split(struct laprange_pool *pool, struct laprange *n, uint64_t page, struct laprange **low, struct laprange **high)
{
	*low = NULL;
	*high = NULL;
	if (!n)
		return;
	n = own(pool, n);
	if (!n)
		return;
	if (n->last < page) {
		struct laprange *rest = n->right;
		*low = n;
		split(pool, rest, page, &n->right, high);
		(void)sum(n);
	} else if (n->first >= page) {
		struct laprange *rest = n->left;
		*high = n;
		split(pool, rest, page, low, &n->left);
		(void)sum(n);
	} else {
		struct laprange *upper = new_node(pool);
		struct laprange *right = n->right;
		n->right = NULL;
		*low = n;
		if (upper) {
			upper->first = page;
			upper->last = n->last;
			upper->base = laprange_value(n, page);
			upper->owner = n->owner;
			(void)sum(upper);
		}
		n->last = page - 1;
		(void)sum(n);
		*high = upper ? join(pool, upper, right) : right;
	}
}

/* Cuts [first, last] out of a tree; returns it. The rest is left as two trees to be joined. */
static struct laprange *
take_out(struct laprange_pool *pool, struct laprange *map, uint64_t first, uint64_t last,
	struct laprange **low, struct laprange **high)
{
	struct laprange *rest, *inside;
	split(pool, map, first, low, &rest);
	*high = NULL;
	inside = rest;
	if (last != UINT64_MAX)
		split(pool, rest, last + 1, &inside, high);
	return inside;
}

/* ---- Maps. ---- */

const struct laprange *
laprange_find(const struct laprange *n, uint64_t page)
{
	while (n && (page < n->first || page > n->last))
		n = page < n->first ? n->left : n->right;
	return n;
}

const struct laprange *
laprange_next(const struct laprange *n, uint64_t page)
{
	const struct laprange *best = NULL;
	while (n) {
		if (n->last < page) {
			n = n->right;
		} else {
			best = n;
			n = n->left;
		}
	}
	return best;
}

/* How many pages a tree has from `page` on. */
static uint64_t
count_from(const struct laprange *n, uint64_t page)
{
	uint64_t count = 0;
	while (n && (page < n->first || page > n->last)) {
		if (page < n->first)
			count += n->last - n->first + 1 + laprange_total(n->right);
		n = page < n->first ? n->left : n->right;
	}
	return n ? count + n->last - page + 1 + laprange_total(n->right) : count;
}

uint64_t
laprange_gap(const struct laprange *n, uint64_t page)
{
	while (n) {
		/* The gap is below the node unless the left subtree has all pages in between. */
		if (page < n->first && count_from(n->left, page) < n->first - page) {
			n = n->left;
		} else {
			page = page <= n->last ? n->last + 1 : page;
			n = n->right;
		}
	}
	return page;
}

static const struct laprange *
last_of(const struct laprange *n)
{
	while (n && n->right)
		n = n->right;
	return n;
}

static const struct laprange *
first_of(const struct laprange *n)
{
	while (n && n->left)
		n = n->left;
	return n;
}

/* Whether a range (may be NULL) is continued by one that begins at `first`. */
static bool
continues(const struct laprange *r, uint64_t first, uint32_t owner, uint64_t base)
{
	return r && r->last + 1 == first && r->owner == owner && laprange_value(r, first) == base;
}

/* Makes the range that ends in front of a page longer, copying the way to it. */
static void
extend(struct laprange_pool *pool, struct laprange **tree, uint64_t page, uint64_t npages)
{
	while (*tree) {
		struct laprange *n = own(pool, *tree);
		*tree = n;
		if (!n)
			return;
		n->total += npages;
		if (n->last + 1 == page) {
			n->last += npages;
			return;
		}
		tree = n->last < page ? &n->right : &n->left;
	}
}

/* Joins two trees; where they meet, ranges that continue each other become one. */
static struct laprange *
glue(struct laprange_pool *pool, struct laprange *low, struct laprange *high)
{
	const struct laprange *next = first_of(high);
	if (next && continues(last_of(low), next->first, next->owner, next->base)) {
		struct laprange *same, *rest = NULL;
		uint64_t first = next->first;
		uint64_t npages = next->last - first + 1;
		if (next->last == UINT64_MAX)
			same = high;
		else
			split(pool, high, next->last + 1, &same, &rest);
		laprange_free(pool, same);
		extend(pool, &low, first, npages);
		high = rest;
	}
	return join(pool, low, high);
}

/* Inserts a range where the tree has none. */
static void
insert(struct laprange_pool *pool, struct laprange **tree, const struct laprange *what)
{
	struct laprange *n = new_node(pool);
	if (!n)
		return;
	n->first = what->first;
	n->last = what->last;
	n->base = what->base;
	n->owner = what->owner;
	while (*tree && (*tree)->weight > n->weight) {
		struct laprange *up = own(pool, *tree);
		*tree = up;
		if (!up) {
			laprange_free(pool, n);
			return;
		}
		up->total += n->last - n->first + 1;
		tree = up->last < n->first ? &up->right : &up->left;
	}
	split(pool, *tree, n->first, &n->left, &n->right);
	*tree = sum(n);
}

/* Whether [first, last] is free; if so, finds the ranges on both sides. */
static bool
is_gap(const struct laprange *n, uint64_t first, uint64_t last, const struct laprange **before, const struct laprange **behind)
{
	*before = NULL;
	*behind = NULL;
	while (n) {
		if (n->last < first) {
			*before = n;
			n = n->right;
		} else if (n->first > last) {
			*behind = n;
			n = n->left;
		} else {
			return false;
		}
	}
	return true;
}

void
laprange_set(struct laprange_pool *pool, struct laprange **map, uint64_t first, uint64_t last,
	uint32_t owner, uint64_t base)
{
	const struct laprange *before, *behind;
	const struct laprange new = { .first = first, .last = last, .owner = owner, .base = base };
	if (is_gap(*map, first, last, &before, &behind)) {
		bool joins = behind && continues(&new, behind->first, behind->owner, behind->base);
		if (!joins && continues(before, first, owner, base))
			extend(pool, map, first, last - first + 1);
		else if (!joins)
			insert(pool, map, &new);
		if (!joins)
			return;
	}
	struct laprange *low, *high, *n = NULL;
	laprange_free(pool, take_out(pool, *map, first, last, &low, &high));
	insert(pool, &n, &new);
	*map = glue(pool, glue(pool, low, n), high);
}

struct laprange *
laprange_cut(struct laprange_pool *pool, struct laprange **map, uint64_t first, uint64_t last)
{
	struct laprange *low, *high;
	struct laprange *inside = take_out(pool, *map, first, last, &low, &high);
	*map = join(pool, low, high);
	return inside;
}

struct laprange *
laprange_copy(struct laprange_pool *pool, struct laprange **map, uint64_t first, uint64_t last)
{
	struct laprange *low, *high;
	struct laprange *inside = take_out(pool, *map, first, last, &low, &high);
	struct laprange *copy = hold(inside);
	*map = glue(pool, glue(pool, low, inside), high);
	return copy;
}

void
laprange_put(struct laprange_pool *pool, struct laprange **map, struct laprange *add, uint64_t shift)
{
	if (!add)
		return;
	if (shift == 0) {
		struct laprange *low, *high;
		split(pool, *map, last_of(add)->last, &low, &high);
		*map = glue(pool, glue(pool, low, add), high);
		return;
	}
	for (const struct laprange *r = first_of(add); r; r = r->last < UINT64_MAX ? laprange_next(add, r->last + 1) : NULL) {
		uint64_t first = r->first + shift;
		uint64_t last = r->last + shift;
		/* Pages that the shift would carry beyond the end are cut off. */
		if (last >= first)
			laprange_set(pool, map, first, last, r->owner, r->base);
	}
	laprange_free(pool, add);
}
