/* SPDX-License-Identifier: MIT */
/* disk_full: the file cannot grow beyond each of many sizes. Whatever was committed stays,
 * nothing half is left behind it, and finish says E_IO. */
#include "kit.h"
#include "uscope.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static uscope_schema_t *
make_schema(void)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "st", 0, 40, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U32, -1) == 0);
	return s;
}

static bool misuse; /* also call it wrong, which does not hide what is worse */

/* What finish says, or open if that fails. */
static int
write_trace(const char *path, const uscope_writer_options_t *o, uint64_t *segments)
{
	int status;
	uscope_schema_t *s = make_schema();
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, o, &status);
	uscope_schema_free(s);
	*segments = 0;
	if (!w)
		return status;
	(void)uscope_string_insert(w, "text");
	for (uint64_t t = 0; t < 1000; t += 10) {
		uscope_begin_cycle(w, t);
		uscope_slot_set(w, 0, (uint16_t)(t % 40), 0, t);
		if (misuse)
			uscope_slot_set(w, 0, 40, 0, t);
		uscope_end_cycle(w);
	}
	status = uscope_writer_finish(w);
	uscope_writer_stats_t stats;
	uscope_writer_stats(w, &stats);
	*segments = stats.segments;
	CHECK(!status == !uscope_writer_error_info(w)->reason[0]);
	uscope_writer_close(w);
	return status;
}

static void
set_limit(rlim_t bytes)
{
	struct rlimit r;
	CHECK(getrlimit(RLIMIT_FSIZE, &r) == 0);
	r.rlim_cur = bytes;
	CHECK(setrlimit(RLIMIT_FSIZE, &r) == 0);
}

static void
check_kept(const char *path, uint64_t segments, rlim_t limit)
{
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = USCOPE_STRICT }, &error);
	if (!r)
		(void)fprintf(stderr, "limit %ld: %s: %s\n", (long)limit, uscope_status_name(error.status), error.reason);
	CHECK(r && !uscope_is_complete(r));
	CHECK(uscope_num_segments(r) == segments && uscope_verify(r, NULL, NULL) == 0);
	uscope_segment_t g = { 0 };
	uint64_t end = uscope_header(r)->preamble_end;
	if (segments) {
		CHECK(uscope_segment_info(r, (uint32_t)segments - 1, &g) == 0);
		end = g.offset + 56 + g.checkpoint_size + g.compressed_size;
		uscope_state_t *s = uscope_state_at(r, g.time_end_ps - 1);
		uint64_t last = (g.time_end_ps - 1) / 10 * 10;
		CHECK(s && uscope_slot_field(s, 0, (uint16_t)(last % 40), 0) == last);
		uscope_state_free(s);
	}
	struct stat st;
	CHECK(stat(path, &st) == 0 && (uint64_t)st.st_size == end);
	uscope_reader_close(r);
}

int
main(void)
{
	CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	const char *path = kit_path("full.uscp");
	for (int i = 0; i < 6; i++) {
		const uscope_writer_options_t o = {
			.interval_ps = 100,
			.compression = i < 2 ? USCOPE_LZ4 : (i < 4 ? USCOPE_RAW : USCOPE_ZSTD),
			.background = i % 2,
		};
		uint64_t all;
		set_limit(RLIM_INFINITY);
		CHECK(write_trace(path, &o, &all) == 0 && all == 10);
		struct stat st;
		CHECK(stat(path, &st) == 0);
		uint64_t before = 0;
		for (rlim_t limit = 0; limit < (rlim_t)st.st_size; limit += limit < 250 ? 7 : 3) {
			uint64_t segments;
			misuse = limit % 2;
			set_limit(limit);
			int status = write_trace(path, &o, &segments);
			set_limit(RLIM_INFINITY);
			CHECK(status == USCOPE_E_IO && segments >= before && segments <= all);
			before = segments;
			if (limit >= 200)
				check_kept(path, segments, limit);
		}
		CHECK(before == all);
		misuse = true;
		CHECK(write_trace(path, &o, &all) == USCOPE_E_RANGE);
		misuse = false;
	}

	/* A device that is always full; the error is told at once. */
	if (access("/dev/full", W_OK) == 0) {
		uint64_t segments;
		CHECK(write_trace("/dev/full", NULL, &segments) == USCOPE_E_IO);
	}
	return 0;
}
