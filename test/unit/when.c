/* SPDX-License-Identifier: MIT */
#include "when.h"

#include "check.h"

#include <stddef.h>
#include <string.h>

static void
picoseconds(void)
{
	static const struct {
		const char *text;
		uint64_t ps;
	} good[] = {
		{ "7", 7 },
		{ "1.5us", 1500000 },
		{ "1.0000ns", 1000 },
		{ "0.5h", UINT64_C(1800000000000000) },
		{ "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = { "", "+5", "-5", "0.1", "1.0001ns", "1.00001ns", "18446744073709551616", "18446745s", "5124096h" };
	static const struct {
		uint64_t ps;
		const char *text;
	} shown[] = { { 0, "0ps" }, { 999, "999ps" }, { 1500000, "1.5us" }, { UINT64_C(60000000000000), "60s" }, { UINT64_MAX, "18446744.073709551615s" } };
	uint64_t ps;
	const char *why;
	char buf[WHEN_TEXT];
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(when_parse_ps(good[i].text, &ps, &why) && ps == good[i].ps);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!when_parse_ps(bad[i], &ps, &why) && *why);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		CHECK(strcmp(when_text(buf, shown[i].ps), shown[i].text) == 0);
}

/* Per cent of a trace, and times from its end. */
static void
check_parts(void)
{
	double percent;
	const char *why = "";
	CHECK(when_parse_percent("12.5%", &percent, &why) && percent == 12.5 && !why);
	CHECK(when_parse_percent("100%", &percent, &why) && !why);
	CHECK(when_parse_percent("101%", &percent, &why) && why);
	CHECK(when_parse_percent("-1%", &percent, &why) && why);
	CHECK(when_parse_percent("nan%", &percent, &why) && why);
	CHECK(!when_parse_percent("12", &percent, &why) && !when_parse_percent("%", &percent, &why) && !when_parse_percent("1%%", &percent, &why));
	static const struct {
		const char *text, *rest;
		bool less;
	} ends[] = { { "end", "", false }, { "end-", "", true }, { "end-2s", "2s", true } };
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *text = ends[i].text;
		bool less;
		CHECK(when_skip_end(&text, &less) && strcmp(text, ends[i].rest) == 0 && less == ends[i].less);
	}
	const char *text = "ended";
	bool less;
	CHECK(!when_skip_end(&text, &less) && strcmp(text, "ended") == 0);
}

int
main(void)
{
	picoseconds();
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
		{ "5000ps", 5, true },
		{ "9223372036s", INT64_C(9223372036000000000), true },
		{ "2562047h", INT64_C(9223369200000000000), true },
	};
	static const char *const bad[] = { "", "s", ".", ".s", "-", "+", "--5", "+-5", "1x", "1e3", "0x10", "1 s", " 1", "1..2s", "1.2.3s",
		"1.5", "0.1ns", "0.0001us", "1.05ns", "1500ps", "0.00000000001min", "9223372036854775808", "99999999999999999999s", "9223372037s",
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
	check_parts();
	return 0;
}
