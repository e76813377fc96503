/* SPDX-License-Identifier: MIT */
/* emulate: what it costs to emulate a trace, as a ratio to "plain": one pass that reads
 * the same input and writes as many bytes as the emulator did.
 *
 *   emulate OVNIEMU [events]
 *
 * Each figure is the best of some runs, in CPU time of the whole process, and is printed
 * with its limit. Exit status 1 when one is passed by far. */
#include "bench.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* How far above a limit is a failure, and not the noise of a shared machine: figures
 * move by a third between minutes there. */
#define TOLERANCE 1.6

enum {
	RUNS = 2,
	TURNS = 5,
	ATTEMPTS = 3, /* while one fails */
	OUTPUTS = 3,  /* PRV files */
};

struct shape {
	const char *name;
	struct trace trace;
	const char *options; /* of the emulator, NULL: none */
	const char *outputs; /* NULL: prv */
};

/* ---- Measures. ---- */

static off_t
size_of(const char *dir, const char *name)
{
	char path[512];
	struct stat st;
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) == 0 ? st.st_size : 0;
}

struct result {
	struct cost emu;
	struct cost plain;
	double bytes;  /* of the PRV files */
	double uscope; /* of ovni.uscp */
};

static struct result
measure(const char *emu, const char *tmp, const struct shape *s)
{
	char trace[256];
	char out[256];
	char plain[256];
	(void)snprintf(trace, sizeof(trace), "%s/%s", tmp, s->name);
	(void)snprintf(out, sizeof(out), "%s/%s.out", tmp, s->name);
	(void)snprintf(plain, sizeof(plain), "%s/%s.out/plain", tmp, s->name);
	(void)trace_write(trace, &s->trace);
	struct result best = { .emu = { .cpu = 1e9 }, .plain = { .cpu = 1e9 } };
	off_t sizes[OUTPUTS] = { 0 };
	off_t uscope = 0;
	for (int i = 0; i < RUNS; i++) {
		/* New files each time: to replace one costs the file system more. */
		bench_remove(out);
		struct cost e = bench_run(emu, trace, out, s->outputs ? s->outputs : "prv", s->options);
		sizes[0] = size_of(out, "thread.prv");
		sizes[1] = size_of(out, "cpu.prv");
		sizes[2] = size_of(out, "nosv-breakdown.prv");
		uscope = size_of(out, "ovni.uscp");
		bench_remove(out);
		(void)mkdir(out, 0777);
		struct cost p = bench_plain(trace, plain, sizes, OUTPUTS);
		best.emu.cpu = e.cpu < best.emu.cpu ? e.cpu : best.emu.cpu;
		best.emu.rss = e.rss > best.emu.rss ? e.rss : best.emu.rss;
		best.plain.cpu = p.cpu < best.plain.cpu ? p.cpu : best.plain.cpu;
	}
	best.bytes = (double)(sizes[0] + sizes[1] + sizes[2]);
	best.uscope = (double)uscope;
	bench_remove(trace);
	bench_remove(out);
	(void)printf("%-8s %5d threads, %9ld events: %6.1f ns/event CPU, %.2fx plain (%.1f ns), %.1f bytes/event written, peak %.1f MiB\n",
		s->name, s->trace.threads, s->trace.events, best.emu.cpu * 1e9 / (double)s->trace.events, best.emu.cpu / best.plain.cpu,
		best.plain.cpu * 1e9 / (double)s->trace.events, best.bytes / (double)s->trace.events, (double)best.emu.rss / 1024);
	(void)fflush(stdout);
	return best;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The CPU that one shape takes, in parts of what another takes of the same trace: in turns, as
 * the machine is another one a second later, and the quarter that was disturbed least. */
static double
compare(const char *emu, const char *tmp, const struct shape *s, const struct shape *other)
{
	char trace[512];
	char out[512];
	(void)snprintf(trace, sizeof(trace), "%s/%s", tmp, s->name);
	(void)snprintf(out, sizeof(out), "%s/%s.out", tmp, s->name);
	(void)trace_write(trace, &s->trace);
	double cpu[2][TURNS];
	for (int i = 0; i < TURNS * 2; i++) {
		const struct shape *k = i % 2 ? s : other;
		bench_remove(out);
		cpu[i % 2][i / 2] = bench_run(emu, trace, out, k->outputs ? k->outputs : "prv", k->options).cpu;
	}
	bench_remove(trace);
	bench_remove(out);
	for (int i = 0; i < 2; i++)
		qsort(cpu[i], TURNS, sizeof(cpu[i][0]), by_value);
	return cpu[1][TURNS / 4] / cpu[0][TURNS / 4];
}

/* A limit, and the best figure of all attempts. */
struct limit {
	const char *what;
	double most;
	double now; /* where it is not met: what is, so that it gets no worse */
	double best;
};

static struct limit limits[] = {
	{ .what = "CPU, ratio to plain", .most = 4 },
	{ .what = "1024 threads: peak memory, MiB", .most = 100 },
	{ .what = "1024 threads: time of an event, ratio to 4 threads", .most = 1.5, .now = 1.7 },
	{ .what = "10 times longer: peak memory, ratio", .most = 1.1 },
	{ .what = "nosv: CPU, ratio to plain", .most = 4 },
	{ .what = "nosv -b: CPU, ratio to plain", .most = 5 },
	{ .what = "nosv -a: time of an event, ratio to the needed models", .most = 1.1 },
	{ .what = "nosv, with ovni.uscp: CPU, ratio to PRV alone", .most = 1.6 },
	{ .what = "nosv: size of ovni.uscp (LZ4), ratio to PRV", .most = 0.15 },
	{ .what = "nosv: size of ovni.uscp (ZSTD), ratio to PRV", .most = 0.06 },
	{ .what = "nosv, with ovni.html: CPU, ratio to PRV alone", .most = 1.6 },
	{ .what = "nosv, with ovni.perfetto-trace: CPU, ratio to PRV alone", .most = 1.6 },
	{ .what = "nosv, ovni.perfetto-trace alone: CPU, ratio to PRV", .most = 1.3 },
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

/* The highest figure as a part of its limit, or of what is. */
static double
worst(void)
{
	double part = 0;
	for (int i = 0; i < NLIMITS; i++) {
		double of = limits[i].best / (limits[i].now > 0 ? limits[i].now : limits[i].most);
		part = of > part ? of : part;
	}
	return part;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		(void)fprintf(stderr, "usage: emulate OVNIEMU [events]\n");
		return 2;
	}
	long n = argc > 2 ? atol(argv[2]) : 1000000;
	const struct trace tasks = { .looms = 1, .threads = 32, .cpus = 32, .events = n * 3, .nosv = true };
	char tmp[256];
	(void)snprintf(tmp, sizeof(tmp), "%s/bench.XXXXXX", bench_place());
	if (!mkdtemp(tmp))
		bench_fail(tmp);

	const struct shape small = { .name = "few", .trace = { .looms = 1, .threads = 4, .cpus = 4, .events = n } };
	/* Long, so that 1024 opens do not count. */
	const struct shape wide = { .name = "wide", .trace = { .looms = 1, .threads = 1024, .cpus = 1024, .events = n * 10 } };
	const struct shape longer = { .name = "long", .trace = { .looms = 1, .threads = 4, .cpus = 4, .events = n * 10 } };
	const struct shape nosv = { .name = "nosv", .trace = tasks };
	const struct shape all = { .name = "nosv-a", .trace = tasks, .options = "-a" };
	const struct shape breakdown = { .name = "nosv-b", .trace = tasks, .options = "-b" };
	const struct shape both = { .name = "nosv-u", .trace = tasks, .outputs = "prv,uscope" };
	const struct shape page = { .name = "nosv-h", .trace = tasks, .outputs = "prv,html" };
	const struct shape perfetto = { .name = "nosv-p", .trace = tasks, .outputs = "perfetto" };
	const struct shape prv_perfetto = { .name = "nosv-v", .trace = tasks, .outputs = "prv,perfetto" };
	const struct shape zstd = { .name = "nosv-z", .trace = tasks, .outputs = "prv,uscope", .options = "--uscope-compression=zstd" };
	/* A disturbed machine gets more chances: the least that was needed counts. */
	for (int i = 0; i < ATTEMPTS && (i == 0 || worst() > TOLERANCE); i++) {
		struct result a = measure(argv[1], tmp, &small);
		struct result b = measure(argv[1], tmp, &wide);
		struct result c = measure(argv[1], tmp, &longer);
		struct result v = measure(argv[1], tmp, &nosv);
		struct result va = measure(argv[1], tmp, &all);
		struct result vb = measure(argv[1], tmp, &breakdown);
		note(0, a.emu.cpu / a.plain.cpu);
		note(1, (double)b.emu.rss / 1024);
		note(2, b.emu.cpu / c.emu.cpu);
		note(3, (double)c.emu.rss / (double)a.emu.rss);
		note(4, v.emu.cpu / v.plain.cpu);
		note(5, vb.emu.cpu / vb.plain.cpu);
		note(6, va.emu.cpu / v.emu.cpu);
		struct result vu = measure(argv[1], tmp, &both);
		struct result vz = measure(argv[1], tmp, &zstd);
		note(7, compare(argv[1], tmp, &both, &nosv));
		note(8, vu.uscope / vu.bytes);
		note(9, vz.uscope / vz.bytes);
		note(10, compare(argv[1], tmp, &page, &nosv));
		note(11, compare(argv[1], tmp, &prv_perfetto, &nosv));
		note(12, compare(argv[1], tmp, &perfetto, &nosv));
	}
	(void)rmdir(tmp);
	for (int i = 0; i < NLIMITS; i++)
		(void)printf("%s %s: %.2f (limit %.2f)\n", limits[i].best <= limits[i].most ? "ok  " : "OVER",
			limits[i].what, limits[i].best, limits[i].most);
	return worst() <= TOLERANCE ? 0 : 1;
}
