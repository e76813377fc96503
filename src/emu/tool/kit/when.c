/* SPDX-License-Identifier: MIT */
#include "when.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "", 1 },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "\xc2\xb5s", 1000 }, /* the two characters that look like it */
	{ "\xce\xbcs", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", INT64_C(60) * 1000000000 },
	{ "h", INT64_C(3600) * 1000000000 },
};

enum {
	UNITS = sizeof(units) / sizeof(units[0]),
};

/* The number between p and end, times the scale, in *sum, which is 0. Returns false when it
 * overflows. */
static bool
add_whole(const char *p, const char *end, int64_t scale, int64_t *sum)
{
	for (; p < end; p++)
		if (__builtin_mul_overflow(*sum, 10, sum) || __builtin_add_overflow(*sum, *p - '0', sum))
			return false;
	return !__builtin_mul_overflow(*sum, scale, sum);
}

bool
when_parse(const char *text, struct when *w, const char **why)
{
	bool minus = *text == '-';
	bool sign = minus || *text == '+';
	const char *whole = text + sign;
	const char *point = whole + strspn(whole, "0123456789");
	const char *fraction = point + (*point == '.');
	const char *unit = fraction + (fraction > point ? strspn(fraction, "0123456789") : 0);
	size_t u = 0;
	while (u < UNITS && strcmp(unit, units[u].name) != 0)
		u++;
	*why = "a time is a number, with ns, us, ms, s, min or h behind it";
	if (u == UNITS || (point == whole && unit == fraction))
		return false;

	*why = "the time is too large";
	int64_t sum = 0;
	if (!add_whole(whole, point, units[u].ns, &sum))
		return false;
	/* What the digits are worth: a tenth each time, of a unit that may not be a power of 10.
	 * 60 and 3600 leave a multiple of 6 or 36 down to the nanosecond. */
	int64_t scale = units[u].ns;
	for (const char *p = fraction; p < unit; p++) {
		if (scale % 10 != 0 && *p != '0') {
			*why = "the time is finer than a nanosecond";
			return false;
		}
		scale /= 10;
		if (__builtin_add_overflow(sum, scale * (*p - '0'), &sum))
			return false;
	}
	w->ns = minus ? -sum : sum;
	w->relative = *text == '+' || *unit;
	return true;
}
