/* SPDX-License-Identifier: MIT */
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int
version_parse(const char *text, struct version *v)
{
	char copy[VERSION_MAX];
	if (!text || strlen(text) >= sizeof(copy))
		return -1;
	memcpy(copy, text, strlen(text) + 1);

	int num[3];
	char *rest = copy;
	for (int i = 0; i < 3; i++) {
		char *save = NULL;
		char *field = strtok_r(rest, i < 2 ? "." : ".-", &save);
		if (!field)
			return -1;
		char *end;
		errno = 0;
		long n = strtol(field, &end, 10);
		if (errno || end == field || *end || n < 0 || n > INT_MAX)
			return -1;
		num[i] = (int)n;
		rest = save;
	}
	*v = (struct version){ num[0], num[1], num[2] };
	return 0;
}

bool
version_fits(const struct version *want, const struct version *have)
{
	return want->major == have->major && want->minor <= have->minor;
}
