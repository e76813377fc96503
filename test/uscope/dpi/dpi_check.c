/* SPDX-License-Identifier: MIT */
/* The trace of issue_queue.sv is what the design does, at every cycle.
 *
 *   usage: dpi_check FILE CYCLES */
#include <string.h>
#include <uscope.h>

#include "check.h"

enum {
	SLOTS = 4,
	PERIOD = 1000, /* ps; the first edge is in the middle */
	EDGE = 500,

	QUEUE = 0,
	COUNTER = 1,
	RETIRE = 0,
	STALL = 1,
	NOTE = 2,
};

/* The design, in C. */
static struct {
	uint32_t id[SLOTS];
	bool running[SLOTS];
	uint32_t next_id;
	uint32_t head, level;
	uint64_t retired;
} queue;

static uscope_reader_t *reader;
static uscope_event_iter_t *events;

static void
expect_event(uint64_t now, uint16_t type, const uint8_t *payload, uint32_t size)
{
	uint64_t time;
	uint16_t got;
	const void *bytes;
	CHECK(uscope_event_next(events, &time, &got, &bytes));
	CHECK(time == now && got == type);
	CHECK(uscope_schema(reader)->events[type].payload_size == size);
	CHECK(size == 0 || memcmp(bytes, payload, size) == 0);
}

static void
step(uint64_t n, uint64_t now)
{
	if (queue.level != 0 && !queue.running[queue.head]) {
		queue.running[queue.head] = true;
	} else if (queue.level != 0) {
		uint32_t id = queue.id[queue.head];
		uint8_t payload[6] = { (uint8_t)id, (uint8_t)(id >> 8), (uint8_t)(id >> 16),
			(uint8_t)(id >> 24), (uint8_t)queue.head, 0 };
		expect_event(now, RETIRE, payload, sizeof(payload));
		queue.head = (queue.head + 1) % SLOTS;
		queue.level--;
		queue.retired++;
	}
	if (queue.level == SLOTS) {
		expect_event(now, STALL, NULL, 0);
	} else if (n % 3 != 2) {
		uint32_t slot = (queue.head + queue.level++) % SLOTS;
		queue.id[slot] = queue.next_id++ * 70001;
		queue.running[slot] = false;
	}
	if (n == 7)
		expect_event(now, NOTE, (const uint8_t[]){ 7, 8 }, 2);
}

static void
compare(const uscope_state_t *s, uint64_t n)
{
	CHECK(uscope_storage_occupancy(s, QUEUE) == queue.level);
	for (uint32_t i = 0; i < SLOTS; i++) {
		uint16_t slot = (uint16_t)((queue.head + i) % SLOTS);
		bool valid = i < queue.level;
		bool running = valid && queue.running[slot];
		CHECK(uscope_slot_valid(s, QUEUE, slot) == valid);
		CHECK(uscope_slot_field(s, QUEUE, slot, 0) == (valid ? queue.id[slot] : 0));
		CHECK(uscope_slot_field(s, QUEUE, slot, 1) == running);
		CHECK((int64_t)uscope_slot_field(s, QUEUE, slot, 2) == (running ? -5 : 0));
	}
	CHECK(uscope_slot_field(s, COUNTER, 0, 0) == queue.retired);
	CHECK(uscope_state_prop(s, QUEUE, 0) == queue.head);
	uint64_t text = uscope_state_prop(s, QUEUE, 1);
	CHECK(text == (n >= 7));
	CHECK(strcmp(uscope_string(reader, (uint32_t)text, NULL), text ? "sieben" : "seven") == 0);
}

int
main(int argc, char *argv[])
{
	CHECK(argc == 3);
	uint64_t cycles = strtoull(argv[2], NULL, 10);
	uscope_error_t error;
	uscope_reader_options_t strict = { .mode = USCOPE_STRICT };
	reader = uscope_reader_open_ex(argv[1], &strict, &error);
	CHECK(reader != NULL && uscope_is_complete(reader));
	CHECK(strcmp(uscope_dut_property(reader, "dut_name"), "queue") == 0);
	/* 100 cycles a segment. */
	CHECK(uscope_num_segments(reader) == (cycles + 99) / 100);
	events = uscope_events_in_range(reader, 0, UINT64_MAX);
	CHECK(events != NULL);
	for (uint64_t n = 0; n < cycles; n++) {
		uint64_t now = EDGE + n * PERIOD;
		step(n, now);
		uscope_state_t *s = uscope_state_at(reader, now);
		CHECK(s != NULL);
		compare(s, n);
		uscope_state_free(s);
	}
	uint64_t time;
	uint16_t type;
	const void *payload;
	CHECK(!uscope_event_next(events, &time, &type, &payload));
	CHECK(uscope_event_iter_status(events) == 0);
	CHECK(cycles < 100 || (queue.retired > 10 && queue.next_id > 10));
	uscope_event_iter_free(events);
	/* The summary as well. */
	CHECK(uscope_verify(reader, NULL, NULL) == 0);
	uscope_reader_close(reader);
	return 0;
}
