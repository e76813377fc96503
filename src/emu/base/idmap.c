/* SPDX-License-Identifier: MIT */
#include "idmap.h"

enum {
	NEAR = 4, /* keys of a cache line */
};

/* Ids are often consecutive, and those that are near are used together: a line of four
 * stays together. Which line is mixed, as an enemy may choose the ids; a table at most
 * half full bounds what that costs. */
static size_t
slot_of(const struct idmap *m, uint64_t key)
{
	uint64_t h = key / NEAR * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	size_t i = ((size_t)(h >> 32) * NEAR + key % NEAR) & (m->cap - 1);
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
	struct idmap more = { .cap = m->cap ? m->cap * 2 : 16, .n = m->n, .of = a };
	more.slots = arena_alloc_table(a, more.cap, sizeof(*more.slots));
	if (!more.slots)
		return -1;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value)
			more.slots[slot_of(&more, m->slots[i].key)] = m->slots[i];
	/* Slots of another arena stay: a part of the machine goes on with what the machine has begun. */
	if (m->of == a)
		arena_free_table(a, m->slots, m->cap, sizeof(*m->slots));
	*m = more;
	return 0;
}

struct idmap_slot *
idmap_slot(struct idmap *m, struct arena *a, uint64_t key)
{
	if ((m->n + 1) * 2 > m->cap && grow(m, a) < 0)
		return NULL;
	struct idmap_slot *slot = &m->slots[slot_of(m, key)];
	if (!slot->value) {
		slot->key = key;
		m->n++;
	}
	return slot;
}

int
idmap_add(struct idmap *m, struct arena *a, uint64_t key, void *value)
{
	struct idmap_slot *slot = idmap_slot(m, a, key);
	if (!slot)
		return -1;
	slot->value = value;
	return 0;
}
