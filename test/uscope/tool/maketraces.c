/* SPDX-License-Identifier: MIT */
/* maketraces: the files that the tests of the uscope tool read.
 *
 * usage: maketraces all DIR         every file but the next
 *        maketraces live FILE N MS  N cycles, each a segment, MS apart; then finish
 *        maketraces stop FILE N     N cycles; then end without finishing */
#include "uscope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS UINT64_C(1000)

/* What the file `cpu` holds, by its ids. */
enum {
	CLK_BUS,
	CLK_CORE,

	SCOPE_ROOT = 0,
	SCOPE_SOC,
	SCOPE_CORE,
	SCOPE_CORE1,

	ENUM_STAGE = 0,

	ENTITIES = 0,
	ROB,
	REGS,
	RETIRED,
	ENTITIES1,

	STAGE = 0,
	ANNOTATE,
	FLUSH,
	DEPENDENCY,
	TICK,
};

static void
must(int rc, const char *what)
{
	if (rc >= 0)
		return;
	(void)fprintf(stderr, "maketraces: %s: %s\n", what, uscope_status_name(rc));
	exit(1);
}

static void
cpu_events(uscope_schema_t *s)
{
	int e = uscope_schema_add_event(s, "stage_transition", SCOPE_CORE);
	uscope_schema_add_event_field(s, e, "entity_id", USCOPE_U32, 0);
	uscope_schema_add_event_field(s, e, "stage", USCOPE_ENUM, ENUM_STAGE);
	e = uscope_schema_add_event(s, "annotate", SCOPE_CORE);
	uscope_schema_add_event_field(s, e, "entity_id", USCOPE_U32, 0);
	uscope_schema_add_event_field(s, e, "text", USCOPE_STRING_REF, 0);
	e = uscope_schema_add_event(s, "flush", SCOPE_CORE);
	uscope_schema_add_event_field(s, e, "entity_id", USCOPE_U32, 0);
	uscope_schema_add_event_field(s, e, "why", USCOPE_I8, 0);
	e = uscope_schema_add_event(s, "dependency", SCOPE_CORE);
	uscope_schema_add_event_field(s, e, "src_id", USCOPE_U32, 0);
	uscope_schema_add_event_field(s, e, "dst_id", USCOPE_U32, 0);
	must(uscope_schema_add_event(s, "tick", -1), "event");
}

static void
add_entities(uscope_schema_t *s, int scope)
{
	int st = uscope_schema_add_storage(s, "entities", scope, 4, USCOPE_SPARSE);
	uscope_schema_add_field(s, st, "thread_id", USCOPE_I16, 0);
	uscope_schema_add_field(s, st, "pc", USCOPE_U64, 0);
	uscope_schema_add_field(s, st, "inst_bits", USCOPE_U32, 0);
}

/* more: a storage and a field that the others do not have. */
static uscope_schema_t *
cpu_schema(bool more)
{
	static const struct {
		const char *name;
		uint8_t type;
	} regs[] = {
		{ "u8", USCOPE_U8 },
		{ "u16", USCOPE_U16 },
		{ "u32", USCOPE_U32 },
		{ "u64", USCOPE_U64 },
		{ "i8", USCOPE_I8 },
		{ "i16", USCOPE_I16 },
		{ "i32", USCOPE_I32 },
		{ "i64", USCOPE_I64 },
		{ "on", USCOPE_BOOL },
		{ "text", USCOPE_STRING_REF },
		{ "stage", USCOPE_ENUM },
	};
	uscope_schema_t *s = uscope_schema_new();
	if (!s)
		must(USCOPE_E_NOMEM, "schema");
	uscope_schema_add_clock(s, "bus_clk", 2000);
	uscope_schema_add_clock(s, "core_clk", 500);
	uscope_schema_add_scope(s, "/", -1, NULL, CLK_BUS);
	uscope_schema_add_scope(s, "soc", SCOPE_ROOT, NULL, -1);
	uscope_schema_add_scope(s, "core0", SCOPE_SOC, "cpu", CLK_CORE);
	uscope_schema_add_scope(s, "core1", SCOPE_SOC, "cpu", CLK_CORE);
	uscope_schema_add_enum(s, "stage");
	uscope_schema_add_enum_value(s, ENUM_STAGE, 0, "F");
	uscope_schema_add_enum_value(s, ENUM_STAGE, 1, "D");
	uscope_schema_add_enum_value(s, ENUM_STAGE, 2, "X");
	add_entities(s, SCOPE_CORE);
	int st = uscope_schema_add_storage(s, "rob", SCOPE_CORE, 3, USCOPE_SPARSE | USCOPE_BUFFER);
	uscope_schema_add_field(s, st, "entity", USCOPE_U16, 0);
	uscope_schema_add_field(s, st, "done", USCOPE_BOOL, 0);
	uscope_schema_add_property(s, st, "head", USCOPE_U16, 0);
	uscope_schema_add_property(s, st, "balance", USCOPE_I8, 0);
	uscope_schema_add_property(s, st, "mode", USCOPE_ENUM, ENUM_STAGE);
	st = uscope_schema_add_storage(s, "regs", SCOPE_SOC, 2, 0);
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		uscope_schema_add_field(s, st, regs[i].name, regs[i].type, ENUM_STAGE);
	st = uscope_schema_add_storage(s, "retired", SCOPE_CORE, 1, 0);
	uscope_schema_add_field(s, st, "count", USCOPE_U64, 0);
	add_entities(s, SCOPE_CORE1);
	if (more) {
		st = uscope_schema_add_storage(s, "more", SCOPE_SOC, 1, 0);
		uscope_schema_add_field(s, st, "x", USCOPE_U8, 0);
		uscope_schema_add_field(s, RETIRED, "hits", USCOPE_U8, 0);
	}
	cpu_events(s);
	must(uscope_schema_add_summary_field(s, "ipc", USCOPE_U32, SCOPE_CORE), "summary field");
	return s;
}

static const uscope_dut_property_t cpu_properties[] = {
	{ "dut_name", "two \"cores\"" },
	{ "cpu.isa", "RV64I" },
};

static const uscope_dut_desc_t cpu_dut = { cpu_properties, 2 };

static void
pair_event(uscope_writer_t *w, uint16_t type, uint32_t a, uint32_t b, uint32_t bytes_of_b)
{
	uint8_t payload[8];
	for (unsigned i = 0; i < 4; i++) {
		payload[i] = (uint8_t)(a >> (8 * i));
		payload[4 + i] = (uint8_t)(b >> (8 * i));
	}
	uscope_event_bytes(w, type, payload, 4 + bytes_of_b);
}

static void
stage(uscope_writer_t *w, uint32_t entity, uint32_t to)
{
	pair_event(w, STAGE, entity, to, 1);
}

static void
birth(uscope_writer_t *w, uint16_t slot, uint64_t pc, uint64_t thread)
{
	uscope_slot_set(w, ENTITIES, slot, 1, pc);
	uscope_slot_set(w, ENTITIES, slot, 2, 0x13 + slot);
	uscope_slot_set(w, ENTITIES, slot, 0, thread);
	stage(w, slot, 0);
}

/* One entity lives before the trace begins. */
static void
before(uscope_writer_t *w, void *user)
{
	static const uint8_t mask[1] = { 8 };
	static const uint8_t slot[14] = { 7, 0, 0xfc, 0x0f, 0, 0, 0, 0, 0, 0, 0x33, 0, 0, 0 };
	bool *done = user;
	if (!*done)
		uscope_checkpoint_storage(w, ENTITIES, mask, slot, 1);
	*done = true;
}

static void
registers(uscope_writer_t *w, uint32_t text)
{
	static const uint64_t values[] = { 255, 65535, 4294967295u, UINT64_MAX, (uint64_t)-128, (uint64_t)-1, (uint64_t)-70000,
		UINT64_C(1) << 63, 1 };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		uscope_slot_set(w, REGS, 1, (uint16_t)i, values[i]);
	uscope_slot_set(w, REGS, 1, 9, text);
	uscope_slot_set(w, REGS, 1, 10, 2);
}

/* change: something is not the same, for `uscope diff`. */
static void
cpu_content(uscope_writer_t *w, bool change)
{
	uint32_t plain = uscope_string_insert(w, "load miss");
	uint32_t odd = uscope_string_insert(w, "tab\tline\n\"quote\", back\\slash, \xe2\x80\xae"
					       "na\xc3\xafve \xe2\x86\x92 \x1b[31m");
	uint32_t none = uscope_string_insert(w, "");

	uscope_begin_cycle(w, 1500);
	birth(w, 0, 0x1000, 3);
	stage(w, 3, 2);
	uscope_prop_set(w, ROB, 0, 1);
	uscope_slot_set(w, ROB, 0, 0, 0);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 2 * NS);
	birth(w, 1, 0x1004, (uint64_t)-2);
	stage(w, 0, 1);
	uscope_slot_clear(w, ENTITIES, 3);
	uscope_slot_add(w, RETIRED, 0, 0, 1);
	pair_event(w, ANNOTATE, 0, plain, 4);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 4 * NS);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 12 * NS);
	pair_event(w, DEPENDENCY, 0, 1, 4);
	stage(w, 0, change ? 1 : 2);
	uscope_slot_clear(w, ENTITIES, 0);
	birth(w, 0, 0x2000, 5);
	pair_event(w, FLUSH, 1, 0xff, 1);
	uscope_slot_clear(w, ENTITIES, 1);
	uscope_slot_add(w, RETIRED, 0, 0, 2);
	uscope_event(w, TICK, NULL);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 12 * NS);
	registers(w, odd);
	uscope_slot_set(w, ROB, 1, 1, 1);
	uscope_slot_set(w, ROB, 2, 0, 0xffff);
	uscope_slot_clear(w, ROB, 0);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 20 * NS);
	uscope_prop_set(w, ROB, 1, (uint64_t)-3);
	uscope_prop_set(w, ROB, 2, 9);
	uscope_slot_add(w, ROB, 0, 0, change ? 8 : 7);
	uscope_slot_add(w, REGS, 1, 5, (uint64_t)-4);
	uscope_slot_set(w, REGS, 0, 9, none);
	pair_event(w, ANNOTATE, 0, odd, 4);
	if (change)
		uscope_event(w, TICK, NULL);
	uscope_end_cycle(w);
	must(uscope_writer_set_end(w, 25 * NS), "set_end");
}

/* Flushes as other writers send them: without a CLEAR, with one in the same frame or in a later one, and of a
 * slot that is taken again in the same frame or a later one. */
static void
flushed_content(uscope_writer_t *w)
{
	uscope_begin_cycle(w, 2 * NS);
	for (uint16_t slot = 0; slot < 3; slot++)
		birth(w, slot, 0x1000 + 4u * slot, 1);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 4 * NS);
	pair_event(w, FLUSH, 0, 0, 1);
	stage(w, 0, 1);
	pair_event(w, FLUSH, 1, 0, 1);
	uscope_slot_clear(w, ENTITIES, 2);
	pair_event(w, FLUSH, 2, 0, 1);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 6 * NS);
	uscope_slot_clear(w, ENTITIES, 1);
	pair_event(w, FLUSH, 0, 0, 1);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 8 * NS);
	birth(w, 0, 0x2000, 2);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 10 * NS);
	pair_event(w, FLUSH, 0, 0, 1);
	birth(w, 0, 0x3000, 3);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 12 * NS);
	uscope_slot_clear(w, ENTITIES, 0);
	uscope_end_cycle(w);
}

struct variant {
	const char *name;
	uscope_writer_options_t options;
	bool change;
	bool more;
	bool flushes;
};

static void
write_cpu(const char *dir, const struct variant *v)
{
	char path[1000];
	(void)snprintf(path, sizeof(path), "%s/%s.uscp", dir, v->name);
	uscope_schema_t *s = cpu_schema(v->more);
	int status = 0;
	uscope_writer_t *w = uscope_writer_open_ex(path, &cpu_dut, s, &v->options, &status);
	uscope_schema_free(s);
	must(status, path);
	bool done = false;
	uscope_set_checkpoint_callback(w, before, &done);
	if (v->flushes)
		flushed_content(w);
	else
		cpu_content(w, v->change);
	must(uscope_writer_finish(w), path);
	uscope_writer_close(w);
}

/* Entities with an entity_id in frames of version 0.1: the first is flushed, cleared, and set once more though nothing begins
 * there; the second is flushed and cleared, and another one begins. */
static void
write_flushed_ids(const char *dir)
{
	char path[1000];
	(void)snprintf(path, sizeof(path), "%s/flushedids.uscp", dir);
	uscope_schema_t *s = uscope_schema_new();
	uscope_schema_add_clock(s, "clk", 1000);
	uscope_schema_add_scope(s, "/", -1, NULL, 0);
	uscope_schema_add_scope(s, "core", 0, "cpu", -1);
	int st = uscope_schema_add_storage(s, "entities", 1, 2, USCOPE_SPARSE);
	uscope_schema_add_field(s, st, "entity_id", USCOPE_U32, 0);
	uscope_schema_add_field(s, st, "pc", USCOPE_U32, 0);
	int e = uscope_schema_add_event(s, "flush", 1);
	uscope_schema_add_event_field(s, e, "entity_id", USCOPE_U16, 0);
	uscope_writer_options_t options = { .compression = USCOPE_RAW, .no_checksums = true, .no_summary = true, .frames = USCOPE_WIDE };
	int status = 0;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &options, &status);
	uscope_schema_free(s);
	must(status, path);
	uscope_begin_cycle(w, NS);
	for (uint16_t slot = 0; slot < 2; slot++) {
		uscope_slot_set(w, 0, slot, 0, slot);
		uscope_slot_set(w, 0, slot, 1, 0x1000 + 4u * slot);
	}
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 2 * NS);
	uscope_event_bytes(w, 0, "\0\0", 2);
	uscope_slot_clear(w, 0, 0);
	uscope_slot_set(w, 0, 0, 1, 0x2000);
	uscope_event_bytes(w, 0, "\1\0", 2);
	uscope_slot_clear(w, 0, 1);
	uscope_slot_set(w, 0, 1, 0, 7);
	uscope_slot_set(w, 0, 1, 1, 0x3000);
	uscope_end_cycle(w);
	must(uscope_writer_finish(w), path);
	uscope_writer_close(w);
}

/* Names that are hard to print, and repeated ones. */
static void
write_names(const char *dir)
{
	char path[1000];
	(void)snprintf(path, sizeof(path), "%s/names.uscp", dir);
	uscope_schema_t *s = uscope_schema_new();
	uscope_schema_add_clock(s, "", 0);
	uscope_schema_add_scope(s, "/", -1, NULL, 0);
	uscope_schema_add_scope(s, "a \"b\"", 0, "\x1b[2J", -1);
	int st = uscope_schema_add_storage(s, "s,t\n", 1, 2, USCOPE_SPARSE);
	uscope_schema_add_field(s, st, "valid", USCOPE_U8, 0);
	uscope_schema_add_field(s, st, "twice", USCOPE_U8, 0);
	uscope_schema_add_field(s, st, "twice", USCOPE_U8, 0);
	uscope_schema_add_field(s, st, "n\xc3\xafve", USCOPE_U8, 0);
	int e = uscope_schema_add_event(s, "event", 1);
	uscope_schema_add_event_field(s, e, "event", USCOPE_U8, 0);
	uscope_schema_add_event_field(s, e, "event", USCOPE_U8, 0);
	uscope_writer_options_t options = { .compression = USCOPE_RAW, .no_checksums = true, .no_summary = true };
	int status = 0;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &options, &status);
	uscope_schema_free(s);
	must(status, path);
	uscope_begin_cycle(w, 5);
	for (uint16_t f = 0; f < 4; f++)
		uscope_slot_set(w, 0, 1, f, (uint64_t)f + 1);
	uscope_event_bytes(w, 0, "\1\2", 2);
	uscope_end_cycle(w);
	must(uscope_writer_finish(w), path);
	uscope_writer_close(w);
}

static uscope_schema_t *
counter_schema(void)
{
	uscope_schema_t *s = uscope_schema_new();
	uscope_schema_add_clock(s, "clk", 1000);
	uscope_schema_add_scope(s, "/", -1, NULL, 0);
	int st = uscope_schema_add_storage(s, "counter", -1, 1, 0);
	uscope_schema_add_field(s, st, "n", USCOPE_U64, 0);
	int e = uscope_schema_add_event(s, "beat", -1);
	uscope_schema_add_event_field(s, e, "text", USCOPE_STRING_REF, 0);
	return s;
}

static uscope_writer_t *
open_counter(const char *path, uint64_t interval_ps)
{
	uscope_schema_t *s = counter_schema();
	const uscope_writer_options_t options = { .compression = USCOPE_RAW, .interval_ps = interval_ps, .no_checksums = true };
	int status = 0;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &options, &status);
	uscope_schema_free(s);
	must(status, path);
	return w;
}

static void
beat(uscope_writer_t *w, uint64_t i)
{
	uint8_t text[4] = { 0 };
	char line[32];
	(void)snprintf(line, sizeof(line), "beat %d", (int)(i % 3));
	text[0] = (uint8_t)uscope_string_insert(w, line);
	uscope_begin_cycle(w, i * 10 * NS);
	uscope_slot_add(w, 0, 0, 0, 1);
	uscope_event(w, 0, text);
	uscope_end_cycle(w);
}

static void
write_counter(const char *dir, const char *name, uint64_t cycles)
{
	char path[1000];
	(void)snprintf(path, sizeof(path), "%s/%s.uscp", dir, name);
	uscope_writer_t *w = open_counter(path, 100000 * NS);
	for (uint64_t i = 0; i < cycles; i++)
		beat(w, i);
	must(uscope_writer_finish(w), path);
	uscope_writer_close(w);
}

static int
all(const char *dir)
{
	const uscope_writer_options_t raw = {
		.compression = USCOPE_RAW, .interval_ps = 10 * NS, .no_checksums = true, .summary_base = 4, .summary_fan_out = 2
	};
	struct variant variants[] = {
		{ "cpu", raw, false, false },
		{ "changed", raw, true, false },
		{ "more", raw, false, true },
		{ "wide", raw, false, false },
		{ "compact", raw, false, false },
		{ "lz4", raw, false, false },
		{ "zstd", raw, false, false },
		{ "prefix", raw, false, false },
		{ "one", raw, false, false },
		{ "flushed", raw, false, false, true },
		{ "flushedwide", raw, false, false, true },
		{ "sums", raw, false, false },
		{ "sums-lz4", raw, false, false },
		{ "sums-zstd", raw, false, false },
	};
	variants[3].options.frames = USCOPE_WIDE;
	variants[4].options.frames = USCOPE_COMPACT;
	variants[5].options.compression = USCOPE_LZ4;
	variants[6].options.compression = USCOPE_ZSTD;
	variants[7].options.compression = USCOPE_LZ4;
	variants[7].options.lz4_size_prefix = true;
	variants[8].options.interval_ps = 0;
	variants[10].options.frames = USCOPE_WIDE;
	for (size_t i = 11; i < 14; i++)
		variants[i].options.no_checksums = false;
	variants[12].options.compression = USCOPE_LZ4;
	variants[13].options.compression = USCOPE_ZSTD;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		write_cpu(dir, &variants[i]);
	write_flushed_ids(dir);
	write_names(dir);
	write_counter(dir, "empty", 0);
	write_counter(dir, "many", 100000);
	return 0;
}

static int
grow(const char *path, uint64_t cycles, long wait_ms, bool finish)
{
	uscope_writer_t *w = open_counter(path, 0);
	for (uint64_t i = 0; i < cycles; i++) {
		struct timespec ts = { .tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000 };
		beat(w, i);
		must(uscope_writer_flush(w), path);
		(void)nanosleep(&ts, NULL);
	}
	if (!finish)
		_exit(0);
	must(uscope_writer_finish(w), path);
	uscope_writer_close(w);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "all") == 0)
		return all(argv[2]);
	if (argc == 5 && strcmp(argv[1], "live") == 0)
		return grow(argv[2], strtoull(argv[3], NULL, 10), strtol(argv[4], NULL, 10), true);
	if (argc == 4 && strcmp(argv[1], "stop") == 0)
		return grow(argv[2], strtoull(argv[3], NULL, 10), 0, false);
	(void)fprintf(stderr, "usage: maketraces all DIR | live FILE CYCLES MS | stop FILE CYCLES\n");
	return 2;
}
