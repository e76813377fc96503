/* SPDX-License-Identifier: MIT */
#include "count.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST = 16,
};

static struct lapcount_slot *
find(struct lapcount_slot *slots, size_t cap, uint64_t group)
{
	size_t i = lapcount_hash(group, cap);
	while (slots[i].group && slots[i].group != group)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static int
grow(struct lapcount *c)
{
	size_t cap = c->cap ? c->cap * 2 : FIRST;
	struct lapcount_slot *slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return LAPCOUNT_NO_MEMORY;
	for (size_t i = 0; i < c->cap; i++)
		if (c->slots[i].group)
			*find(slots, cap, c->slots[i].group) = c->slots[i];
	free(c->slots);
	c->slots = slots;
	c->cap = cap;
	return 0;
}

/* Returns the place that keeps the last window of a page, made if it is new. NULL: no
 * memory. */
static uint32_t *
in_slot(struct lapcount *c, uint64_t page)
{
	if (c->nslots >= c->cap / 4 * 3 && grow(c) < 0)
		return NULL;
	uint64_t group = page / LAPCOUNT_GROUP + 1;
	struct lapcount_slot *s = find(c->slots, c->cap, group);
	c->nslots += !s->group;
	s->group = group;
	return &s->window[page % LAPCOUNT_GROUP];
}

static uint32_t *
in_chunk(struct lapcount *c, uint64_t page)
{
	size_t i = (size_t)(page / LAPCOUNT_CHUNK);
	if (i >= c->nchunks) {
		size_t n = i + 1 > c->nchunks * 2 ? i + 1 : c->nchunks * 2;
		uint32_t **chunks = realloc(c->chunks, n * sizeof(*chunks));
		if (!chunks)
			return NULL;
		memset(chunks + c->nchunks, 0, (n - c->nchunks) * sizeof(*chunks));
		c->chunks = chunks;
		c->nchunks = n;
	}
	if (!c->chunks[i])
		c->chunks[i] = calloc(LAPCOUNT_CHUNK, sizeof(**c->chunks));
	return c->chunks[i] ? &c->chunks[i][page % LAPCOUNT_CHUNK] : NULL;
}

int
lapcount_touch(struct lapcount *c, uint64_t page, uint32_t window)
{
	uint32_t *w = c->dense && page < LAPCOUNT_DENSE ? in_chunk(c, page) : in_slot(c, page);
	if (!w)
		return LAPCOUNT_NO_MEMORY;
	if (*w == window)
		return LAPCOUNT_OLD;
	int what = *w ? LAPCOUNT_IN_WINDOW : LAPCOUNT_EVER;
	c->footprint += what == LAPCOUNT_EVER;
	c->n[LAPCOUNT_WORKING_SET]++;
	*w = window;
	return what;
}

void
lapcount_finish(struct lapcount *c)
{
	for (size_t i = 0; i < c->nchunks; i++)
		free(c->chunks[i]);
	free(c->chunks);
	free(c->slots);
	*c = (struct lapcount){ 0 };
}
