/* SPDX-License-Identifier: MIT */
#include "math.h"

#include <math.h>
#include <stdlib.h>

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
by_trip(const void *a, const void *b)
{
	return compare(sync_trip(a), sync_trip(b));
}

static int
by_delta(const void *a, const void *b)
{
	return compare(sync_delta(a), sync_delta(b));
}

struct sync_offset
sync_estimate(struct sync_sample *samples, size_t n)
{
	qsort(samples, n, sizeof(*samples), by_trip);
	size_t kept = (n + 3) / 4;
	int64_t worst = sync_trip(&samples[kept - 1]);
	qsort(samples, kept, sizeof(*samples), by_delta);
	struct sync_offset o = { .median = sync_delta(&samples[kept / 2]) };
	o.error = worst / 2 + worst % 2;

	/* Differences to the median are small: a double holds them. */
	double sum = 0;
	for (size_t i = 0; i < kept; i++)
		sum += (double)(sync_delta(&samples[i]) - o.median);
	double mean = sum / (double)kept;
	double squares = 0;
	for (size_t i = 0; i < kept; i++) {
		double d = (double)(sync_delta(&samples[i]) - o.median) - mean;
		squares += d * d;
	}
	o.std = kept > 1 ? sqrt(squares / (double)(kept - 1)) : (double)NAN;
	int64_t micro = llround(mean * 1e6);
	int64_t floor = micro / 1000000 - (micro % 1000000 < 0);
	o.whole = o.median + floor;
	o.micro = micro - floor * 1000000;
	return o;
}
