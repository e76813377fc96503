/* SPDX-License-Identifier: MIT */
/* misuse: each wrong call of the writer has no effect, is remembered, and does not spoil
 * the trace; the file is compared with that of the same calls without the wrong ones. */
#include "kit.h"
#include "uscope.h"

#include <string.h>

enum {
	DENSE = 0,
	SPARSE = 1,
	EVENT = 0, /* of 3 bytes */
};

static uscope_schema_t *
make_schema(void)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1000) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_enum(s, "e") == 0);
	CHECK(uscope_schema_add_storage(s, "dense", 0, 2, 0) == DENSE);
	CHECK(uscope_schema_add_field(s, DENSE, "u16", USCOPE_U16, -1) == 0);
	CHECK(uscope_schema_add_field(s, DENSE, "bool", USCOPE_BOOL, -1) == 1);
	CHECK(uscope_schema_add_field(s, DENSE, "enum", USCOPE_ENUM, 0) == 2);
	CHECK(uscope_schema_add_field(s, DENSE, "str", USCOPE_STRING_REF, -1) == 3);
	CHECK(uscope_schema_add_property(s, DENSE, "p", USCOPE_I8, -1) == 0);
	CHECK(uscope_schema_add_storage(s, "sparse", 0, 9, USCOPE_SPARSE) == SPARSE);
	CHECK(uscope_schema_add_field(s, SPARSE, "i32", USCOPE_I32, -1) == 0);
	CHECK(uscope_schema_add_event(s, "ev", 0) == EVENT);
	CHECK(uscope_schema_add_event_field(s, EVENT, "a", USCOPE_U8, -1) == 0);
	CHECK(uscope_schema_add_event_field(s, EVENT, "b", USCOPE_U16, -1) == 1);
	return s;
}

/* ---- Calls in three places of a trace. ---- */

enum where {
	OUTSIDE, /* before the first cycle and after the last */
	INSIDE,  /* in a cycle, before and after good operations */
	AFTER,   /* of finish */
};

typedef void (*call_fn)(uscope_writer_t *w);

static void
good_frame(uscope_writer_t *w, uint64_t t, call_fn wrong)
{
	uscope_begin_cycle(w, t);
	if (wrong)
		wrong(w);
	uscope_slot_set(w, DENSE, 1, 0, 500);
	uscope_slot_set(w, SPARSE, 8, 0, t);
	uscope_event_bytes(w, EVENT, "abc", 3);
	if (wrong)
		wrong(w);
	uscope_end_cycle(w);
}

/* The file of such a trace; free() it. *status: of finish. */
static char *
trace(call_fn wrong, enum where place, bool drop_empty, size_t *n, int *status, uint64_t *misuses)
{
	const char *path = kit_path("misuse.uscp");
	uscope_schema_t *s = make_schema();
	uscope_writer_options_t o = { .compression = USCOPE_RAW, .interval_ps = 5000, .drop_empty = drop_empty };
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &o, NULL);
	uscope_schema_free(s);
	CHECK(w);
	if (wrong && place == OUTSIDE)
		wrong(w);
	for (uint64_t t = 0; t < 20000; t += 700)
		good_frame(w, t, place == INSIDE ? wrong : NULL);
	if (wrong && place == OUTSIDE)
		wrong(w);
	*status = uscope_writer_finish(w);
	if (wrong && place == AFTER) {
		wrong(w);
		*status = uscope_writer_finish(w);
	}
	uscope_writer_stats_t stats;
	uscope_writer_stats(w, &stats);
	*misuses = stats.misuses;
	CHECK(uscope_writer_error(w) == *status && uscope_writer_error_info(w)->status == *status);
	CHECK(!*status == !uscope_writer_error_info(w)->reason[0]);
	uscope_writer_close(w);
	return kit_read(path, n);
}

static void
check_one(call_fn wrong, enum where place, int want, const char *name, uint64_t calls)
{
	for (int drop = 0; drop < 2; drop++) {
		size_t n[2];
		int status;
		uint64_t misuses;
		char *good = trace(NULL, place, drop, &n[0], &status, &misuses);
		CHECK(status == 0 && misuses == 0);
		char *bad = trace(wrong, place, drop, &n[1], &status, &misuses);
		if (status != want || misuses == 0 || n[0] != n[1] || memcmp(good, bad, n[0]) != 0)
			(void)fprintf(stderr, "%s in place %d, drop_empty %d: %s\n", name, place, drop, uscope_status_name(status));
		CHECK(status == want && misuses % calls == 0 && misuses > 0);
		CHECK(n[0] == n[1] && memcmp(good, bad, n[0]) == 0);
		free(good);
		free(bad);
	}
}

#define CALL(name, ...)          \
	static void              \
	name(uscope_writer_t *w) \
	{                        \
		__VA_ARGS__;     \
	}

CALL(set_good, uscope_slot_set(w, DENSE, 0, 0, 1))
CALL(set_storage, uscope_slot_set(w, 2, 0, 0, 1))
CALL(set_slot, uscope_slot_set(w, DENSE, 2, 0, 1))
CALL(set_field, uscope_slot_set(w, DENSE, 0, 4, 1))
CALL(add_good, uscope_slot_add(w, DENSE, 0, 0, 1))
CALL(add_storage, uscope_slot_add(w, 65535, 0, 0, 1))
CALL(add_slot, uscope_slot_add(w, SPARSE, 9, 0, 1))
CALL(add_field, uscope_slot_add(w, SPARSE, 0, 1, 1))
CALL(add_bool, uscope_slot_add(w, DENSE, 0, 1, 1))
CALL(add_enum, uscope_slot_add(w, DENSE, 0, 2, 1))
CALL(add_string, uscope_slot_add(w, DENSE, 0, 3, 1))
CALL(clear_good, uscope_slot_clear(w, SPARSE, 0))
CALL(clear_dense, uscope_slot_clear(w, DENSE, 0))
CALL(clear_storage, uscope_slot_clear(w, 2, 0))
CALL(clear_slot, uscope_slot_clear(w, SPARSE, 9))
CALL(prop_good, uscope_prop_set(w, DENSE, 0, 1))
CALL(prop_storage, uscope_prop_set(w, 2, 0, 1))
CALL(prop_index, uscope_prop_set(w, DENSE, 1, 1))
CALL(event_good, uscope_event(w, EVENT, "abc"))
CALL(event_type, uscope_event(w, 1, "abc"))
CALL(event_null, uscope_event(w, EVENT, NULL))
CALL(event_bytes_type, uscope_event_bytes(w, 1, "abc", 3))
CALL(event_bytes_short, uscope_event_bytes(w, EVENT, "abc", 2))
CALL(event_bytes_long, uscope_event_bytes(w, EVENT, "abcd", 4))
CALL(event_bytes_null, uscope_event_bytes(w, EVENT, NULL, 3))
CALL(event_values_type, uscope_event_values(w, 1, (const uint64_t[]){ 1, 2 }, 2))
CALL(event_values_few, uscope_event_values(w, EVENT, (const uint64_t[]){ 1 }, 1))
CALL(event_values_many, uscope_event_values(w, EVENT, (const uint64_t[]){ 1, 2, 3 }, 3))
CALL(event_values_null, uscope_event_values(w, EVENT, NULL, 2))
CALL(end, uscope_end_cycle(w))
CALL(begin_any, uscope_begin_cycle(w, 100000))
CALL(flush, CHECK(uscope_writer_flush(w) == USCOPE_E_STATE))
CALL(set_end_late, CHECK(uscope_writer_set_end(w, UINT64_MAX) == USCOPE_E_RANGE))
CALL(set_end, CHECK(uscope_writer_set_end(w, 5) == USCOPE_E_STATE))
CALL(string_null, CHECK(uscope_string_insert(w, NULL) == UINT32_MAX))
CALL(string_bad, CHECK(uscope_string_insert(w, "\xff") == UINT32_MAX))
CALL(string_good, CHECK(uscope_string_insert(w, "a") == UINT32_MAX))
CALL(counter_late, CHECK(uscope_summary_counter(w, "a", 0) == USCOPE_E_STATE))
CALL(counter_storage, CHECK(uscope_summary_counter(w, "a", 2) < 0))
CALL(counter_null, CHECK(uscope_summary_counter(w, NULL, 0) < 0))
CALL(sum_add, uscope_summary_add(w, 0, 0, 1))
CALL(sum_add_negative, uscope_summary_add(w, -1, 0, 1))
CALL(sum_span, uscope_summary_span(w, 0, 0, 1))
CALL(sum_density, uscope_summary_density(w, 0, 1))
CALL(checkpoint, uscope_checkpoint_storage(w, DENSE, NULL, "0123456789012345", 2))
CALL(checkpoint_props, uscope_checkpoint_properties(w, DENSE, "0"))

/* Whole cycles that are refused, with what is in them. */
static void
cycle_back(uscope_writer_t *w)
{
	uscope_begin_cycle(w, 100000);
	uscope_end_cycle(w);
}

static void
early_cycle(uscope_writer_t *w)
{
	uscope_begin_cycle(w, UINT64_MAX);
	uscope_slot_set(w, DENSE, 0, 0, 1);
	uscope_slot_set(w, 7, 0, 0, 1);
	uscope_event(w, EVENT, "abc");
	uscope_begin_cycle(w, 0); /* still refused */
	uscope_slot_clear(w, SPARSE, 8);
	uscope_end_cycle(w);
}

static void
test_calls(void)
{
	static const struct {
		call_fn call;
		const char *name;
		int outside; /* what it is there; 0: it is not wrong */
		int inside;
		int after;
	} all[] = {
#define X(call, outside, inside, after) { call, #call, USCOPE_##outside, USCOPE_##inside, USCOPE_##after }
		X(set_good, E_STATE, OK, E_STATE),
		X(set_storage, E_STATE, E_RANGE, E_STATE),
		X(set_slot, E_STATE, E_RANGE, E_STATE),
		X(set_field, E_STATE, E_RANGE, E_STATE),
		X(add_good, E_STATE, OK, E_STATE),
		X(add_storage, E_STATE, E_RANGE, E_STATE),
		X(add_slot, E_STATE, E_RANGE, E_STATE),
		X(add_field, E_STATE, E_RANGE, E_STATE),
		X(add_bool, E_STATE, E_ARG, E_STATE),
		X(add_enum, E_STATE, E_ARG, E_STATE),
		X(add_string, E_STATE, E_ARG, E_STATE),
		X(clear_good, E_STATE, OK, E_STATE),
		X(clear_dense, E_STATE, E_ARG, E_STATE),
		X(clear_storage, E_STATE, E_RANGE, E_STATE),
		X(clear_slot, E_STATE, E_RANGE, E_STATE),
		X(prop_good, E_STATE, OK, E_STATE),
		X(prop_storage, E_STATE, E_RANGE, E_STATE),
		X(prop_index, E_STATE, E_RANGE, E_STATE),
		X(event_good, E_STATE, OK, E_STATE),
		X(event_type, E_STATE, E_RANGE, E_STATE),
		X(event_null, E_STATE, E_ARG, E_STATE),
		X(event_bytes_type, E_STATE, E_RANGE, E_STATE),
		X(event_bytes_short, E_STATE, E_ARG, E_STATE),
		X(event_bytes_long, E_STATE, E_ARG, E_STATE),
		X(event_bytes_null, E_STATE, E_ARG, E_STATE),
		X(event_values_type, E_STATE, E_RANGE, E_STATE),
		X(event_values_few, E_STATE, E_ARG, E_STATE),
		X(event_values_many, E_STATE, E_ARG, E_STATE),
		X(event_values_null, E_STATE, E_ARG, E_STATE),
		X(end, E_STATE, OK, E_STATE),
		X(begin_any, OK, OK, E_STATE),
		X(flush, OK, E_STATE, E_STATE),
		X(set_end_late, E_RANGE, E_RANGE, OK),
		X(set_end, OK, OK, E_STATE),
		X(string_null, E_ARG, E_ARG, OK),
		X(string_bad, E_ARG, E_ARG, OK),
		X(string_good, OK, OK, E_STATE),
		X(counter_late, OK, E_STATE, E_STATE),
		X(counter_storage, E_RANGE, E_STATE, E_STATE),
		X(counter_null, E_ARG, E_STATE, E_STATE),
		X(sum_add, E_RANGE, E_RANGE, E_STATE),
		X(sum_add_negative, E_RANGE, E_RANGE, E_STATE),
		X(sum_span, E_RANGE, E_RANGE, E_STATE),
		X(sum_density, OK, OK, E_STATE),
		X(checkpoint, E_STATE, E_STATE, E_STATE),
		X(checkpoint_props, E_STATE, E_STATE, E_STATE),
		X(early_cycle, E_RANGE, OK, E_STATE),
		X(cycle_back, OK, OK, E_STATE),
#undef X
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].outside)
			check_one(all[i].call, OUTSIDE, all[i].outside, all[i].name, 2);
		if (all[i].inside)
			check_one(all[i].call, INSIDE, all[i].inside, all[i].name, 2);
		if (all[i].after)
			check_one(all[i].call, AFTER, all[i].after, all[i].name, 1);
	}
}

/* ---- Cycles that are not closed, or begun twice. ---- */

static uscope_writer_t *
open_one(const char *path, const uscope_writer_options_t *o)
{
	uscope_schema_t *s = make_schema();
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, o, NULL);
	uscope_schema_free(s);
	CHECK(w);
	return w;
}

static void
test_begin_twice(void)
{
	for (int drop = 0; drop < 2; drop++) {
		const uscope_writer_options_t o = { .drop_empty = drop };
		const char *path = kit_path("twice.uscp");
		uscope_writer_t *w = open_one(path, &o);
		uscope_begin_cycle(w, 10);
		uscope_slot_set(w, DENSE, 0, 0, 1);
		uscope_begin_cycle(w, 20); /* refused; all up to the end is ignored */
		uscope_slot_set(w, DENSE, 0, 0, 2);
		uscope_end_cycle(w);
		CHECK(uscope_writer_error(w) == USCOPE_E_STATE);
		uscope_begin_cycle(w, 30);
		uscope_begin_cycle(w, 40);
		uscope_end_cycle(w);
		CHECK(uscope_writer_finish(w) == USCOPE_E_STATE);
		uscope_writer_close(w);

		uscope_reader_t *r = uscope_reader_open(path);
		CHECK(r && uscope_is_complete(r) && uscope_header(r)->total_time_ps == 30);
		uscope_state_t *s = uscope_state_at(r, 100);
		CHECK(s && uscope_slot_field(s, DENSE, 0, 0) == 1);
		uscope_state_free(s);
		uscope_segment_t g;
		CHECK(uscope_num_segments(r) == 1 && uscope_segment_info(r, 0, &g) == 0);
		CHECK(g.num_frames == (drop ? 1 : 2) && g.num_frames_active == 1);
		uscope_reader_close(r);
	}
}

/* What an open cycle has done until finish is in the file. */
static void
test_open_cycle(void)
{
	const char *path = kit_path("open.uscp");
	uscope_writer_t *w = open_one(path, NULL);
	uscope_begin_cycle(w, 10);
	uscope_slot_set(w, DENSE, 0, 0, 77);
	CHECK(uscope_writer_finish(w) == USCOPE_E_STATE);
	CHECK(uscope_writer_finish(w) == USCOPE_E_STATE);
	uscope_writer_close(w);
	uscope_reader_t *r = uscope_reader_open(path);
	uscope_state_t *s = uscope_state_at(r, 10);
	CHECK(s && uscope_slot_field(s, DENSE, 0, 0) == 77);
	uscope_state_free(s);
	uscope_reader_close(r);
}

/* Only the first error is kept. */
static void
test_first_error(void)
{
	uscope_writer_t *w = open_one(kit_path("first.uscp"), NULL);
	uscope_begin_cycle(w, 10);
	uscope_slot_clear(w, DENSE, 0);
	uscope_slot_set(w, 9, 0, 0, 0);
	uscope_end_cycle(w);
	uscope_end_cycle(w);
	CHECK(uscope_writer_error(w) == USCOPE_E_ARG && strstr(uscope_writer_error_info(w)->reason, "dense"));
	CHECK(uscope_writer_finish(w) == USCOPE_E_ARG);
	uscope_writer_close(w);
}

/* ---- NULL. ---- */

/* As a simulator has after a failed open. */
static void
test_null(void)
{
	uscope_begin_cycle(NULL, 0);
	set_good(NULL);
	add_good(NULL);
	clear_good(NULL);
	prop_good(NULL);
	event_good(NULL);
	event_values_few(NULL);
	uscope_event_bytes(NULL, 0, "abc", 3);
	uscope_end_cycle(NULL);
	CHECK(uscope_string_insert(NULL, "a") == UINT32_MAX);
	uscope_set_checkpoint_callback(NULL, NULL, NULL);
	checkpoint(NULL);
	checkpoint_props(NULL);
	CHECK(uscope_summary_counter(NULL, "a", 0) == USCOPE_E_ARG);
	sum_add(NULL);
	sum_span(NULL);
	sum_density(NULL);
	CHECK(uscope_writer_flush(NULL) == USCOPE_E_ARG && uscope_writer_set_end(NULL, 1) == USCOPE_E_ARG);
	CHECK(uscope_writer_finish(NULL) == USCOPE_E_ARG && uscope_writer_error(NULL) == USCOPE_E_ARG);
	CHECK(uscope_writer_error_info(NULL)->status == USCOPE_E_ARG && uscope_writer_error_info(NULL)->reason[0]);
	uscope_writer_stats_t stats = { .misuses = 1 };
	uscope_writer_stats(NULL, &stats);
	CHECK(stats.misuses == 0);
	uscope_writer_close(NULL);
}

/* ---- The callback. ---- */

static int calls;

static void
bad_callback(uscope_writer_t *w, void *user)
{
	CHECK(user == &calls);
	calls++;
	const uint8_t mask[2] = { 0x81, 0x01 }; /* slots 0, 7, 8 */
	static const uint8_t data[2 * 8 + 12];
	uscope_checkpoint_storage(w, 2, mask, data, 3);
	uscope_checkpoint_storage(w, SPARSE, NULL, data, 3);
	uscope_checkpoint_storage(w, SPARSE, mask, data, 2);
	uscope_checkpoint_storage(w, SPARSE, mask, NULL, 3);
	uscope_checkpoint_storage(w, DENSE, NULL, data, 1);
	uscope_checkpoint_storage(w, DENSE, NULL, NULL, 2);
	uscope_checkpoint_properties(w, 2, data);
	uscope_checkpoint_properties(w, DENSE, NULL);
	uscope_slot_set(w, DENSE, 0, 0, 9);
	uscope_begin_cycle(w, 5);
	uscope_end_cycle(w);
	CHECK(uscope_writer_flush(w) == USCOPE_E_STATE);
	CHECK(uscope_writer_finish(w) == USCOPE_E_STATE);
}

static void
good_callback(uscope_writer_t *w, void *user)
{
	(void)user;
	if (calls++ > 0)
		return;                         /* what is not mentioned stays */
	const uint8_t mask[2] = { 0x81, 0xff }; /* slots 0, 7, 8; bits of none */
	const uint8_t sparse[12] = { 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0 };
	const uint8_t dense[16] = { 0x34, 0x12, 200, 5, 9, 0, 0, 0 };
	uscope_checkpoint_storage(w, SPARSE, mask, sparse, 3);
	uscope_checkpoint_storage(w, DENSE, NULL, dense, 2);
	uscope_checkpoint_properties(w, DENSE, "\xfe");
	uscope_checkpoint_properties(w, SPARSE, NULL); /* it has none */
}

static void
test_callback(void)
{
	const uscope_writer_options_t o = { .interval_ps = 100 };
	const char *path = kit_path("callback.uscp");
	uscope_writer_t *w = open_one(path, &o);
	uscope_set_checkpoint_callback(w, bad_callback, &calls);
	good_frame(w, 0, NULL);
	good_frame(w, 150, NULL);
	CHECK(calls == 2);
	uscope_writer_stats_t stats;
	uscope_writer_stats(w, &stats);
	CHECK(stats.misuses == 2 * 13 && uscope_writer_error(w) == USCOPE_E_RANGE);
	CHECK(uscope_writer_finish(w) == USCOPE_E_RANGE);
	uscope_writer_close(w);

	calls = 0;
	w = open_one(path, &o);
	uscope_set_checkpoint_callback(w, good_callback, NULL);
	good_frame(w, 0, NULL);
	good_frame(w, 150, NULL);
	CHECK(uscope_writer_finish(w) == 0 && calls == 2);
	uscope_writer_close(w);
	uscope_reader_t *r = uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, NULL);
	CHECK(r && uscope_verify(r, NULL, NULL) == 0);
	uscope_state_t *s = uscope_segment_checkpoint(r, 0);
	CHECK(s && uscope_storage_occupancy(s, SPARSE) == 3);
	CHECK((int64_t)uscope_slot_field(s, SPARSE, 7, 0) == -1 && uscope_slot_field(s, SPARSE, 8, 0) == 3);
	CHECK(uscope_slot_field_raw(s, DENSE, 0, 1) == 1); /* a BOOL of 200 */
	CHECK(uscope_slot_field(s, DENSE, 0, 0) == 0x1234 && uscope_slot_field(s, DENSE, 0, 3) == 9);
	CHECK((int64_t)uscope_state_prop(s, DENSE, 0) == -2);
	uscope_state_free(s);
	uscope_reader_close(r);
}

int
main(void)
{
	test_calls();
	test_begin_twice();
	test_open_cycle();
	test_first_error();
	test_null();
	test_callback();
	return 0;
}
