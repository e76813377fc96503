/* SPDX-License-Identifier: MIT */
/* parts: states at random times, of segments that are decoded no farther than needed, beside items of the same
 * segments; and a segment whose end is damaged, which is of no use for its begin either. */
#include "../../xorshift.h"
#include "check.h"
#include "layout.h"
#include "uscope.h"

#include <string.h>
#include <unistd.h>

enum {
	FRAMES = 200 * 1000,
	SLOTS = 50,
	MAX_RAW = 700 * 1000, /* some times what is decompressed at once */
	ROUNDS = 400,
};

static char path[300];
static uint64_t seed = 1;

static uint64_t
next_random(uint64_t below)
{
	return xorshift(&seed) % below;
}

/* counter.n is the number of frames so far, a slot the last frame that set it. */
static void
write_file(enum uscope_compression compression, bool no_checksums)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "slots", -1, SLOTS, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "frame", USCOPE_U64, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "counter", -1, 1, 0) == 1);
	CHECK(uscope_schema_add_field(s, 1, "n", USCOPE_U32, 0) == 0);
	CHECK(uscope_schema_add_event(s, "event", -1) == 0);
	CHECK(uscope_schema_add_event_field(s, 0, "frame", USCOPE_U64, 0) == 0);
	const uscope_writer_options_t options = { .compression = compression, .max_raw = MAX_RAW, .no_checksums = no_checksums };
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, &options, NULL);
	CHECK(w);
	uscope_schema_free(s);
	for (uint64_t i = 0; i < FRAMES; i++) {
		uscope_begin_cycle(w, i * 10);
		uscope_slot_set(w, 0, (uint16_t)(i % SLOTS), 0, i);
		if (i % 31 == 0)
			uscope_event(w, 0, &i);
		uscope_slot_add(w, 1, 0, 0, 1);
		uscope_end_cycle(w);
	}
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

static void
check_state(uscope_reader_t *r, uint64_t frame)
{
	uscope_state_t *s = uscope_state_at(r, frame * 10 + next_random(10));
	CHECK(s && uscope_slot_field(s, 1, 0, 0) == frame + 1);
	for (uint16_t k = 0; k < SLOTS; k++) {
		bool valid = k <= frame;
		CHECK(uscope_slot_valid(s, 0, k) == valid);
		CHECK(uscope_slot_field(s, 0, k, 0) == (valid ? frame - (frame - k) % SLOTS : 0));
	}
	uscope_state_free(s);
}

/* Items from a frame on, with a state somewhere else in between. */
static void
check_items(uscope_reader_t *r, uint64_t frame)
{
	uint64_t time, i = (frame + 30) / 31 * 31;
	uint16_t type;
	const void *p;
	uscope_event_iter_t *it = uscope_events_in_range(r, frame * 10, UINT64_MAX);
	for (int n = 0; n < 100 && i < FRAMES; n++, i += 31) {
		CHECK(uscope_event_next(it, &time, &type, &p) && time == i * 10 && memcmp(p, &i, sizeof(i)) == 0);
		if (n % 40 == 0)
			check_state(r, next_random(FRAMES));
	}
	uscope_event_iter_free(it);
}

static void
check_file(void)
{
	uscope_reader_t *r = NULL;
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 50 == 0) {
			uscope_reader_close(r);
			r = uscope_reader_open(path);
			CHECK(r && uscope_num_segments(r) > 4);
		}
		uint64_t frame = next_random(FRAMES);
		check_state(r, frame);
		if (i % 3 == 0)
			check_state(r, frame + next_random(FRAMES - frame)); /* often the same segment, farther on */
		if (i % 10 == 5)
			check_items(r, frame);
	}
	uscope_reader_close(r);
}

/* A byte near the end of the deltas of a segment changes. */
static void
check_damaged(int status)
{
	uscope_segment_t s;
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r && uscope_segment_info(r, 2, &s) == 0);
	uscope_reader_close(r);
	FILE *f = fopen(path, "r+b");
	long at = (long)(s.offset + SEGMENT_HEADER_SIZE + s.checkpoint_size + s.compressed_size - 20);
	CHECK(f && fseek(f, at, SEEK_SET) == 0);
	int byte = fgetc(f);
	CHECK(byte != EOF && fseek(f, at, SEEK_SET) == 0 && fputc(byte ^ 0x81, f) != EOF && fclose(f) == 0);
	r = uscope_reader_open(path);
	CHECK(r && !uscope_state_at(r, s.time_start_ps) && uscope_reader_status(r) == status);
	check_state(r, s.time_start_ps / 10 - 1);
	check_state(r, s.time_end_ps / 10);
	CHECK(!uscope_state_at(r, s.time_start_ps) && uscope_reader_status(r) == status);
	uscope_reader_close(r);
}

int
main(void)
{
	(void)snprintf(path, sizeof(path), "%s/uscope_parts.%d", check_tmp(), (int)getpid());
	for (int i = 0; i < 6; i++) {
		enum uscope_compression compression = (enum uscope_compression)(i % 3);
		write_file(compression, i >= 3);
		check_file();
		if (compression == USCOPE_ZSTD)
			check_damaged(USCOPE_E_COMPRESS);
	}
	(void)unlink(path);
	return 0;
}
