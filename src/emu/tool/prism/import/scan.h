/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_IMPORT_SCAN_H
#define TOOL_PRISM_IMPORT_SCAN_H

/* scan: numbers and words of a line. Behind a line there is always a byte that is no digit: its line break,
 * or the carriage return in front of that. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of each byte that is a hexadecimal digit its value, plus 1. */
extern const uint8_t scan_digits[256];

/* A hexadecimal number of 1 to 16 digits; *p: behind it. */
static inline bool
scan_hex(const char **p, uint64_t *to)
{
	const char *s = *p;
	uint64_t v = 0;
	unsigned d;
	while ((d = scan_digits[(uint8_t)*s]) != 0) {
		v = v << 4 | (d - 1);
		s++;
	}
	size_t n = (size_t)(s - *p);
	*to = v;
	*p = s;
	return n - 1 < 16;
}

/* A decimal number of 1 to 19 digits; *p: behind it. */
static inline bool
scan_dec(const char **p, uint64_t *to)
{
	const char *s = *p;
	uint64_t v = 0;
	unsigned d;
	while ((d = (uint8_t)*s - (unsigned)'0') < 10) {
		v = v * 10 + d;
		s++;
	}
	size_t n = (size_t)(s - *p);
	*to = v;
	*p = s;
	return n - 1 < 19;
}

/* Seconds or microseconds with a fraction, as nanoseconds below 2^62: "12.000345678" with a unit of
 * 1000000000. Digits behind the nanosecond are passed over. */
bool scan_time(const char **p, uint64_t unit, uint64_t *ns);

/* Whether the line goes on with the word, and passes it. */
static inline bool
scan_word(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static inline const char *
scan_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* The end of the word at p. */
static inline const char *
scan_end(const char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return p;
}

#endif
