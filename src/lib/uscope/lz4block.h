/* SPDX-License-Identifier: MIT */
#ifndef LZ4BLOCK_H
#define LZ4BLOCK_H

/* lz4block: an LZ4 block under construction, out of literals and matches.
 * Bytes: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */

#include "layout.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	LZ4_LENGTH_MASK = 15,
	LZ4_MATCH_MIN = 4,
	LZ4_MATCH_SURE = 7,    /* with the last literals, a last match begins early enough */
	LZ4_AT_ONCE = 16,      /* literals that are copied together */
	LZ4_LITERALS_LAST = 5, /* a block ends with that many */
	LZ4_FAR = 1 << 16,     /* matches reach back less than this */
	LZ4_BEFORE = 8,
	LZ4_SEQUENCE_MAX = LZ4_MATCH_MIN + LZ4_LENGTH_MASK + 254, /* the longest match for lz4block_sequence() */
};

struct lz4block {
	const uint8_t *in;
	const uint8_t *end;  /* of what may be read */
	const uint8_t *next; /* the first byte that is not in the block */
	uint8_t *out;
	uint8_t *last; /* where the last match begins, with its literals */
};

static inline uint8_t *
lz4block_length(uint8_t *out, size_t n)
{
	n -= LZ4_LENGTH_MASK;
	while (__builtin_expect(n >= 255, 0)) {
		*out++ = 255;
		n -= 255;
	}
	*out++ = (uint8_t)n;
	return out;
}

/* more: LZ4_AT_ONCE bytes may be read. */
static inline uint8_t *
lz4block_literals(uint8_t *out, const uint8_t *from, size_t n, bool more)
{
	uint8_t *token = out++;
	if (__builtin_expect(n < LZ4_LENGTH_MASK && more, 1)) {
		*token = (uint8_t)(n << 4);
		memcpy(out, from, LZ4_AT_ONCE);
		return out + n;
	}
	*token = (uint8_t)((n < LZ4_LENGTH_MASK ? n : LZ4_LENGTH_MASK) << 4);
	if (n >= LZ4_LENGTH_MASK)
		out = lz4block_length(out, n);
	memcpy(out, from, n);
	return out + n;
}

/* Writes offset and length of the match at k->out, whose literals are written. */
static inline void
lz4block_finish(struct lz4block *k, uint8_t *out, size_t offset, size_t n)
{
	uint8_t *token = k->out;
	k->last = token;
	store16(out, (uint16_t)offset);
	out += 2;
	n -= LZ4_MATCH_MIN;
	if (n < LZ4_LENGTH_MASK) {
		*token |= (uint8_t)n;
	} else {
		*token |= LZ4_LENGTH_MASK;
		out = lz4block_length(out, n);
	}
	k->out = out;
}

/* Writes a match of up to LZ4_SEQUENCE_MAX bytes, whose length takes at most one extra byte, behind `literals` literals,
 * less than LZ4_LENGTH_MASK, which stand at out + 1 already. No branches: whether it takes the extra byte is hard to
 * predict. Returns the place behind it. */
static inline uint8_t *
lz4block_sequence(uint8_t *out, size_t literals, size_t offset, size_t n)
{
	n -= LZ4_MATCH_MIN;
	size_t more = n >= LZ4_LENGTH_MASK;
	*out = (uint8_t)(literals << 4 | (more ? LZ4_LENGTH_MASK : n));
	out += 1 + literals;
	store16(out, (uint16_t)offset);
	out[2] = (uint8_t)(n - LZ4_LENGTH_MASK);
	return out + 2 + more;
}

/* Adds a match: `n` bytes at `from`, LZ4_MATCH_SURE or more, equal those `offset` earlier, less than LZ4_FAR.
 * more: LZ4_AT_ONCE bytes may be read at k->next. */
static inline void
lz4block_match(struct lz4block *k, const uint8_t *from, size_t offset, size_t n, bool more)
{
	uint8_t *out = lz4block_literals(k->out, k->next, (size_t)(from - k->next), more);
	k->next = from + n;
	lz4block_finish(k, out, offset, n);
}

/* Adds a match behind `m` literals, 8 or less, which the caller passes in `literals` and which stand at
 * k->next; higher bytes of `literals` are arbitrary. */
static inline void
lz4block_match_behind(struct lz4block *k, uint64_t literals, size_t m, size_t offset, size_t n)
{
	uint8_t *out = k->out;
	*out++ = (uint8_t)(m << 4);
	store64(out, literals);
	k->next += m + n;
	lz4block_finish(k, out + m, offset, n);
}

static inline size_t
lz4block_length_at(uint8_t **p, unsigned first)
{
	size_t n = first;
	if (n == LZ4_LENGTH_MASK)
		do
			n += **p;
		while (*(*p)++ == 255);
	return n;
}

/* Takes back the last `n` bytes of the last match, or all of it with its literals if less
 * than LZ4_MATCH_SURE would be left. */
static inline void
lz4block_take_back(struct lz4block *k, size_t n)
{
	uint8_t *p = k->last;
	unsigned token = *p++;
	size_t literals = lz4block_length_at(&p, token >> 4);
	p += literals;
	uint8_t *at = p;
	p += 2;
	size_t match = lz4block_length_at(&p, token & LZ4_LENGTH_MASK) + LZ4_MATCH_MIN;
	k->out = k->last;
	if (match < n + LZ4_MATCH_SURE) {
		k->next -= literals + match;
		return;
	}
	k->next -= n;
	*k->out = (uint8_t)(token & ~(unsigned)LZ4_LENGTH_MASK);
	lz4block_finish(k, at, load16(at), match - n);
}

/* Counts equal bytes before `p` and before `q`, up to LZ4_BEFORE; so many can be read. */
static inline size_t
lz4block_equal_before(const struct lz4block *k, const uint8_t *p, const uint8_t *q)
{
	uint64_t d = load64(p - LZ4_BEFORE) ^ load64(q - LZ4_BEFORE);
	size_t n = d ? (size_t)__builtin_clzll(d) >> 3 : LZ4_BEFORE;
	size_t most = (size_t)(p - k->next);
	return n < most ? n : most;
}

#endif
