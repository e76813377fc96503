/* SPDX-License-Identifier: MIT */
#ifndef TIMETEXT_H
#define TIMETEXT_H

/* timetext: times as people write them: "1.5us", "200ns", "3s"; a plain number is
 * picoseconds. Exact both ways. */

#include <stdbool.h>
#include <stdint.h>

enum {
	TIME_TEXT_MAX = 32, /* bytes, NUL included */
};

/* false: it is no time; *why says it then, a static text. */
bool time_parse(const char *text, uint64_t *ps, const char **why);

/* In the largest unit that is not above it: 1500000 is "1.5us". Returns buf. */
const char *time_text(char buf[TIME_TEXT_MAX], uint64_t ps);

#endif
