/* SPDX-License-Identifier: MIT */
/* Random frames, damaged ones and plain noise as LZ4 blocks: liblz4 and our own decoder
 * give back the same bytes, nothing outside of the buffers is touched, and frames are
 * smaller than with liblz4.
 *
 *   usage: lz4frames [SEED] */
#include "lz4frames.h"

#include "kit.h"
#include "layout.h"
#include "lz4s.h"

#include <lz4.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MAX = 300 * 1000,
	ROOM = MAX + MAX / 8, /* of each buffer */
	GUARD = 128 * 1024,   /* more than the longest distance */
	CASES = 3000,
};

static uint64_t seed;
static struct lz4frames z;
/* Nobody may touch the pages before and behind these. */
static uint8_t *in_begin;
static uint8_t *in_end;
static uint8_t *out_end;

static uint64_t
below(uint64_t n)
{
	return kit_below(&seed, n);
}

/* ROOM bytes or more, and none before and behind them. Returns the end. */
static uint8_t *
guarded(uint8_t **begin)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (ROOM + page - 1) / page * page;
	uint8_t *p = mmap(NULL, GUARD + n + GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED && mprotect(p + GUARD, n, PROT_READ | PROT_WRITE) == 0);
	*begin = p + GUARD;
	return p + GUARD + n;
}

/* ---- Input. ---- */

struct shape {
	unsigned slots;
	unsigned values;
	bool wide;    /* some frames are */
	bool events;  /* some items are */
	bool slow;    /* times are long numbers */
	uint64_t all; /* different frames */
};

static uint8_t *
put_item(uint8_t *p, const struct shape *s, bool wide)
{
	uint64_t slot = below(s->slots);
	if (s->events && below(5) == 0) {
		uint32_t n = (uint32_t)below(40);
		p[0] = TAG_EVENT;
		p[1] = 0;
		store16(p + 2, (uint16_t)below(3));
		store32(p + 4, n);
		memset(p + EVENT_HEADER_SIZE, 0, n);
		if (n >= 4)
			store32(p + EVENT_HEADER_SIZE, (uint32_t)slot);
		if (n >= 12)
			store64(p + EVENT_HEADER_SIZE + n - 8, below(s->values));
		return p + EVENT_HEADER_SIZE + n;
	}
	if (wide) {
		store64(p, TAG_WIDE | 1 << 8 | slot << 32);
		store64(p + 8, below(s->values) << (below(2) ? 0 : 40));
		return p + OP_WIDE_SIZE;
	}
	p[0] = TAG_COMPACT;
	store64(p + 1, 1 | slot << 16 | slot % 3 << 32 | below(s->values) << 48);
	return p + ITEM_COMPACT_SIZE;
}

/* About n bytes. */
static size_t
make_frames(uint8_t *to, size_t n, const struct shape *s)
{
	uint8_t *p = to;
	while ((size_t)(p - to) + 1000 < n) {
		p = store_leb(p, below(s->slow && below(4) == 0 ? UINT64_MAX >> below(64) : 100000));
		/* What a frame has follows from its number. */
		uint64_t later = below(UINT64_MAX);
		seed = 0x9e3779b97f4a7c15 * (1 + below(s->all));
		unsigned items = (unsigned)below(8);
		bool wide = s->wide && below(3) == 0;
		store16(p, (uint16_t)items);
		p += 2;
		for (unsigned i = 0; i < items; i++)
			p = put_item(p, s, wide);
		seed = later | 1;
	}
	return (size_t)(p - to);
}

/* ---- Checks. ---- */

static size_t
check_at(const uint8_t *in, size_t n)
{
	static uint8_t back[ROOM];
	uint8_t *out = out_end - lz4frames_bound(n);
	size_t k = lz4frames_pack(&z, in, n, out);
	CHECK(k <= lz4frames_bound(n));
	/* What was packed before makes no difference. */
	memcpy(back, out, k);
	CHECK(lz4frames_pack(&z, in, n, out) == k && memcmp(out, back, k) == 0);
	CHECK(LZ4_decompress_safe((const char *)out, (char *)back, (int)k, MAX) == (int)n && memcmp(back, in, n) == 0);
	struct lz4s s;
	const uint8_t *p = out;
	uint8_t *q = back;
	lz4s_init(&s, n);
	CHECK(lz4s_run(&s, &p, out + k, &q, back + n) && lz4s_complete(&s) && p == out + k && memcmp(back, in, n) == 0);
	return k;
}

/* At both ends of what may be read. The size of the block. */
static size_t
check_block(const uint8_t *in, size_t n)
{
	memmove(in_begin, in, n);
	size_t k = check_at(in_begin, n);
	memmove(in_end - n, in_begin, n);
	CHECK(check_at(in_end - n, n) == k);
	return k;
}

static void
test_random(void)
{
	static uint8_t frames[ROOM];
	for (int i = 0; i < CASES; i++) {
		const struct shape s = {
			.slots = 1 + (unsigned)below(200),
			.values = 1 + (unsigned)below(below(2) ? 5 : 60000),
			.wide = below(2),
			.events = below(2),
			.slow = below(2),
			.all = 1 + below(below(2) ? 100 : UINT64_MAX - 1),
		};
		size_t n = make_frames(frames, below(8) ? 1500 + below(4000) : below(MAX), &s);
		/* Cut anywhere, and with bytes that are wrong. */
		if (below(2) && n)
			n = below(n);
		for (uint64_t k = below(3) ? 0 : below(20); k > 0 && n; k--)
			frames[below(n)] = (uint8_t)below(256);
		(void)check_block(frames, n);
	}
}

/* One operation before and behind a large event, for matches as far as they can be and
 * farther; with another value behind it too. */
static void
test_distance(void)
{
	static uint8_t frames[ROOM];
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
				p[i] = (uint8_t)below(256);
			p += size;
			store64(p, TAG_COMPACT | 1 << 8);
			store16(p + ITEM_COMPACT_SIZE - 2, value);
			p += ITEM_COMPACT_SIZE;
			for (int i = 0; i < 100; i++)
				*p++ = (uint8_t)below(256);
			size_t n = (size_t)(p - frames);
			size_t k = check_block(frames, n);
			size_t literals = n + (n - 15) / 255 + 2;
			CHECK(distance <= UINT16_MAX ? k < literals : k == literals);
		}
	}
}

static void
test_noise(void)
{
	static uint8_t noise[MAX];
	for (size_t n = 0; n < 600; n++) {
		for (size_t i = 0; i < n; i++)
			noise[i] = (uint8_t)below(below(2) ? 256 : 4);
		(void)check_block(noise, n);
	}
	for (unsigned byte = 0; byte < 256; byte += 51) {
		memset(noise, (int)byte, MAX);
		(void)check_block(noise, MAX);
	}
}

/* What it is there for. */
static void
test_small(void)
{
	static const struct shape shapes[] = {
		{ .slots = 32, .values = 20, .all = 500 },
		{ .slots = 100, .values = 1000, .wide = true, .all = 2000 },
		{ .slots = 32, .values = 50, .events = true, .all = 1000 },
	};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		static uint8_t frames[ROOM];
		size_t n = make_frames(frames, MAX, &shapes[i]);
		size_t k = check_block(frames, n);
		int plain = LZ4_compress_default((const char *)frames, (char *)out_end - ROOM, (int)n, ROOM);
		(void)printf("%zu bytes: %zu, with liblz4 %d\n", n, k, plain);
		CHECK(plain > 0 && k < (size_t)plain * 9 / 10);
	}
}

int
main(int argc, char **argv)
{
	seed = kit_seed(argc, argv);
	uint8_t *out_begin;
	in_end = guarded(&in_begin);
	out_end = guarded(&out_begin);
	test_random();
	test_distance();
	test_noise();
	test_small();
	return 0;
}
