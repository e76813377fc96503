/* SPDX-License-Identifier: MIT */
/* LZ4 blocks of frames that are made in parts, some of them told what repeats: liblz4 and
 * our own decoder give back the same bytes, the end is as the format wants it, and nothing
 * outside of the buffers is touched.
 *
 *   usage: lz4parts [SEED] */
#include "lz4kit.h"

enum {
	CASES = 3000,
	SURE = LZ4_MATCH_SURE,
};

/* The last position before one that has the same SURE bytes, and 1; 0: none. */
static uint32_t before[LZ4KIT_ROOM];
/* What must have happened in a run. */
static unsigned taken_back;
static unsigned told;
static unsigned told_behind;
static unsigned told_sets;

static void
find_before(const uint8_t *in, size_t n)
{
	static uint32_t last[1 << 16];
	memset(last, 0, sizeof(last));
	memset(before, 0, n * sizeof(before[0]));
	for (size_t i = 0; i + 8 <= n; i++) {
		uint64_t bytes = load64(in + i) << (64 - 8 * SURE);
		uint32_t *slot = &last[bytes * UINT64_C(0x9e3779b97f4a7c15) >> 48];
		if (*slot && memcmp(in + *slot - 1, in + i, SURE) == 0)
			before[i] = *slot;
		*slot = (uint32_t)i + 1;
	}
}

/* Something that repeats, from k->next on, whole or in part. */
static void
tell_match(struct lz4block *k, size_t n)
{
	size_t next = (size_t)(k->next - k->in);
	size_t at = next + lz4kit_below(lz4kit_below(3) ? 9 : 700);
	if (at >= n || !before[at])
		return;
	size_t from = before[at] - 1;
	while (before[from] && lz4kit_below(2))
		from = before[from] - 1;
	if (at - from >= LZ4_FAR)
		return;
	size_t most = 0;
	while (at + most < n && k->in[at + most] == k->in[from + most])
		most++;
	CHECK(most >= SURE);
	size_t size = lz4kit_below(2) ? most : SURE + lz4kit_below(most - SURE + 1);
	size_t literals = at - next;
	if (literals <= 8 && lz4kit_below(2)) {
		uint8_t bytes[8];
		for (size_t i = 0; i < 8; i++)
			bytes[i] = i < literals ? k->next[i] : (uint8_t)lz4kit_below(256);
		lz4block_match_behind(k, load64(bytes), literals, at - from, size);
		told_behind++;
	} else {
		lz4block_match(k, k->in + at, at - from, size, k->end - k->next >= LZ4_AT_ONCE && lz4kit_below(4));
		told++;
	}
	CHECK(k->next == k->in + at + size);
}

/* Runs of SETs, not before what was looked at. Returns where they end. */
static size_t
tell_sets(struct lz4block *k, size_t walked, size_t n)
{
	size_t low = 0;
	for (size_t high = lz4kit_nsets; low < high;) {
		size_t middle = (low + high) / 2;
		if (lz4kit_sets[middle][0] < walked)
			low = middle + 1;
		else
			high = middle;
	}
	const uint8_t *end = k->end;
	for (uint64_t runs = 1 + lz4kit_below(10); runs > 0 && low < lz4kit_nsets && lz4kit_sets[low][1] <= n; runs--, low++) {
		lz4frames_sets(&lz4kit_z, k, k->in + lz4kit_sets[low][0], k->in + lz4kit_sets[low][1]);
		walked = lz4kit_sets[low][1];
		told_sets++;
	}
	CHECK(k->end == end);
	return walked;
}

static size_t
make_in_parts(const uint8_t *in, size_t n, const uint8_t *end)
{
	while (lz4kit_z.walked < n && lz4kit_below(100)) {
		/* Steps of one frame too, and what is no frame. */
		size_t to = lz4kit_z.walked + lz4kit_below(lz4kit_below(8) ? 40 : n - lz4kit_z.walked + 1);
		if (to > n)
			to = n;
		switch (lz4kit_below(4)) {
		case 0:
			lz4frames_walk(&lz4kit_z, in, lz4kit_frame_from(to, n), lz4kit_frame_from(to, n));
			continue;
		case 1:
			lz4frames_walk(&lz4kit_z, in, to, to);
			continue;
		}
		struct lz4block k = lz4frames_block(&lz4kit_z, in, end);
		size_t walked = lz4kit_z.walked;
		if (lz4kit_below(2))
			walked = tell_sets(&k, walked, n);
		else
			for (uint64_t i = lz4kit_below(8); i > 0; i--)
				tell_match(&k, n);
		/* Not again what the tables know, and what is packed or not, and from a frame on. */
		size_t next = (size_t)(k.next - in);
		if (next > walked && lz4kit_below(2))
			walked = next;
		lz4frames_keep(&lz4kit_z, &k, lz4kit_below(3) ? lz4kit_frame_from(walked, n) : walked);
	}
	if (lz4kit_below(4))
		lz4frames_walk(&lz4kit_z, in, n, n);
	if (lz4kit_z.next + LZ4_LITERALS_LAST > n)
		taken_back++;
	return lz4frames_end(&lz4kit_z, in, n);
}

static void
test_random(void)
{
	static uint8_t frames[LZ4KIT_ROOM];
	for (int i = 0; i < CASES; i++) {
		size_t n = lz4kit_random(frames);
		find_before(frames, n);
		(void)lz4kit_pack(frames, n, make_in_parts);
	}
	CHECK(taken_back && told && told_behind && told_sets);
}

/* Only those from p to end are told as such. */
static size_t
pack_sets(const uint8_t *in, const uint8_t *p, const uint8_t *end, size_t n)
{
	uint8_t *out = lz4kit_begin(n, lz4kit_out_end - LZ4FRAMES_LEAD - lz4kit_bound(n));
	lz4frames_walk(&lz4kit_z, in, (size_t)(p - in), (size_t)(p - in));
	struct lz4block k = lz4frames_block(&lz4kit_z, in, in + n);
	lz4frames_sets(&lz4kit_z, &k, p, end);
	lz4frames_keep(&lz4kit_z, &k, n);
	size_t size = lz4frames_end(&lz4kit_z, in, n);
	lz4kit_check(out, size, in, n);
	return size;
}

/* One operation before and behind noise, told as a SET: as far as matches can be, and farther. */
static void
test_distance(void)
{
	static uint8_t in[LZ4KIT_ROOM];
	for (size_t distance = 65530; distance < 65545; distance++) {
		for (uint8_t value = 1; value < 3; value++) {
			for (size_t i = 0; i < distance + 200; i++)
				in[i] = (uint8_t)lz4kit_below(256);
			in[0] = 0;
			store16(in + 1, 2);
			uint8_t *event = in + 3 + ITEM_COMPACT_SIZE;
			store64(in + 3, TAG_COMPACT | 1 << 8);
			store16(event - 2, 1);
			store64(event, TAG_EVENT | (uint64_t)(distance - ITEM_COMPACT_SIZE - EVENT_HEADER_SIZE) << 32);
			uint8_t *sets = in + 3 + distance;
			store64(sets, TAG_COMPACT | 1 << 8);
			store16(sets + ITEM_COMPACT_SIZE - 2, value);
			size_t n = distance + 100;
			size_t k = pack_sets(in, sets, sets + ITEM_COMPACT_SIZE, n);
			CHECK(distance < LZ4_FAR ? k < lz4kit_literals(n) : k == lz4kit_literals(n));
		}
	}
}

/* One match behind some literals and before some others, told in both ways. */
static void
check_lengths(const uint8_t *noise, size_t literals, size_t match, size_t tail)
{
	size_t n = literals + match + tail;
	uint8_t *in = lz4kit_in_end - n;
	memcpy(in, noise, literals);
	/* It may overlap itself. */
	size_t offset = 1 + lz4kit_below(literals);
	for (size_t i = 0; i < match; i++)
		in[literals + i] = in[literals + i - offset];
	memcpy(in + literals + match, noise + literals, tail);
	/* The last bytes are literals. */
	size_t kept = tail < LZ4_LITERALS_LAST ? match - (LZ4_LITERALS_LAST - tail) : match;
	size_t rest = n - literals - kept;
	size_t size = 1 + lz4kit_more(literals) + literals + 2 + lz4kit_more(kept - LZ4_MATCH_MIN) + lz4kit_literals(rest);
	if (kept < SURE)
		size = lz4kit_literals(n);
	for (int behind = 0; behind < 2; behind++) {
		uint8_t *out = lz4kit_begin(n, lz4kit_out_end - LZ4FRAMES_LEAD - lz4kit_bound(n));
		struct lz4block k = lz4frames_block(&lz4kit_z, in, lz4kit_in_end);
		if (!behind) {
			lz4block_match(&k, in + literals, offset, match, n >= LZ4_AT_ONCE);
		} else if (literals <= 8) {
			uint8_t bytes[8] = { 0 };
			memcpy(bytes, in, literals);
			lz4block_match_behind(&k, load64(bytes), literals, offset, match);
		} else {
			continue;
		}
		lz4frames_keep(&lz4kit_z, &k, n);
		CHECK(lz4frames_end(&lz4kit_z, in, n) == size);
		lz4kit_check(out, size, in, n);
	}
}

/* Around all lengths where something changes. */
static void
test_lengths(void)
{
	static const size_t around[] = { 4, 15, 15 + 255, 15 + 510 };
	static uint8_t noise[1000];
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)lz4kit_below(256);
	for (size_t a = 0; a < 4; a++)
		for (size_t b = 0; b < 4; b++)
			for (size_t literals = around[a] - 3; literals <= around[a] + 5; literals++)
				for (size_t match = around[b] + 3; match <= around[b] + 13; match++)
					for (size_t tail = 0; tail < 20; tail++)
						check_lengths(noise, literals, match, tail);
}

/* A frame at a time, which may have no more than one item: as if it were at once. */
static void
test_steps(void)
{
	static uint8_t frames[LZ4KIT_ROOM];
	size_t n = 0;
	for (int i = 0; i < 5000; i++) {
		uint8_t *p = store_leb(frames + n, lz4kit_below(1000));
		store16(p, 1);
		store64(p + 2, TAG_COMPACT | 1 << 8 | lz4kit_below(20) << 24);
		store16(p + 9, (uint16_t)lz4kit_below(5));
		n = (size_t)(p - frames) + 2 + ITEM_COMPACT_SIZE;
	}
	size_t sizes[2];
	for (int steps = 0; steps < 2; steps++) {
		uint8_t *out = lz4kit_begin(n, lz4kit_out_begin);
		for (size_t at = 0; steps && at < n; at += 2 + ITEM_COMPACT_SIZE) {
			at += frames[at] & 0x80 ? 2 : 1;
			lz4frames_walk(&lz4kit_z, frames, at + 2 + ITEM_COMPACT_SIZE, at + 2 + ITEM_COMPACT_SIZE);
		}
		lz4frames_walk(&lz4kit_z, frames, n, n);
		sizes[steps] = lz4frames_end(&lz4kit_z, frames, n);
		lz4kit_check(out, sizes[steps], frames, n);
	}
	CHECK(sizes[1] < sizes[0] * 11 / 10);
}

/* No less than the largest block, whatever was there before. */
static void
test_reserve(void)
{
	for (size_t n = 0; n < LZ4KIT_MAX; n += 1 + n / 5) {
		struct lz4frames some = { .out_cap = LZ4FRAMES_LEAD + lz4kit_bound(n) - 1 };
		CHECK(lz4frames_reserve(&some, n) && some.out && some.out_cap > LZ4FRAMES_LEAD + lz4kit_bound(n) - 1);
		lz4frames_finish(&some);
		CHECK(!some.out);
	}
}

/* Blocks of any sizes one after another, in memory of its own: what was before makes no
 * difference, and what is in there is kept when it grows. Nothing was ever stored behind the
 * frames: valgrind tells if the block depends on that. */
static void
test_again(void)
{
	static struct lz4frames again;
	static uint8_t made[LZ4KIT_ROOM];
	static uint8_t first[LZ4KIT_ROOM];
	const struct lz4kit_shape s = { .slots = 20, .values = 50, .mixed = true, .events = true, .all = 300 };
	for (int i = 0; i < 200; i++) {
		size_t n = lz4kit_frames(made, lz4kit_below(lz4kit_below(4) ? 5000 : LZ4KIT_MAX), &s);
		size_t part = lz4kit_frame_from(lz4kit_below(n + 1), n);
		uint8_t *frames = malloc(n + LZ4_AT_ONCE);
		CHECK(frames != NULL);
		memcpy(frames, made, n);
		(void)lz4kit_begin(n, lz4kit_out_begin);
		lz4frames_walk(&lz4kit_z, frames, part, part);
		lz4frames_walk(&lz4kit_z, frames, n, n);
		size_t k = lz4frames_end(&lz4kit_z, frames, n);
		memcpy(first, lz4kit_out_begin + LZ4FRAMES_LEAD, k);

		CHECK(lz4frames_reserve(&again, part));
		lz4frames_reset(&again);
		lz4frames_walk(&again, frames, part, part);
		CHECK(lz4frames_reserve(&again, n));
		lz4frames_walk(&again, frames, n, n);
		CHECK(lz4frames_end(&again, frames, n) == k && memcmp(again.out + LZ4FRAMES_LEAD, first, k) == 0);
		lz4kit_check(first, k, frames, n);
		/* The end may be made once more. */
		CHECK(lz4frames_end(&again, frames, n) == k && memcmp(again.out + LZ4FRAMES_LEAD, first, k) == 0);
		free(frames);
		if (lz4kit_below(10) == 0)
			lz4frames_finish(&again);
	}
	lz4frames_finish(&again);
	lz4frames_finish(&again);
}

int
main(int argc, char **argv)
{
	lz4kit_init(argc, argv);
	test_random();
	test_distance();
	test_lengths();
	test_steps();
	test_reserve();
	test_again();
	return 0;
}
