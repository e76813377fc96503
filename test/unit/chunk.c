/* SPDX-License-Identifier: MIT */
/* Where a chunk may be cut so that its lines are made without those of the next: a naive twin. */
#include "chunk.h"

#include "kit.h"

#include <string.h>

static struct chunk chunk;

/* Whether the first i of n records are a batch apart, whatever follows from the time of the last on. */
static bool
is_apart(size_t i, size_t n)
{
	const struct record *r = chunk.records;
	int64_t before = r[i - 1].time;
	bool apart = r[i].time > before && r[n - 1].time - 1 > before;
	for (size_t k = i; k < n; k++)
		if ((r[k].kind == RECORD_PUNCTUAL || r[k].kind == RECORD_LATE) && r[k].time - 1 <= before)
			apart = false;
	return apart;
}

static void
one(uint64_t *x)
{
	static const uint8_t kinds[] = { RECORD_PUNCTUAL, RECORD_LATE, RECORD_EVENT };
	size_t n = kit_below(x, 40);
	uint64_t dense = 1 + kit_below(x, 4);
	uint64_t odd = 1 + kit_below(x, 20);
	int64_t time = (int64_t)kit_below(x, 3);
	memset(&chunk.batch, 0, sizeof(chunk.batch));
	for (size_t i = 0; i < n; i++) {
		time += kit_below(x, dense) == 0 ? (int64_t)kit_below(x, 3) : 0;
		chunk.records[i] = (struct record){ .time = time };
		if (kit_below(x, odd) == 0) {
			chunk.records[i].kind = kinds[kit_below(x, 3)];
			chunk.odd[chunk.batch.nodd++] = (uint32_t)i;
		}
	}
	size_t want = n ? n - 1 : 0;
	while (want && !is_apart(want, n))
		want--;
	CHECK(chunk_find_apart(&chunk, n) == want);
}

int
main(void)
{
	uint64_t x = 7;
	for (int i = 0; i < 100000; i++)
		one(&x);
	return 0;
}
