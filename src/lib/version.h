/* SPDX-License-Identifier: MIT */
#ifndef VERSION_H
#define VERSION_H

/* version: "major.minor.patch" of models and of libovni. Defined in doc/format/trace.md, "Versions". */

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION_MAX = 64, /* bytes of a version, terminator included, as in the peer */
};

struct version {
	int major;
	int minor;
	int patch;
};

/* Parses three non-negative decimal numbers split by dots; what follows a '-' or a dot
 * after the third is ignored, and so are empty fields.
 * Returns 0, or -1 when the text is not a version, or NULL. */
static inline int
version_parse(const char *text, struct version *v)
{
	char copy[VERSION_MAX];
	if (!text || strlen(text) >= sizeof(copy))
		return -1;
	memcpy(copy, text, strlen(text) + 1);
	int num[3];
	char *rest = copy;
	for (int i = 0; i < 3; i++) {
		char *field = strtok_r(i ? NULL : copy, i < 2 ? "." : ".-", &rest);
		char *end = NULL;
		errno = 0;
		long n = field ? strtol(field, &end, 10) : 0;
		if (!field || errno || end == field || *end || n < 0 || n > INT_MAX)
			return -1;
		num[i] = (int)n;
	}
	*v = (struct version){ num[0], num[1], num[2] };
	return 0;
}

/* Whether version `have` meets a requirement of `want`: same major, minor not below. */
static inline bool
version_fits(const struct version *want, const struct version *have)
{
	return want->major == have->major && want->minor <= have->minor;
}

#endif
