/* SPDX-License-Identifier: MIT */
#ifndef WHEN_H
#define WHEN_H

/* when: times as people write them, such as "1.5us", "200ms" or "0.25h". Units are ps, ns, us,
 * ms, s, min and h. Exact both ways: what is finer than the clock is refused. */

#include <stdbool.h>
#include <stdint.h>

enum {
	WHEN_TEXT = 32, /* bytes of a time as text, NUL included */
};

/* A time in a trace of streams: a plain number is a clock in ns. */
struct when {
	int64_t ns;
	bool relative; /* since the first event: it had a unit or a leading + */
};

/* Both return true, or false and, in *why, a static text. */
bool when_parse(const char *text, struct when *w, const char **why);
/* Parses a time in a µScope file: a plain number is in ps, and there is no sign. */
bool when_parse_ps(const char *text, uint64_t *ps, const char **why);

/* Reads "25%", a part of a trace. Returns whether it is that; *why: NULL, or a static text. */
bool when_parse_percent(const char *text, double *percent, const char **why);

/* Skips "end" or "end-" in front of a time. Returns whether it was there; *less: a time follows, to be subtracted. */
bool when_skip_end(const char **text, bool *less);

/* Writes ps in the largest unit up to s that is not above it: 1500000 is "1.5us". Returns
 * buf. */
const char *when_text(char buf[WHEN_TEXT], uint64_t ps);

#endif
