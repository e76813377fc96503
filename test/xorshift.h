/* SPDX-License-Identifier: MIT */
#ifndef XORSHIFT_H
#define XORSHIFT_H

/* xorshift: numbers that are random enough for what tests and benchmarks write, and the same in each run. */

#include <stdint.h>

#define XORSHIFT_SEED UINT64_C(88172645463325252)

/* The number behind *x, which becomes it. */
static inline uint64_t
xorshift(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

#endif
