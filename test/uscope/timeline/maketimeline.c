/* SPDX-License-Identifier: MIT */
/* maketimeline: timelines that ovniemu does not write: damaged tables, punctual values at
 * all places, very long ones.
 *
 *   usage: maketimeline FILE VARIANT [CHANGES] */
#include "../../xorshift.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uscope.h>

enum {
	THREADS = 2,
	CPUS = 1,
	/* storages */
	THREAD_OVNI = 0,
	CPU_OVNI,
	BREAKDOWN,
	THREAD_ROWS,
	CPU_ROWS,
	CHANNELS,
	LABELS,
};

static const char *variant;

static int
is(const char *name)
{
	return strcmp(variant, name) == 0;
}

static int
ok(int id)
{
	if (id >= 0)
		return id;
	(void)fprintf(stderr, "maketimeline: %s\n", uscope_status_text(id));
	exit(1);
}

/* A table whose fields are given as "name type name type"; type is the number. */
static void
table(uscope_schema_t *s, const char *name, int scope, uint16_t nslots, uint16_t flags, const char *fields)
{
	int t = ok(uscope_schema_add_storage(s, name, scope, nslots, flags));
	char field[32];
	int type;
	int n;
	for (; sscanf(fields, "%31s %d%n", field, &type, &n) == 2; fields += n)
		(void)ok(uscope_schema_add_field(s, t, field, (uint8_t)type, 0));
}

static uscope_schema_t *
make_schema(uint16_t nthreads)
{
	uscope_schema_t *s = uscope_schema_new();
	(void)ok(s ? uscope_schema_add_clock(s, "ns", 1000) : USCOPE_E_NOMEM);
	(void)ok(uscope_schema_add_scope(s, "/", -1, NULL, 0));
	(void)ok(uscope_schema_add_scope(s, "thread", 0, is("no-threads") ? "other" : "ovni.thread", -1));
	(void)ok(uscope_schema_add_scope(s, "cpu", 0, "ovni.cpu", -1));
	(void)ok(uscope_schema_add_scope(s, "breakdown", 0, "ovni.breakdown", -1));
	int e = ok(uscope_schema_add_enum(s, "state"));
	(void)ok(uscope_schema_add_enum_value(s, e, 1, "Running"));
	(void)ok(uscope_schema_add_enum_value(s, e, 2, "Paused"));
	(void)ok(uscope_schema_add_enum_value(s, e, 255, "Error: too many threads"));
	/* ENUM 11, U32 3, I64 8, STRING_REF 10, BOOL 9 */
	table(s, "ovni", 1, is("channel-slots") ? 3 : nthreads, 0, is("channel-kind") ? "state 9 mark 8 type 10" : "state 11 mark 8 type 10");
	table(s, "ovni", 2, CPUS, 0, "tid 3");
	table(s, is("breakdown-name") ? "../evil" : "nosv", 3, CPUS, 0, "state 3");
	table(s, is("no-rows") ? "lines" : "rows", 1, nthreads, 0, is("no-label") ? "text 10" : "label 10");
	table(s, "rows", 2, CPUS, 0, "label 10");
	table(s, "channels", is("no-channels") ? 1 : 0, 5, 0, "prv_type 3 storage 3 field 3 mode 3 name 10");
	table(s, "labels", 0, 8, USCOPE_SPARSE, is("no-value") ? "class 3 prv_type 3 text 10" : "class 3 prv_type 3 value 8 text 10");
	int punctual = ok(uscope_schema_add_event(s, "punctual", 1));
	(void)ok(uscope_schema_add_event_field(s, punctual, "row", USCOPE_U32, 0));
	(void)ok(uscope_schema_add_event_field(s, punctual, "channel", USCOPE_U16, 0));
	(void)ok(uscope_schema_add_event_field(s, punctual, "value", USCOPE_I64, 0));
	return s;
}

static void
put_row(uscope_writer_t *w, uint16_t storage, uint16_t slot, const uint64_t *v, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		uscope_slot_set(w, storage, slot, i, v[i]);
}

static void
put_tables(uscope_writer_t *w, uint16_t nthreads)
{
	(void)uscope_string_insert(w, "");
	(void)uscope_string_insert(w, "Error: the thread does not show it");
	(void)uscope_string_insert(w, "Error: too many threads");
	uscope_begin_cycle(w, 0);
	for (uint16_t i = 0; i < nthreads; i++) {
		char name[32];
		(void)snprintf(name, sizeof(name), i == 1 ? "TH \x1b[1m%u" : "TH 1.%u", i + 1U);
		uscope_slot_set(w, THREAD_ROWS, i, 0, is("row-text") ? 12345678 : uscope_string_insert(w, name));
	}
	uscope_slot_set(w, CPU_ROWS, 0, 0, uscope_string_insert(w, " CPU 0.0"));
	const uint64_t channels[][5] = {
		{ is("channel-no-type") ? 0 : 4, is("channel-storage") ? 77 : is("channel-table") ? CHANNELS
												  : THREAD_OVNI,
			is("channel-field") ? 3 : 0, 0, uscope_string_insert(w, "Thread state") },
		{ is("channel-same-type") ? 4 : 100, THREAD_OVNI, is("channel-twice") ? 0 : 1, 0, uscope_string_insert(w, "Mark") },
		{ 11, THREAD_OVNI, 2, 0, uscope_string_insert(w, "Task type") },
		{ 2, CPU_OVNI, 0, 0, uscope_string_insert(w, "TID") },
		{ 17, BREAKDOWN, 0, 0, uscope_string_insert(w, "Breakdown") },
	};
	for (uint16_t i = 0; i < 5; i++)
		put_row(w, CHANNELS, i, channels[i], 5);
	const uint64_t labels[][4] = {
		{ is("label-class") ? 9 : 0, 100, (uint64_t)-5, uscope_string_insert(w, "minus five") },
		{ 0, 100, UINT64_C(1) << 40, is("label-text") ? 99999 : uscope_string_insert(w, "a large one") },
		{ 3, 11, 5000, uscope_string_insert(w, "alpha") },
		{ 3, 12345, 1, uscope_string_insert(w, "of no channel") },
		{ 2, 17, 3, uscope_string_insert(w, "state three") },
	};
	for (uint16_t i = 0; i < 5; i++)
		put_row(w, LABELS, i, labels[i], is("no-value") ? 3 : 4);
	uscope_end_cycle(w);
}

static void
punctual(uscope_writer_t *w, uint32_t row, uint16_t channel, int64_t value)
{
	uint8_t p[14];
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(row >> 8 * i);
	p[4] = (uint8_t)channel;
	p[5] = (uint8_t)(channel >> 8);
	for (unsigned i = 0; i < 8; i++)
		p[6 + i] = (uint8_t)((uint64_t)value >> 8 * i);
	uscope_event(w, 0, p);
}

static void
set(uscope_writer_t *w, uint64_t ns, uint16_t storage, uint16_t row, uint16_t field, uint64_t value)
{
	uscope_begin_cycle(w, ns * 1000);
	uscope_slot_set(w, storage, row, field, value);
	uscope_end_cycle(w);
}

static void
put_story(uscope_writer_t *w)
{
	/* At time 0, at once; behind a line of the same nanosecond; alone; twice; and for rows
	 * and channels that do not exist. */
	uscope_begin_cycle(w, 0);
	punctual(w, 1, 0, 2);
	uscope_end_cycle(w);
	set(w, 10, THREAD_OVNI, 0, 0, 1);
	set(w, 20, THREAD_OVNI, 1, 1, (uint64_t)-5);
	set(w, 20, THREAD_OVNI, 1, 1, UINT64_C(1) << 40);
	set(w, 29, THREAD_OVNI, 1, 1, 7);
	uscope_begin_cycle(w, 30000);
	punctual(w, 1, 0, 2);
	punctual(w, 1, 0, 1);
	punctual(w, 3, 0, 1);
	punctual(w, 0, 0, 1);
	punctual(w, 1, 99, 1);
	punctual(w, 1, 3, 1);
	uscope_end_cycle(w);
	set(w, 40, THREAD_OVNI, 0, 2, uscope_string_insert(w, "alpha"));
	set(w, 41, THREAD_OVNI, 0, 2, uscope_string_insert(w, "left out of the table"));
	set(w, 42, THREAD_OVNI, 0, 2, 2);
	set(w, 43, THREAD_OVNI, 0, 0, 255);
	uscope_begin_cycle(w, 44000);
	uscope_slot_set(w, THREAD_OVNI, 0, 0, 2);
	punctual(w, 1, 0, 1);
	uscope_slot_add(w, THREAD_OVNI, 1, 1, 3);
	uscope_end_cycle(w);
	set(w, 50, CPU_OVNI, 0, 0, UINT32_MAX);
	set(w, 50, BREAKDOWN, 0, 0, 3);
	set(w, 60, THREAD_OVNI, 0, 2, 123456);
	(void)uscope_writer_set_end(w, 70000);
}

/* Threads that change their state now and then. */
static void
put_changes(uscope_writer_t *w, uint64_t n, uint16_t nthreads)
{
	uint64_t r = XORSHIFT_SEED;
	uint64_t ns = 1;
	for (uint64_t i = 0; i < n; i++) {
		(void)xorshift(&r);
		ns += r >> 32 & 1023;
		set(w, ns, THREAD_OVNI, (uint16_t)(r % nthreads), 0, r >> 16 & 3);
	}
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		(void)fprintf(stderr, "usage: maketimeline FILE VARIANT [CHANGES]\n");
		return 2;
	}
	variant = argv[2];
	uint64_t changes = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	uint16_t nthreads = changes ? 128 : THREADS;
	uscope_schema_t *s = make_schema(nthreads);
	const uscope_dut_property_t properties[] = {
		{ "dut_name", "made" },
		{ is("no-property") ? "other" : "ovni.protocol_version", is("version-2") ? "2" : "1" },
		{ "ovni.models", "nosv,ovni" },
		{ "ovni.view", is("compat") ? "compat" : "default" },
	};
	const uscope_dut_desc_t dut = { properties, sizeof(properties) / sizeof(properties[0]) };
	const uscope_writer_options_t options = {
		.interval_ps = UINT64_C(1000000000000),
		.min_raw = 256 << 10,
		.max_raw = 1 << 20,
		.no_auto_summary = true,
		/* So that changed bytes are changed values. */
		.compression = strncmp(variant, "plain", 5) == 0 ? USCOPE_RAW : USCOPE_LZ4,
	};
	int status = 0;
	uscope_writer_t *w = uscope_writer_open_ex(argv[1], &dut, s, &options, &status);
	(void)ok(w ? 0 : status);
	put_tables(w, nthreads);
	if (changes)
		put_changes(w, changes, nthreads);
	else
		put_story(w);
	if (is("stopped") || is("plain-stopped")) {
		(void)uscope_writer_flush(w);
		_Exit(0);
	}
	status = uscope_writer_finish(w);
	uscope_writer_close(w);
	uscope_schema_free(s);
	/* What does not fit is part of the matter. */
	return status == USCOPE_E_RANGE ? 0 : -status;
}
