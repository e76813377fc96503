/* SPDX-License-Identifier: MIT */
#include "range.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Takes a decimal number; beyond 64 bits it is the largest. Without a digit v stays, and false is returned. */
static bool
take_number(const char **p, uint64_t *v)
{
	const char *begin = *p;
	uint64_t n = 0;
	for (; **p >= '0' && **p <= '9'; ++*p)
		if (__builtin_mul_overflow(n, 10U, &n) || __builtin_add_overflow(n, (unsigned)(**p - '0'), &n))
			n = UINT64_MAX;
	if (*p == begin)
		return false;
	*v = n;
	return true;
}

enum range_kind
range_parse(const char *text, uint64_t size, uint64_t *first, uint64_t *n)
{
	static const char unit[] = "bytes=";
	uint64_t last = UINT64_MAX;
	if (!text || strncasecmp(text, unit, strlen(unit)) != 0)
		return RANGE_ALL;
	const char *p = text + strlen(unit);
	bool begins = take_number(&p, first);
	if (*p++ != '-')
		return RANGE_ALL;
	bool ends = take_number(&p, &last);
	if (*p || (!begins && !ends) || (begins && ends && last < *first))
		return RANGE_ALL;
	if (!begins) { /* the last bytes, as many as that */
		*n = last < size ? last : size;
		*first = size - *n;
		return *n ? RANGE_PART : RANGE_NONE;
	}
	if (*first >= size)
		return RANGE_NONE;
	*n = (last < size ? last + 1 : size) - *first;
	return RANGE_PART;
}
