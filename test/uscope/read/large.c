/* SPDX-License-Identifier: MIT */
/* large: segments whose deltas do not fit the memory that the reader may take. States,
 * items and events of them, side by side, and what the process has taken at the end. */
#include "check.h"
#include "uscope.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	FRAMES = 500 * 1000,
	SLOTS = 64,
	EVENT_EACH = 50,  /* frames */
	PAYLOAD = 40 * 8, /* bytes */
	RSS_MIB = 64,
};

static char path[300];

/* A value that depends on the frame, to be guessed by nobody. */
static uint64_t
mix(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15ULL;
	return n ^ n >> 29;
}

static void
write_file(const uscope_writer_options_t *options)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "a", -1, SLOTS, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "v", USCOPE_U64, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "n", -1, 1, 0) == 1);
	CHECK(uscope_schema_add_field(s, 1, "n", USCOPE_U32, 0) == 0);
	CHECK(uscope_schema_add_event(s, "e", -1) == 0);
	for (int i = 0; i < PAYLOAD / 8; i++)
		CHECK(uscope_schema_add_event_field(s, 0, "f", USCOPE_U64, 0) == i);
	int status;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, options, &status);
	CHECK(w);
	uscope_schema_free(s);
	for (uint64_t i = 0; i < FRAMES; i++) {
		uscope_begin_cycle(w, i * 10);
		uscope_slot_set(w, 0, (uint16_t)(i % SLOTS), 0, mix(i));
		uscope_slot_set(w, 1, 0, 0, i);
		if (i % 7 == 0)
			uscope_slot_clear(w, 0, (uint16_t)(mix(i) % SLOTS));
		if (i % EVENT_EACH == 0) {
			uint64_t payload[PAYLOAD / 8];
			for (uint64_t k = 0; k < PAYLOAD / 8; k++)
				payload[k] = mix(i + k);
			uscope_event(w, 0, payload);
		}
		uscope_end_cycle(w);
	}
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

/* In a process of its own: its memory is not what is measured. */
static void
make_file(const uscope_writer_options_t *options)
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		write_file(options);
		_exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
check_state(uscope_reader_t *r, uint64_t frame)
{
	uscope_state_t *s = uscope_state_at(r, frame * 10 + 5);
	CHECK(s);
	CHECK(uscope_slot_field(s, 1, 0, 0) == frame);
	uint64_t values[SLOTS] = { 0 };
	bool valid[SLOTS] = { false };
	for (uint64_t i = frame > 1000 ? frame - 1000 : 0; i <= frame; i++) {
		values[i % SLOTS] = mix(i);
		valid[i % SLOTS] = true;
		if (i % 7 == 0)
			valid[mix(i) % SLOTS] = false;
	}
	for (uint16_t k = 0; k < SLOTS; k++) {
		CHECK(uscope_slot_valid(s, 0, k) == valid[k]);
		CHECK(uscope_slot_field(s, 0, k, 0) == (valid[k] ? values[k] : 0));
	}
	uscope_state_free(s);
}

static void
check_events(uscope_reader_t *r, uint64_t first, uint64_t last, bool states)
{
	uscope_event_iter_t *it = uscope_events_in_range(r, first * 10, last * 10);
	uint64_t time, i = (first + EVENT_EACH - 1) / EVENT_EACH * EVENT_EACH;
	uint16_t type;
	const void *p;
	CHECK(it);
	for (; uscope_event_next(it, &time, &type, &p); i += EVENT_EACH) {
		uint64_t payload[PAYLOAD / 8];
		memcpy(payload, p, PAYLOAD);
		CHECK(time == i * 10);
		for (uint64_t k = 0; k < PAYLOAD / 8; k++)
			CHECK(payload[k] == mix(i + k));
		/* Another place of the same file, meanwhile. */
		if (states && i % (EVENT_EACH * 4000) == 0)
			check_state(r, FRAMES / 3);
	}
	CHECK(uscope_event_iter_status(it) == 0);
	CHECK(i > last && i <= last + EVENT_EACH);
	uscope_event_iter_free(it);
}

static void
check_file(const char *name, bool prefix)
{
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, NULL, &error);
	CHECK(r);
	uscope_segment_t s;
	CHECK(uscope_segment_info(r, 0, &s) == 0);
	(void)printf("%s: %u segments, %u bytes from %u\n", name, uscope_num_segments(r), s.raw_size, s.compressed_size);
	check_state(r, 0);
	check_state(r, 1);
	check_state(r, FRAMES - 1);
	check_state(r, FRAMES / 2);
	check_events(r, 0, FRAMES - 1, true);
	CHECK(uscope_reader_diag(r, USCOPE_V_LZ4_PREFIX) == (prefix ? 1 : 0));
	check_events(r, FRAMES / 2 + 1, FRAMES / 2 + 500, false);
	/* The size before an LZ4 block is a rule broken, one for each segment. */
	CHECK(uscope_verify(r, NULL, NULL) == (uscope_reader_diag(r, USCOPE_V_LZ4_PREFIX) ? 1 : 0));
	uscope_item_iter_t *it = uscope_segment_items(r, uscope_num_segments(r) - 1);
	uscope_item_t item;
	uint64_t frames = 0;
	CHECK(it);
	while (uscope_item_next(it, &item))
		frames += item.kind == USCOPE_ITEM_FRAME;
	CHECK(uscope_segment_info(r, uscope_num_segments(r) - 1, &s) == 0 && frames == s.num_frames);
	uscope_item_iter_free(it);
	uscope_reader_close(r);
}

/* Bytes in the middle of the compressed deltas: an error, or other values, but never more. */
static void
check_damage(void)
{
	uscope_reader_t *r = uscope_reader_open(path);
	uscope_segment_t s;
	CHECK(r && uscope_segment_info(r, 0, &s) == 0);
	uscope_reader_close(r);
	FILE *f = fopen(path, "r+b");
	CHECK(f && fseek(f, (long)(s.offset + s.checkpoint_size + 56 + s.compressed_size / 2), SEEK_SET) == 0);
	for (int i = 0; i < 300; i++)
		CHECK(fputc(0xff, f) == 0xff);
	CHECK(fclose(f) == 0);
	uscope_error_t error;
	CHECK(!uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, &error));
	CHECK(error.segment == 0 && error.reason[0]);
	(void)printf("damaged: %s: %s\n", uscope_status_name(error.status), error.reason);
	r = uscope_reader_open(path);
	CHECK(r && !uscope_state_at(r, 0) && uscope_reader_status(r) == error.status);
	uscope_reader_close(r);
}

int
main(void)
{
	(void)snprintf(path, sizeof(path), "%s/uscope_large.%d.uscp", check_tmp(), (int)getpid());
	static const struct {
		const char *name;
		uscope_writer_options_t options;
	} kinds[] = {
		{ "raw", { .compression = USCOPE_RAW } },
		{ "lz4", { .compression = USCOPE_LZ4 } },
		{ "lz4 with a size", { .compression = USCOPE_LZ4, .lz4_size_prefix = true } },
		{ "zstd", { .compression = USCOPE_ZSTD } },
		{ "zstd, two segments, old frames", { .compression = USCOPE_ZSTD, .frames = USCOPE_COMPACT, .max_raw = 10 << 20 } },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uscope_writer_options_t options = kinds[i].options;
		options.no_summary = true;
		if (options.max_raw == 0)
			options.max_raw = 64 << 20; /* one segment */
		make_file(&options);
		check_file(kinds[i].name, options.lz4_size_prefix);
		check_damage();
		(void)unlink(path);
	}
	struct rusage usage;
	CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
	(void)printf("at most %ld KiB\n", usage.ru_maxrss);
#ifndef __SANITIZE_ADDRESS__
	CHECK(usage.ru_maxrss < RSS_MIB * 1024L);
#endif
	return 0;
}
