/* SPDX-License-Identifier: MIT */
#include "when.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

#define SECOND UINT64_C(1000000000000)

static const struct {
	const char *name;
	uint64_t ps;
} units[] = {
	{ "s", SECOND },
	{ "ms", 1000000000 },
	{ "us", 1000000 },
	{ "ns", 1000 },
	{ "ps", 1 },
	/* Read, never printed. */
	{ "\xc2\xb5s", 1000000 }, /* the other character that looks like µ */
	{ "\xce\xbcs", 1000000 },
	{ "min", 60 * SECOND },
	{ "h", 3600 * SECOND },
};

enum {
	NS = 1000, /* ps */
	PRINTED = 5,
	UNITS = sizeof(units) / sizeof(units[0]),
};

static const char too_large[] = "the time is too large";

/* Sums the digits up to a point or the end, as units of `ps`, and those behind the point.
 * Returns NULL, or why it is no time. */
static const char *
sum_up(const char *whole, const char *point, const char *end, uint128 ps, uint128 *sum)
{
	*sum = 0;
	for (const char *p = whole; p < point; p++)
		if (__builtin_mul_overflow(*sum, 10, sum) || __builtin_add_overflow(*sum, (unsigned)(*p - '0'), sum))
			return too_large;
	if (__builtin_mul_overflow(*sum, ps, sum))
		return too_large;
	for (const char *p = point + 1; p < end; p++) {
		/* This digit is worth no whole ps: seconds end at 1 ps, minutes at 6, hours
		 * at 36. */
		if (ps % 10 != 0 && *p != '0')
			return "the time is finer than a picosecond";
		ps = ps % 10 ? 1 : ps / 10;
		*sum += ps * (unsigned)(*p - '0');
	}
	return NULL;
}

/* Parses a time; a number without a unit counts `plain` ps. Returns NULL, or why it is no
 * time. */
static const char *
parse(const char *text, unsigned plain, uint128 *ps, bool *has_unit)
{
	const char *point = text + strspn(text, "0123456789");
	const char *fraction = point + (*point == '.');
	const char *unit = fraction + (fraction > point ? strspn(fraction, "0123456789") : 0);
	size_t u = 0;
	while (u < UNITS && strcmp(unit, units[u].name) != 0)
		u++;
	*has_unit = u < UNITS;
	if ((u == UNITS && *unit) || (point == text && unit == fraction))
		return "a time is a number, with ps, ns, us, ms, s, min or h behind it";
	return sum_up(text, point, unit, *has_unit ? units[u].ps : plain, ps);
}

bool
when_parse(const char *text, struct when *w, const char **why)
{
	bool sign = *text == '-' || *text == '+';
	uint128 ps;
	bool has_unit;
	*why = parse(text + sign, NS, &ps, &has_unit);
	if (!*why && ps % NS != 0)
		*why = "the time is finer than a nanosecond";
	else if (!*why && ps / NS > INT64_MAX)
		*why = too_large;
	if (*why)
		return false;
	w->ns = (int64_t)(ps / NS);
	w->ns = *text == '-' ? -w->ns : w->ns;
	w->relative = *text == '+' || has_unit;
	return true;
}

bool
when_parse_ps(const char *text, uint64_t *ps, const char **why)
{
	uint128 sum;
	bool has_unit;
	*why = parse(text, 1, &sum, &has_unit);
	if (!*why && sum > UINT64_MAX)
		*why = too_large;
	if (!*why)
		*ps = (uint64_t)sum;
	return !*why;
}

bool
when_parse_percent(const char *text, double *percent, const char **why)
{
	char *rest;
	*percent = strtod(text, &rest);
	if (rest == text || strcmp(rest, "%") != 0)
		return false;
	*why = *percent >= 0 && *percent <= 100 ? NULL : "it is 0% to 100% of the trace";
	return true;
}

bool
when_skip_end(const char **text, bool *less)
{
	const char *t = *text;
	if (strncmp(t, "end", 3) != 0 || (t[3] && t[3] != '-'))
		return false;
	*less = t[3] == '-';
	*text = t + 3 + *less;
	return true;
}

const char *
when_text(char buf[WHEN_TEXT], uint64_t ps)
{
	size_t u = 0;
	while (u < PRINTED - 1 && ps < units[u].ps)
		u++;
	uint64_t scale = units[u].ps;
	int n = snprintf(buf, WHEN_TEXT, "%" PRIu64, ps / scale);
	uint64_t rest = ps % scale;
	if (rest)
		buf[n++] = '.';
	while (rest) {
		scale /= 10;
		buf[n++] = (char)('0' + rest / scale);
		rest %= scale;
	}
	(void)snprintf(buf + n, (size_t)(WHEN_TEXT - n), "%s", units[u].name);
	return buf;
}
