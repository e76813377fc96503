/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool
number_parse(const char *text, uint64_t *to)
{
	static const char units[] = "KMGT";
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	end += unit != NULL;
	end += unit && strcmp(end, "iB") == 0 ? 2 : 0;
	if (*text < '0' || *text > '9' || *end || errno || n > UINT64_MAX >> shift)
		return false;
	*to = (uint64_t)n << shift;
	return true;
}
