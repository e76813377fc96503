/* SPDX-License-Identifier: MIT */
#include "lz4frames.h"

#include "layout.h"

#include <stdbool.h>

/* The block: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */
enum {
	LENGTH_MASK = 15,
	MATCH_MIN = 4,
	/* Items that begin in the last bytes are not looked at: so all loads are inside, and
	 * the block ends with as many literals as it must. */
	TAIL = 64,
	LITERALS_AT_ONCE = 16,
	HASH_BITS = 13,
	HEAD_COMPACT = 7, /* bytes before the value: tag, action, storage, slot, field */
	HEAD_WIDE = 8,
	ALIGNED = 4, /* fields of events stand at multiples of this, or nearly */
};

/* An item, and what makes it like another. */
struct item {
	uint64_t head;
	uint64_t value; /* of an operation, or what the payload begins with */
	size_t size;
	uint8_t head_size;
	uint8_t whole; /* bytes that head and value are: 9 to 16 */
};

struct packer {
	const uint8_t *in;
	const uint8_t *end;  /* no match goes on behind it */
	const uint8_t *next; /* the first byte that is not in the block */
	uint8_t *out;
};

size_t
lz4frames_bound(size_t n)
{
	return n + n / 255 + LITERALS_AT_ONCE * 2;
}

static inline uint32_t
hash(uint64_t v)
{
	return (uint32_t)(v * UINT64_C(0x9E3779B97F4A7C15) >> (64 - HASH_BITS));
}

/* ---- The block. ---- */

static inline uint8_t *
put_length(uint8_t *out, size_t n)
{
	for (n -= LENGTH_MASK; n >= 255; n -= 255)
		*out++ = 255;
	*out++ = (uint8_t)n;
	return out;
}

/* more: there are LITERALS_AT_ONCE bytes. */
static inline uint8_t *
put_literals(uint8_t *out, const uint8_t *from, size_t n, bool more)
{
	uint8_t *token = out++;
	if (__builtin_expect(n < LENGTH_MASK && more, 1)) {
		*token = (uint8_t)(n << 4);
		memcpy(out, from, LITERALS_AT_ONCE);
		return out + n;
	}
	*token = (uint8_t)((n < LENGTH_MASK ? n : LENGTH_MASK) << 4);
	if (n >= LENGTH_MASK)
		out = put_length(out, n);
	memcpy(out, from, n);
	return out + n;
}

/* `n` bytes at `from` are those `offset` before. */
static inline void
put_match(struct packer *k, const uint8_t *from, size_t offset, size_t n)
{
	uint8_t *token = k->out;
	uint8_t *out = put_literals(token, k->next, (size_t)(from - k->next), true);
	store16(out, (uint16_t)offset);
	out += 2;
	k->next = from + n;
	n -= MATCH_MIN;
	if (n < LENGTH_MASK) {
		*token |= (uint8_t)n;
	} else {
		*token |= LENGTH_MASK;
		out = put_length(out, n);
	}
	k->out = out;
}

/* ---- Matches. ---- */

/* How many bytes before `p` are those before `q`, up to 8. */
static inline size_t
equal_before(const struct packer *k, const uint8_t *p, const uint8_t *q)
{
	if (q - k->in < 8)
		return 0;
	uint64_t d = load64(p - 8) ^ load64(q - 8);
	size_t n = d ? (size_t)__builtin_clzll(d) >> 3 : 8;
	size_t most = (size_t)(p - k->next);
	return n < most ? n : most;
}

/* `sure` bytes at p are those `offset` before: takes all around them that are. */
static inline void
take_match(struct packer *k, const uint8_t *p, size_t offset, size_t sure)
{
	const uint8_t *from = p - equal_before(k, p, p - offset);
	const uint8_t *to = p + sure;
	for (; to < k->end; to += 8) {
		uint64_t d = load64(to) ^ load64(to - offset);
		if (d) {
			to += __builtin_ctzll(d) >> 3;
			break;
		}
	}
	put_match(k, from, offset, (size_t)(to - from));
}

/* The fields of an event behind one that differs, as long as they are those of the other. */
static void
match_fields(struct packer *k, const uint8_t *begin, const uint8_t *end, size_t offset)
{
	for (const uint8_t *p = begin; p + 8 <= end && p < k->end; p += ALIGNED)
		if (p >= k->next && load64(p) == load64(p - offset))
			take_match(k, p, offset, 8);
}

static inline struct item
item_at(const uint8_t *p)
{
	uint64_t head = load64(p);
	if (p[0] == TAG_COMPACT)
		return (struct item){ head & UINT64_MAX >> 8, load16(p + HEAD_COMPACT), ITEM_COMPACT_SIZE, HEAD_COMPACT, ITEM_COMPACT_SIZE };
	size_t size = p[0] == TAG_WIDE ? OP_WIDE_SIZE : EVENT_HEADER_SIZE + (size_t)load32(p + 4);
	return (struct item){ head, load64(p + HEAD_WIDE), size, HEAD_WIDE, OP_WIDE_SIZE };
}

/* How far before the item at p is one with the same bytes, which the table has seen; 0: it
 * has others. Never before the first byte, as there are only positions up to here, or 0. */
static inline size_t
find_item(const struct packer *k, const uint8_t *p, const struct item *t, uint16_t seen)
{
	size_t d = (uint16_t)((size_t)(p - k->in) - seen);
	const uint8_t *q = p - d;
	uint64_t differ = (load64(p) ^ load64(q)) | (load64(p + t->whole - 8) ^ load64(q + t->whole - 8));
	return differ ? 0 : d;
}

/* The same for its head. */
static inline size_t
find_head(const struct packer *k, const uint8_t *p, const struct item *t, uint16_t seen)
{
	size_t d = (uint16_t)((size_t)(p - k->in) - seen);
	return (load64(p) ^ load64(p - d)) << (64 - 8 * t->head_size) ? 0 : d;
}

/* An item that no match has reached yet, or only its begin. */
static inline void
pack_item(struct lz4frames *z, struct packer *k, const uint8_t *p, const struct item *t)
{
	uint16_t at = (uint16_t)(p - k->in);
	uint16_t *slot = &z->items[hash(t->head + t->value * UINT64_C(0xD6E8FEB86659FD93))];
	uint16_t seen = *slot;
	*slot = at;
	if (p < k->next)
		return;
	size_t sure = t->whole;
	size_t offset = find_item(k, p, t, seen);
	if (!offset) {
		slot = &z->heads[hash(t->head)];
		seen = *slot;
		*slot = at;
		sure = t->head_size;
		offset = find_head(k, p, t, seen);
	}
	if (!offset)
		return;
	take_match(k, p, offset, sure);
	if (__builtin_expect(t->size > OP_WIDE_SIZE, 0))
		match_fields(k, p + HEAD_WIDE, p + t->size, offset);
}

/* At once: how long it is cannot be foreseen. */
static inline const uint8_t *
skip_time(const uint8_t *p)
{
	uint64_t last = ~load64(p) & UINT64_C(0x8080808080808080);
	if (last)
		return p + (__builtin_ctzll(last) >> 3) + 1;
	return p + (p[8] & 0x80 ? LEB_MAX : LEB_MAX - 1);
}

size_t
lz4frames_pack(struct lz4frames *z, const uint8_t *in, size_t n, uint8_t *out)
{
	memset(z, 0, sizeof(*z));
	struct packer k = { .in = in, .end = n > TAIL ? in + n - TAIL : in, .next = in, .out = out };
	for (const uint8_t *p = in; p < k.end;) {
		p = skip_time(p);
		unsigned items = load16(p);
		p += 2;
		for (; items > 0 && p < k.end; items--) {
			struct item t = item_at(p);
			size_t left = (size_t)(in + n - p);
			if (t.size > left) /* these are no frames */
				t.size = left;
			if (p + t.whole > k.next)
				pack_item(z, &k, p, &t);
			p += t.size;
		}
	}
	return (size_t)(put_literals(k.out, k.next, (size_t)(in + n - k.next), false) - out);
}
