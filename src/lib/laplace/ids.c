/* SPDX-License-Identifier: MIT */
#include "ids.h"

#include <stdlib.h>
#include <time.h>

static size_t
slot_of(const struct lapids *ids, uint64_t a, uint64_t b, uint64_t c)
{
	/* The seed differs in each run, so that no input can make all keys meet. */
	uint64_t h = (a ^ ids->seed) * UINT64_C(0x9e3779b97f4a7c15);
	h = ((h ^ h >> 29) + b) * UINT64_C(0xbf58476d1ce4e5b9);
	h = ((h ^ h >> 32) + c) * UINT64_C(0x94d049bb133111eb);
	size_t i = (size_t)(h ^ h >> 31) & (ids->cap - 1);
	for (;; i = (i + 1) & (ids->cap - 1)) {
		const struct lapids_slot *s = &ids->slots[i];
		if (!s->value || (s->key[0] == a && s->key[1] == b && s->key[2] == c))
			return i;
	}
}

void *
lapids_find(const struct lapids *ids, uint64_t a, uint64_t b, uint64_t c)
{
	return ids->cap ? ids->slots[slot_of(ids, a, b, c)].value : NULL;
}

static int
grow(struct lapids *ids)
{
	struct lapids more = { .cap = ids->cap ? ids->cap * 2 : 64, .n = ids->n, .seed = ids->seed };
	if (!more.seed) {
		struct timespec now = { 0 };
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
		more.seed = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)ids;
	}
	more.slots = calloc(more.cap, sizeof(*more.slots));
	if (!more.slots)
		return -1;
	for (size_t i = 0; i < ids->cap; i++) {
		const struct lapids_slot *s = &ids->slots[i];
		if (s->value)
			more.slots[slot_of(&more, s->key[0], s->key[1], s->key[2])] = *s;
	}
	free(ids->slots);
	*ids = more;
	return 0;
}

int
lapids_set(struct lapids *ids, uint64_t a, uint64_t b, uint64_t c, void *value)
{
	if (ids->n * 4 >= ids->cap * 3 && grow(ids) < 0)
		return -1;
	struct lapids_slot *s = &ids->slots[slot_of(ids, a, b, c)];
	ids->n += !s->value;
	*s = (struct lapids_slot){ { a, b, c }, value };
	return 0;
}

void
lapids_finish(struct lapids *ids)
{
	free(ids->slots);
	*ids = (struct lapids){ 0 };
}
