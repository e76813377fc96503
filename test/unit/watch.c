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

/* One event more. */
static uint64_t n;

static void
count(struct density *d, int64_t time)
{
	int64_t end = density_next(d, time, n++);
	CHECK(time < end || end == INT64_MAX);
	CHECK((uint64_t)(end - 1) >> d->shift == (uint64_t)time >> d->shift);
	density_end(d, n);
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
	count(&d, 0);
	count(&d, (1 << shift) - 1);
	count(&d, 1 << shift);
	count(&d, end - 1);
	CHECK(d.shift == shift && d.n[0] == 2 && d.n[1] == 1 && d.n[DENSITY_BUCKETS - 1] == 1);

	/* A later time halves the resolution, as often as it takes, and loses nothing. */
	count(&d, end);
	CHECK(d.shift == shift + 1 && d.n[0] == 3 && d.n[DENSITY_BUCKETS / 2 - 1] == 1 && d.n[DENSITY_BUCKETS / 2] == 1);
	CHECK(total(&d) == 5);
	count(&d, 1000 * end);
	CHECK(total(&d) == 6 && d.n[0] == 3 && d.n[1000 * end >> d.shift] == 1);

	/* Nobody tells of those that are in the bucket of the one before. */
	n += 1000;
	count(&d, 2000 * end);
	CHECK(total(&d) == 1007 && d.n[1000 * end >> d.shift] == 1001);
	count(&d, INT64_MAX);
	CHECK(total(&d) == 1008 && d.n[INT64_MAX >> d.shift] == 1);

	/* A bucket that is full stays so. */
	d.n[0] = UINT32_MAX - 1;
	count(&d, 0);
	CHECK(d.n[0] == UINT32_MAX);
	count(&d, 0);
	CHECK(d.n[0] == UINT32_MAX);
	n += UINT64_C(1) << 40;
	density_end(&d, n);
	CHECK(d.n[0] == UINT32_MAX);
	arena_finish(&a);
	return 0;
}
