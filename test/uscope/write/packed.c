/* SPDX-License-Identifier: MIT */
/* packed: each compression and level, with and without the size before LZ4 blocks, is read
 * back as it was written. */
#include "kit.h"
#include "layout.h"
#include "uscope.h"

#include <string.h>

enum {
	SLOTS = 40,
	FRAMES = 20 * 1000,
	LEVEL_MAX = 22,
	WINDOW_LOG_MAX = 25, /* that readers accept, of ZSTD */
};

static uscope_writer_t *
open_one(const char *path, const uscope_writer_options_t *o)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1000) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "a", 0, SLOTS, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "v", USCOPE_U64, -1) == 0);
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, o, NULL);
	CHECK(w);
	uscope_schema_free(s);
	return w;
}

/* ---- All kinds. ---- */

/* Some compress, some do not. */
static uint64_t
value(uint64_t frame)
{
	return frame % 3 ? frame / 7 : (frame + 1) * 0x9e3779b97f4a7c15;
}

static void
write_file(const char *path, const uscope_writer_options_t *o)
{
	uscope_writer_t *w = open_one(path, o);
	for (uint64_t i = 0; i < FRAMES; i++) {
		uscope_begin_cycle(w, i);
		uscope_slot_set(w, 0, (uint16_t)(i % SLOTS), 0, value(i));
		uscope_end_cycle(w);
	}
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

static void
check_file(const char *path, bool prefix)
{
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, &error);
	CHECK(!r == prefix && (r || error.status == USCOPE_E_STRICT));
	uscope_reader_close(r);

	r = uscope_reader_open(path);
	CHECK(r && uscope_num_segments(r) > 2);
	uint64_t i = 0;
	uscope_item_t item;
	uscope_item_iter_t *it = uscope_items_in_range(r, 0, UINT64_MAX);
	while (uscope_item_next(it, &item)) {
		if (item.kind == USCOPE_ITEM_FRAME)
			continue;
		CHECK(!item.bad && item.time_ps == i && item.slot == i % SLOTS && item.value == value(i));
		i++;
	}
	CHECK(uscope_item_iter_status(it) == 0 && i == FRAMES);
	uscope_item_iter_free(it);
	uscope_state_t *s = uscope_state_at(r, FRAMES / 2);
	for (i = FRAMES / 2; i > FRAMES / 2 - SLOTS; i--)
		CHECK(uscope_slot_field(s, 0, (uint16_t)(i % SLOTS), 0) == value(i));
	uscope_state_free(s);
	/* The size is a rule broken, in each segment. */
	uint32_t n = prefix ? uscope_num_segments(r) : 0;
	(void)uscope_verify(r, NULL, NULL);
	CHECK(uscope_reader_diag(r, USCOPE_V_LZ4_PREFIX) == n);
	uscope_reader_close(r);
}

static void
test_kinds(void)
{
	const char *path = kit_path("packed.uscp");
	for (int background = 0; background < 2; background++) {
		for (int level = -7; level <= LEVEL_MAX; level++) {
			uscope_writer_options_t o = {
				.compression = USCOPE_ZSTD,
				.level = level,
				.background = background,
				.max_raw = 100000, /* more than is left to liblz4 */
				.frames = (enum uscope_frames)((level + 9) % 3),
			};
			write_file(path, &o);
			check_file(path, false);
			if (level < 0)
				continue;
			for (int prefix = 0; prefix < 2; prefix++) {
				o.compression = USCOPE_LZ4;
				o.lz4_size_prefix = prefix;
				write_file(path, &o);
				check_file(path, prefix);
			}
		}
	}
}

/* ---- Segments that are larger than the window of a reader. ---- */

/* Bytes of the window that a ZSTD frame asks for. */
static uint64_t
window_of(const uint8_t *p)
{
	CHECK(load32(p) == 0xfd2fb528);
	if (p[4] & 0x20) /* a single segment: as much as it holds */
		return UINT64_MAX;
	uint64_t base = (uint64_t)1 << (10 + (p[5] >> 3));
	return base + base / 8 * (p[5] & 7);
}

/* The highest level would take 128 MiB. */
static void
test_window(void)
{
	enum { OPS = (40 << 20) / OP_WIDE_SIZE };
	const char *path = kit_path("window.uscp");
	const uscope_writer_options_t o = {
		.compression = USCOPE_ZSTD,
		.level = LEVEL_MAX,
		.frames = USCOPE_WIDE,
		.no_summary = true,
	};
	uscope_writer_t *w = open_one(path, &o);
	uscope_begin_cycle(w, 0);
	for (uint64_t i = 0; i < OPS; i++)
		uscope_slot_set(w, 0, 3, 0, i == OPS - 1 ? 77 : 0);
	uscope_end_cycle(w);
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);

	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, &error);
	CHECK(r);
	uscope_segment_t g;
	CHECK(uscope_segment_info(r, 0, &g) == 0 && g.raw_size > 40 << 20);
	uscope_state_t *s = uscope_state_at(r, 0);
	CHECK(s && uscope_slot_field(s, 0, 3, 0) == 77);
	uscope_state_free(s);
	uscope_reader_close(r);
	size_t n;
	uint8_t *bytes = (uint8_t *)kit_read(path, &n);
	CHECK(window_of(bytes + g.offset + SEGMENT_HEADER_SIZE + g.checkpoint_size) <= (uint64_t)1 << WINDOW_LOG_MAX);
	free(bytes);
}

/* ---- Which of the two encoders of LZ4 packs a segment. ---- */

/* Cycles of a processor, or of counters that count up. Returns the bytes of compressed deltas. */
static uint64_t
pack_work(const char *path, bool counters, int level, bool background)
{
	enum { CYCLES = 60000 }; /* several segments */
	uscope_writer_t *w = open_one(path, &(uscope_writer_options_t){ .level = level, .background = background });
	uint64_t seed = 5;
	for (uint64_t i = 0; i < CYCLES; i++) {
		uint64_t x = kit_random(&seed);
		uscope_begin_cycle(w, i * 1000 + (counters ? 0 : x % 900));
		for (uint16_t k = 0; k < 4; k++)
			uscope_slot_set(w, 0, counters ? k : (uint16_t)((x >> 8 * k) % SLOTS), 0, counters ? (i + 70000) * (k + 1u) : x >> 32 & 31);
		uscope_end_cycle(w);
	}
	uscope_writer_stats_t stats;
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_stats(w, &stats);
	uscope_writer_close(w);
	CHECK(stats.segments > 1);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r && uscope_verify(r, NULL, NULL) == 0);
	uscope_reader_close(r);
	return stats.compressed_bytes;
}

static void
test_smaller(void)
{
	for (int counters = 0; counters < 2; counters++) {
		uint64_t both = pack_work(kit_path("both.uscp"), counters, 0, false);
		uint64_t liblz4 = pack_work(kit_path("liblz4.uscp"), counters, 1, false);
		(void)printf("%s: %llu bytes, %llu with liblz4\n", counters ? "counters" : "processor", (unsigned long long)both,
			(unsigned long long)liblz4);
		CHECK(both < (counters ? liblz4 + liblz4 / 50 : liblz4 * 9 / 10));
		CHECK(pack_work(kit_path("both.uscp"), counters, 0, true) == both);
	}
}

int
main(void)
{
	test_kinds();
	test_smaller();
	test_window();
	return 0;
}
