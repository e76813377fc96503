/* SPDX-License-Identifier: MIT */
/* filter: which functions are recorded, as the environment says: PRISM_TRACE_DEPTH and its like. */
#include "parts.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum {
	PATTERN = 240, /* bytes of a pattern, and of a name that is compared: fnmatch() allocates for more */
};

static const uint64_t most = INT64_MAX; /* ns */

struct tracer_filter tracer_filter = { .depth = SIZE_MAX, .to = UINT64_MAX };
static const char *only, *except; /* lists of patterns; NULL: all, and none */

/* Reads a time, such as 1.5ms. False: it is none. */
static bool
parse_time(const char *p, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "min", UINT64_C(60000000000) } };
	uint64_t whole = 0, part = 0, scale = 1;
	bool good = *p >= '0' && *p <= '9';
	for (; *p >= '0' && *p <= '9' && whole < 1000000000; p++)
		whole = whole * 10 + (uint64_t)(*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && scale < 1000000; p++, scale *= 10)
			part = part * 10 + (uint64_t)(*p - '0');
	for (size_t i = 0; good && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		*ns = whole * units[i].ns + part * units[i].ns / scale;
		return whole < most / units[i].ns;
	}
	return false;
}

/* A time in the environment; false: it is not there, or wrong (told). */
static bool
get_time(const char *name, uint64_t *ns)
{
	const char *text = secure_getenv(name);
	if (!text || !*text)
		return false;
	bool good = parse_time(text, ns);
	if (!good)
		tracer_complain(name, text, "a time, such as 10us");
	tracer_filter.on = tracer_filter.on || good;
	return good;
}

static const char *
get_list(const char *name)
{
	const char *text = secure_getenv(name);
	if (!text || !*text)
		return NULL;
	tracer_filter.on = true;
	return text;
}

void
tracer_filter_begin(void)
{
	struct tracer_filter *f = &tracer_filter;
	const char *depth = secure_getenv("PRISM_TRACE_DEPTH");
	char *end = NULL;
	uint64_t begin = tracer_now();
	uint64_t ns;
	unsigned long n = depth ? strtoul(depth, &end, 10) : 0;
	if (depth && *depth && (*depth < '0' || *depth > '9' || *end || n == 0))
		tracer_complain("PRISM_TRACE_DEPTH", depth, "a number above 0");
	else if (n)
		f->depth = n;
	f->on = f->depth != SIZE_MAX;
	if (get_time("PRISM_TRACE_MIN_TIME", &ns))
		f->least = ns;
	if (get_time("PRISM_TRACE_FROM", &ns))
		f->from = begin + ns;
	if (get_time("PRISM_TRACE_TO", &ns))
		f->to = begin + ns;
	only = get_list("PRISM_TRACE_ONLY");
	except = get_list("PRISM_TRACE_EXCEPT");
}

/* Whether a pattern of a list, which commas part, is that of a name. */
static bool
is_in(const char *list, const char *name)
{
	char pattern[PATTERN];
	while (list && *list) {
		size_t n = strcspn(list, ",");
		size_t kept = n < sizeof(pattern) ? n : sizeof(pattern) - 1;
		memcpy(pattern, list, kept);
		pattern[kept] = 0;
		if (strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

bool
tracer_filter_takes(const char *text)
{
	char name[PATTERN];
	size_t n = strnlen(text, sizeof(name) - 1);
	memcpy(name, text, n);
	name[n] = 0;
	return (!only || is_in(only, name)) && !is_in(except, name);
}
