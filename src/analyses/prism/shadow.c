/* SPDX-License-Identifier: MIT */
#include "shadow.h"

#include "kit.h"

#include <string.h>

int
shadow_begin(struct shadow *s, size_t size, uint64_t memory)
{
	size_t chunk = SHADOW_CHUNK * size;
	/* With its key, and slots of a table that is at least a third full. */
	uint64_t most = memory / (chunk + sizeof(*s->list) + 3 * sizeof(struct line));
	*s = (struct shadow){ .size = size, .most = most ? (size_t)most : 1, .last_key = UINT64_MAX };
	return lines_begin(&s->chunks, SIZE_MAX, 0);
}

/* The number of a chunk for a new key: a new one, or one that is forgotten. SIZE_MAX when memory is exhausted. */
static size_t
take_chunk(struct shadow *s)
{
	size_t chunk = SHADOW_CHUNK * s->size;
	if (s->n < s->most)
		return kit_room(&s->list, &s->list_cap, s->n + 1, sizeof(*s->list)) && kit_room(&s->cells, &s->cells_cap, s->n + 1, chunk) ? s->n++ : SIZE_MAX;
	for (;; s->hand = (s->hand + 1) % s->n) {
		if (!s->list[s->hand].used)
			break;
		s->list[s->hand].used = false;
	}
	size_t i = s->hand;
	s->hand = (i + 1) % s->n;
	uint64_t key = s->list[i].key;
	lines_remove(&s->chunks, lines_slot(&s->chunks, key, lines_hash(key)));
	memset(s->cells + i * chunk, 0, chunk);
	s->forgotten++;
	return i;
}

char *
shadow_find_chunk(struct shadow *s, uint64_t chunk, bool add)
{
	uint64_t hash = lines_hash(chunk);
	struct line *slot = lines_slot(&s->chunks, chunk, hash);
	size_t i = slot->value - 1;
	s->last = NULL;
	s->last_key = chunk;
	if (!slot->value && !add)
		return NULL;
	if (!slot->value) {
		i = take_chunk(s);
		if (i == SIZE_MAX || lines_reserve(&s->chunks) < 0)
			return NULL;
		s->list[i].key = chunk;
		*lines_slot(&s->chunks, chunk, hash) = (struct line){ chunk, i + 1 };
		s->chunks.n++;
	}
	s->list[i].used = true;
	return s->last = s->cells + i * SHADOW_CHUNK * s->size;
}

void
shadow_finish(struct shadow *s)
{
	lines_finish(&s->chunks);
	block_free(s->list);
	block_free(s->cells);
	*s = (struct shadow){ 0 };
}
