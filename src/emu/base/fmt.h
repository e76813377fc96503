/* SPDX-License-Identifier: MIT */
#ifndef FMT_H
#define FMT_H

/* fmt: integers to decimal text, as fast as the output needs it. */

#include "little.h"

#include <stdint.h>
#include <string.h>

enum {
	FMT_MAX = 20, /* most bytes of one number: 2^64-1, or the sign and 2^63 */
};

/* Writes v in decimal at p, without terminator. Returns the byte after the last. There must
 * be room for FMT_MAX bytes: those behind the number may change too. */
char *fmt_u64(char *p, uint64_t v);
char *fmt_i64(char *p, int64_t v);

/* The digits of numbers of four digits each, one in the lower half, one in the upper half,
 * the first digit in the lowest byte: made as numbers of two digits, then of one, each
 * division being a multiplication. */
static inline uint64_t
fmt_fours(uint64_t x)
{
	uint64_t hundreds = (x * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
	x = hundreds | (x - hundreds * 100) << 16;
	uint64_t tens = (x * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	x = tens | (x - tens * 10) << 8;
	return x | UINT64_C(0x3030303030303030);
}

/* The eight digits of v < 10^8, the first one in the lowest byte. */
static inline uint64_t
fmt_digits(uint32_t v)
{
	return fmt_fours(v / 10000 | (uint64_t)(v % 10000) << 32);
}

/* Takes the zeros in front of n digits away, but for the last digit. Returns how many digits
 * are left. */
static inline unsigned
fmt_trim(uint64_t *digits, unsigned n)
{
	uint64_t not_zero = (*digits ^ UINT64_C(0x3030303030303030)) | UINT64_C(1) << (n - 1) * 8;
	unsigned bits = (unsigned)__builtin_ctzll(not_zero) & ~7u;
	*digits >>= bits;
	return n - bits / 8;
}

/* Writes eight bytes: those digits. */
static inline void
fmt_put(char *p, uint64_t digits)
{
	memcpy(p, &digits, sizeof(digits));
}

#endif
