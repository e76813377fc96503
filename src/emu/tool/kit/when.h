/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_WHEN_H
#define TOOL_KIT_WHEN_H

/* when: times in a trace as people write them: "1.5s", "200ms", "+300" (ns) count from the
 * first event, a plain number is a clock. */

#include <stdbool.h>
#include <stdint.h>

struct when {
	int64_t ns;
	bool relative; /* it had a unit or a sign in front: since the first event */
};

/* Units are ns, us, ms, s, min and h; without one it is ns. Exact: a fraction of a
 * nanosecond is refused. Returns true, or false and, in *why, a static text. */
bool when_parse(const char *text, struct when *w, const char **why);

#endif
