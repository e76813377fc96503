/* SPDX-License-Identifier: MIT */
#include "fmt.h"

#include <string.h>

char *
fmt_u64(char *p, uint64_t v)
{
	if (v < 10) { /* most values and many rows */
		*p = (char)('0' + v);
		return p + 1;
	}
	if (v >= 100000000) {
		uint64_t high = v / 100000000;
		p = fmt_u64(p, high);
		fmt_8digits(p, (uint32_t)(v - high * 100000000));
		return p + 8;
	}
	/* Eight digits, of which the zeros in front are shifted out. */
	char digits[16] = { 0 };
	fmt_8digits(digits, (uint32_t)v);
	uint64_t x;
	memcpy(&x, digits, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	unsigned zeros = (unsigned)__builtin_clzll(x ^ UINT64_C(0x3030303030303030)) / 8;
#else
	unsigned zeros = (unsigned)__builtin_ctzll(x ^ UINT64_C(0x3030303030303030)) / 8;
#endif
	memcpy(&x, digits + zeros, sizeof(x));
	memcpy(p, &x, 8 - zeros);
	return p + (8 - zeros);
}

char *
fmt_i64(char *p, int64_t v)
{
	uint64_t u = (uint64_t)v;
	if (v < 0) {
		*p++ = '-';
		u = 0 - u;
	}
	return fmt_u64(p, u);
}

char *
fmt_pad20(char *p, uint64_t v)
{
	uint64_t high = v / 10000000000000000; /* 10^16 */
	uint64_t low = v - high * 10000000000000000;
	char digits[8];
	fmt_8digits(digits, (uint32_t)high);
	memcpy(p, digits + 4, 4);
	fmt_8digits(p + 4, (uint32_t)(low / 100000000));
	fmt_8digits(p + 12, (uint32_t)(low % 100000000));
	return p + 20;
}
