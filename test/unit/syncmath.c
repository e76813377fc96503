/* SPDX-License-Identifier: MIT */
#include "sync/math.h"

#include "kit.h"

#include <math.h>

/* The other clock is `ahead`; the message takes that long there and back. */
static struct sync_sample
message(int64_t sent, int64_t ahead, int64_t there, int64_t back)
{
	int64_t got = sent + there + ahead;
	return (struct sync_sample){ .sent = sent, .got = got, .answered = got + 7, .back = sent + there + 7 + back };
}

static void
one_sample(void)
{
	struct sync_sample s = message(1000, 500, 30, 30);
	CHECK(sync_trip(&s) == 60 && sync_delta(&s) == -500);
	s = message(1000, 500, 30, 50); /* wrong by half of the difference */
	CHECK(sync_trip(&s) == 80 && sync_delta(&s) == -490);
	s = message(1000, -500, 30, 30);
	CHECK(sync_delta(&s) == 500);

	/* Digits that a double does not have. */
	int64_t year = INT64_C(31536000000000000);
	s = message(100 * year + 1, 123, 30, 30);
	CHECK(sync_delta(&s) == -123);
	s = message(5, 290 * year + 1, 30, 30);
	CHECK(sync_delta(&s) == -(290 * year + 1));

	struct sync_offset o = sync_estimate(&s, 1);
	CHECK(o.median == sync_delta(&s) && o.whole == o.median && o.micro == 0 && isnan(o.std) && o.error == 30);
}

static void
several(void)
{
	/* The quarter with the short trips is right; the others were held up on the way back. */
	struct sync_sample s[16];
	for (int i = 0; i < 16; i++)
		s[i] = i % 4 ? message(1000 * i, 42, 10, 100000) : message(1000 * i, 42 + i / 4, 10, 10);
	struct sync_offset o = sync_estimate(s, 16);
	CHECK(o.median == -43); /* of -45 -44 -43 -42: the upper one */
	CHECK(o.whole == -44 && o.micro == 500000);
	CHECK(fabs(o.std - 1.2909944) < 1e-6);
	CHECK(o.error == 10);

	struct sync_sample two[5];
	for (int i = 0; i < 5; i++)
		two[i] = message(1000 * i, -100 - (i == 1), 10 + i, 10 + i);
	o = sync_estimate(two, 5); /* the first two */
	CHECK(o.median == 101 && o.whole == 100 && o.micro == 500000);
}

/* Whatever the ways take: the offset is right within the bound that is told. */
static void
bound(uint64_t *x)
{
	struct sync_sample s[50];
	size_t n = 1 + kit_below(x, 50);
	int64_t ahead = (int64_t)(kit_random(x) >> 2) - (INT64_C(1) << 61);
	int64_t sent = (int64_t)(kit_random(x) >> 2);
	for (size_t i = 0; i < n; i++)
		s[i] = message(sent + (int64_t)i * 1000000, ahead, (int64_t)kit_below(x, 10000), (int64_t)kit_below(x, 100000));
	struct sync_offset o = sync_estimate(s, n);
	CHECK(o.median + ahead <= o.error && -ahead - o.median <= o.error);
	CHECK(o.micro >= 0 && o.micro < 1000000);
}

int
main(int argc, char **argv)
{
	one_sample();
	several();
	uint64_t x = kit_seed(argc, argv);
	for (int i = 0; i < 2000; i++)
		bound(&x);
	return 0;
}
