/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <stdlib.h>

/* Returns 0, or -1: no memory, and nothing changes. */
static int
resize(struct laplines *l, size_t n)
{
	enum { SIZE = sizeof(struct lapline) };
	struct laplines old = *l;
	char *block = calloc(n + 1, SIZE);
	if (!block)
		return -1;
	lap_huge(block, (n + 1) * SIZE);
	l->block = block;
	l->lines = (struct lapline *)(void *)(block + (SIZE - (uintptr_t)block % SIZE) % SIZE);
	l->n = n;
	l->nused = 0;
	/* Newest first, so that the newer of two lines stays in front. */
	for (size_t i = old.n; i-- > 0;) {
		struct lapline *line = laplines_at(l, old.lines[i].key);
		if (!old.lines[i].key)
			continue;
		l->nused += !line[1].key;
		line[1] = line[0];
		line[0] = old.lines[i];
	}
	free(old.block);
	return 0;
}

int
laplines_init(struct laplines *l)
{
	*l = (struct laplines){ 0 };
	return resize(l, LAPLINES_FIRST);
}

void
laplines_finish(struct laplines *l)
{
	free(l->block);
	*l = (struct laplines){ 0 };
}

void
laplines_put(struct laplines *l, uint64_t key, uint32_t addr, uint32_t value, uint64_t most)
{
	/* Without memory the table stays as large as it is. */
	if (l->nused > l->n / 4 * 3 && l->n < most)
		(void)resize(l, l->n * 2);
	struct lapline *line = laplines_at(l, key);
	if (line[1].key == key)
		line++;
	if (line->key != key) {
		l->nused += !line[1].key;
		line[1] = line[0];
		line[0] = (struct lapline){ .key = key };
	}
	line->page[(addr >> LAP_PAGE_SHIFT) % LAPLINES_PAGES] = value;
}
