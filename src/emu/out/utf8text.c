/* SPDX-License-Identifier: MIT */
#include "utf8text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	ESCAPE = 4, /* bytes of \xNN */
};

/* Bytes of the character at p, 0: it is none. The second byte keeps out long forms,
 * surrogates and what is above U+10FFFF. */
static size_t
length(const uint8_t *p)
{
	uint8_t c = *p;
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	uint8_t low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90
						   : 0x80;
	uint8_t high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f
						    : 0xbf;
	size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3
					     : 2;
	for (size_t i = 1; i < n; i++) {
		if (p[i] < low || p[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

const char *
utf8text_make(struct arena *a, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	while (*p && length(p))
		p += length(p);
	if (!*p)
		return text;
	char *copy = arena_new(a, char, ESCAPE *strlen(text) + 1);
	char *to = copy;
	for (p = (const uint8_t *)text; copy && *p;) {
		size_t n = length(p);
		memcpy(to, p, n);
		to += n;
		p += n;
		if (n == 0)
			to += snprintf(to, ESCAPE + 1, "\\x%02x", *p++);
	}
	return copy;
}
