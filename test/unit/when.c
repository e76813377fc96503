/* SPDX-License-Identifier: MIT */
#include "kit/when.h"

#include "check.h"

#include <stddef.h>

int
main(void)
{
	static const struct {
		const char *text;
		int64_t ns;
		bool relative;
	} good[] = {
		{ "0", 0, false },
		{ "1892270934772", INT64_C(1892270934772), false },
		{ "9223372036854775807", INT64_MAX, false },
		{ "-5", -5, false },
		{ "+5", 5, true },
		{ "+0", 0, true },
		{ "5ns", 5, true },
		{ "-5ns", -5, true },
		{ "1.5us", 1500, true },
		{ "1.5\xc2\xb5s", 1500, true },
		{ "1.5\xce\xbcs", 1500, true },
		{ "0.001us", 1, true },
		{ ".5us", 500, true },
		{ "1.us", 1000, true },
		{ "200ms", 200000000, true },
		{ "1.5s", 1500000000, true },
		{ "1.500000000000s", 1500000000, true },
		{ "0.000000001s", 1, true },
		{ "1.5min", INT64_C(90000000000), true },
		{ "0.0000000001min", 6, true },
		{ "0.25h", INT64_C(900000000000), true },
		{ "1.0", 1, false },
		{ "9223372036s", INT64_C(9223372036000000000), true },
		{ "2562047h", INT64_C(9223369200000000000), true },
	};
	static const char *const bad[] = { "", "s", ".", ".s", "-", "+", "--5", "+-5", "1x", "1e3", "0x10", "1 s", " 1", "1..2s", "1.2.3s",
		"1.5", "0.1ns", "0.0001us", "0.00000000001min", "9223372036854775808", "99999999999999999999s", "9223372037s",
		"9223372036.9s", "2562048h", "1S", "1sec", "1ms2us" };
	struct when w;
	const char *why;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CHECK(when_parse(good[i].text, &w, &why));
		CHECK(w.ns == good[i].ns);
		CHECK(w.relative == good[i].relative);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = NULL;
		CHECK(!when_parse(bad[i], &w, &why));
		CHECK(why && *why);
	}
	return 0;
}
