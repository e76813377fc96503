/* SPDX-License-Identifier: MIT */
#include "lz4kit.h"

#include "kit.h"
#include "lz4s.h"

#include <lz4.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	GUARD = 128 * 1024, /* more than the longest distance */
	MATCH_START = 12,   /* bytes before the end, or more, where the last match begins */
};

uint64_t lz4kit_seed;
struct lz4frames lz4kit_z;
uint8_t *lz4kit_in_begin;
uint8_t *lz4kit_in_end;
uint8_t *lz4kit_out_begin;
uint8_t *lz4kit_out_end;
size_t lz4kit_sets[LZ4KIT_MAX][2];
size_t lz4kit_nsets;
static size_t frames_at[LZ4KIT_MAX];
static size_t nframes;

uint64_t
lz4kit_below(uint64_t n)
{
	return kit_below(&lz4kit_seed, n);
}

/* LZ4KIT_ROOM bytes or more, and none before and behind them. Returns the end. */
static uint8_t *
guarded(uint8_t **begin)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (LZ4KIT_ROOM + page - 1) / page * page;
	uint8_t *p = mmap(NULL, GUARD + n + GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED && mprotect(p + GUARD, n, PROT_READ | PROT_WRITE) == 0);
	*begin = p + GUARD;
	return p + GUARD + n;
}

void
lz4kit_init(int argc, char **argv)
{
	lz4kit_seed = kit_seed(argc, argv);
	lz4kit_in_end = guarded(&lz4kit_in_begin);
	lz4kit_out_end = guarded(&lz4kit_out_begin);
}

/* ---- Input. ---- */

static uint8_t *
put_event(uint8_t *p, const struct lz4kit_shape *s)
{
	uint32_t n = (uint32_t)lz4kit_below(40);
	p[0] = TAG_EVENT;
	p[1] = 0;
	store16(p + 2, (uint16_t)lz4kit_below(3));
	store32(p + 4, n);
	memset(p + EVENT_HEADER_SIZE, 0, n);
	if (n >= 4)
		store32(p + EVENT_HEADER_SIZE, (uint32_t)lz4kit_below(s->slots));
	if (n >= 12)
		store64(p + EVENT_HEADER_SIZE + n - 8, lz4kit_below(s->values));
	return p + EVENT_HEADER_SIZE + n;
}

static uint8_t *
put_set(uint8_t *p, const struct lz4kit_shape *s, bool wide)
{
	uint64_t slot = lz4kit_below(s->slots);
	if (wide) {
		store64(p, TAG_WIDE | 1 << 8 | slot << 32);
		store64(p + 8, lz4kit_below(s->values) << (lz4kit_below(2) ? 0 : 40));
		return p + OP_WIDE_SIZE;
	}
	p[0] = TAG_COMPACT;
	store64(p + 1, 1 | slot << 16 | slot % 3 << 32 | lz4kit_below(s->values) << 48);
	return p + ITEM_COMPACT_SIZE;
}

/* The items of a frame; remembers the runs of SETs. */
static uint8_t *
put_items(uint8_t *to, uint8_t *p, const struct lz4kit_shape *s, unsigned items)
{
	bool wide = s->wide && lz4kit_below(3) == 0;
	bool goes_on = false;
	for (unsigned i = 0; i < items; i++) {
		if (s->events && lz4kit_below(5) == 0) {
			p = put_event(p, s);
			goes_on = false;
			continue;
		}
		if (!goes_on)
			lz4kit_sets[lz4kit_nsets++][0] = (size_t)(p - to);
		p = put_set(p, s, wide ^ (s->mixed && lz4kit_below(2)));
		lz4kit_sets[lz4kit_nsets - 1][1] = (size_t)(p - to);
		goes_on = true;
	}
	return p;
}

size_t
lz4kit_frames(uint8_t *to, size_t n, const struct lz4kit_shape *s)
{
	uint8_t *p = to;
	nframes = lz4kit_nsets = 0;
	while ((size_t)(p - to) + 1000 < n) {
		frames_at[nframes++] = (size_t)(p - to);
		p = store_leb(p, lz4kit_below(s->slow && lz4kit_below(4) == 0 ? UINT64_MAX >> lz4kit_below(64) : 100000));
		/* What a frame has follows from its number. */
		uint64_t later = lz4kit_below(UINT64_MAX);
		lz4kit_seed = 0x9e3779b97f4a7c15 * (1 + lz4kit_below(s->all));
		unsigned items = (unsigned)lz4kit_below(8);
		store16(p, (uint16_t)items);
		p = put_items(to, p + 2, s, items);
		lz4kit_seed = later | 1;
	}
	return (size_t)(p - to);
}

size_t
lz4kit_random(uint8_t *to)
{
	const struct lz4kit_shape s = {
		.slots = 1 + (unsigned)lz4kit_below(200),
		.values = 1 + (unsigned)lz4kit_below(lz4kit_below(2) ? 5 : 60000),
		.wide = lz4kit_below(2),
		.mixed = lz4kit_below(4) == 0,
		.events = lz4kit_below(2),
		.slow = lz4kit_below(2),
		.all = 1 + lz4kit_below(lz4kit_below(2) ? 100 : UINT64_MAX - 1),
	};
	size_t n = lz4kit_frames(to, lz4kit_below(8) ? 1500 + lz4kit_below(4000) : lz4kit_below(LZ4KIT_MAX), &s);
	/* Cut anywhere, and with bytes that are wrong. */
	if (lz4kit_below(2) && n)
		n = lz4kit_below(n);
	for (uint64_t k = lz4kit_below(3) ? 0 : lz4kit_below(20); k > 0 && n; k--, lz4kit_nsets = 0)
		to[lz4kit_below(n)] = (uint8_t)lz4kit_below(256);
	return n;
}

size_t
lz4kit_frame_from(size_t at, size_t n)
{
	size_t low = 0;
	for (size_t high = nframes; low < high;) {
		size_t middle = (low + high) / 2;
		if (frames_at[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nframes && frames_at[low] < n ? frames_at[low] : n;
}

/* ---- Checks. ---- */

static size_t
length_at(const uint8_t **p, const uint8_t *end, unsigned first)
{
	size_t n = first;
	if (first == LZ4_LENGTH_MASK) {
		do {
			CHECK(*p < end);
			n += **p;
		} while (*(*p)++ == 255);
	}
	return n;
}

/* What decoders only may look at: the end has literals, and no match begins near to it. */
static void
check_sequences(const uint8_t *p, size_t size, size_t n)
{
	const uint8_t *end = p + size;
	size_t at = 0;
	size_t match = SIZE_MAX; /* where the last one begins */
	for (;;) {
		CHECK(p < end);
		unsigned token = *p++;
		size_t literals = length_at(&p, end, token >> 4);
		CHECK(literals <= (size_t)(end - p));
		p += literals;
		at += literals;
		if (p == end) {
			CHECK(at == n && (token & LZ4_LENGTH_MASK) == 0);
			CHECK(match == SIZE_MAX || (literals >= LZ4_LITERALS_LAST && match + MATCH_START <= n));
			return;
		}
		CHECK(end - p >= 2);
		size_t offset = load16(p);
		p += 2;
		CHECK(offset > 0 && offset <= at);
		match = at;
		at += LZ4_MATCH_MIN + length_at(&p, end, token & LZ4_LENGTH_MASK);
	}
}

void
lz4kit_check(const uint8_t *out, size_t k, const uint8_t *in, size_t n)
{
	static uint8_t back[LZ4KIT_ROOM];
	check_sequences(out, k, n);
	CHECK(LZ4_decompress_safe((const char *)out, (char *)back, (int)k, (int)n) == (int)n && memcmp(back, in, n) == 0);
	struct lz4s s;
	const uint8_t *p = out;
	uint8_t *q = back;
	lz4s_init(&s, n);
	CHECK(lz4s_run(&s, &p, out + k, &q, back + n) && lz4s_complete(&s) && p == out + k && memcmp(back, in, n) == 0);
}

size_t
lz4kit_bound(size_t n)
{
	return n + n / 255 + LZ4_AT_ONCE * 2;
}

uint8_t *
lz4kit_begin(size_t n, uint8_t *out)
{
	lz4kit_z.out = out;
	lz4kit_z.out_cap = LZ4FRAMES_LEAD + lz4kit_bound(n);
	CHECK(lz4frames_reserve(&lz4kit_z, n) && lz4kit_z.out == out);
	lz4frames_reset(&lz4kit_z);
	return out + LZ4FRAMES_LEAD;
}

/* Over bytes of before. plan: where random numbers for `make` begin. */
static size_t
pack(const uint8_t *in, size_t n, const uint8_t *end, uint8_t *out, lz4kit_make *make, uint64_t plan, uint8_t fill)
{
	memset(out, fill, LZ4FRAMES_LEAD + lz4kit_bound(n));
	(void)lz4kit_begin(n, out);
	uint64_t later = lz4kit_seed;
	lz4kit_seed = plan;
	size_t k = make(in, n, end);
	lz4kit_seed = later;
	for (size_t i = 0; i < LZ4FRAMES_LEAD; i++)
		CHECK(out[i] == fill);
	CHECK(k <= lz4kit_bound(n) - LZ4_AT_ONCE);
	return k;
}

size_t
lz4kit_pack(const uint8_t *in, size_t n, lz4kit_make *make)
{
	uint64_t plan = lz4kit_below(UINT64_MAX) | 1;
	memmove(lz4kit_in_begin, in, n);
	memset(lz4kit_in_begin + n, (int)lz4kit_below(256), LZ4KIT_ROOM - n); /* nothing depends on these */
	uint8_t *block = lz4kit_out_begin;
	size_t k = pack(lz4kit_in_begin, n, lz4kit_in_begin + n + lz4kit_below(LZ4KIT_ROOM - n + 1), block, make, plan, 0x55);
	block += LZ4FRAMES_LEAD;
	lz4kit_check(block, k, lz4kit_in_begin, n);

	memmove(lz4kit_in_end - n, lz4kit_in_begin, n);
	static uint8_t first[LZ4KIT_ROOM];
	memcpy(first, block, k);
	block = lz4kit_out_end - LZ4FRAMES_LEAD - lz4kit_bound(n);
	CHECK(pack(lz4kit_in_end - n, n, lz4kit_in_end, block, make, plan, 0xaa) == k);
	CHECK(memcmp(block + LZ4FRAMES_LEAD, first, k) == 0);
	return k;
}

size_t
lz4kit_more(size_t n)
{
	return n < LZ4_LENGTH_MASK ? 0 : (n - LZ4_LENGTH_MASK) / 255 + 1;
}

size_t
lz4kit_literals(size_t n)
{
	return 1 + lz4kit_more(n) + n;
}
