/* SPDX-License-Identifier: MIT */
#include "fmt.h"

#include "check.h"

#include <inttypes.h>
#include <string.h>

/* Nothing behind the room of a number may change. */
static void
check_u64(uint64_t v)
{
	char want[32];
	char have[32];
	int n = snprintf(want, sizeof(want), "%" PRIu64, v);
	memset(have, '#', sizeof(have));
	CHECK(fmt_u64(have, v) == have + n);
	CHECK(memcmp(have, want, (size_t)n) == 0 && have[FMT_MAX] == '#');
}

static void
check_i64(int64_t v)
{
	char want[32];
	char have[32];
	int n = snprintf(want, sizeof(want), "%" PRId64, v);
	CHECK(n <= FMT_MAX);
	memset(have, '#', sizeof(have));
	CHECK(fmt_i64(have, v) == have + n);
	CHECK(memcmp(have, want, (size_t)n) == 0 && have[FMT_MAX] == '#');
}

static void
check_digits(uint32_t v)
{
	char want[32];
	char have[10] = "##########";
	(void)snprintf(want, sizeof(want), "%08" PRIu32, v);
	fmt_put(have + 1, fmt_digits(v));
	CHECK(have[0] == '#' && memcmp(have + 1, want, 8) == 0 && have[9] == '#');
}

int
main(void)
{
	for (uint64_t v = 0; v < 1100; v++)
		check_u64(v);
	for (int64_t v = -1100; v < 1100; v++)
		check_i64(v);
	uint64_t p = 1;
	for (int i = 0; i < 20; i++, p *= 10) {
		check_u64(p - 1);
		check_u64(p);
		check_u64(p + 1);
		check_i64((int64_t)(p - 1));
		check_i64((int64_t)p);
		check_i64((int64_t)(0 - p));
		check_i64((int64_t)(0 - p - 1));
		if (i < 8) {
			check_digits((uint32_t)p - 1);
			check_digits((uint32_t)p);
			check_digits((uint32_t)p + 1);
		}
	}
	for (int i = 0; i < 64; i++) {
		check_u64(UINT64_C(1) << i);
		check_u64((UINT64_C(1) << i) - 1);
	}
	check_digits(99999999);
	check_u64(UINT64_MAX);
	check_i64(INT64_MAX);
	check_i64(INT64_MIN);
	return 0;
}
