/* SPDX-License-Identifier: MIT */
#include "timetext.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t ps;
} units[] = {
	{ "s", UINT64_C(1000000000000) },
	{ "ms", 1000000000 },
	{ "us", 1000000 },
	{ "ns", 1000 },
	{ "ps", 1 },
	/* Accepted, never printed. */
	{ "\xc2\xb5s", 1000000 },
	{ "\xce\xbcs", 1000000 },
	{ "", 1 },
};

enum {
	PRINTED = 5,
	UNITS = sizeof(units) / sizeof(units[0]),
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
time_parse(const char *text, uint64_t *ps, const char **why)
{
	size_t whole = strspn(text, "0123456789");
	bool point = text[whole] == '.';
	const char *fraction = text + whole + point;
	size_t digits = point ? strspn(fraction, "0123456789") : 0;
	const char *unit = fraction + digits;
	size_t u = 0;
	while (u < UNITS && strcmp(unit, units[u].name) != 0)
		u++;
	*why = "a time is a number with ps, ns, us, ms or s behind it";
	if (whole + digits == 0 || u == UNITS)
		return false;

	uint64_t scale = units[u].ps;
	uint64_t sum = 0;
	*why = "the time is too large";
	for (const char *p = text; is_digit(*p); p++)
		if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, (uint64_t)(*p - '0'), &sum))
			return false;
	if (__builtin_mul_overflow(sum, scale, &sum))
		return false;
	for (const char *p = fraction; p < unit; p++) {
		scale /= 10;
		if (scale == 0 && *p != '0') {
			*why = "the time is finer than a picosecond";
			return false;
		}
		if (__builtin_add_overflow(sum, scale * (uint64_t)(*p - '0'), &sum))
			return false;
	}
	*ps = sum;
	return true;
}

const char *
time_text(char buf[TIME_TEXT_MAX], uint64_t ps)
{
	size_t u = 0;
	while (u < PRINTED - 1 && ps < units[u].ps)
		u++;
	uint64_t scale = units[u].ps;
	int n = snprintf(buf, TIME_TEXT_MAX, "%" PRIu64, ps / scale);
	uint64_t rest = ps % scale;
	if (rest)
		buf[n++] = '.';
	while (rest) {
		scale /= 10;
		buf[n++] = (char)('0' + rest / scale);
		rest %= scale;
	}
	(void)snprintf(buf + n, (size_t)(TIME_TEXT_MAX - n), "%s", units[u].name);
	return buf;
}
