/* SPDX-License-Identifier: MIT */
#include "fmt.h"

#include <string.h>

static const char pairs[] =
	"0001020304050607080910111213141516171819"
	"2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859"
	"6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

/* Digits of v, from a table of powers: the number is then written backwards into its
 * final place, two digits at a time, with no copy. */
static unsigned
ndigits(uint64_t v)
{
	static const uint64_t pow10[20] = {
		1u,
		10u,
		100u,
		1000u,
		10000u,
		100000u,
		1000000u,
		10000000u,
		100000000u,
		1000000000u,
		10000000000u,
		100000000000u,
		1000000000000u,
		10000000000000u,
		100000000000000u,
		1000000000000000u,
		10000000000000000u,
		100000000000000000u,
		1000000000000000000u,
		10000000000000000000u,
	};
	/* 1233 / 4096 is a little above log10(2). */
	unsigned bits = 64u - (unsigned)__builtin_clzll(v | 1);
	unsigned n = (bits * 1233u) >> 12;
	return n + (n < 20 && v >= pow10[n]) + (v == 0);
}

static void
write_back(char *end, uint64_t v)
{
	while (v >= 100) {
		uint64_t q = v / 100;
		end -= 2;
		memcpy(end, pairs + (v - q * 100) * 2, 2);
		v = q;
	}
	if (v >= 10)
		memcpy(end - 2, pairs + v * 2, 2);
	else
		end[-1] = (char)('0' + v);
}

char *
fmt_u64(char *p, uint64_t v)
{
	if (v < 10) { /* most values and many rows */
		*p = (char)('0' + v);
		return p + 1;
	}
	if (v < 100) {
		memcpy(p, pairs + v * 2, 2);
		return p + 2;
	}
	char *end = p + ndigits(v);
	write_back(end, v);
	return end;
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
	memset(p, '0', 20);
	write_back(p + 20, v);
	return p + 20;
}
