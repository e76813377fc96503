/* SPDX-License-Identifier: MIT */
/* Random frames, damaged ones and plain noise as LZ4 blocks: liblz4 and our own decoder
 * give back the same bytes, nothing outside of the buffers is touched, and frames are
 * smaller than with liblz4.
 *
 *   usage: lz4frames [SEED] */
#include "lz4frames.h"

#include "check.h"
#include "layout.h"
#include "lz4s.h"

#include <lz4.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX = 300 * 1000,
	ROOM = MAX + MAX / 8, /* of each buffer */
	CASES = 3000,
};

static uint64_t seed;
static struct lz4frames z;
static uint8_t *in_end; /* behind each of these is a page that nobody may touch */
static uint8_t *out_end;

static uint64_t
below(uint64_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545f4914f6cdd1dULL >> 11) % n;
}

static uint8_t *
guarded(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (ROOM + page - 1) / page * page;
	uint8_t *p = mmap(NULL, n + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED && mprotect(p + n, page, PROT_NONE) == 0);
	return p + n;
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

/* The size of the block. */
static size_t
check_block(const uint8_t *in, size_t n)
{
	static uint8_t back[ROOM];
	uint8_t *out = out_end - lz4frames_bound(n);
	size_t k = lz4frames_pack(&z, in, n, out);
	CHECK(k <= lz4frames_bound(n));
	CHECK(LZ4_decompress_safe((const char *)out, (char *)back, (int)k, MAX) == (int)n && memcmp(back, in, n) == 0);
	struct lz4s s;
	const uint8_t *p = out;
	uint8_t *q = back;
	lz4s_init(&s, n);
	CHECK(lz4s_run(&s, &p, out + k, &q, back + n) && lz4s_complete(&s) && p == out + k && memcmp(back, in, n) == 0);
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
		memcpy(in_end - n, frames, n);
		(void)check_block(in_end - n, n);
	}
}

static void
test_noise(void)
{
	for (size_t n = 0; n < 600; n++) {
		uint8_t *in = in_end - n;
		for (size_t i = 0; i < n; i++)
			in[i] = (uint8_t)below(below(2) ? 256 : 4);
		(void)check_block(in, n);
	}
	for (unsigned byte = 0; byte < 256; byte += 51) {
		memset(in_end - MAX, (int)byte, MAX);
		(void)check_block(in_end - MAX, MAX);
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
		memcpy(in_end - n, frames, n);
		size_t k = check_block(in_end - n, n);
		int plain = LZ4_compress_default((const char *)frames, (char *)out_end - ROOM, (int)n, ROOM);
		(void)printf("%zu bytes: %zu, with liblz4 %d\n", n, k, plain);
		CHECK(plain > 0 && k < (size_t)plain * 9 / 10);
	}
}

int
main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL) << 8 | 1;
	(void)printf("seed %#llx\n", (unsigned long long)seed);
	in_end = guarded();
	out_end = guarded();
	test_random();
	test_noise();
	test_small();
	return 0;
}
