/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
	FIRST_CAP = 64,
	IDS_MAX = 1u << 30,
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

/* Up to 7 bytes, without a call. */
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

static int
grow(struct prismnames *names)
{
	uint32_t cap = names->cap ? names->cap * 2 : FIRST_CAP;
	struct prism_name **slots = arena_new(names->arena, struct prism_name *, cap);
	if (!slots)
		return -1;
	for (uint32_t i = 0; i < names->cap; i++) {
		struct prism_name *old = names->slots[i];
		if (!old)
			continue;
		uint32_t to = old->hash & (cap - 1);
		while (slots[to])
			to = (to + 1) & (cap - 1);
		slots[to] = old;
	}
	/* Where memory is differs between runs, and the names with it that meet in a slot. */
	if (!names->seed)
		names->seed = mix((uint64_t)(uintptr_t)slots, UINT64_C(0xa0761d6478bd642f)) | 1;
	names->slots = slots;
	names->cap = cap;
	return 0;
}

struct prism_name *
prismnames_get(struct prismnames *names, const char *p, uint32_t n)
{
	if ((names->n + 1) * 2 > names->cap && (names->n >= IDS_MAX || grow(names) < 0))
		return NULL;
	uint32_t hash = hash_of(names->seed, p, n);
	uint32_t i = hash & (names->cap - 1);
	struct prism_name *s;
	for (; (s = names->slots[i]); i = (i + 1) & (names->cap - 1))
		if (s->hash == hash && s->len == n && memcmp(s->text, p, n) == 0)
			return s;
	s = arena_alloc(names->arena, 1, sizeof(*s) + n + 1);
	if (!s)
		return NULL;
	s->id = ++names->n;
	s->len = n;
	s->hash = hash;
	memcpy(s->text, p, n);
	names->slots[i] = s;
	return s;
}
