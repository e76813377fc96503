/* SPDX-License-Identifier: MIT */
#include "exercise.h"

#include "check.h"
#include "state.h"

#include <string.h>

enum {
	MIB = 1 << 20,
	SEGMENTS = 50, /* of hostile files */
};

static volatile uint64_t sink;

static void
touch(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i];
	sink = sum;
}

static void
check_error(const uscope_error_t *e)
{
	CHECK(e->status < 0 && e->status >= USCOPE_E_STRICT);
	CHECK(e->reason[0] && memchr(e->reason, 0, sizeof(e->reason)));
	CHECK(e->segment >= -1);
}

static void
strings(uscope_reader_t *r)
{
	uint32_t n = uscope_num_strings(r);
	for (uint32_t i = 0; i < n && i < SEGMENTS; i++) {
		uint32_t length;
		const char *s = uscope_string(r, i, &length);
		CHECK(s || uscope_reader_status(r) < 0);
		if (s)
			touch(s, (size_t)length + 1);
	}
	CHECK(!uscope_string(r, n, NULL) && !uscope_string(r, UINT32_MAX, NULL));
}

static void
summary(uscope_reader_t *r)
{
	uscope_summary_t s;
	uint32_t n;
	if (!uscope_summary_info(r, &s))
		return;
	for (uint32_t i = 0; i <= s.num_density_levels; i++) {
		const void *v = uscope_summary_data(r, i, &n);
		if (v)
			touch(v, (size_t)n * 4);
	}
	for (uint32_t c = 0; c < s.num_counters && c < SEGMENTS; c++) {
		const char *name;
		uint32_t length, levels;
		uint16_t storage;
		if (!uscope_summary_counter_info(r, c, &name, &length, &storage, &levels))
			continue;
		touch(name, (size_t)length + 1);
		for (uint32_t i = 0; i <= levels; i++) {
			const uscope_mipmap_t *m = uscope_summary_counter_data(r, c, i, &n);
			if (m)
				touch(m, n * sizeof(*m));
		}
	}
}

static void
all_values(const uscope_reader_t *r, const uscope_state_t *state)
{
	const uscope_schema_t *s = uscope_schema(r);
	uint64_t sum = 0;
	for (uint16_t i = 0; i < s->num_storages; i++) {
		const uscope_storage_t *st = &s->storages[i];
		uint32_t valid = 0;
		for (uint32_t slot = 0; slot < st->num_slots; slot++) {
			valid += uscope_slot_valid(state, i, (uint16_t)slot);
			for (uint16_t f = 0; f < st->num_fields && slot < SEGMENTS; f++)
				sum += uscope_slot_field(state, i, (uint16_t)slot, f);
		}
		CHECK(valid == uscope_storage_occupancy(state, i));
		for (uint16_t p = 0; p < st->num_properties; p++)
			sum += uscope_state_prop(state, i, p);
	}
	sink = sum;
}

/* Walks the items from the checkpoint on: at the end of each frame that is the last of its
 * time, state_at() must be the same, if this segment is the one that it looks into. */
static int
walk(uscope_reader_t *r, uint32_t i, const uscope_segment_t *info)
{
	uscope_state_t *state = uscope_segment_checkpoint(r, i);
	uscope_item_iter_t *it = uscope_segment_items(r, i);
	CHECK(it);
	uscope_item_t item;
	uint64_t last = info->time_start_ps;
	while (uscope_item_next(it, &item)) {
		CHECK(item.segment == i && item.time_ps >= last);
		last = item.time_ps;
		if (item.payload)
			touch(item.payload, item.payload_size);
		if (item.kind == USCOPE_ITEM_EVENT && !item.bad)
			CHECK(item.payload && uscope_schema(r)->events[item.event_type].payload_size == item.payload_size);
		if (state)
			uscope_state_apply(state, &item);
	}
	int status = uscope_item_iter_status(it);
	uscope_item_iter_free(it);
	if (!status && state) {
		uscope_segment_t next;
		uscope_state_t *same = uscope_state_at(r, last);
		bool here = i + 1 == uscope_num_segments(r) ||
			(uscope_segment_info(r, i + 1, &next) == 0 && next.time_start_ps > last);
		if (here)
			CHECK(same && state_equal(state, same));
		uscope_state_free(same);
		all_values(r, state);
	}
	uscope_state_free(state);
	return status;
}

/* The same numbers whether events are asked for as events or as items. */
static void
events(uscope_reader_t *r, uint64_t from, uint64_t to)
{
	uscope_event_iter_t *it = uscope_events_in_range(r, from, to);
	uscope_item_iter_t *items = uscope_items_in_range(r, from, to);
	CHECK(it && items);
	uint64_t time;
	uint16_t type;
	const void *payload;
	uscope_item_t item;
	for (;;) {
		bool more;
		while ((more = uscope_item_next(items, &item)) && (item.kind != USCOPE_ITEM_EVENT || item.bad))
			CHECK(item.time_ps >= from && item.time_ps <= to);
		CHECK(uscope_event_next(it, &time, &type, &payload) == more);
		if (!more)
			break;
		CHECK(time == item.time_ps && type == item.event_type && time >= from && time <= to);
		CHECK(memcmp(payload, item.payload, item.payload_size) == 0);
	}
	CHECK(uscope_event_iter_status(it) == uscope_item_iter_status(items));
	uscope_event_iter_free(it);
	uscope_item_iter_free(items);
}

static bool
finding(const uscope_error_t *e, void *user)
{
	check_error(e);
	++*(int *)user;
	return true;
}

static void
exercise_reader(uscope_reader_t *r, enum uscope_mode mode)
{
	CHECK(uscope_schema(r)->num_scopes > 0);
	(void)uscope_dut_property(r, "none");
	uscope_section_t section;
	for (uint32_t i = 0; i < uscope_num_sections(r) && i < SEGMENTS; i++)
		CHECK(uscope_section_info(r, i, &section));
	strings(r);
	summary(r);
	uint32_t n = uscope_num_segments(r);
	bool damaged = false;
	for (uint32_t i = 0; i < n && i < SEGMENTS; i++) {
		uscope_segment_t info;
		int status = uscope_segment_info(r, i, &info);
		CHECK(status == uscope_reader_status(r));
		if (!status)
			status = walk(r, i, &info);
		CHECK(!status || mode != USCOPE_STRICT);
		damaged |= status != 0;
		if (status)
			continue;
		uscope_state_free(uscope_state_at(r, info.time_start_ps));
		events(r, info.time_start_ps, info.time_end_ps);
	}
	CHECK(!uscope_segment_items(r, n));
	uscope_state_free(uscope_state_at(r, 0));
	uscope_state_t *s = uscope_state_at(r, UINT64_MAX);
	CHECK((s != NULL) == (uscope_reader_status(r) == 0));
	uscope_state_free(s);
	events(r, 0, UINT64_MAX);
	uint64_t diag[USCOPE_NUM_DIAGS];
	for (unsigned id = 0; id < USCOPE_NUM_DIAGS; id++)
		diag[id] = uscope_reader_diag(r, id);
	int count = 0;
	CHECK(uscope_verify(r, finding, &count) == count);
	CHECK(!damaged || count > 0);
	(void)uscope_poll_new_segments(r);
	/* All was decoded: what comes again is not counted again. */
	for (unsigned id = 0; id < USCOPE_NUM_DIAGS && n <= SEGMENTS; id++)
		CHECK(diag[id] == uscope_reader_diag(r, id));
}

void
exercise_mode(const char *path, enum uscope_mode mode)
{
	uscope_reader_options_t options = {
		.mode = mode,
		.max_raw = 16 * MIB,
		.max_checkpoint = 4 * MIB,
		.max_state = 4 * MIB,
		.max_chunk = MIB,
	};
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, &options, &error);
	if (!r) {
		check_error(&error);
		return;
	}
	CHECK(error.status == 0);
	exercise_reader(r, mode);
	uscope_reader_close(r);
}

/* What was recovered is whole. */
static void
recovery(const char *path, const char *scratch)
{
	uscope_error_t error;
	uscope_recovery_t report;
	int status = uscope_recover(path, scratch, &report, &error);
	if (status) {
		check_error(&error);
		return;
	}
	uscope_reader_t *r = uscope_reader_open(scratch);
	CHECK(r && uscope_is_complete(r));
	CHECK(uscope_num_segments(r) == report.segments);
	uscope_item_iter_t *it = uscope_items_in_range(r, 0, UINT64_MAX);
	uscope_item_t item;
	CHECK(it);
	while (uscope_item_next(it, &item))
		;
	CHECK(uscope_item_iter_status(it) == 0);
	uscope_item_iter_free(it);
	CHECK(uscope_reader_diag(r, USCOPE_V_COUNT) == 0 && uscope_reader_diag(r, USCOPE_V_STRFLAG) == 0);
	uscope_reader_close(r);
}

void
exercise_file(const char *path, const char *scratch)
{
	exercise_mode(path, USCOPE_TOLERANT);
	exercise_mode(path, USCOPE_STRICT);
	exercise_mode(path, USCOPE_RECOVER);
	recovery(path, scratch);
}
