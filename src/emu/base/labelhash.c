/* SPDX-License-Identifier: MIT */
#include "labelhash.h"

static void
mix(uint32_t *a, uint32_t *b, uint32_t *c)
{
	static const unsigned shift[3][3] = { { 13, 8, 13 }, { 12, 16, 5 }, { 3, 10, 15 } };
	for (int i = 0; i < 3; i++) {
		*a = (*a - *b - *c) ^ (*c >> shift[i][0]);
		*b = (*b - *c - *a) ^ (*a << shift[i][1]);
		*c = (*c - *a - *b) ^ (*b >> shift[i][2]);
	}
}

static uint32_t
word(const uint8_t *p, size_t n)
{
	uint32_t w = 0;
	for (size_t i = 0; i < n && i < 4; i++)
		w |= (uint32_t)p[i] << (8 * i);
	return w;
}

int64_t
labelhash(const char *label, size_t n)
{
	const uint8_t *p = (const uint8_t *)label;
	uint32_t a = 0x9e3779b9;
	uint32_t b = 0x9e3779b9;
	uint32_t c = 0xfeedbeef;
	size_t left = n;
	for (; left >= 12; left -= 12, p += 12) {
		a += word(p, 4);
		b += word(p + 4, 4);
		c += word(p + 8, 4);
		mix(&a, &b, &c);
	}
	c += (uint32_t)n;
	a += word(p, left);
	if (left > 4)
		b += word(p + 4, left - 4);
	if (left > 8)
		c += word(p + 8, left - 8) << 8;
	mix(&a, &b, &c);
	/* The offset gives common labels a pleasant colour; small values are states. */
	uint32_t v = (c + 666) & 0x7fffffff;
	return v < 1000 ? v + 1000 : v;
}
