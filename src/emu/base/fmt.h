/* SPDX-License-Identifier: MIT */
#ifndef FMT_H
#define FMT_H

/* fmt: integers to decimal text, as fast as the output needs it. */

#include <stdint.h>
#include <string.h>

enum {
	FMT_MAX = 20, /* most bytes of one number: 2^64-1, or the sign and 2^63 */
};

/* Writes v in decimal at p, without terminator. Returns the byte after the last. */
char *fmt_u64(char *p, uint64_t v);
char *fmt_i64(char *p, int64_t v);

/* Writes v < 10^8 in exactly 8 digits: in one register, first as two numbers of four
 * digits, then four of two, then eight of one, each division being a multiplication. */
static inline void
fmt_8digits(char *p, uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t hundreds = (x * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
	x = hundreds | (x - hundreds * 100) << 16;
	uint64_t tens = (x * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	x = tens | (x - tens * 10) << 8;
	x |= UINT64_C(0x3030303030303030);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(p, &x, sizeof(x));
}

/* Writes v in exactly 20 digits, zero padded. Returns p + 20. */
char *fmt_pad20(char *p, uint64_t v);

#endif
