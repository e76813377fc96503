/* SPDX-License-Identifier: MIT */
#ifndef XXH64_H
#define XXH64_H

/* xxh64: the hash XXH64 with seed 0, of bytes that come in pieces. It finds flipped bits and is no
 * protection against intent. */

#include <stddef.h>
#include <stdint.h>

enum {
	XXH64_STRIPE = 32,
};

struct xxh64 {
	uint64_t lanes[4];
	uint64_t size;
	uint8_t rest[XXH64_STRIPE]; /* bytes that are no whole stripe yet */
};

void xxh64_init(struct xxh64 *h);
void xxh64_add(struct xxh64 *h, const void *bytes, size_t n);
/* The hash of all bytes so far; more may follow. */
uint64_t xxh64_sum(const struct xxh64 *h);

#endif
