/* SPDX-License-Identifier: MIT */
#include "idmap.h"

#include "kit.h"

enum {
	KEYS = 5000,
};

static uint64_t keys[KEYS];

/* The place of a key among the first n; n: it is not there. */
static size_t
find(uint64_t key, size_t n)
{
	size_t i = 0;
	while (i < n && keys[i] != key)
		i++;
	return i;
}

/* Keys below `span` from `base` on, against a plain list. */
static void
against_list(uint64_t base, uint64_t span, uint64_t *x)
{
	struct arena a = { 0 };
	struct idmap m = { 0 };
	size_t n = 0;
	CHECK(!idmap_find(&m, base));
	for (int i = 0; i < KEYS; i++) {
		uint64_t key = base + (span ? kit_random(x) % span : kit_random(x));
		size_t at = find(key, n);
		CHECK(idmap_find(&m, key) == (at < n ? (void *)&keys[at] : NULL));
		struct idmap_slot *slot = idmap_slot(&m, &a, key);
		CHECK(slot && slot->value == (at < n ? (void *)&keys[at] : NULL));
		slot->value = &keys[at];
		keys[at] = key;
		n += at == n;
		CHECK(m.n == n);
	}
	size_t seen = 0;
	uint64_t key;
	uint64_t *value;
	for (size_t at = 0; (value = idmap_next(&m, &at, &key)); seen++)
		CHECK(*value == key);
	CHECK(seen == n);
	arena_finish(&a);
}

/* One arena begins a map, and another goes on with it. */
static void
two_arenas(void)
{
	struct arena a = { 0 };
	struct arena b = { 0 };
	struct idmap m = { 0 };
	for (uint64_t i = 0; i < KEYS; i++)
		CHECK(idmap_add(&m, i < KEYS / 2 ? &a : &b, i * 1000, &keys[i]) == 0);
	for (uint64_t i = 0; i < KEYS; i++)
		CHECK(idmap_find(&m, i * 1000) == &keys[i] && !idmap_find(&m, i * 1000 + 1));
	arena_finish(&b);
	arena_finish(&a);
}

int
main(void)
{
	uint64_t x = 1;
	against_list(0, KEYS, &x);
	against_list(UINT64_MAX - 3 * KEYS, 2 * KEYS, &x);
	against_list(0, 0, &x);
	two_arenas();
	return 0;
}
