/* SPDX-License-Identifier: MIT */
/* recovery: a trace whose writer died is, once recovered, what the writer would have made;
 * and files made to keep the search for segments busy do not. */
#include "check.h"
#include "extra.h"
#include "layout.h"
#include "uscope.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	CYCLES = 20000,
	HOSTILE = 8 << 20, /* bytes */
	PERIOD = 256,      /* of headers: 56, 63 frames, 11 that lead to the next */
	SECONDS = 20,      /* far more than it takes; tries that are repeated take hours */
};

static char dir[300];

static const char *
in_dir(const char *name)
{
	static char paths[4][400];
	static unsigned next;
	char *p = paths[next++ % 4];
	(void)snprintf(p, sizeof(paths[0]), "%s/%s", dir, name);
	return p;
}

static uint8_t *
load(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	CHECK(f && fseek(f, 0, SEEK_END) == 0);
	*n = (size_t)ftell(f);
	rewind(f);
	uint8_t *p = malloc(*n + 1);
	CHECK(p && fread(p, 1, *n, f) == *n && fclose(f) == 0);
	return p;
}

static void
save(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	CHECK(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
}

static const char times[] = "how long it took";

static void
write_trace(const char *path, const uscope_writer_options_t *options, bool own)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 500) == 0 && uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "rob", -1, 20, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "entity_id", USCOPE_U32, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "retired", -1, 1, 0) == 1);
	CHECK(uscope_schema_add_field(s, 1, "n", USCOPE_U64, 0) == 0);
	int status;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, options, &status);
	CHECK(w);
	uscope_schema_free(s);
	int counter = own ? uscope_summary_counter(w, "mine", 0) : -1;
	for (uint64_t i = 0; i < CYCLES; i++) {
		uscope_begin_cycle(w, i * 700);
		uscope_slot_set(w, 0, (uint16_t)(i % 20), 0, i);
		if (i % 3)
			uscope_slot_add(w, 1, 0, 0, i % 5);
		uscope_end_cycle(w);
		if (own)
			uscope_summary_add(w, counter, i * 700, 2);
	}
	CHECK(!own || uscope_add_section(w, USCOPE_SECTION_STATE_TIMES, times, sizeof(times)) == 0);
	CHECK(!own || uscope_add_section(w, 0x8007, "", 0) == 0);
	(void)uscope_string_insert(w, "lost when it is not finished");
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
}

/* The file as it was before the writer finished. */
static size_t
unfinish(uint8_t *p)
{
	uint64_t tail = load64(p + AT_TAIL);
	const uint8_t *seg = p + tail;
	store64(p + AT_FLAGS, load64(p + AT_FLAGS) & ~(uint64_t)(USCOPE_F_COMPLETE | USCOPE_F_HAS_STRINGS));
	store64(p + AT_TOTAL_TIME, 0);
	store64(p + AT_SECTION_TABLE, 0);
	return (size_t)(tail + SEGMENT_HEADER_SIZE + load32(seg + SEG_CHECKPOINT_SIZE) + load32(seg + SEG_COMPRESSED_SIZE));
}

static void
same_as_written(const uscope_writer_options_t *options)
{
	/* Without strings the two files have the same bytes; the string goes, so compare what
	 * is in them. */
	size_t n, m;
	write_trace(in_dir("full"), options, false);
	uint8_t *full = load(in_dir("full"), &n);
	uint64_t total = load64(full + AT_TOTAL_TIME);
	save(in_dir("dead"), full, unfinish(full));
	uscope_recovery_t report;
	uscope_error_t error;
	CHECK(uscope_recover(in_dir("dead"), in_dir("new"), &report, &error) == 0);
	CHECK(report.holes == 0 && report.discarded == 0);
	uint8_t *new = load(in_dir("new"), &m);
	CHECK(load64(new + AT_TOTAL_TIME) == total);
	uscope_reader_t *a = uscope_reader_open(in_dir("full"));
	uscope_reader_t *b = uscope_reader_open_ex(in_dir("new"), &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, &error);
	CHECK(a && b && uscope_num_segments(a) == report.segments && uscope_num_segments(b) == report.segments);
	CHECK(uscope_num_strings(a) == 1 && uscope_num_strings(b) == 0);
	CHECK(uscope_verify(b, NULL, NULL) == 0);
	for (uint32_t i = 0; i < report.segments; i++) {
		uscope_segment_t x, y;
		CHECK(uscope_segment_info(a, i, &x) == 0 && uscope_segment_info(b, i, &y) == 0);
		CHECK(memcmp(&x, &y, sizeof(x)) == 0);
	}
	uscope_section_t x = { 0 }, y = { 0 };
	for (uint32_t i = 0; x.type != USCOPE_SECTION_COUNTER_SUMMARY; i++)
		CHECK(uscope_section_info(a, i, &x));
	for (uint32_t i = 0; y.type != USCOPE_SECTION_COUNTER_SUMMARY; i++)
		CHECK(uscope_section_info(b, i, &y));
	free(full);
	full = load(in_dir("full"), &n);
	CHECK(x.size == y.size && x.size > 100 && memcmp(full + x.offset, new + y.offset, x.size) == 0);
	uscope_reader_close(a);
	uscope_reader_close(b);
	free(full);
	free(new);
}

/* Sections of applications are kept while each byte is as it was written. */
static void
sections_of_applications(void)
{
	const uscope_writer_options_t options = { .max_raw = 4000 };
	write_trace(in_dir("full"), &options, true);
	size_t n, m;
	CHECK(uscope_recover(in_dir("full"), in_dir("new"), NULL, NULL) == 0);
	uint8_t *full = load(in_dir("full"), &n);
	uint8_t *new = load(in_dir("new"), &m);
	CHECK(n == m && memcmp(full, new, n) == 0);

	/* A byte of the section changes; then one of a segment, which can still be decoded. */
	uint8_t *at = memmem(full, n, times, sizeof(times));
	CHECK(at);
	for (int i = 0; i < 2; i++) {
		uint8_t *byte = i == 0 ? at : full + load64(full + AT_TAIL) + SEGMENT_HEADER_SIZE + BLOCK_HEADER_SIZE + 3; /* behind the mask of 20 slots */
		*byte ^= 1;
		save(in_dir("bad"), full, n);
		*byte ^= 1;
		CHECK(uscope_recover(in_dir("bad"), in_dir("new"), NULL, NULL) == 0);
		uscope_reader_t *r = uscope_reader_open(in_dir("new"));
		CHECK(r && uscope_verify(r, NULL, NULL) == i && !uscope_section_bytes(r, USCOPE_SECTION_STATE_TIMES, &m));
		uscope_reader_close(r);
	}
	free(full);
	free(new);
}

/* Counters of an application cannot be counted again: kept while nothing is lost. */
static void
finalized(void)
{
	static const uscope_writer_options_t options = { .max_raw = 4000, .compression = USCOPE_RAW };
	size_t n;
	uscope_recovery_t report;
	uscope_error_t error;
	uscope_summary_t s;
	write_trace(in_dir("full"), &options, true);
	CHECK(uscope_recover(in_dir("full"), in_dir("new"), &report, &error) == 0);
	uscope_reader_t *r = uscope_reader_open(in_dir("new"));
	CHECK(r && uscope_summary_info(r, &s) && s.num_counters == 2);
	CHECK(uscope_num_strings(r) == 1 && uscope_verify(r, NULL, NULL) == 0);
	uscope_segment_t lost;
	CHECK(uscope_segment_info(r, 3, &lost) == 0);
	uint32_t segments = uscope_num_segments(r);
	uscope_reader_close(r);

	uint8_t *p = load(in_dir("full"), &n);
	memset(p + lost.offset + SEGMENT_HEADER_SIZE + lost.checkpoint_size, 0xff, 20);
	save(in_dir("bad"), p, n);
	CHECK(uscope_recover(in_dir("bad"), in_dir("new"), &report, &error) == 0);
	CHECK(report.segments == segments - 1 && report.holes == 1);
	CHECK(report.discarded == (uint64_t)SEGMENT_HEADER_SIZE + lost.checkpoint_size + lost.compressed_size);
	r = uscope_reader_open(in_dir("new"));
	CHECK(r && uscope_summary_info(r, &s) && s.num_counters == 1);
	CHECK(uscope_num_strings(r) == 1 && uscope_verify(r, NULL, NULL) == 0);
	uscope_reader_close(r);
	CHECK(uscope_recover(in_dir("bad"), in_dir("bad"), NULL, &error) == USCOPE_E_ARG);
	CHECK(uscope_recover(in_dir("none"), in_dir("new"), NULL, &error) == USCOPE_E_IO);
	CHECK(uscope_recover(in_dir("full"), "/nonexistent/x", NULL, &error) == USCOPE_E_IO);
	free(p);
}

/* Headers everywhere, each with all that follows as its content, which is good up to its
 * last byte: the next headers are payloads in it. */
static void
hostile(void)
{
	uscope_writer_options_t options = { .max_raw = 4000, .compression = USCOPE_RAW };
	size_t n;
	write_trace(in_dir("full"), &options, false);
	uint8_t *p = load(in_dir("full"), &n);
	uint32_t begin = load32(p + AT_PREAMBLE_END);
	(void)unfinish(p);
	store64(p + AT_TAIL, 0);
	p = realloc(p, HOSTILE);
	CHECK(p);
	memset(p + begin, 0, HOSTILE - begin); /* frames of 3 bytes without items */
	for (size_t at = align8(begin); at + PERIOD <= HOSTILE; at += PERIOD) {
		uint8_t *seg = p + at;
		uint32_t rest = (uint32_t)(HOSTILE - at - SEGMENT_HEADER_SIZE);
		store32(seg, load32((const uint8_t *)SEGMENT_MAGIC));
		store32(seg + SEG_COMPRESSED_SIZE, rest);
		store32(seg + SEG_RAW_SIZE, rest);
		/* A frame with an event of an unknown type, whose payload is the next header. */
		uint8_t *event = seg + PERIOD - EVENT_HEADER_SIZE;
		event[-2] = 1;
		event[0] = TAG_EVENT;
		store16(event + 2, 99);
		store32(event + 4, SEGMENT_HEADER_SIZE);
	}
	p[HOSTILE - 1] = 0xff;
	save(in_dir("hostile"), p, HOSTILE);
	free(p);
	time_t start = time(NULL);
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(in_dir("hostile"), &(uscope_reader_options_t){ .mode = USCOPE_RECOVER }, &error);
	CHECK(r);
	uscope_recovery_t report;
	uscope_reader_recovery(r, &report);
	uscope_reader_close(r);
	time_t took = time(NULL) - start;
	(void)printf("hostile: %u segments in %ld s\n", report.segments, (long)took);
	CHECK(report.segments == 0 && took < SECONDS);
}

int
main(void)
{
	(void)snprintf(dir, sizeof(dir), "%s/uscope_recovery.XXXXXX", check_tmp());
	CHECK(mkdtemp(dir));
	same_as_written(&(uscope_writer_options_t){ .max_raw = 4000 });
	same_as_written(&(uscope_writer_options_t){ .interval_ps = 1000000, .frames = USCOPE_COMPACT, .compression = USCOPE_ZSTD });
	same_as_written(&(uscope_writer_options_t){ .max_raw = 9000, .frames = USCOPE_WIDE, .compression = USCOPE_RAW });
	sections_of_applications();
	finalized();
	hostile();
	static const char *const names[] = { "full", "dead", "new", "bad", "hostile" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unlink(in_dir(names[i]));
	CHECK(rmdir(dir) == 0);
	return 0;
}
