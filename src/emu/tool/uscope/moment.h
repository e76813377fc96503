/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_MOMENT_H
#define TOOL_USCOPE_MOMENT_H

/* moment: times that mean something in a file only, beside those of when.h:
 *   120cy         the begin of cycle 120 of the first clock
 *   120cy@NAME    of the clock of that name, or of the clock of the scope of that name or path
 *   50%           a part of the trace, rounded down to a cycle of the first clock
 *   end, end-2us  its end, or any of these before it */

#include "pathlist.h"

enum moment_unit {
	MOMENT_PS,
	MOMENT_CYCLES,
	MOMENT_PERCENT,
};

struct moment {
	bool from_end;
	enum moment_unit unit;
	uint64_t n;        /* ps or cycles */
	double percent;    /* 0 to 100 */
	const char *clock; /* NULL: the first; borrowed from the text */
};

/* Both return true, or false and, in *why, a static text. */
bool moment_parse(const char *text, struct moment *m, const char **why);
bool moment_find(const struct moment *m, uscope_reader_t *r, const struct pathlist *paths, uint64_t *ps, const char **why);

/* The end of the trace, or of what is written so far. */
uint64_t moment_end(uscope_reader_t *r);

#endif
