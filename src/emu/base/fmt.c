/* SPDX-License-Identifier: MIT */
#include "fmt.h"

enum {
	LOW = 100000000, /* 10^8: what eight digits hold */
};

static inline char *
put_low(char *p, uint64_t v)
{
	uint64_t digits = fmt_digits((uint32_t)v);
	unsigned n = fmt_trim(&digits, 8);
	fmt_put(p, digits);
	return p + n;
}

char *
fmt_u64(char *p, uint64_t v)
{
	if (v < LOW)
		return put_low(p, v);
	uint64_t high = v / LOW;
	p = high < LOW ? put_low(p, high) : fmt_u64(p, high);
	fmt_put(p, fmt_digits((uint32_t)(v % LOW)));
	return p + 8;
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
