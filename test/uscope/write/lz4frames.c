/* SPDX-License-Identifier: MIT */
/* Random frames, damaged ones and plain noise as LZ4 blocks: liblz4 and our own decoder
 * give back the same bytes, nothing outside of the buffers is touched, and frames are
 * smaller than with liblz4.
 *
 *   usage: lz4frames [SEED] */
#include "lz4kit.h"

#include <lz4.h>

enum {
	CASES = 3000,
};

static size_t
make_at_once(const uint8_t *in, size_t n, const uint8_t *end)
{
	(void)end;
	lz4frames_walk(&lz4kit_z, in, n, n);
	return lz4frames_end(&lz4kit_z, in, n);
}

static size_t
check_block(const uint8_t *in, size_t n)
{
	return lz4kit_pack(in, n, make_at_once);
}

static void
test_random(void)
{
	static uint8_t frames[LZ4KIT_ROOM];
	for (int i = 0; i < CASES; i++) {
		size_t n = lz4kit_random(frames);
		(void)check_block(frames, n);
	}
}

/* One operation before and behind a large event, for matches as far as they can be and
 * farther; with another value behind it too. */
static void
test_distance(void)
{
	static uint8_t frames[LZ4KIT_ROOM];
	for (uint32_t distance = 65530; distance < 65545; distance++) {
		for (uint8_t value = 1; value < 3; value++) {
			uint8_t *p = frames;
			*p++ = 0;
			store16(p, 3);
			p += 2;
			store64(p, TAG_COMPACT | 1 << 8);
			store16(p + ITEM_COMPACT_SIZE - 2, 1);
			uint32_t size = distance - ITEM_COMPACT_SIZE;
			p += ITEM_COMPACT_SIZE;
			store64(p, TAG_EVENT | (uint64_t)(size - EVENT_HEADER_SIZE) << 32);
			for (uint32_t i = EVENT_HEADER_SIZE; i < size; i++)
				p[i] = (uint8_t)lz4kit_below(256);
			p += size;
			store64(p, TAG_COMPACT | 1 << 8);
			store16(p + ITEM_COMPACT_SIZE - 2, value);
			p += ITEM_COMPACT_SIZE;
			for (int i = 0; i < 100; i++)
				*p++ = (uint8_t)lz4kit_below(256);
			size_t n = (size_t)(p - frames);
			size_t k = check_block(frames, n);
			size_t literals = lz4kit_literals(n);
			CHECK(distance <= UINT16_MAX ? k < literals : k == literals);
		}
	}
}

static void
test_noise(void)
{
	static uint8_t noise[LZ4KIT_MAX];
	for (size_t n = 0; n < 600; n++) {
		for (size_t i = 0; i < n; i++)
			noise[i] = (uint8_t)lz4kit_below(lz4kit_below(2) ? 256 : 4);
		(void)check_block(noise, n);
	}
	for (unsigned byte = 0; byte < 256; byte += 51) {
		memset(noise, (int)byte, LZ4KIT_MAX);
		(void)check_block(noise, LZ4KIT_MAX);
	}
}

/* Frames that are all alike are one match. */
static void
test_regular(void)
{
	static uint8_t frames[LZ4KIT_MAX];
	size_t n = 0;
	for (; n + 20 < LZ4KIT_MAX; n += 3 + ITEM_COMPACT_SIZE) {
		frames[n] = 100;
		store16(frames + n + 1, 1);
		store64(frames + n + 3, TAG_COMPACT | 1 << 8);
		frames[n + 11] = 7;
	}
	CHECK(check_block(frames, n) < 50 + n / 255);
}

/* What it is there for. */
static void
test_small(void)
{
	static const struct lz4kit_shape shapes[] = {
		{ .slots = 32, .values = 20, .all = 500 },
		{ .slots = 100, .values = 1000, .wide = true, .all = 2000 },
		{ .slots = 32, .values = 50, .events = true, .all = 1000 },
	};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		static uint8_t frames[LZ4KIT_ROOM];
		size_t n = lz4kit_frames(frames, LZ4KIT_MAX, &shapes[i]);
		size_t k = check_block(frames, n);
		int plain = LZ4_compress_default((const char *)frames, (char *)lz4kit_out_end - LZ4KIT_ROOM, (int)n, LZ4KIT_ROOM);
		(void)printf("%zu bytes: %zu, with liblz4 %d\n", n, k, plain);
		CHECK(plain > 0 && k < (size_t)plain * 9 / 10);
	}
}

int
main(int argc, char **argv)
{
	lz4kit_init(argc, argv);
	test_random();
	test_distance();
	test_noise();
	test_regular();
	test_small();
	return 0;
}
