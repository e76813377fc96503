/* SPDX-License-Identifier: MIT */
/* uscope_write: what it costs to write operations to a µScope file, beside the cost of
 * compressing the same deltas with the library of the compression alone ("plain").
 *
 *   uscope_write [operations]
 *
 * Each figure is the best of some runs, in CPU time of a process, threads included, and is
 * printed with its limit. Runs of different kinds alternate, so that a busy machine disturbs all alike.
 * Limits in ns are those of the machine of bench_slowness(), of which others get more. Exit status 1 when
 * one is passed by far. */
#include "../xorshift.h"
#include "bench.h"
#include "layout.h"
#include "phrase.h"

#include <fcntl.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

/* How far above a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	RUNS = 3,
	ATTEMPTS = 2,
	ZSTD_LEVEL = 3,
	OPS_OF_FRAME = 4,
	OVERHEAD_NS = 10, /* of an operation, beside its compression */
};

enum work {
	PLAIN,   /* values below 65536 */
	WIDE,    /* one operation in 16 is larger */
	DENSITY, /* the summary has something to count */
	PHRASES, /* states of threads and their CPUs, that were made ready */
};

static char dir[256];
static long nops = 4000000;

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static const char *
path_of(const char *name)
{
	static char path[300];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* In memory if there is room: what a disk does to the figures is not ours. */
static const char *
place(void)
{
	const char *tmp = getenv("TMPDIR");
	struct statvfs v;
	if (tmp)
		return tmp;
	if (statvfs("/dev/shm", &v) == 0 && (double)v.f_bavail * (double)v.f_frsize > 2e9)
		return "/dev/shm";
	return "/tmp";
}

/* ---- The work: a processor with a window of instructions, registers and counters. ---- */

static uscope_schema_t *
make_schema(enum work work)
{
	uscope_schema_t *s = uscope_schema_new();
	int bad = uscope_schema_add_clock(s, "core", 500) < 0;
	bad |= uscope_schema_add_scope(s, "/", -1, NULL, 0) < 0;
	int window = uscope_schema_add_storage(s, "window", 0, 256, USCOPE_SPARSE);
	bad |= uscope_schema_add_field(s, window, work == DENSITY ? "entity_id" : "number", USCOPE_U32, -1) < 0;
	bad |= uscope_schema_add_field(s, window, "pc", USCOPE_U64, -1) < 0;
	bad |= uscope_schema_add_field(s, window, "stage", USCOPE_U8, -1) < 0;
	int regs = uscope_schema_add_storage(s, "regs", 0, 64, 0);
	bad |= uscope_schema_add_field(s, regs, "value", USCOPE_U64, -1) < 0;
	int ports = uscope_schema_add_storage(s, "ports", 0, 8, 0);
	bad |= uscope_schema_add_field(s, ports, "busy", USCOPE_BOOL, -1) < 0;
	bad |= uscope_schema_add_field(s, ports, "depth", USCOPE_U16, -1) < 0;
	if (bad || window < 0 || regs < 0 || ports < 0)
		fail("schema");
	return s;
}

struct set {
	uscope_place_t place;
	uint64_t value;
};

/* All other writes happen here; the same calls every time. */
static void
write_ops(uscope_writer_t *w, enum work work)
{
	/* The compiler must not put the function into the loop, as it cannot in a program that uses the shared
	 * library. */
	void (*volatile slot_set)(uscope_writer_t *, uint16_t, uint16_t, uint16_t, uint64_t) = uscope_slot_set;
	uint64_t x = XORSHIFT_SEED;
	uint64_t time = 0;
	for (long i = 0; i < nops; i += OPS_OF_FRAME) {
		(void)xorshift(&x);
		time += 500 * (1 + (x & 3));
		uint16_t slot = (uint16_t)(i / OPS_OF_FRAME % 256);
		uint64_t pc = 0x1000 + (uint64_t)(i / OPS_OF_FRAME * 4 % 4096);
		if (work == WIDE && x % 4 == 0)
			pc |= 0x80000000u;
		const struct set sets[OPS_OF_FRAME] = {
			{ { 0, slot, 0 }, (uint64_t)i & 0xffff },
			{ { 0, slot, 1 }, pc },
			{ { 1, (uint16_t)(x >> 8 & 63), 0 }, x >> 16 & 0xff },
			{ { 2, (uint16_t)(x >> 24 & 7), 1 }, x >> 32 & 15 },
		};
		uscope_begin_cycle(w, time);
		for (int k = 0; k < OPS_OF_FRAME; k++)
			slot_set(w, sets[k].place.storage, sets[k].place.slot, sets[k].place.field, sets[k].value);
		uscope_end_cycle(w);
	}
}

/* Cycles in which a thread and its CPU go from one state to the next: what one of them is in
 * (`value` of regs) and why, which is the value of two other registers. */
static void
write_phrases(uscope_writer_t *w)
{
	enum { THREADS = 16,
		STATES = 32,
		LINES = 512 };
	static uscope_phrase_t phrases[THREADS][STATES][OPS_OF_FRAME / 2];
	static unsigned at[THREADS];
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < STATES; k++)
			for (unsigned of = 0; of < OPS_OF_FRAME / 2; of++) {
				const uscope_place_t places[] = { { 1, (uint16_t)(i * 4 + of * 2), 0 }, { 1, (uint16_t)(i * 4 + of * 2 + 1), 0 } };
				if (!uscope_phrase_init(w, &phrases[i][k][of], 100u * of + k, places, 2))
					fail("phrase");
			}
	uint64_t x = XORSHIFT_SEED;
	uint64_t time = 0;
	for (long i = 0; i < nops;) {
		uscope_line_t lines[LINES];
		size_t n = 0;
		for (; n < LINES && i < nops; i += OPS_OF_FRAME) {
			(void)xorshift(&x);
			time += 500 * (1 + (x & 3));
			unsigned thread = (unsigned)(x >> 8) % THREADS;
			uscope_phrase_t *p = phrases[thread][at[thread]++ % STATES];
			lines[n++] = (uscope_line_t){ time, &p[0] };
			lines[n++] = (uscope_line_t){ USCOPE_GOES_ON, &p[1] };
		}
		uscope_cycles(w, lines, n);
	}
}

static void
write_file(const char *name, enum work work, enum uscope_compression compression, bool background)
{
	uscope_schema_t *schema = make_schema(work);
	uscope_writer_options_t o = { .compression = compression, .background = background };
	int status;
	uscope_writer_t *w = uscope_writer_open_ex(path_of(name), NULL, schema, &o, &status);
	uscope_schema_free(schema);
	if (!w) {
		(void)fprintf(stderr, "open: %s\n", uscope_status_text(status));
		exit(1);
	}
	if (work == PHRASES)
		write_phrases(w);
	else
		write_ops(w, work);
	status = uscope_writer_finish(w);
	if (status) {
		(void)fprintf(stderr, "finish: %s: %s\n", uscope_status_name(status), uscope_writer_error_info(w)->reason);
		exit(1);
	}
	uscope_writer_close(w);
}

/* ---- Plain: the deltas of a file without compression. ---- */

static void
plain_file(const char *name, enum uscope_compression compression)
{
	int fd = open(path_of(name), O_RDONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		fail(name);
	const uint8_t *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	(void)close(fd);
	void *lz4 = malloc((size_t)LZ4_sizeofState());
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t cap = 0;
	char *out = NULL;
	/* From the last segment back to the first. */
	for (uint64_t at = load64(p + AT_TAIL); at; at = load64(p + at + SEG_PREV)) {
		const uint8_t *raw = p + at + SEGMENT_HEADER_SIZE + load32(p + at + SEG_CHECKPOINT_SIZE);
		size_t n = load32(p + at + SEG_RAW_SIZE);
		if (ZSTD_compressBound(n) + (size_t)LZ4_compressBound((int)n) > cap) {
			cap = ZSTD_compressBound(n) + (size_t)LZ4_compressBound((int)n);
			free(out);
			out = malloc(cap);
		}
		if (!lz4 || !zstd || !out)
			fail("malloc");
		size_t k = compression == USCOPE_LZ4
			? (size_t)LZ4_compress_fast_extState(lz4, (const char *)raw, out, (int)n, (int)cap, 1)
			: ZSTD_compressCCtx(zstd, out, cap, raw, n, ZSTD_LEVEL);
		if (k == 0 || k > cap)
			fail("compress");
	}
	free(lz4);
	(void)ZSTD_freeCCtx(zstd);
	free(out);
	(void)munmap((void *)p, (size_t)st.st_size);
}

/* ---- Measures. ---- */

struct run {
	enum { WRITE,
		COMPRESS } what;
	enum work work;
	enum uscope_compression compression;
	bool background;
	struct cost best;
};

static void
measure(struct run *r)
{
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (r->what == WRITE)
			write_file("out", r->work, r->compression, r->background);
		else
			plain_file("raw", r->compression);
		_exit(0);
	}
	int status = 0;
	struct rusage ru;
	if (pid < 0 || wait4(pid, &status, 0, &ru) < 0)
		fail("fork");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		exit(1);
	double cpu = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) + (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	long rss = ru.ru_maxrss;
	r->best.cpu = r->best.cpu == 0 || cpu < r->best.cpu ? cpu : r->best.cpu;
	r->best.rss = rss > r->best.rss ? rss : r->best.rss;
	(void)unlink(path_of("out"));
}

enum {
	SET_RAW,
	SET_LZ4,
	SET_RATIO,
	LZ4_OVERHEAD,
	ZSTD_OVERHEAD,
	MEMORY,
	MEMORY_THREAD,
	PHRASES_LZ4,
};

/* A limit, and the best figure of all attempts. */
static struct limit {
	const char *what;
	double most;
	double best;
} limits[] = {
	[SET_RAW] = { .what = "slot_set raw, ns", .most = 13 },
	[SET_LZ4] = { .what = "slot_set with LZ4, ns", .most = 22 },
	[SET_RATIO] = { .what = "slot_set with LZ4 beside plain, ratio", .most = 1 },
	[LZ4_OVERHEAD] = { .what = "LZ4: CPU beside 1.5x plain and 10 ns, ratio", .most = 1 },
	[ZSTD_OVERHEAD] = { .what = "ZSTD: CPU beside 1.5x plain and 10 ns, ratio", .most = 1 },
	[MEMORY] = { .what = "LZ4: peak memory of the process, MiB", .most = 5 },
	[MEMORY_THREAD] = { .what = "LZ4 on a thread: peak memory of the process, MiB", .most = 7 },
	[PHRASES_LZ4] = { .what = "operations of phrases with LZ4, ns", .most = 10 },
};

enum {
	NLIMITS = sizeof(limits) / sizeof(limits[0]),
};

static void
note(int i, double value)
{
	if (limits[i].best == 0 || value < limits[i].best)
		limits[i].best = value;
}

static double
worst(void)
{
	double part = 0;
	for (int i = 0; i < NLIMITS; i++)
		if (limits[i].best / limits[i].most > part)
			part = limits[i].best / limits[i].most;
	return part;
}

static double
ns(struct cost c)
{
	return c.cpu * 1e9 / (double)nops;
}

static void
attempt(enum work work)
{
	static const char *const names[] = { "small values", "wide frames ", "with summary", "in phrases  " };
	struct run runs[] = {
		{ .what = WRITE, .compression = USCOPE_RAW },
		{ .what = WRITE, .compression = USCOPE_LZ4 },
		{ .what = COMPRESS, .compression = USCOPE_LZ4 },
		{ .what = WRITE, .compression = USCOPE_ZSTD },
		{ .what = COMPRESS, .compression = USCOPE_ZSTD },
		{ .what = WRITE, .compression = USCOPE_LZ4, .background = true },
	};
	const struct cost *raw = &runs[0].best, *lz4 = &runs[1].best, *plain = &runs[2].best;
	const struct cost *zstd = &runs[3].best, *zplain = &runs[4].best, *thread = &runs[5].best;
	int nruns = work == PLAIN ? 6 : 3;
	write_file("raw", work, USCOPE_RAW, false);
	struct stat st;
	if (stat(path_of("raw"), &st) != 0)
		fail("raw");
	for (int i = 0; i < RUNS * nruns; i++) {
		runs[i % nruns].work = work;
		measure(&runs[i % nruns]);
	}
	(void)unlink(path_of("raw"));
	(void)printf("%s, %ld operations, %.1f bytes each: raw %.1f ns, LZ4 %.1f ns (plain %.1f), peak %.1f MiB\n", names[work],
		nops, (double)st.st_size / (double)nops, ns(*raw), ns(*lz4), ns(*plain), (double)lz4->rss / 1024);
	double slow = bench_slowness();
	if (work == PHRASES)
		note(PHRASES_LZ4, ns(*lz4) / slow);
	if (work != PLAIN)
		return;
	(void)printf("%s: ZSTD %.1f ns (plain %.1f), LZ4 on a thread %.1f ns, peak %.1f MiB\n", names[work], ns(*zstd),
		ns(*zplain), ns(*thread), (double)thread->rss / 1024);
	note(SET_RAW, ns(*raw) / slow);
	note(SET_LZ4, ns(*lz4) / slow);
	note(SET_RATIO, ns(*lz4) / ns(*plain));
	note(LZ4_OVERHEAD, ns(*lz4) / (1.5 * ns(*plain) + OVERHEAD_NS));
	note(ZSTD_OVERHEAD, ns(*zstd) / (1.5 * ns(*zplain) + OVERHEAD_NS));
	note(MEMORY, (double)lz4->rss / 1024);
	note(MEMORY_THREAD, (double)thread->rss / 1024);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		nops = atol(argv[1]);
	(void)snprintf(dir, sizeof(dir), "%s/bench.XXXXXX", place());
	if (!mkdtemp(dir))
		fail(dir);
	/* A disturbed machine gets more chances: the least that was needed counts. */
	for (int i = 0; i < ATTEMPTS && (i == 0 || worst() > 1); i++)
		for (int work = PLAIN; work <= PHRASES; work++)
			attempt((enum work)work);
	(void)rmdir(dir);
	for (int i = 0; i < NLIMITS; i++)
		(void)printf("%s %s: %.2f (limit %.2f)\n", limits[i].best <= limits[i].most ? "ok  " : "OVER",
			limits[i].what, limits[i].best, limits[i].most);
	return worst() <= TOLERANCE ? 0 : 1;
}
