/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include "arena.h"

#include <string.h>

enum {
	LEAST = 1024, /* slots */
};

int
lines_begin(struct lines *l, size_t most, unsigned cut)
{
	*l = (struct lines){ .cap = LEAST, .most = most, .cut = cut };
	l->slots = block_alloc(LEAST * sizeof(*l->slots));
	return l->slots ? 0 : -1;
}

int
lines_reserve(struct lines *l)
{
	if (l->n >= l->most && l->cut < LINES_CUT_MAX)
		return 1;
	if ((l->n + 1) * 3 <= l->cap * 2)
		return 0;
	struct lines more = *l;
	more.cap *= 2;
	more.slots = block_alloc(more.cap * sizeof(*more.slots));
	if (!more.slots)
		return -1;
	for (size_t i = 0; i < l->cap; i++)
		if (l->slots[i].value)
			*lines_slot(&more, l->slots[i].key, lines_hash(l->slots[i].key)) = l->slots[i];
	block_free(l->slots);
	*l = more;
	return 0;
}

void
lines_remove(struct lines *l, struct line *slot)
{
	size_t mask = l->cap - 1;
	size_t hole = (size_t)(slot - l->slots);
	l->n--;
	/* What was put behind the hole because its place was taken moves into it. */
	for (size_t i = (hole + 1) & mask; l->slots[i].value; i = (i + 1) & mask) {
		size_t home = lines_hash(l->slots[i].key) & mask;
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		l->slots[hole] = l->slots[i];
		hole = i;
	}
	l->slots[hole].value = 0;
}

void
lines_halve(struct lines *l)
{
	l->cut++;
	/* A slot is looked at again after a removal, which may have moved another line there. */
	for (size_t i = 0; i < l->cap;)
		if (l->slots[i].value && !lines_keeps(l, lines_hash(l->slots[i].key)))
			lines_remove(l, &l->slots[i]);
		else
			i++;
}

int
lines_copy(struct lines *to, const struct lines *from)
{
	*to = *from;
	to->slots = block_alloc(from->cap * sizeof(*to->slots));
	if (!to->slots)
		return -1;
	memcpy(to->slots, from->slots, from->cap * sizeof(*to->slots));
	return 0;
}

void
lines_finish(struct lines *l)
{
	block_free(l->slots);
	*l = (struct lines){ 0 };
}
