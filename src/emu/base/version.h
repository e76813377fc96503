/* SPDX-License-Identifier: MIT */
#ifndef VERSION_H
#define VERSION_H

/* version: "major.minor.patch" of models. Defined in doc/format/trace.md, "Versions". */

#include <stdbool.h>

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
 * Returns 0, or -1 when the text is not a version. */
int version_parse(const char *text, struct version *v);

/* Whether version `have` meets a requirement of `want`: same major, minor not below. */
bool version_fits(const struct version *want, const struct version *have);

#endif
