/* SPDX-License-Identifier: MIT */
/* The functions of libuscope_dpi as a simulator calls them, with arrays of our own instead of
 * those of a simulator. */
#include <string.h>
#include <svdpi.h>
#include <unistd.h>
#include <uscope_dpi.h>

#include "check.h"

/* An open array: in one piece, or element by element, or with a hole. */
struct array {
	int low;
	int size;
	const void *bytes;
	size_t step; /* bytes of an element, 0: one */
	bool apart;
	int hole;  /* position from the first element, -1: none */
	int looks; /* at elements */
};

int
svLow(const svOpenArrayHandle h, int d)
{
	CHECK(h != NULL && d == 1);
	return ((struct array *)h)->low;
}

int
svSize(const svOpenArrayHandle h, int d)
{
	CHECK(h != NULL && d == 1);
	return ((struct array *)h)->size;
}

void *
svGetArrayPtr(const svOpenArrayHandle h)
{
	struct array *a = h;
	CHECK(a != NULL);
	return a->apart ? NULL : (void *)(uintptr_t)a->bytes;
}

void *
svGetArrElemPtr1(const svOpenArrayHandle h, int i)
{
	struct array *a = h;
	CHECK(a != NULL && i >= a->low && i - a->low < a->size);
	a->looks++;
	size_t at = (size_t)(i - a->low) * (a->step ? a->step : 1);
	return i - a->low == a->hole ? NULL : (void *)((uintptr_t)a->bytes + at);
}

static char path[] = "/tmp/dpi_mock.XXXXXX";

enum {
	TABLE = 0,
	PAIR = 0,
	NOTHING = 1,
	FAR = 20000, /* ps, beyond the first interval */
};

static void
add_all_but_status(void)
{
	CHECK(uscope_dpi_add_clock("clk", 1000) == 0);
	CHECK(uscope_dpi_add_scope("/", -1, "", 0) == 0);
	CHECK(uscope_dpi_add_scope("cpu", 0, "cpu", -1) == 1);
	CHECK(uscope_dpi_add_enum("stage") == 0);
	CHECK(uscope_dpi_add_enum_value(0, 3, "three") >= 0);
	CHECK(uscope_dpi_add_storage("table", 1, 4, USCOPE_SPARSE) == TABLE);
	CHECK(uscope_dpi_add_field(TABLE, "stage", USCOPE_ENUM, 0) == 0);
	CHECK(uscope_dpi_add_field(TABLE, "text", USCOPE_STRING_REF, 0) == 1);
	CHECK(uscope_dpi_add_property(TABLE, "mode", USCOPE_U8, 0) == 0);
	CHECK(uscope_dpi_add_event("pair", 1) == PAIR);
	CHECK(uscope_dpi_add_event_field(PAIR, "a", USCOPE_U8, 0) == 0);
	CHECK(uscope_dpi_add_event_field(PAIR, "b", USCOPE_U16, 0) == 1);
	CHECK(uscope_dpi_add_event("nothing", -1) == NOTHING);
	CHECK(uscope_dpi_add_dut_property("dut_name", "mock") == 0);
	CHECK(uscope_dpi_add_dut_property("colour", "") == 1);
	uscope_dpi_interval(10000);
}

static void
add_all(void)
{
	add_all_but_status();
	CHECK(uscope_dpi_status(NULL) == 0);
}

/* The payloads of the events of the file, one after the other. */
static size_t
read_events(uint8_t *out, size_t max)
{
	uscope_error_t error;
	uscope_reader_options_t strict = { .mode = USCOPE_STRICT };
	uscope_reader_t *r = uscope_reader_open_ex(path, &strict, &error);
	CHECK(r != NULL && uscope_is_complete(r));
	uscope_event_iter_t *it = uscope_events_in_range(r, 0, UINT64_MAX);
	CHECK(it != NULL);
	size_t n = 0;
	uint64_t time;
	uint16_t type;
	const void *payload;
	while (uscope_event_next(it, &time, &type, &payload)) {
		uint32_t size = uscope_schema(r)->events[type].payload_size;
		CHECK(n + size <= max);
		if (size > 0)
			memcpy(out + n, payload, size);
		n += size;
	}
	CHECK(uscope_event_iter_status(it) == 0);
	uscope_event_iter_free(it);
	uscope_reader_close(r);
	return n;
}

static void
test_null(void)
{
	struct array a = { .size = 3, .bytes = "abc", .hole = -1 };
	uscope_begin_cycle(NULL, 0);
	uscope_slot_set(NULL, 0, 0, 0, 0);
	uscope_slot_clear(NULL, 0, 0);
	uscope_slot_add(NULL, 0, 0, 0, 0);
	uscope_prop_set(NULL, 0, 0, 0);
	uscope_event_raw(NULL, 0, &a);
	uscope_event_bytes(NULL, 0, NULL, 0);
	CHECK(uscope_string_insert(NULL, "text") == UINT32_MAX);
	uscope_end_cycle(NULL);
	uscope_close(NULL);
}

static void
test_no_schema(void)
{
	CHECK(uscope_open(path) == NULL);
	CHECK(uscope_dpi_status(NULL) == USCOPE_E_STATE);
	uscope_dpi_set_schema(NULL, NULL, 5);
	CHECK(uscope_dpi_status(NULL) == 0);
	CHECK(uscope_open(path) == NULL);
}

static void
test_whole(void)
{
	add_all();
	void *w = uscope_open(path);
	CHECK(w != NULL && uscope_dpi_status(w) == 0 && uscope_dpi_status(NULL) == 0);
	/* The next one starts empty. */
	CHECK(uscope_open("/dev/null") == NULL);

	struct array whole = { .size = 3, .bytes = "abc", .hole = -1 };
	struct array apart = { .low = -7, .size = 3, .bytes = "def", .apart = true, .hole = -1 };
	struct array empty = { .bytes = NULL, .hole = -1 };
	uscope_begin_cycle(w, 1000);
	uscope_slot_set(w, TABLE, 2, 0, 3);
	uscope_slot_set(w, TABLE, 2, 1, uscope_string_insert(w, "hello"));
	uscope_prop_set(w, TABLE, 0, 200);
	uscope_event_raw(w, PAIR, &whole);
	uscope_event_raw(w, PAIR, &apart);
	CHECK(apart.looks == 3 && whole.looks == 0);
	uscope_event_raw(w, NOTHING, &empty);
	uscope_event_raw(w, NOTHING, NULL);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, FAR);
	uscope_slot_clear(w, TABLE, 2);
	uscope_end_cycle(w);
	CHECK(uscope_dpi_status(w) == 0);
	uscope_close(w);

	uint8_t got[16];
	CHECK(read_events(got, sizeof(got)) == 6 && memcmp(got, "abcdef", 6) == 0);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r != NULL && uscope_num_segments(r) == 2);
	CHECK(uscope_checkpoint_interval(r) == 10000);
	CHECK(strcmp(uscope_dut_property(r, "dut_name"), "mock") == 0);
	CHECK(strcmp(uscope_dut_property(r, "colour"), "") == 0);
	CHECK(uscope_scope_protocol(r, 0) == NULL);
	CHECK(strcmp(uscope_scope_protocol(r, 1), "cpu") == 0);
	CHECK(strcmp(uscope_enum_label(uscope_schema(r), 0, 3), "three") == 0);
	uscope_state_t *s = uscope_state_at(r, FAR - 1);
	CHECK(s != NULL && uscope_slot_valid(s, TABLE, 2) && uscope_slot_field(s, TABLE, 2, 0) == 3);
	CHECK(uscope_state_prop(s, TABLE, 0) == 200);
	CHECK(strcmp(uscope_string(r, (uint32_t)uscope_slot_field(s, TABLE, 2, 1), NULL), "hello") == 0);
	uscope_state_free(s);
	s = uscope_state_at(r, FAR);
	CHECK(s != NULL && uscope_storage_occupancy(s, TABLE) == 0);
	uscope_state_free(s);
	uscope_reader_close(r);
}

/* An array that does not fit is an error of the writer, and the rest is written. */
static void
test_sizes(void)
{
	static const uint8_t bytes[70000];
	static const struct array wrong[] = {
		{ .size = 0, .bytes = bytes, .hole = -1 },
		{ .size = 2, .bytes = bytes, .hole = -1 },
		{ .size = 4, .bytes = bytes, .hole = -1 },
		{ .size = 70000, .bytes = bytes, .hole = -1 },
		{ .size = 70000, .bytes = bytes, .apart = true, .hole = -1 },
		{ .size = 2, .bytes = bytes, .apart = true, .hole = -1 },
		{ .size = 3, .bytes = bytes, .apart = true, .hole = 1 },
	};
	struct array right = { .size = 3, .bytes = "ghi", .hole = -1 };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct array a = wrong[i];
		add_all();
		void *w = uscope_open(path);
		CHECK(w != NULL);
		uscope_begin_cycle(w, 0);
		uscope_event_raw(w, PAIR, &a);
		CHECK(uscope_dpi_status(w) == USCOPE_E_ARG);
		uscope_event_raw(w, PAIR, &right);
		uscope_end_cycle(w);
		uscope_close(w);
		uint8_t got[16];
		CHECK(read_events(got, sizeof(got)) == 3 && memcmp(got, "ghi", 3) == 0);
	}
}

static void
test_bad_schema(void)
{
	add_all();
	CHECK(uscope_dpi_add_field(77, "nowhere", USCOPE_U8, 0) < 0);
	CHECK(uscope_dpi_add_field(TABLE, "fine", USCOPE_U8, 0) == 2);
	int status = uscope_dpi_status(NULL);
	CHECK(status < 0);
	CHECK(uscope_open(path) == NULL);
	CHECK(uscope_dpi_status(NULL) == status);

	add_all();
	CHECK(uscope_dpi_add_dut_property(NULL, "value") == USCOPE_E_ARG);
	CHECK(uscope_open(path) == NULL);

	add_all();
	CHECK(uscope_open("/nonexistent/file.uscp") == NULL);
	CHECK(uscope_dpi_status(NULL) == USCOPE_E_IO);
	add_all();
	CHECK(uscope_open(NULL) == NULL);
	CHECK(uscope_dpi_status(NULL) == USCOPE_E_ARG);

	/* No clock, no scope. */
	CHECK(uscope_dpi_add_enum("alone") == 0);
	CHECK(uscope_open(path) == NULL);
	CHECK(uscope_dpi_status(NULL) == USCOPE_E_SCHEMA);
}

/* Options are those of the next writer alone. */
static void
test_options(void)
{
	add_all();
	CHECK(uscope_dpi_option("compression", USCOPE_ZSTD) == 0 && uscope_dpi_option("only_changes", 1) == 0);
	CHECK(uscope_dpi_option("interval_ps", 500) == 0);
	void *w = uscope_open(path);
	CHECK(w != NULL);
	uscope_writer_stats_t stats;
	uscope_begin_cycle(w, 100);
	for (int i = 0; i < 3; i++)
		uscope_dpi_slot_set(w, TABLE, 1, 0, 3);
	uscope_end_cycle(w);
	uscope_begin_cycle(w, 700);
	uscope_end_cycle(w);
	uscope_writer_stats(w, &stats);
	CHECK(stats.operations == 1);
	uscope_close(w);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r != NULL && uscope_num_segments(r) == 2 && uscope_checkpoint_interval(r) == 500);
	CHECK((uscope_header(r)->flags & USCOPE_F_COMP_METHOD) == 1 << 3);
	uscope_reader_close(r);

	add_all();
	w = uscope_open(path);
	uscope_close(w);
	r = uscope_reader_open(path);
	CHECK(r != NULL && (uscope_header(r)->flags & USCOPE_F_COMP_METHOD) == 0);
	uscope_reader_close(r);

	static const struct {
		const char *name;
		int64_t value;
		int status;
	} bad[] = {
		{ "speed", 1, USCOPE_E_ARG },
		{ NULL, 1, USCOPE_E_ARG },
		{ "compression", 3, USCOPE_E_RANGE },
		{ "compression", -1, USCOPE_E_RANGE },
		{ "background", 2, USCOPE_E_RANGE },
		{ "level", (int64_t)1 << 32, USCOPE_E_RANGE },
		{ "max_raw", -1, USCOPE_E_RANGE },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(uscope_dpi_option(bad[i].name, bad[i].value) == bad[i].status);
		add_all_but_status();
		CHECK(uscope_dpi_status(NULL) == bad[i].status && uscope_open(path) == NULL);
	}
	/* The library refuses what it gets. */
	add_all();
	CHECK(uscope_dpi_option("summary_fan_out", 1) == 0 && uscope_open(path) == NULL);
	CHECK(uscope_dpi_status(NULL) == USCOPE_E_ARG);
}

/* Ids that do not exist are errors, whatever their lowest 16 bits are. */
static void
test_ids(void)
{
	static const int wrong[] = { -1, 0x10000, USCOPE_E_RANGE, INT32_MIN, INT32_MAX, 65535 };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		for (int what = 0; what < 9; what++) {
			add_all();
			void *w = uscope_open(path);
			CHECK(w != NULL);
			uscope_begin_cycle(w, 0);
			switch (what) {
			case 0: uscope_dpi_slot_set(w, wrong[i], 0, 0, 1); break;
			case 1: uscope_dpi_slot_set(w, TABLE, wrong[i], 0, 1); break;
			case 2: uscope_dpi_slot_set(w, TABLE, 0, wrong[i], 1); break;
			case 3: uscope_dpi_slot_add(w, TABLE, 0, wrong[i], 1); break;
			case 4: uscope_dpi_slot_clear(w, TABLE, wrong[i]); break;
			case 5: uscope_dpi_prop_set(w, TABLE, wrong[i], 1); break;
			case 6: uscope_dpi_event_empty(w, wrong[i]); break;
			case 7: uscope_dpi_event_values(w, wrong[i], NULL); break;
			default: uscope_event_raw(w, wrong[i], NULL);
			}
			CHECK(uscope_dpi_status(w) == USCOPE_E_RANGE);
			uscope_dpi_slot_set(w, TABLE, 3, 0, 1);
			uscope_end_cycle(w);
			uscope_writer_stats_t stats;
			uscope_writer_stats(w, &stats);
			CHECK(stats.operations == 1 && stats.events == 0);
			uscope_close(w);
		}
	CHECK(uscope_dpi_add_storage("large", 0, 65536, 0) == USCOPE_E_RANGE);
	CHECK(uscope_open(path) == NULL);
	CHECK(uscope_dpi_add_clock("clk", 1) == 0 && uscope_dpi_add_scope("/", -1, "", 0) == 0);
	CHECK(uscope_dpi_add_storage("s", 0, 65535, 0) == 0 && uscope_dpi_add_field(0, "f", 256 + USCOPE_U8, 0) == USCOPE_E_RANGE);
	CHECK(uscope_open(path) == NULL);
}

static void
test_values(void)
{
	static const uint64_t values[] = { 0x61, 0x6362, UINT64_MAX };
	struct array whole = { .size = 2, .bytes = values, .hole = -1 };
	struct array apart = { .low = 5, .size = 2, .bytes = values, .step = sizeof(values[0]), .apart = true, .hole = -1 };
	struct array empty = { .hole = -1 };
	static const struct array wrong[] = {
		{ .size = 1, .bytes = values, .hole = -1 },
		{ .size = 3, .bytes = values, .hole = -1 },
		{ .size = 3, .bytes = values, .step = 8, .apart = true, .hole = -1 },
		{ .size = 2, .bytes = values, .step = 8, .apart = true, .hole = 0 },
		{ .size = 70000, .bytes = values, .step = 8, .apart = true, .hole = -1 },
		{ .size = 0, .bytes = values, .hole = -1 },
	};
	add_all();
	void *w = uscope_open(path);
	uscope_begin_cycle(w, 0);
	uscope_dpi_event_values(w, PAIR, &whole);
	uscope_dpi_event_values(w, PAIR, &apart);
	uscope_dpi_event_values(w, NOTHING, &empty);
	uscope_dpi_event_values(w, NOTHING, NULL);
	uscope_dpi_event_empty(w, NOTHING);
	uscope_dpi_event_values(NULL, PAIR, &whole);
	CHECK(apart.looks == 2 && uscope_dpi_status(w) == 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct array a = wrong[i];
		uscope_dpi_event_values(w, PAIR, &a);
	}
	CHECK(uscope_dpi_status(w) == USCOPE_E_ARG);
	uscope_end_cycle(w);
	uscope_writer_stats_t stats;
	uscope_writer_stats(w, &stats);
	CHECK(stats.events == 5 && stats.misuses == sizeof(wrong) / sizeof(wrong[0]));
	uscope_close(w);
	uint8_t got[16];
	CHECK(read_events(got, sizeof(got)) == 6 && memcmp(got, "abcabc", 6) == 0);
}

static void
test_find(void)
{
	add_all();
	void *w = uscope_open(path);
	CHECK(uscope_dpi_find_storage(w, "cpu.table") == TABLE && uscope_dpi_find_storage(w, "/table") == USCOPE_E_RANGE);
	CHECK(uscope_dpi_find_event(w, "nothing") == NOTHING && uscope_dpi_find_event(w, NULL) == USCOPE_E_ARG);
	CHECK(uscope_dpi_find_field(w, TABLE, "text") == 1 && uscope_dpi_find_field(w, TABLE, "mode") < 0);
	CHECK(uscope_dpi_find_property(w, TABLE, "mode") == 0 && uscope_dpi_find_property(w, -5, "mode") < 0);
	CHECK(uscope_dpi_find_storage(NULL, "table") < 0 && uscope_dpi_find_field(NULL, 0, "text") < 0);
	uscope_close(w);
}

/* Without options, and without an end, what was written is there but for the last segment. */
static void
test_unfinished(void)
{
	add_all();
	uscope_dpi_interval(0);
	void *w = uscope_open(path);
	for (uint64_t t = 0; t < 200000; t++) {
		uscope_begin_cycle(w, t);
		uscope_dpi_slot_set(w, TABLE, (int)(t % 4), 1, t);
		uscope_end_cycle(w);
	}
	uscope_reader_t *r = uscope_reader_open(path);
	uscope_state_t *s = r != NULL ? uscope_state_at(r, 80000) : NULL;
	CHECK(s != NULL && uscope_slot_field(s, TABLE, 0, 1) == 80000 && uscope_num_segments(r) >= 2);
	uscope_state_free(s);
	uscope_reader_close(r);
	uscope_close(w);
}

/* A schema that C code provides. */
static void
test_given(void)
{
	const uscope_dut_property_t pair = { "dut_name", "given" };
	const uscope_dut_desc_t dut = { &pair, 1 };
	uscope_schema_t *s = uscope_schema_new();
	CHECK(s != NULL);
	CHECK(uscope_schema_add_clock(s, "clk", 1) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "one", 0, 1, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "n", USCOPE_U8, 0) == 0);

	CHECK(uscope_dpi_add_clock("replaced", 7) == 0);
	CHECK(uscope_dpi_option("compression", USCOPE_RAW) == 0);
	uscope_dpi_set_schema(s, &dut, 50);
	CHECK(uscope_dpi_option("origin_ps", 5) == 0);
	void *w = uscope_open(path);
	CHECK(w != NULL);
	uscope_begin_cycle(w, 10);
	uscope_slot_set(w, 0, 0, 0, 9);
	uscope_end_cycle(w);
	uscope_close(w);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r != NULL && uscope_checkpoint_interval(r) == 50);
	uscope_segment_t segment;
	CHECK(!(uscope_header(r)->flags & USCOPE_F_COMPRESSED));
	CHECK(uscope_segment_info(r, 0, &segment) == 0 && segment.time_start_ps == 5);
	CHECK(strcmp(uscope_schema(r)->clocks[0].name, "clk") == 0);
	CHECK(strcmp(uscope_dut_property(r, "dut_name"), "given") == 0);
	uscope_state_t *state = uscope_state_at(r, 10);
	CHECK(state != NULL && uscope_slot_field(state, 0, 0, 0) == 9);
	uscope_state_free(state);
	uscope_reader_close(r);

	/* Nothing can be added to it. */
	uscope_dpi_set_schema(s, NULL, 0);
	CHECK(uscope_dpi_add_clock("more", 1) == USCOPE_E_STATE);
	CHECK(uscope_open(path) == NULL);
	uscope_dpi_set_schema(s, NULL, 0);
	w = uscope_open(path);
	CHECK(w != NULL);
	uscope_close(w);
	uscope_schema_free(s);
}

int
main(void)
{
	int fd = mkstemp(path);
	CHECK(fd >= 0 && close(fd) == 0);
	test_null();
	test_no_schema();
	test_whole();
	test_sizes();
	test_bad_schema();
	test_options();
	test_ids();
	test_values();
	test_find();
	test_unfinished();
	test_given();
	CHECK(unlink(path) == 0);
	return 0;
}
