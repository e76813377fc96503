/* SPDX-License-Identifier: MIT */
/* How many events there were when. */
#include "kit.h"

#include "emu.h"

static uint64_t
total(const struct density *d)
{
	uint64_t n = 0;
	for (size_t i = 0; i < DENSITY_BUCKETS; i++)
		n += d->n[i];
	return n;
}

int
main(void)
{
	struct arena a = { 0 };
	struct density d;
	CHECK(density_init(&d, &a) == 0);
	unsigned shift = d.shift;

	/* As fine as it begins. */
	int64_t end = (int64_t)DENSITY_BUCKETS << shift;
	density_count(&d, 0);
	density_count(&d, (1 << shift) - 1);
	density_count(&d, 1 << shift);
	density_count(&d, end - 1);
	CHECK(d.shift == shift && d.n[0] == 2 && d.n[1] == 1 && d.n[DENSITY_BUCKETS - 1] == 1);

	/* A later time halves the resolution, as often as it takes, and loses nothing. */
	density_count(&d, end);
	CHECK(d.shift == shift + 1 && d.n[0] == 3 && d.n[DENSITY_BUCKETS / 2 - 1] == 1 && d.n[DENSITY_BUCKETS / 2] == 1);
	CHECK(total(&d) == 5);
	density_count(&d, 1000 * end);
	CHECK(total(&d) == 6 && d.n[0] == 3 && d.n[1000 * end >> d.shift] == 1);
	density_count(&d, INT64_MAX);
	CHECK(total(&d) == 7 && d.n[INT64_MAX >> d.shift] == 1);

	/* A bucket that is full stays so. */
	d.n[0] = UINT32_MAX - 1;
	density_count(&d, 0);
	density_count(&d, 0);
	CHECK(d.n[0] == UINT32_MAX);
	arena_finish(&a);
	return 0;
}
