/* SPDX-License-Identifier: MIT */
#ifndef LAYOUT_H
#define LAYOUT_H

/* layout: sizes and numbers of the µScope format, and little-endian loads and stores.
 * Defined in doc/format/uscope.md. Buffers are never cast to structs: nothing inside a
 * file is aligned for sure. */

#include "little.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FILE_MAGIC "uSCP"
#define SEGMENT_MAGIC "uSEG"

enum {
	VERSION_MAJOR = 0,
	VERSION_MINOR = 3, /* written, and the highest read */

	FILE_HEADER_SIZE = 48,
	CHUNK_HEADER_SIZE = 8,
	SCHEMA_HEADER_SIZE = 12,
	CLOCK_SIZE = 8,
	SCOPE_SIZE = 12,
	ENUM_SIZE = 4,
	ENUM_VALUE_SIZE = 4,
	FIELD_SIZE = 8,
	STORAGE_SIZE = 16,
	STORAGE_SIZE_OLD = 12, /* before 0.3 */
	EVENT_SIZE = 8,
	SUMMARY_FIELD_SIZE = 8,
	SEGMENT_HEADER_SIZE = 56,
	BLOCK_HEADER_SIZE = 8, /* of a checkpoint */
	SECTION_ENTRY_SIZE = 24,
	SEGMENT_ENTRY_SIZE = 24,
	STRINGS_HEADER_SIZE = 8,
	STRING_ENTRY_SIZE = 8,
	MIPMAP_SIZE = 24,
	DENSITY_SIZE = 4,
};

/* File header: offsets. */
enum {
	AT_MAGIC = 0,
	AT_MAJOR = 4,
	AT_MINOR = 6,
	AT_FLAGS = 8,
	AT_TOTAL_TIME = 16,
	AT_NUM_SEGMENTS = 24,
	AT_PREAMBLE_END = 28,
	AT_SECTION_TABLE = 32,
	AT_TAIL = 40,
};

/* Segment header: offsets. */
enum {
	SEG_MAGIC = 0,
	SEG_FLAGS = 4,
	SEG_TIME_START = 8,
	SEG_TIME_END = 16,
	SEG_PREV = 24,
	SEG_CHECKPOINT_SIZE = 32,
	SEG_COMPRESSED_SIZE = 36,
	SEG_RAW_SIZE = 40,
	SEG_NUM_FRAMES = 44,
	SEG_NUM_ACTIVE = 48,
	SEG_RESERVED = 52,
};

enum {
	CHUNK_END = 0,
	CHUNK_DUT = 1,
	CHUNK_SCHEMA = 2,
	CHUNK_CONFIG = 3,
	CHUNK_CHECKSUMS = 0x8001, /* empty: the file has checksums when it is complete */
};

enum {
	SECTION_FIRST_EXTRA = 0x8000, /* types from here on are none of the format */
};

/* Frames. */
enum {
	LEB_MAX = 10, /* bytes */
	SHORT_LEB_MAX = 4,
	SHORT_LEB_BITS = 7 * SHORT_LEB_MAX,
	TAG_WIDE = 1,
	TAG_COMPACT = 2,
	TAG_EVENT = 3,
	FORMAT_WIDE = 0,
	FORMAT_COMPACT = 1,
	OP_WIDE_SIZE = 16,     /* in both generations of frames */
	OP_COMPACT_SIZE = 8,   /* v0.1 */
	ITEM_COMPACT_SIZE = 9, /* v0.2: the same and a tag */
	EVENT_HEADER_SIZE = 8,
	MAX_ITEMS = 65535, /* of a frame */
};

static inline uint64_t
align8(uint64_t n)
{
	return (n + 7) & ~(uint64_t)7;
}

/* Numbers in buffers: loadN() and storeN(). */
#define LOAD_AND_STORE(bits)                              \
	static inline uint##bits##_t                      \
		load##bits(const uint8_t *p)              \
	{                                                 \
		uint##bits##_t v;                         \
		memcpy(&v, p, sizeof(v));                 \
		return v;                                 \
	}                                                 \
                                                          \
	static inline void                                \
		store##bits(uint8_t *p, uint##bits##_t v) \
	{                                                 \
		memcpy(p, &v, sizeof(v));                 \
	}
LOAD_AND_STORE(16)
LOAD_AND_STORE(32)
LOAD_AND_STORE(64)
#undef LOAD_AND_STORE

/* By the highest bit of a number: what its LEB128 has in the bytes that others follow, and
 * in the upper half how many bytes. */
#define SEVEN(x) x, x, x, x, x, x, x
static const uint64_t leb_form[SHORT_LEB_BITS] = {
	SEVEN(UINT64_C(1) << 32),
	SEVEN(UINT64_C(2) << 32 | 0x80),
	SEVEN(UINT64_C(3) << 32 | 0x8080),
	SEVEN(UINT64_C(4) << 32 | 0x808080),
};
#undef SEVEN

/* LEB128 of numbers up to SHORT_LEB_BITS bits; *n: its bytes, 1 to SHORT_LEB_MAX. Their number
 * cannot be foreseen, so that there are no branches. */
static inline uint32_t
short_leb(uint32_t v, unsigned *n)
{
	uint64_t form = leb_form[31 ^ __builtin_clz(v | 1)];
	*n = (unsigned)(form >> 32);
	v += (v & 0xfffc000) * 3; /* halves of 14 bits to those of 16, */
	v += v & 0x3f803f80;      /* and of 7 to 8 */
	return v | (uint32_t)form;
}

/* LEB128; up to LEB_MAX bytes are overwritten. Returns what is behind the number. */
static inline uint8_t *
store_leb(uint8_t *p, uint64_t v)
{
	if (__builtin_expect(v >> SHORT_LEB_BITS == 0, 1)) {
		unsigned n;
		store32(p, short_leb((uint32_t)v, &n));
		return p + n;
	}
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* LEB128 of up to 8 bytes, which can all be read; *n: its bytes, 0 if there are more. */
static inline uint64_t
load_leb(const uint8_t *p, unsigned *n)
{
	uint64_t word = load64(p);
	uint64_t last = ~word & UINT64_C(0x8080808080808080);
	*n = last ? ((unsigned)__builtin_ctzll(last) >> 3) + 1 : 0;
	uint64_t v = 0;
	for (unsigned i = 0; i < *n; i++, word >>= 8)
		v |= (word & 0x7f) << 7 * i;
	return v;
}

/* Values of 1, 2, 4 or 8 bytes. */
static inline uint64_t
load_value(const uint8_t *p, unsigned size)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return load16(p);
	case 4:
		return load32(p);
	default:
		return load64(p);
	}
}

static inline void
store_value(uint8_t *p, unsigned size, uint64_t v)
{
	switch (size) {
	case 1:
		*p = (uint8_t)v;
		break;
	case 2:
		store16(p, (uint16_t)v);
		break;
	case 4:
		store32(p, (uint32_t)v);
		break;
	default:
		store64(p, v);
	}
}

/* An operation. The wide form has 16 bytes; the compact one 8, for storages and values that are small
 * enough, and a tag before them where operations are tagged: in interleaved frames. */
struct op {
	bool wide;
	uint8_t action;
	uint16_t storage;
	uint16_t slot;
	uint16_t field;
	uint64_t value;
};

static inline size_t
op_size(bool wide, bool tagged)
{
	return wide ? OP_WIDE_SIZE : OP_COMPACT_SIZE + (size_t)tagged;
}

static inline struct op
op_load(const uint8_t *p, bool wide, bool tagged)
{
	if (wide)
		return (struct op){ true, p[tagged], load16(p + 2), load16(p + 4), load16(p + 6), load64(p + 8) };
	p += tagged;
	return (struct op){ false, p[0], p[1], load16(p + 2), load16(p + 4), load16(p + 6) };
}

static inline void
op_store(uint8_t *p, bool tagged, struct op op)
{
	uint64_t place = (uint64_t)op.slot << 16 | (uint64_t)op.field << 32;
	if (op.wide) {
		uint64_t action = tagged ? TAG_WIDE | (uint64_t)op.action << 8 : op.action;
		store64(p, action | (uint64_t)op.storage << 16 | place << 16);
		store64(p + 8, op.value);
		return;
	}
	if (tagged)
		*p++ = TAG_COMPACT;
	store64(p, op.action | (uint64_t)op.storage << 8 | place | op.value << 48);
}

#endif
