/* SPDX-License-Identifier: MIT */
#include "xxh64.h"

#include "layout.h"

static const uint64_t p1 = 0x9e3779b185ebca87;
static const uint64_t p2 = 0xc2b2ae3d27d4eb4f;
static const uint64_t p3 = 0x165667b19e3779f9;
static const uint64_t p4 = 0x85ebca77c2b2ae63;
static const uint64_t p5 = 0x27d4eb2f165667c5;

static inline uint64_t
rotate(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static inline uint64_t
mix(uint64_t lane, uint64_t v)
{
	return rotate(lane + v * p2, 31) * p1;
}

void
xxh64_init(struct xxh64 *h)
{
	*h = (struct xxh64){ .lanes = { p1 + p2, p2, 0, 0 - p1 } };
}

/* Takes whole stripes. Returns the bytes behind them. */
static const uint8_t *
take_stripes(struct xxh64 *h, const uint8_t *p, size_t n)
{
	uint64_t a = h->lanes[0];
	uint64_t b = h->lanes[1];
	uint64_t c = h->lanes[2];
	uint64_t d = h->lanes[3];
	for (; n >= XXH64_STRIPE; n -= XXH64_STRIPE, p += XXH64_STRIPE) {
		a = mix(a, load64(p));
		b = mix(b, load64(p + 8));
		c = mix(c, load64(p + 16));
		d = mix(d, load64(p + 24));
	}
	h->lanes[0] = a;
	h->lanes[1] = b;
	h->lanes[2] = c;
	h->lanes[3] = d;
	return p;
}

void
xxh64_add(struct xxh64 *h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t have = h->size % XXH64_STRIPE;
	h->size += n;
	if (have) {
		size_t k = n < XXH64_STRIPE - have ? n : XXH64_STRIPE - have;
		memcpy(h->rest + have, p, k);
		p += k;
		n -= k;
		if (have + k < XXH64_STRIPE)
			return;
		(void)take_stripes(h, h->rest, XXH64_STRIPE);
	}
	p = take_stripes(h, p, n);
	if (n % XXH64_STRIPE)
		memcpy(h->rest, p, n % XXH64_STRIPE);
}

uint64_t
xxh64_sum(const struct xxh64 *h)
{
	static const unsigned turns[4] = { 1, 7, 12, 18 };
	uint64_t sum = p5;
	if (h->size >= XXH64_STRIPE) {
		sum = 0;
		for (int i = 0; i < 4; i++)
			sum += rotate(h->lanes[i], turns[i]);
		for (int i = 0; i < 4; i++)
			sum = (sum ^ mix(0, h->lanes[i])) * p1 + p4;
	}
	sum += h->size;
	const uint8_t *p = h->rest;
	size_t n = h->size % XXH64_STRIPE;
	for (; n >= 8; n -= 8, p += 8)
		sum = rotate(sum ^ mix(0, load64(p)), 27) * p1 + p4;
	if (n >= 4) {
		sum = rotate(sum ^ load32(p) * p1, 23) * p2 + p3;
		n -= 4;
		p += 4;
	}
	for (; n; n--, p++)
		sum = rotate(sum ^ *p * p5, 11) * p1;
	sum = (sum ^ sum >> 33) * p2;
	sum = (sum ^ sum >> 29) * p3;
	return sum ^ sum >> 32;
}
