/* SPDX-License-Identifier: MIT */
#ifndef UTF8_H
#define UTF8_H

/* utf8: texts from outside, which may hold any bytes, character by character. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character at p, of which n are left; the character in *c. 0: it is no UTF-8
 * (long forms, surrogates and what is above U+10FFFF are none), or n is 0. */
static inline size_t
utf8_next(const char *p, size_t n, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *b = (const uint8_t *)p;
	if (n == 0)
		return 0;
	if (b[0] < 0x80) {
		*c = b[0];
		return 1;
	}
	size_t k = 0; /* the ones in front are as many as the bytes */
	while (k < 5 && b[0] & 0x80u >> k)
		k++;
	if (k == 1 || k > 4 || k > n)
		return 0;
	*c = b[0] & 0xffu >> (k + 1);
	for (size_t i = 1; i < k; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (b[i] & 0x3fu);
	}
	bool good = *c >= least[k] && *c <= 0x10ffff && (*c < 0xd800 || *c > 0xdfff);
	return good ? k : 0;
}

/* Whether all of a text is UTF-8. */
static inline bool
utf8_is_text(const char *text)
{
	uint32_t c;
	size_t k = 1;
	for (size_t n = strlen(text); n && k; text += k, n -= k)
		k = utf8_next(text, n, &c);
	return k != 0;
}

/* Whether a terminal would act on the character, or show it in another place. */
static inline bool
utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

#endif
