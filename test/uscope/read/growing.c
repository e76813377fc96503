/* SPDX-License-Identifier: MIT */
/* growing: a reader that polls a file while it appears, piece by piece, in the order of a
 * writer and in bad ones; and files that are replaced.
 *
 *   usage: growing LIVE COMPLETE
 *
 * The two are the same trace of three segments or more, unfinished and finalized. */
#include "check.h"
#include "layout.h"
#include "uscope.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
	MAX_SEGMENTS = 64,
};

static int fd;
static char path[32];
static uint8_t *file; /* what it will be */
static size_t size;
static uscope_segment_t segments[MAX_SEGMENTS];
static uint32_t num;

static uint8_t *
load(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	CHECK(f && fseek(f, 0, SEEK_END) == 0);
	*n = (size_t)ftell(f);
	rewind(f);
	uint8_t *p = malloc(*n + 1);
	CHECK(p && fread(p, 1, *n, f) == *n && fclose(f) == 0);
	return p;
}

static void
put(const void *p, size_t n, uint64_t at)
{
	CHECK(pwrite(fd, p, n, (off_t)at) == (ssize_t)n);
}

static void
put_tail(uint64_t tail)
{
	uint8_t v[8];
	store64(v, tail);
	put(v, 8, AT_TAIL);
}

static uint64_t
end_of(uint32_t i)
{
	return segments[i].offset + SEGMENT_HEADER_SIZE + segments[i].checkpoint_size + segments[i].compressed_size;
}

/* Header and preamble of a file that has no segments yet. */
static void
begin(void)
{
	CHECK(ftruncate(fd, 0) == 0);
	put(file, (size_t)segments[0].offset, 0);
	put_tail(0);
}

static void
add(uint32_t i)
{
	put(file + segments[i].offset, (size_t)(end_of(i) - segments[i].offset), segments[i].offset);
	put_tail(segments[i].offset);
}

static void
expect(uscope_reader_t *r, uint32_t n)
{
	CHECK(uscope_reader_status(r) == 0 && uscope_num_segments(r) == n);
	for (uint32_t i = 0; i < n; i++) {
		uscope_segment_t s;
		CHECK(uscope_segment_info(r, i, &s) == 0 && s.offset == segments[i].offset);
	}
	uscope_state_t *s = uscope_state_at(r, UINT64_MAX);
	CHECK((s != NULL) == (n > 0));
	uscope_state_free(s);
}

static uint64_t
count_events(uscope_event_iter_t *it)
{
	uint64_t n = 0, time;
	uint16_t type;
	const void *payload;
	while (uscope_event_next(it, &time, &type, &payload))
		n++;
	CHECK(uscope_event_iter_status(it) == 0);
	return n;
}

static uint64_t
all_events(const char *name)
{
	uscope_reader_t *r = uscope_reader_open(name);
	CHECK(r);
	uscope_event_iter_t *it = uscope_events_in_range(r, 0, UINT64_MAX);
	uint64_t n = count_events(it);
	uscope_event_iter_free(it);
	uscope_reader_close(r);
	return n;
}

/* As a writer does it, with a poll after each step. */
static void
in_order(uint64_t events)
{
	uscope_error_t error;
	CHECK(ftruncate(fd, 0) == 0);
	for (size_t n = 0; n < segments[0].offset; n += 7) {
		put(file, n, 0);
		if (n >= AT_TAIL + 8)
			put_tail(0);
		CHECK(!uscope_reader_open_ex(path, NULL, &error) && error.status == USCOPE_E_TRUNCATED);
	}
	begin();
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r && !uscope_is_complete(r));
	uscope_event_iter_t *it = uscope_events_in_range(r, 0, UINT64_MAX);
	uint64_t seen = count_events(it);
	CHECK(seen == 0);
	CHECK(!uscope_poll_new_segments(r));
	for (uint32_t i = 0; i < num; i++) {
		/* Half of the bytes, then all, then the tail. */
		put(file + segments[i].offset, (size_t)(end_of(i) - segments[i].offset) / 2, segments[i].offset);
		CHECK(!uscope_poll_new_segments(r));
		expect(r, i);
		put(file + segments[i].offset, (size_t)(end_of(i) - segments[i].offset), segments[i].offset);
		CHECK(!uscope_poll_new_segments(r));
		put_tail(segments[i].offset);
		CHECK(uscope_poll_new_segments(r));
		expect(r, i + 1);
		CHECK(!uscope_poll_new_segments(r));
		seen += count_events(it);
	}
	CHECK(seen == events);
	uscope_event_iter_free(it);
	uscope_reader_close(r);
}

/* Several at once; a tail that leads nowhere, or half of the bytes behind it. */
static void
in_disorder(void)
{
	begin();
	add(0);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r);
	expect(r, 1);
	for (uint32_t i = 1; i < num; i++)
		add(i);
	put_tail(segments[num - 1].offset + 8);
	CHECK(!uscope_poll_new_segments(r));
	expect(r, 1);
	put_tail(segments[num - 1].offset);
	CHECK(ftruncate(fd, (off_t)end_of(num - 1) - 1) == 0);
	CHECK(!uscope_poll_new_segments(r));
	expect(r, 1);
	uint8_t magic[4] = { 0 };
	CHECK(ftruncate(fd, (off_t)end_of(num - 1)) == 0);
	put(file, 0, 0);
	put(magic, 4, segments[num - 1].offset);
	put(file + end_of(num - 1) - 1, 1, end_of(num - 1) - 1);
	CHECK(!uscope_poll_new_segments(r));
	expect(r, 1);
	put(file + segments[num - 1].offset, 4, segments[num - 1].offset);
	CHECK(uscope_poll_new_segments(r));
	expect(r, num);
	uscope_reader_close(r);
}

static void
check_replaced(uscope_reader_t *r)
{
	CHECK(!uscope_poll_new_segments(r));
	CHECK(uscope_reader_status(r) == USCOPE_E_SEGMENT);
	uscope_reader_close(r);
	begin();
	for (uint32_t i = 0; i < num; i++)
		add(i);
}

static uscope_reader_t *
reopen(void)
{
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r && uscope_num_segments(r) == num);
	return r;
}

static void
replaced(void)
{
	begin();
	for (uint32_t i = 0; i < num; i++)
		add(i);
	uscope_reader_t *r = reopen();
	put_tail(segments[0].offset);
	check_replaced(r);
	r = reopen();
	begin();
	check_replaced(r);
	r = reopen();
	CHECK(ftruncate(fd, 20) == 0);
	check_replaced(r);
	r = reopen();
	put("XXXX", 4, 0);
	check_replaced(r);
	r = reopen();
	uint8_t flags = file[AT_FLAGS] ^ USCOPE_F_INTERLEAVED;
	put(&flags, 1, AT_FLAGS);
	check_replaced(r);
	r = reopen();
	uint8_t end[4];
	store32(end, load32(file + AT_PREAMBLE_END) + 8);
	put(end, 4, AT_PREAMBLE_END);
	check_replaced(r);
	/* The tail is not behind the one known: the last segment goes, and comes elsewhere. */
	r = reopen();
	uint64_t at = align8(end_of(num - 1));
	put(file + segments[1].offset, (size_t)(end_of(1) - segments[1].offset), at);
	put_tail(at);
	check_replaced(r);
}

/* The tables come, then the header, the flags last. */
static void
finalized(const char *name)
{
	size_t n;
	uint8_t *whole = load(name, &n);
	begin();
	add(0);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r);
	for (uint32_t i = 1; i < num; i++)
		add(i);
	uint64_t tables = end_of(num - 1);
	put(whole + tables, n - (size_t)tables, tables);
	CHECK(uscope_poll_new_segments(r) && !uscope_is_complete(r));
	put(whole + AT_TOTAL_TIME, FILE_HEADER_SIZE - AT_TOTAL_TIME, AT_TOTAL_TIME);
	CHECK(!uscope_poll_new_segments(r) && !uscope_is_complete(r));
	/* Complete, but the tables are not there. */
	CHECK(ftruncate(fd, (off_t)tables) == 0);
	put(whole + AT_FLAGS, 8, AT_FLAGS);
	CHECK(!uscope_poll_new_segments(r) && !uscope_is_complete(r) && uscope_reader_status(r) == USCOPE_E_SECTION);
	put(whole + tables, n - (size_t)tables, tables);
	CHECK(!uscope_poll_new_segments(r) && uscope_is_complete(r));
	expect(r, num);
	CHECK(uscope_num_sections(r) > 0 && uscope_reader_diag(r, USCOPE_V_COUNT) == 0);
	CHECK((uscope_num_strings(r) > 0) == ((whole[AT_FLAGS] & USCOPE_F_HAS_STRINGS) != 0));
	CHECK(!uscope_poll_new_segments(r) && uscope_reader_status(r) == 0);
	CHECK(uscope_verify(r, NULL, NULL) == 0);
	uscope_reader_close(r);
	free(whole);
}

int
main(int argc, char **argv)
{
	CHECK(argc == 3);
	fd = memfd_create("uscope", MFD_CLOEXEC);
	CHECK(fd >= 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = load(argv[1], &size);
	uscope_reader_t *r = uscope_reader_open(argv[1]);
	CHECK(r && !uscope_is_complete(r));
	num = uscope_num_segments(r);
	CHECK(num >= 3 && num <= MAX_SEGMENTS);
	for (uint32_t i = 0; i < num; i++)
		CHECK(uscope_segment_info(r, i, &segments[i]) == 0);
	uscope_reader_close(r);
	in_order(all_events(argv[1]));
	in_disorder();
	replaced();
	finalized(argv[2]);
	free(file);
	CHECK(close(fd) == 0);
	return 0;
}
