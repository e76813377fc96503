/* SPDX-License-Identifier: MIT */
#include "idmap.h"

/* Ids are often consecutive, and may be chosen by an enemy: mixing spreads the first,
 * and a table at most half full bounds what the second can do to a few probes. */
static size_t
slot_of(const struct idmap *m, uint64_t key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	size_t i = (size_t)(h >> 32) & (m->cap - 1);
	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

void *
idmap_find(const struct idmap *m, uint64_t key)
{
	return m->cap ? m->slots[slot_of(m, key)].value : NULL;
}

static int
grow(struct idmap *m, struct arena *a)
{
	struct idmap more = { .cap = m->cap ? m->cap * 2 : 16, .n = m->n };
	more.slots = arena_new(a, struct idmap_slot, more.cap);
	if (!more.slots)
		return -1;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value)
			more.slots[slot_of(&more, m->slots[i].key)] = m->slots[i];
	*m = more;
	return 0;
}

int
idmap_add(struct idmap *m, struct arena *a, uint64_t key, void *value)
{
	if ((m->n + 1) * 2 > m->cap && grow(m, a) < 0)
		return -1;
	m->slots[slot_of(m, key)] = (struct idmap_slot){ key, value };
	m->n++;
	return 0;
}
