/* SPDX-License-Identifier: MIT */
#include "lapcount.h"

#include <stdlib.h>

enum {
	FIRST = 64,
};

static size_t
hash(uint64_t page, size_t cap)
{
	/* Numbers follow each other: the high bits of a product are spread evenly. */
	return (size_t)((page * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (cap - 1);
}

static struct lapcount_slot *
find(struct lapcount_slot *slots, size_t cap, uint64_t page)
{
	size_t i = hash(page, cap);
	while (slots[i].page && slots[i].page != page)
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
		if (c->slots[i].page)
			*find(slots, cap, c->slots[i].page) = c->slots[i];
	free(c->slots);
	c->slots = slots;
	c->cap = cap;
	return 0;
}

int
lapcount_touch(struct lapcount *c, uint64_t page, uint32_t window)
{
	if (c->footprint >= c->cap / 4 * 3 && grow(c) < 0)
		return LAPCOUNT_NO_MEMORY;
	struct lapcount_slot *s = find(c->slots, c->cap, page);
	if (s->page && s->window == window)
		return LAPCOUNT_OLD;
	int what = s->page ? LAPCOUNT_IN_WINDOW : LAPCOUNT_EVER;
	c->footprint += what == LAPCOUNT_EVER;
	c->n[LAPCOUNT_WORKING_SET]++;
	*s = (struct lapcount_slot){ page, window };
	return what;
}

void
lapcount_finish(struct lapcount *c)
{
	free(c->slots);
	*c = (struct lapcount){ 0 };
}
