/* SPDX-License-Identifier: MIT */
#include "idmap.h"

enum {
	NEAR = 8,  /* keys of a block: a cache line */
	GROUP = 4, /* blocks that lie together if their keys are consecutive: another one */
	FIRST_CAP = 16,
};

/* The place of a block. Keys are mixed, as an enemy may choose the ids; a table at most half full bounds what that costs. */
static struct idmap_block *
place_of(const struct idmap *m, uint64_t key)
{
	uint64_t h = key / GROUP * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	size_t i = (size_t)((h >> 32) * GROUP + key % GROUP) & (m->cap - 1);
	while (m->blocks[i].slots && m->blocks[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->blocks[i];
}

void *
idmap_find(const struct idmap *m, uint64_t key)
{
	const struct idmap_block *b = m->cap ? place_of(m, key / NEAR) : NULL;
	return b && b->slots ? b->slots[key % NEAR].value : NULL;
}

static int
grow(struct idmap *m, struct arena *a)
{
	struct idmap more = { .cap = m->cap ? m->cap * 2 : FIRST_CAP, .n = m->n, .nblocks = m->nblocks, .of = a };
	more.blocks = arena_alloc_table(a, more.cap, sizeof(*more.blocks));
	if (!more.blocks)
		return -1;
	for (size_t i = 0; i < m->cap; i++)
		if (m->blocks[i].slots)
			*place_of(&more, m->blocks[i].key) = m->blocks[i];
	/* The table of another arena stays: a part of the machine goes on with what the machine has begun. */
	if (m->of == a)
		arena_free_table(a, m->blocks, m->cap, sizeof(*m->blocks));
	*m = more;
	return 0;
}

static struct idmap_block *
add_block(struct idmap *m, struct arena *a, uint64_t key)
{
	if ((m->nblocks + 1) * 2 > m->cap && grow(m, a) < 0)
		return NULL;
	struct idmap_block *b = place_of(m, key);
	*b = (struct idmap_block){ .key = key, .slots = arena_new(a, struct idmap_slot, NEAR) };
	m->nblocks += b->slots != NULL;
	return b->slots ? b : NULL;
}

struct idmap_slot *
idmap_slot(struct idmap *m, struct arena *a, uint64_t key)
{
	struct idmap_block *b = m->cap ? place_of(m, key / NEAR) : NULL;
	if (!b || !b->slots)
		b = add_block(m, a, key / NEAR);
	if (!b)
		return NULL;
	struct idmap_slot *slot = &b->slots[key % NEAR];
	m->n += !slot->value;
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

void *
idmap_next(const struct idmap *m, size_t *at, uint64_t *key)
{
	for (; *at < m->cap * NEAR; (*at)++) {
		const struct idmap_block *b = &m->blocks[*at / NEAR];
		if (!b->slots || !b->slots[*at % NEAR].value)
			continue;
		*key = b->key * NEAR + *at % NEAR;
		return b->slots[(*at)++ % NEAR].value;
	}
	return NULL;
}
