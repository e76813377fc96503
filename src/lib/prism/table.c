/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
	FIRST_CAP = 64,
	MANY = 1u << 30,
};

static inline uint64_t
mix(uint64_t a, uint64_t b)
{
	uint128 m = (uint128)a * b;
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t
load(const char *p, size_t n)
{
	uint64_t v = 0;
	memcpy(&v, p, n);
	return v;
}

/* Loads up to 7 bytes without a call. */
static inline uint64_t
tail(const char *p, uint32_t n)
{
	if (n >= 4)
		return load(p, 4) << 32 | load(p + n - 4, 4);
	if (n == 0)
		return 0;
	return (uint64_t)(uint8_t)p[0] << 16 | (uint64_t)(uint8_t)p[n / 2] << 8 | (uint8_t)p[n - 1];
}

static uint32_t
hash_of(uint64_t seed, const char *p, uint32_t n)
{
	uint64_t h = seed ^ n;
	for (; n >= 8; n -= 8, p += 8)
		h = mix(h ^ load(p, 8), UINT64_C(0x9e3779b97f4a7c15));
	h = mix(h ^ tail(p, n), UINT64_C(0xd6e8feb86659fd93));
	return (uint32_t)(h ^ h >> 32);
}

/* The slot of a key, or the free one where it would be. */
static struct prismtable_slot *
probe(const struct prismtable *t, const void *p, uint32_t n, uint32_t hash)
{
	uint32_t i = hash & (t->cap - 1);
	for (;; i = (i + 1) & (t->cap - 1)) {
		struct prismtable_slot *s = &t->slots[i];
		if (!s->value || (s->hash == hash && s->len == n && memcmp((const char *)s->value + t->size, p, n) == 0))
			return s;
	}
}

static bool
grow(struct prismtable *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : FIRST_CAP;
	struct prismtable_slot *slots = t->n < MANY ? calloc(cap, sizeof(*slots)) : NULL;
	if (!slots)
		return false;
	for (uint32_t i = 0; i < t->cap; i++) {
		uint32_t to = t->slots[i].hash & (cap - 1);
		if (!t->slots[i].value)
			continue;
		while (slots[to].value)
			to = (to + 1) & (cap - 1);
		slots[to] = t->slots[i];
	}
	/* The seed is the address of the table, which differs between runs. */
	if (!t->seed)
		t->seed = mix((uint64_t)(uintptr_t)slots, UINT64_C(0xa0761d6478bd642f)) | 1;
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	return true;
}

void *
prismtable_find(const struct prismtable *t, const void *p, uint32_t n)
{
	return t->cap ? probe(t, p, n, hash_of(t->seed, p, n))->value : NULL;
}

void *
prismtable_get(struct prismtable *t, const void *p, uint32_t n)
{
	if ((t->n + 1) * 2 > t->cap && !grow(t))
		return NULL;
	uint32_t hash = hash_of(t->seed, p, n);
	struct prismtable_slot *s = probe(t, p, n, hash);
	if (s->value)
		return s->value;
	char *value = calloc(1, t->size + n + 1);
	if (!value)
		return NULL;
	memcpy(value + t->size, p, n);
	*s = (struct prismtable_slot){ value, hash, n };
	t->n++;
	return value;
}

void
prismtable_finish(struct prismtable *t)
{
	for (uint32_t i = 0; i < t->cap; i++)
		free(t->slots[i].value);
	free(t->slots);
	*t = (struct prismtable){ .size = t->size };
}
