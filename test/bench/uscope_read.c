/* SPDX-License-Identifier: MIT */
/* uscope_read: what it costs to open a large finalized µScope file and to ask for the state
 * at random times, by the position in the file.
 *
 *   uscope_read [million operations] [raw | lz4 | zstd]
 *
 * The file is written by a process of its own, so that the memory shown is the reader's.
 * Exit status 1 when a limit is passed. */
#include "uscope.h"

#include "../check.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OPEN_MS 2.0
#define STATE_MS 2.0
#define RSS_MIB 64.0
#define SPREAD 2.5 /* slowest median of a tenth of the file to the fastest */

enum {
	MILLION = 1000 * 1000,
	OPS_OF_FRAME = 4,
	SLOTS = 512,
	PERIOD_PS = 1000,
	DECILES = 10,
	QUERIES = 100, /* in each */
	OPENS = 20,
	ATTEMPTS = 4, /* while a tenth is slow: a machine is disturbed for seconds */
};

static double
now_ms(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t
next_random(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * 0x2545f4914f6cdd1dULL;
}

/* ---- The file. ---- */

static uscope_schema_t *
make_schema(void)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(s);
	CHECK(uscope_schema_add_clock(s, "clk", PERIOD_PS) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "rob", -1, SLOTS, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "pc", USCOPE_U64, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "stage", USCOPE_U8, 0) == 1);
	CHECK(uscope_schema_add_storage(s, "regs", -1, SLOTS, 0) == 1);
	CHECK(uscope_schema_add_field(s, 1, "value", USCOPE_U32, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "retired", -1, 1, 0) == 2);
	CHECK(uscope_schema_add_field(s, 2, "count", USCOPE_U64, 0) == 0);
	return s;
}

/* retired.count is the number of the frame: that is how states are checked. */
static void
write_file(const char *path, uint64_t frames, enum uscope_compression compression)
{
	uscope_writer_options_t options = { .compression = compression };
	uscope_schema_t *schema = make_schema();
	int status;
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, schema, &options, &status);
	CHECK(w);
	uint64_t seed = 1;
	for (uint64_t i = 0; i < frames; i++) {
		uint64_t r = next_random(&seed);
		uscope_begin_cycle(w, i * PERIOD_PS);
		uscope_slot_set(w, 0, r % SLOTS, 0, r >> 12 & 0xfff);
		uscope_slot_set(w, 0, r % SLOTS, 1, r >> 24 & 7);
		uscope_slot_set(w, 1, r >> 32 & (SLOTS - 1), 0, r >> 48);
		uscope_slot_add(w, 2, 0, 0, 1);
		uscope_end_cycle(w);
	}
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
	uscope_schema_free(schema);
}

static void
write_apart(const char *path, uint64_t frames, enum uscope_compression compression)
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		write_file(path, frames, compression);
		_exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- The figures. ---- */

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static uscope_reader_t *
timed_open(const char *path, double *ms)
{
	double all[OPENS];
	uscope_reader_t *r = NULL;
	for (int i = 0; i < OPENS; i++) {
		uscope_reader_close(r);
		double begin = now_ms();
		r = uscope_reader_open(path);
		all[i] = now_ms() - begin;
		CHECK(r);
	}
	qsort(all, OPENS, sizeof(all[0]), compare);
	*ms = all[OPENS / 2];
	return r;
}

/* Random times in the tenth number d. */
static void
timed_states(uscope_reader_t *r, uint64_t frames, unsigned d, uint64_t *seed, double *ms)
{
	for (int i = 0; i < QUERIES; i++) {
		uint64_t frame = (uint64_t)((double)frames * (d + (double)(next_random(seed) >> 11) * 0x1p-53) / DECILES);
		double begin = now_ms();
		uscope_state_t *s = uscope_state_at(r, frame * PERIOD_PS + PERIOD_PS / 2);
		ms[i] = now_ms() - begin;
		CHECK(s && uscope_slot_field(s, 2, 0, 0) == frame + 1);
		uscope_state_free(s);
	}
	qsort(ms, QUERIES, sizeof(ms[0]), compare);
}

static bool
within(const char *what, double value, double limit, const char *unit)
{
	(void)printf("%-34s %9.3f %s (limit %.1f)%s\n", what, value, unit, limit, value > limit ? "  PASSED" : "");
	return value <= limit;
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "lz4", "zstd", "raw" };
	uint64_t ops = (argc > 1 ? strtoull(argv[1], NULL, 10) : 20) * MILLION;
	enum uscope_compression compression = USCOPE_LZ4;
	for (unsigned i = 0; i < 3; i++)
		if (argc > 2 && strcmp(argv[2], names[i]) == 0)
			compression = (enum uscope_compression)i;
	uint64_t frames = ops / OPS_OF_FRAME;
	char path[300];
	(void)snprintf(path, sizeof(path), "%s/uscope_read.%d.uscp", check_tmp(), (int)getpid());

	double begin = now_ms();
	write_apart(path, frames, compression);
	struct stat st;
	CHECK(stat(path, &st) == 0);
	(void)printf("%" PRIu64 " million operations, %s, %.0f MB, written in %.1f s\n", ops / MILLION, names[compression],
		(double)st.st_size * 1e-6, (now_ms() - begin) * 1e-3);

	double open_ms, all[DECILES * QUERIES], lowest = 1e9, highest = 0;
	uscope_reader_t *r = timed_open(path, &open_ms);
	uint64_t seed = 7;
	for (int i = 0; i < ATTEMPTS && (i == 0 || highest > SPREAD * lowest); i++) {
		lowest = 1e9;
		highest = 0;
		for (unsigned d = 0; d < DECILES; d++) {
			double *ms = all + (size_t)d * QUERIES;
			timed_states(r, frames, d, &seed, ms);
			double median = ms[QUERIES / 2];
			(void)printf("state_at, tenth %2u of the file       %9.3f ms median %9.3f ms p99\n", d + 1, median, ms[QUERIES * 99 / 100]);
			lowest = median < lowest ? median : lowest;
			highest = median > highest ? median : highest;
		}
	}
	qsort(all, DECILES * QUERIES, sizeof(all[0]), compare);

	struct rusage usage;
	CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
	bool good = within("open", open_ms, OPEN_MS, "ms");
	good &= within("state_at, median", all[DECILES * QUERIES / 2], STATE_MS, "ms");
	(void)printf("%-34s %9.3f ms\n", "state_at, p99", all[DECILES * QUERIES * 99 / 100]);
	good &= within("slowest to fastest tenth", highest / lowest, SPREAD, "x");
	good &= within("peak memory of the process", (double)usage.ru_maxrss / 1024, RSS_MIB, "MiB");

	begin = now_ms();
	CHECK(uscope_verify(r, NULL, NULL) == 0);
	(void)printf("%-34s %9.3f ns/op\n", "verify", (now_ms() - begin) * 1e6 / (double)ops);
	uscope_reader_close(r);
	(void)unlink(path);
	return good ? 0 : 1;
}
