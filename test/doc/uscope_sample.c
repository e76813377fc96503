/* SPDX-License-Identifier: MIT */
/* uscope_sample: writes the files whose bytes doc/format/uscope.md shows.
 *
 *   usage: uscope_sample DIR */
#include <stdio.h>
#include <uscope.h>

#include "check.h"

static void
describe(uscope_schema_t *s)
{
	CHECK(uscope_schema_add_clock(s, "clk", 100) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_scope(s, "cpu", 0, "cpu", -1) == 1);
	CHECK(uscope_schema_add_enum(s, "stage") == 0);
	CHECK(uscope_schema_add_enum_value(s, 0, 0, "fetch") >= 0);
	CHECK(uscope_schema_add_enum_value(s, 0, 1, "exec") >= 0);
	CHECK(uscope_schema_add_storage(s, "rob", 1, 4, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "pc", USCOPE_U16, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "stage", USCOPE_ENUM, 0) == 1);
	CHECK(uscope_schema_add_property(s, 0, "head", USCOPE_U8, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "regs", -1, 2, 0) == 1);
	CHECK(uscope_schema_add_field(s, 1, "x", USCOPE_I32, 0) == 0);
	CHECK(uscope_schema_add_event(s, "retire", 1) == 0);
	CHECK(uscope_schema_add_event_field(s, 0, "slot", USCOPE_U8, 0) == 0);
	CHECK(uscope_schema_add_event_field(s, 0, "text", USCOPE_STRING_REF, 0) == 1);
}

static uscope_writer_t *
open_file(const char *dir, const char *name, const uscope_schema_t *s, uscope_writer_options_t options)
{
	char path[4096];
	const uscope_dut_property_t about = { "dut_name", "toy" };
	const uscope_dut_desc_t dut = { &about, 1 };
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	CHECK(n > 0 && (size_t)n < sizeof(path));
	options.compression = USCOPE_RAW;
	options.interval_ps = 1000;
	int status;
	uscope_writer_t *w = uscope_writer_open_ex(path, &dut, s, &options, &status);
	CHECK(w != NULL && status == 0);
	return w;
}

static void
write_small(const char *dir, const char *name, enum uscope_frames frames, bool checksums)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(s != NULL);
	describe(s);
	uscope_writer_t *w = open_file(
		dir, name, s, (uscope_writer_options_t){ .frames = frames, .no_summary = true, .no_checksums = !checksums });
	uscope_schema_free(s);
	CHECK(uscope_string_insert(w, "add") == 0);
	CHECK(uscope_string_insert(w, "mul") == 1);

	uscope_begin_cycle(w, 0);
	uscope_slot_set(w, 0, 1, 0, 0x40);
	uscope_end_cycle(w);

	uscope_begin_cycle(w, 100);
	uscope_slot_set(w, 0, 1, 1, 1);
	uscope_slot_set(w, 1, 0, 0, (uint64_t)-2);
	uscope_end_cycle(w);

	const uint8_t retire[] = { 1, 0, 0, 0, 0 };
	uscope_begin_cycle(w, 300);
	uscope_slot_set(w, 0, 3, 0, 0x44);
	uscope_slot_add(w, 1, 0, 0, 7);
	uscope_event_bytes(w, 0, retire, sizeof(retire));
	uscope_slot_clear(w, 0, 1);
	uscope_prop_set(w, 0, 0, 2);
	uscope_end_cycle(w);

	uscope_begin_cycle(w, 1250);
	uscope_slot_set(w, 0, 3, 1, 1);
	uscope_end_cycle(w);
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

static void
write_summary(const char *dir)
{
	static const struct {
		uint64_t cycle, amount;
		int born;
	} steps[] = { { 0, 1, 1 }, { 1, 1, 1 }, { 5, 3, 1 }, { 9, 2, 0 } };
	uscope_schema_t *s = uscope_schema_new();
	CHECK(s != NULL);
	CHECK(uscope_schema_add_clock(s, "clk", 100) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "done", 0, 1, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "n", USCOPE_U64, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "entities", 0, 4, USCOPE_SPARSE) == 1);
	CHECK(uscope_schema_add_field(s, 1, "entity_id", USCOPE_U32, 0) == 0);
	uscope_writer_t *w = open_file(dir, "summary.uscp", s,
		(uscope_writer_options_t){ .no_checksums = true, .summary_base = 4, .summary_fan_out = 2 });
	uscope_schema_free(s);
	for (uint16_t i = 0; i < 4; i++) {
		uscope_begin_cycle(w, steps[i].cycle * 100);
		uscope_slot_add(w, 0, 0, 0, steps[i].amount);
		if (steps[i].born)
			uscope_slot_set(w, 1, i, 0, i);
		uscope_end_cycle(w);
	}
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

int
main(int argc, char *argv[])
{
	CHECK(argc == 2);
	write_small(argv[1], "small.uscp", USCOPE_INTERLEAVED, false);
	write_small(argv[1], "compact.uscp", USCOPE_COMPACT, false);
	write_small(argv[1], "sums.uscp", USCOPE_INTERLEAVED, true);
	write_summary(argv[1]);
	return 0;
}
