/* SPDX-License-Identifier: MIT */
/* killed: a writer is killed with SIGKILL at random moments, while a reader polls its file.
 * The reader sees the segments in order and never an error, and everything that was
 * committed can be read afterwards.
 *
 *   killed [moments [seed]] */
#include "kit.h"
#include "uscope.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SLOTS = 64,
	STEP_PS = 10, /* between cycles */
	OF_SEGMENT = 50,
	PATIENCE_US = 6000,
};

/* Segments that the writer knows to be committed. */
static _Atomic uint64_t *committed;

static void
make_schema(uscope_schema_t **schema)
{
	uscope_schema_t *s = *schema = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 10) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "st", 0, SLOTS, USCOPE_SPARSE) == 0);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U64, -1) == 0);
}

/* Cycle i sets slot i % SLOTS to i. */
static void
write_cycle(uscope_writer_t *w, uint64_t i)
{
	uscope_begin_cycle(w, i * STEP_PS);
	uscope_slot_set(w, 0, (uint16_t)(i % SLOTS), 0, i);
	uscope_end_cycle(w);
}

/* Never returns. */
static void
write_forever(const char *path, const uscope_writer_options_t *o)
{
	uscope_schema_t *s;
	make_schema(&s);
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, o, NULL);
	CHECK(w);
	for (uint64_t i = 0;; i++) {
		write_cycle(w, i);
		if (i % (3 * OF_SEGMENT) == 1) {
			uscope_writer_stats_t stats;
			CHECK(uscope_writer_flush(w) == 0);
			uscope_writer_stats(w, &stats);
			atomic_store(committed, stats.segments);
		}
	}
}

/* The state before cycle n. */
static void
check_state(const uscope_state_t *s, uint64_t n)
{
	CHECK(s);
	for (uint16_t slot = 0; slot < SLOTS; slot++) {
		uint64_t last = n < slot + 1u ? 0 : (n - 1 - slot) / SLOTS * SLOTS + slot;
		CHECK(uscope_slot_valid(s, 0, slot) == (n > slot));
		CHECK(uscope_slot_field(s, 0, slot, 0) == last);
	}
}

/* Segments from `from` on: each begins where the one before ends. Returns their number. */
static uint32_t
check_order(uscope_reader_t *r, uint32_t from, uint64_t *end)
{
	uint32_t n = uscope_num_segments(r);
	CHECK(n >= from);
	for (uint32_t i = from; i < n; i++) {
		uscope_segment_t g;
		CHECK(uscope_segment_info(r, i, &g) == 0);
		CHECK(g.time_start_ps == *end && g.time_end_ps > g.time_start_ps);
		*end = g.time_end_ps;
	}
	return n;
}

static void
check_left(const char *path, uint64_t least)
{
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, NULL, &error);
	if (!r && least == 0 && (error.status == USCOPE_E_IO || error.status == USCOPE_E_TRUNCATED))
		return; /* killed before it began */
	CHECK(r && !uscope_is_complete(r));
	uint64_t end = 0;
	uint32_t n = check_order(r, 0, &end);
	CHECK(n >= least && uscope_verify(r, NULL, NULL) == 0);
	if (n > 0) {
		uscope_state_t *s = uscope_state_at(r, end);
		check_state(s, (end - 1) / STEP_PS + 1);
		uscope_state_free(s);
	}
	for (int id = 0; id < USCOPE_N_POOL_GAP; id++)
		CHECK(uscope_reader_diag(r, (enum uscope_diag)id) == 0);
	uscope_reader_close(r);
}

/* Polls until the time is over. Returns the segments that came while polling. */
static uint32_t
poll_until(const char *path, double until)
{
	uscope_reader_t *r = NULL;
	uint32_t seen = 0;
	uint32_t came = 0;
	uint64_t end = 0;
	while (kit_now() < until) {
		if (!r) {
			uscope_error_t error;
			r = uscope_reader_open_ex(path, NULL, &error);
			if (!r && error.status != USCOPE_E_IO && error.status != USCOPE_E_TRUNCATED)
				(void)fprintf(stderr, "%s: %s\n", uscope_status_name(error.status), error.reason);
			CHECK(r || error.status == USCOPE_E_IO || error.status == USCOPE_E_TRUNCATED);
			if (r)
				seen = check_order(r, 0, &end);
			continue;
		}
		bool more = uscope_poll_new_segments(r);
		CHECK(uscope_reader_status(r) == 0 && !uscope_is_complete(r));
		uint32_t n = check_order(r, seen, &end);
		CHECK(more == (n > seen));
		came += n - seen;
		seen = n;
	}
	uscope_reader_close(r);
	return came;
}

/* A program that sets no option, writes a long trace and is killed before it finishes: only the last
 * cycles are missing. */
static void
check_defaults(void)
{
	enum { CYCLES = 5000000,
		MISSING = 120000 }; /* 1 MiB of deltas, with 12 bytes each and more */
	const char *path = kit_path("defaults.uscp");
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		uscope_schema_t *s;
		make_schema(&s);
		uscope_writer_t *w = uscope_writer_open(path, NULL, s, 0);
		CHECK(w);
		for (uint64_t i = 0; i < CYCLES; i++)
			write_cycle(w, i);
		(void)kill(getpid(), SIGKILL);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r && !uscope_is_complete(r));
	uint64_t end = 0;
	CHECK(check_order(r, 0, &end) > 0 && end > (uint64_t)(CYCLES - MISSING) * STEP_PS);
	uscope_state_t *s = uscope_state_at(r, end);
	check_state(s, (end - 1) / STEP_PS + 1);
	uscope_state_free(s);
	uscope_reader_close(r);
	kit_remove(path);
}

int
main(int argc, char **argv)
{
	int moments = argc > 1 ? atoi(argv[1]) : 200;
	uint64_t seed = kit_seed(argc > 2 ? 2 : 1, argv + (argc > 2));
	committed = mmap(NULL, sizeof(*committed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(committed != MAP_FAILED);
	uint64_t known = 0;
	uint64_t polled = 0;
	for (int i = 0; i < moments; i++) {
		char path[300];
		(void)snprintf(path, sizeof(path), "%s", kit_path("killed.%d.uscp", i));
		const uscope_writer_options_t o = {
			.interval_ps = STEP_PS * OF_SEGMENT,
			.compression = i % 4 < 2 ? USCOPE_LZ4 : USCOPE_RAW,
			.background = i % 2,
		};
		atomic_store(committed, 0);
		(void)fflush(stdout);
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0)
			write_forever(path, &o);
		double until = kit_now() + (double)kit_below(&seed, PATIENCE_US) / 1e6;
		polled += poll_until(path, until);
		CHECK(kill(pid, SIGKILL) == 0);
		int status;
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		check_left(path, atomic_load(committed));
		known += atomic_load(committed);
		kit_remove(path);
	}
	(void)printf("%d moments, %llu committed segments known, %llu seen as they came\n", moments,
		(unsigned long long)known, (unsigned long long)polled);
	check_defaults();
	CHECK(moments < 50 || (known > 0 && polled > 0));
	return 0;
}
