/* SPDX-License-Identifier: MIT */
#include "lz4frames.h"

#include <stdlib.h>

enum {
	FRAME_HEAD_MAX = LEB_MAX + 2, /* that much is loaded */
	HASH_BITS = 13,
	HEAD_COMPACT = 7, /* bytes before the value: tag, action, storage, slot, field */
	HEAD_WIDE = 8,
	ALIGNED = 4, /* fields of events stand at multiples of this, or nearly */
};

/* An item and the bytes by which it is compared with others. */
struct item {
	uint64_t head;
	uint64_t value; /* of an operation, or what the payload begins with */
	size_t size;
	uint8_t head_size;
	uint8_t whole; /* bytes that head and value are: 9 to 16 */
};

static inline uint32_t
hash(uint64_t v)
{
	return (uint32_t)(v * UINT64_C(0x9E3779B97F4A7C15) >> (64 - HASH_BITS));
}

/* ---- Matches. ---- */

/* Counts the bytes from p on that equal those `offset` earlier; at least 8 can be read. */
static inline size_t
equal_behind(const struct lz4block *k, const uint8_t *p, size_t offset)
{
	const uint8_t *q = p;
	for (; k->end - q >= 8; q += 8) {
		uint64_t d = load64(q) ^ load64(q - offset);
		if (d)
			return (size_t)(q - p) + ((size_t)__builtin_ctzll(d) >> 3);
	}
	size_t left = (size_t)(k->end - q);
	if (left == 0)
		return (size_t)(q - p);
	/* Load the last bytes together with some before them; the extra bit ends the count. */
	uint64_t d = (load64(k->end - 8) ^ load64(k->end - 8 - offset)) >> (64 - 8 * left) | UINT64_C(1) << 8 * left;
	return (size_t)(q - p) + ((size_t)__builtin_ctzll(d) >> 3);
}

/* `sure` bytes at p equal those `offset` earlier: extends that match in both directions. */
static inline void
take_match(struct lz4block *k, const uint8_t *p, size_t offset, size_t sure)
{
	size_t n = sure + equal_behind(k, p + sure, offset);
	size_t before = (size_t)(p - k->in) >= offset + LZ4_BEFORE ? lz4block_equal_before(k, p, p - offset) : 0;
	lz4block_match(k, p - before, offset, n + before, k->end - k->next >= LZ4_AT_ONCE);
}

/* Matches the fields of an event that stand behind a field that differs. */
static void
match_fields(struct lz4block *k, const uint8_t *begin, const uint8_t *end, size_t offset)
{
	for (const uint8_t *p = begin; p + 8 <= end; p += ALIGNED)
		if (p >= k->next && load64(p) == load64(p - offset))
			take_match(k, p, offset, 8);
}

static inline struct item
item_at(const uint8_t *p)
{
	uint64_t head = load64(p);
	if (p[0] == TAG_COMPACT)
		return (struct item){ head & UINT64_MAX >> 8, load16(p + HEAD_COMPACT), ITEM_COMPACT_SIZE, HEAD_COMPACT, ITEM_COMPACT_SIZE };
	size_t size = p[0] == TAG_WIDE ? OP_WIDE_SIZE : EVENT_HEADER_SIZE + (load32(p + 4) & SIZE_MAX >> 1);
	return (struct item){ head, load64(p + HEAD_WIDE), size, HEAD_WIDE, OP_WIDE_SIZE };
}

/* Looks up how many bytes earlier an item with the same bytes stands; 0: none is known. The table
 * holds positions seen so far, so the result never points before the first byte. */
static inline size_t
find_item(const struct lz4block *k, const uint8_t *p, const struct item *t, uint16_t seen)
{
	size_t d = (uint16_t)((size_t)(p - k->in) - seen);
	const uint8_t *q = p - d;
	uint64_t differ = (load64(p) ^ load64(q)) | (load64(p + t->whole - 8) ^ load64(q + t->whole - 8));
	return differ ? 0 : d;
}

static inline bool
same_head(const uint8_t *p, const struct item *t, size_t offset)
{
	return (load64(p) ^ load64(p - offset)) << (64 - 8 * t->head_size) == 0;
}

/* Looks up an item whose head alone is the same. */
static inline size_t
find_head(const struct lz4block *k, const uint8_t *p, const struct item *t, uint16_t seen)
{
	size_t d = (uint16_t)((size_t)(p - k->in) - seen);
	return same_head(p, t, d) ? d : 0;
}

/* Packs an item that the last match did not cover, or only its begin. */
static inline void
pack_item(struct lz4frames *z, struct lz4block *k, const uint8_t *p, const struct item *t)
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

/* Skips the time of a frame, without a loop over its bytes: their number cannot be predicted. */
static inline const uint8_t *
skip_time(const uint8_t *p)
{
	uint64_t last = ~load64(p) & UINT64_C(0x8080808080808080);
	if (last)
		return p + (__builtin_ctzll(last) >> 3) + 1;
	return p + (p[8] & 0x80 ? LEB_MAX : LEB_MAX - 1);
}

/* ---- The block, in parts. ---- */

struct lz4block
lz4frames_block(const struct lz4frames *z, const uint8_t *in, const uint8_t *end)
{
	uint8_t *out = z->out + LZ4FRAMES_LEAD;
	return (struct lz4block){ in, end, in + z->next, out + z->size, out + z->last };
}

void
lz4frames_keep(struct lz4frames *z, const struct lz4block *k, size_t walked)
{
	z->walked = walked;
	uint8_t *out = z->out + LZ4FRAMES_LEAD;
	z->next = (size_t)(k->next - k->in);
	z->size = (size_t)(k->out - out);
	z->last = (size_t)(k->last - out);
}

/* Whether all loads for the item at p stay inside; an event at the very end is not looked at. */
static inline bool
is_inside(const struct lz4block *k, const uint8_t *p)
{
	ptrdiff_t left = k->end - p;
	return left >= OP_WIDE_SIZE || (left >= ITEM_COMPACT_SIZE && p[0] == TAG_COMPACT);
}

void
lz4frames_walk(struct lz4frames *z, const uint8_t *in, size_t n, size_t stop)
{
	struct lz4block k = lz4frames_block(z, in, in + n);
	unsigned items = 0;
	const uint8_t *p = in + z->walked;
	while (items == 0 && k.end - p >= FRAME_HEAD_MAX && p < in + stop) {
		p = skip_time(p);
		items = load16(p);
		p += 2;
		for (; items > 0 && is_inside(&k, p); items--) {
			struct item t = item_at(p);
			size_t left = (size_t)(k.end - p);
			if (t.size > left) /* the bytes are no frames */
				t.size = left;
			if (p + t.whole > k.next)
				pack_item(z, &k, p, &t);
			p += t.size;
		}
	}
	bool whole = items > 0 || p < in + stop; /* nothing that can be packed is left */
	lz4frames_keep(z, &k, whole ? n : (size_t)(p - in));
}

/* Matches two SETs at p, of one form, with those `offset` earlier: all but the bytes of the first value
 * that differ, and the second value. */
static void
match_pair(struct lz4block *k, const uint8_t *p, const struct item *t, size_t offset)
{
	const uint8_t *value = p + t->head_size;
	uint64_t differ = load64(value) ^ load64(value - offset);
	if (t->size == ITEM_COMPACT_SIZE)
		differ &= UINT16_MAX;
	size_t literals = differ ? (71 - (size_t)__builtin_clzll(differ)) >> 3 : 0;
	size_t before = (size_t)(p - k->in) >= offset + LZ4_BEFORE ? lz4block_equal_before(k, p, p - offset) : 0;
	lz4block_match(k, p - before, offset, t->head_size + before, k->end - k->next >= LZ4_AT_ONCE);
	lz4block_match(k, value + literals, offset, t->size - literals, k->end - k->next >= LZ4_AT_ONCE);
}

__attribute__((noinline)) void
lz4frames_sets(struct lz4frames *z, struct lz4block *k, const uint8_t *p, const uint8_t *end)
{
	struct item t = item_at(p);
	if (p + 2 * t.size == end && p >= k->next) {
		uint16_t *slot = &z->heads[hash(t.head)];
		size_t offset = find_head(k, p, &t, *slot);
		if (offset && same_head(p + t.size, &t, offset)) {
			*slot = (uint16_t)(p - k->in);
			match_pair(k, p, &t, offset);
			return;
		}
	}
	const uint8_t *whole = k->end;
	size_t offset = 0;
	k->end = end;
	for (; p < end; p += t.size) {
		t = item_at(p);
		uint16_t *slot = &z->heads[hash(t.head)];
		uint16_t seen = *slot;
		*slot = (uint16_t)(p - k->in);
		/* Try the distance of the previous match first: neighbours repeat together. */
		if (offset == 0 || !same_head(p, &t, offset))
			offset = find_head(k, p, &t, seen);
		if (offset && p >= k->next)
			take_match(k, p, offset, t.head_size);
	}
	k->end = whole;
}

size_t
lz4frames_end(struct lz4frames *z, const uint8_t *in, size_t n)
{
	struct lz4block k = lz4frames_block(z, in, in + n);
	if (z->next + LZ4_LITERALS_LAST > n && z->size) {
		lz4block_take_back(&k, z->next + LZ4_LITERALS_LAST - n);
		lz4frames_keep(z, &k, z->walked);
	}
	uint8_t *out = lz4block_literals(k.out, k.next, (size_t)(k.end - k.next), false);
	return (size_t)(out - z->out) - LZ4FRAMES_LEAD;
}

/* ---- Memory. ---- */

void
lz4frames_reset(struct lz4frames *z)
{
	z->size = z->next = z->walked = 0;
	z->last = 0;
	memset(z->items, 0, sizeof(z->items));
	memset(z->heads, 0, sizeof(z->heads));
}

bool
lz4frames_reserve(struct lz4frames *z, size_t n)
{
	size_t need = LZ4FRAMES_LEAD + n + n / 255 + LZ4_AT_ONCE * 2;
	if (need <= z->out_cap)
		return true;
	/* Allocates a little more, as the next segment may be a little larger. */
	size_t cap = need + need / 16;
	uint8_t *out = realloc(z->out, cap);
	if (!out)
		return false;
	z->out = out;
	z->out_cap = cap;
	return true;
}

void
lz4frames_finish(struct lz4frames *z)
{
	free(z->out);
	z->out = NULL;
	z->out_cap = 0;
}
