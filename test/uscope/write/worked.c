/* SPDX-License-Identifier: MIT */
/* worked: small files whose bytes were worked out by hand, from doc/format/uscope.md. The names of
 * types are the short ones. */
#define USCOPE_SHORT_NAMES
#include "kit.h"
#include "layout.h"
#include "uscope.h"

#include <string.h>

/* Compares a file, from an offset on, with lines of hexadecimal bytes; '#' begins a
 * comment. whole: up to its end. */
static void
check_bytes(const char *path, size_t at, bool whole, const char *hex)
{
	size_t n;
	char *have = kit_read(path, &n);
	for (const char *p = hex; *p; p++) {
		if (*p == '#')
			p = strchr(p, '\n');
		if (*p == ' ' || *p == '\n')
			continue;
		unsigned v;
		CHECK(sscanf(p, "%2x", &v) == 1);
		if (at >= n || (uint8_t)have[at] != v)
			(void)fprintf(stderr, "%s: at %#zx: have %02x, want %02x\n", path, at, at < n ? (unsigned)(uint8_t)have[at] : 0, v);
		CHECK(at < n && (uint8_t)have[at] == v);
		at++;
		p++;
	}
	CHECK(!whole || at == n);
	free(have);
}

/* One clock, the root, a sparse storage of a U8 and an I16 with a property, an event. */
static schema_t *
make_schema(void)
{
	schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "c", 10) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "q", 0, 10, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "a", USCOPE_U8, -1) == 0);
	CHECK(uscope_schema_add_field(s, 0, "b", USCOPE_I16, -1) == 1);
	CHECK(uscope_schema_add_property(s, 0, "c", USCOPE_U16, -1) == 0);
	CHECK(uscope_schema_add_event(s, "e", -1) == 0);
	CHECK(uscope_schema_add_event_field(s, 0, "a", USCOPE_U16, -1) == 0);
	return s;
}

#define PREAMBLE                                                                  \
	"01 00 00 00 08 00 00 00  01 00 00 00 0c 00 0e 00 # DUT: k = v\n"         \
	"02 00 00 00 68 00 00 00 # schema: 88 bytes and a pool of 16\n"           \
	"00 01 01 00 01 00 01 00 00 00 58 00 # 1 clock, scope, storage, event\n"  \
	"00 00 00 00 0a 00 00 00 # clock c, 10 ps\n"                              \
	"02 00 00 00 ff ff ff ff 00 00 00 00 # scope /\n"                         \
	"04 00 00 00 0a 00 02 00 01 00 00 00 01 00 00 00 # storage q: 10 slots\n" \
	"06 00 01 00 00 00 00 00  08 00 06 00 00 00 00 00 # a U8, b I16\n"        \
	"00 00 02 00 00 00 00 00 # property c U16\n"                              \
	"0a 00 00 00 01 00 ff ff  06 00 02 00 00 00 00 00 # event e: a U16\n"     \
	"63 00 2f 00 71 00 61 00 62 00 65 00 6b 00 76 00 # c / q a b e k v\n"     \
	"03 00 00 00 08 00 00 00  64 00 00 00 00 00 00 00 # interval 100\n"       \
	"00 00 00 00 00 00 00 00 # END\n"

static uscope_writer_t *
open_one(const char *path, enum uscope_frames frames)
{
	static const dut_property_t pairs[] = { { "k", "v" } };
	schema_t *s = make_schema();
	uscope_writer_options_t o = { .frames = frames, .compression = USCOPE_RAW, .interval_ps = 100, .no_checksums = true, .no_summary = true };
	uscope_writer_t *w = uscope_writer_open_ex(path, &(dut_desc_t){ pairs, 1 }, s, &o, NULL);
	uscope_schema_free(s);
	CHECK(w);
	return w;
}

static void
do_cycles(uscope_writer_t *w)
{
	uscope_begin_cycle(w, 7);
	uscope_slot_set(w, 0, 9, 1, (uint64_t)-1);
	uscope_event(w, 0, "\x34\x12");
	uscope_prop_set(w, 0, 0, 5);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 7);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 150);
	uscope_slot_add(w, 0, 9, 0, 2);
	uscope_slot_clear(w, 0, 9);
	uscope_end_cycle(w);
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

/* The whole file. */
static void
test_v02(void)
{
	const char *path = kit_path("v02.uscp");
	uscope_writer_t *w = open_one(path, USCOPE_INTERLEAVED);
	CHECK(uscope_string_insert(w, "hi") == 0 && uscope_string_insert(w, "") == 1 && uscope_string_insert(w, "hi") == 0);
	do_cycles(w);
	check_bytes(path, 0, true,
		"75 53 43 50 00 00 03 00  85 00 00 00 00 00 00 00 # uSCP 0.3, complete, strings, interleaved\n"
		"96 00 00 00 00 00 00 00  02 00 00 00 c8 00 00 00 # 150 ps, 2 segments, preamble\n"
		"e0 01 00 00 00 00 00 00  30 01 00 00 00 00 00 00 # section table, tail\n" PREAMBLE
		/* 0xc8 */
		"75 53 45 47 00 00 00 00  00 00 00 00 00 00 00 00 # segment from 0\n"
		"64 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # to 100, the first\n"
		"0c 00 00 00 22 00 00 00  22 00 00 00 02 00 00 00  01 00 00 00 00 00 00 00\n"
		"00 00 00 00 04 00 00 00  00 00 00 00 # checkpoint: mask, property\n"
		"07 03 00 # +7: 3 items\n"
		"02 01 00 09 00 01 00 ff ff # slot 9 b = -1\n"
		"03 00 00 00 02 00 00 00  34 12 # event 0x1234\n"
		"02 04 00 00 00 00 00 05 00 # property c = 5\n"
		"00 00 00 # +0: no items\n"
		"00 00 # padding\n"
		/* 0x130 */
		"75 53 45 47 00 00 00 00  64 00 00 00 00 00 00 00 # segment from 100\n"
		"97 00 00 00 00 00 00 00  c8 00 00 00 00 00 00 00 # to 151, after 0xc8\n"
		"0f 00 00 00 15 00 00 00  15 00 00 00 01 00 00 00  01 00 00 00 00 00 00 00\n"
		"00 00 00 00 07 00 00 00  00 02  00 ff ff  05 00 # slot 9: 0, -1\n"
		"32 02 00 # +50: 2 items\n"
		"02 03 00 09 00 00 00 02 00 # slot 9 a += 2\n"
		"02 02 00 09 00 00 00 00 00 # slot 9 cleared\n"
		"00 00 00 00 # padding\n"
		/* 0x190 */
		"02 00 00 00 00 00 00 00  00 00 00 00 02 00 00 00  03 00 00 00 00 00 00 00 # strings\n"
		"68 69 00 00  00 00 00 00 # hi, empty; padding\n"
		/* 0x1b0 */
		"c8 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  64 00 00 00 00 00 00 00 # segments\n"
		"30 01 00 00 00 00 00 00  64 00 00 00 00 00 00 00  97 00 00 00 00 00 00 00\n"
		"02 00 00 00 00 00 00 00  90 01 00 00 00 00 00 00  1c 00 00 00 00 00 00 00 # sections\n"
		"03 00 00 00 00 00 00 00  b0 01 00 00 00 00 00 00  30 00 00 00 00 00 00 00\n"
		"00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00\n");
}

/* The deltas of both segments. */
static void
test_v01(void)
{
	const char *path = kit_path("compact.uscp");
	do_cycles(open_one(path, USCOPE_COMPACT));
	check_bytes(path, 8, false, "41 00 # complete, compact\n");
	check_bytes(path, 0x10c, false,
		"07 01 00 02 00 01 00 # +7, compact: 2 operations, 1 event\n"
		"01 00 09 00 01 00 ff ff # slot 9 b = -1\n"
		"04 00 00 00 00 00 05 00 # property c = 5\n"
		"00 00 00 00 02 00 00 00  34 12 # event\n"
		"00 01 00 00 00 00 00 # +0, nothing\n"
		"00 00 00 00  75 53 45 47 # padding, segment\n");
	check_bytes(path, 0x17f, false,
		"32 01 00 02 00 00 00 # +50\n"
		"03 00 09 00 00 00 02 00 # slot 9 a += 2\n"
		"02 00 09 00 00 00 00 00 # slot 9 cleared\n");

	path = kit_path("wide.uscp");
	do_cycles(open_one(path, USCOPE_WIDE));
	check_bytes(path, 8, false, "01 00 # complete\n");
	check_bytes(path, 0x10c, false,
		"07 00 00 02 00 01 00 # +7, wide: 2 operations, 1 event\n"
		"01 00 00 00 09 00 01 00  ff ff 00 00 00 00 00 00 # slot 9 b = -1\n"
		"04 00 00 00 00 00 00 00  05 00 00 00 00 00 00 00 # property c = 5\n"
		"00 00 00 00 02 00 00 00  34 12 # event\n"
		"00 00 00 00 00 00 00 # +0, nothing\n");
}

/* Summary: buckets of 2 cycles (20 ps), levels of 3 and 2 and 1 entries. */
static void
test_summary(void)
{
	const char *path = kit_path("summary.uscp");
	schema_t *s = make_schema();
	uscope_writer_options_t o = { .compression = USCOPE_RAW, .no_checksums = true, .summary_base = 2, .summary_fan_out = 2 };
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &o, NULL);
	uscope_schema_free(s);
	CHECK(uscope_summary_counter(w, "n", 0) == 0 && uscope_summary_counter(w, "m", 0) == 1);
	uscope_begin_cycle(w, 50); /* cycle 5, bucket 2 */
	uscope_end_cycle(w);
	uscope_summary_add(w, 0, 9, 3);    /* cycle 0 */
	uscope_summary_add(w, 0, 0, 4);    /* the same: 7 */
	uscope_summary_add(w, 0, 10, 2);   /* cycle 1 */
	uscope_summary_add(w, 0, 55, 1);   /* cycle 5 */
	uscope_summary_add(w, 0, 1000, 9); /* after the last frame */
	uscope_summary_span(w, 1, 10, 49); /* cycles 1, 2, 3 */
	uscope_summary_density(w, 41, 6);
	uscope_summary_density(w, 0, 1);
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
	/* Preamble of 0xc8 bytes; the segment takes 56 + 12 + 3 and 1 of padding. */
	check_bytes(path, 0xc8 + 72, false,
		"54 53 55 4d  02 00 00 00  02 00 00 00  07 00 00 00 00 00 00 00 # TSUM: 2 cycles, by 2, total 7\n"
		"03 00 00 00 # density\n"
		"03 00 00 00  01 00 00 00  00 00 00 00  06 00 00 00\n"
		"02 00 00 00  01 00 00 00  06 00 00 00\n"
		"01 00 00 00  07 00 00 00\n"
		"02 00 00 00 # counters\n"
		"01 00 00 00 6e 00 00  03 00 00 00 # n of storage 0\n"
		"03 00 00 00\n"
		"02 00 00 00 00 00 00 00  07 00 00 00 00 00 00 00  09 00 00 00 00 00 00 00\n"
		"00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00\n"
		"01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00\n"
		"02 00 00 00 # empty buckets count for min here\n"
		"00 00 00 00 00 00 00 00  07 00 00 00 00 00 00 00  09 00 00 00 00 00 00 00\n"
		"01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00\n"
		"01 00 00 00\n"
		"00 00 00 00 00 00 00 00  07 00 00 00 00 00 00 00  0a 00 00 00 00 00 00 00\n"
		"01 00 00 00 6d 00 00  03 00 00 00 # m of storage 0\n"
		"03 00 00 00\n"
		"01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00\n"
		"01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  02 00 00 00 00 00 00 00\n"
		"00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00\n");
}

/* A summary of 600 buckets of the widest base has room for the density beside few deltas, and not for a
 * counter; one of 60 has; and the base of short traces doubles. */
static void
test_size_of_summary(void)
{
	static const struct {
		uint64_t buckets, base;
		uint32_t counters;
	} cases[] = { { 600, UINT32_C(1) << 31, 0 }, { 60, UINT32_C(1) << 31, 1 }, { 800, 1 << 20, 1 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = kit_path("size.uscp");
		schema_t *s = make_schema();
		uscope_writer_options_t o = { .summary_base = (uint32_t)cases[i].base };
		uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &o, NULL);
		uscope_schema_free(s);
		CHECK(uscope_summary_counter(w, "n", 0) == 0 && uscope_summary_counter(w, "never", 0) == 1);
		uscope_begin_cycle(w, cases[i].buckets * cases[i].base * 10 - 1);
		uscope_end_cycle(w);
		uscope_summary_add(w, 0, 5, 1);
		CHECK(uscope_writer_finish(w) == 0);
		uscope_writer_close(w);
		uscope_reader_t *r = uscope_reader_open(path);
		uscope_summary_t info;
		uint32_t n;
		CHECK(r && uscope_summary_info(r, &info) && info.num_counters == cases[i].counters);
		CHECK(info.base_interval_cycles == cases[i].base << (i == 2) && uscope_summary_data(r, 0, &n) && n == cases[i].buckets >> (i == 2));
		uscope_reader_close(r);
	}
}

int
main(void)
{
	test_v02();
	test_v01();
	test_summary();
	test_size_of_summary();
	return 0;
}
