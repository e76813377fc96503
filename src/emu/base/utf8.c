/* SPDX-License-Identifier: MIT */
#include "utf8.h"

size_t
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

bool
utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}
