/* SPDX-License-Identifier: MIT */
/* Random and edge integers, against snprintf. */
#include "fmt.h"

#include "kit.h"

#include <inttypes.h>
#include <string.h>

static void
one(uint64_t v)
{
	char want[32];
	char have[32];
	int n = snprintf(want, sizeof(want), "%" PRIu64, v);
	char *end = fmt_u64(have, v);
	CHECK(end - have == n && memcmp(have, want, (size_t)n) == 0);
	n = snprintf(want, sizeof(want), "%" PRId64, (int64_t)v);
	end = fmt_i64(have, (int64_t)v);
	CHECK(end - have == n && memcmp(have, want, (size_t)n) == 0);
	uint32_t low = (uint32_t)(v % 100000000);
	(void)snprintf(want, sizeof(want), "%08" PRIu32, low);
	fmt_put(have, fmt_digits(low));
	CHECK(memcmp(have, want, 8) == 0);
}

int
main(int argc, char **argv)
{
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 1.0 / check_share();
	long rounds = 0;
	do {
		for (int i = 0; i < 1000; i++) {
			uint64_t v = kit_random(&x);
			v >>= kit_below(&x, 64); /* all sizes alike */
			one(v);
			one(0 - v);
			/* Around a power of ten. */
			uint64_t p = 1;
			for (uint64_t k = kit_below(&x, 20); k > 0; k--)
				p *= 10;
			one(p * (1 + kit_below(&x, 9)) + kit_below(&x, 7) - 3);
		}
	} while (rounds++ < 2000 && kit_now() < end);
	(void)printf("%ld rounds\n", rounds);
	return 0;
}
