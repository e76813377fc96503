/* SPDX-License-Identifier: MIT */
/* sort: what it costs to check and to sort a stream, as a ratio to "plain": one pass that
 * reads it and, if it is sorted, writes as many bytes.
 *
 *   sort OVNISORT [events]
 *
 * Each figure is the best of some runs, in CPU time. Exit status 1 when one is passed by
 * far. Memory is printed too: it is that of the window, not of the stream. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How far above a limit is a failure, and not the noise of a shared machine. */
#define LIMIT 3.0
#define TOLERANCE 1.6

enum {
	RUNS = 5,
	REGION = 1000, /* events between two regions, which make all of them move */
	LATE = 20,     /* events in a region */
};

static char dir[256], path[300], copy[300];
static uint8_t block[64 * 1024];

static void
make(const char *name, long events)
{
	uint8_t ev[64] = "ovni\1";
	FILE *f = fopen(name, "w");
	if (!f)
		bench_fail(name);
	(void)fwrite(ev, 1, 8, f);
	uint8_t mark[12] = { 1 };
	for (int64_t c = 1000, n = 0; n < events; n += REGION, c += 10 * REGION) {
		int i = 0;
		for (; i < REGION - LATE - 2; i++)
			(void)fwrite(ev, 1, bench_put(ev, "OM=", c + 10 * i, mark, sizeof(mark)), f);
		(void)fwrite(ev, 1, bench_put(ev, "OU[", c + 10 * i, NULL, 0), f);
		for (int k = 0; k < LATE; k++)
			(void)fwrite(ev, 1, bench_put(ev, k % 2 ? "KCI" : "KCO", c + 400 * k + 5, NULL, 0), f);
		(void)fwrite(ev, 1, bench_put(ev, "OU]", c + 10 * i + 1, NULL, 0), f);
	}
	if (fclose(f) != 0)
		bench_fail(name);
}

/* One pass, to the copy or to nowhere. */
static uint64_t
pass(const char *from, const char *to)
{
	uint64_t sum = 0;
	int in = open(from, O_RDONLY);
	int out = to ? open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	ssize_t n;
	if (in < 0 || (to && out < 0))
		bench_fail(from);
	while ((n = read(in, block, sizeof(block))) > 0) {
		for (ssize_t i = 0; i + 8 <= n; i += 8) {
			uint64_t word;
			memcpy(&word, block + i, sizeof(word));
			sum += word;
		}
		if (to && write(out, block, (size_t)n) != n)
			bench_fail(to);
	}
	(void)close(in);
	if (to)
		(void)close(out);
	return sum;
}

static struct cost
run_plain(const char *to)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(pass(path, to) == 1);
	return bench_wait(pid);
}

static struct cost
run_sort(const char *tool, const char *option)
{
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);
		(void)dup2(null, STDERR_FILENO);
		(void)execl(tool, tool, "-q", dir, option, (char *)NULL);
		_exit(127);
	}
	return bench_wait(pid);
}

/* Returns the ratio. The stream is made anew from the copy where the tool changes it. */
static double
measure(const char *what, const char *tool, const char *option, int writes, long events)
{
	char aside[320];
	struct cost best = { .cpu = 1e9 };
	double plain = 1e9;
	(void)snprintf(aside, sizeof(aside), "%s.plain", copy);
	for (int i = 0; i < RUNS; i++) {
		if (writes)
			(void)pass(copy, path);
		struct cost p = run_plain(writes ? aside : NULL);
		(void)unlink(aside);
		struct cost c = run_sort(tool, option);
		best = c.cpu < best.cpu ? c : best;
		plain = p.cpu < plain ? p.cpu : plain;
	}
	(void)printf("%-26s %5.1f ns/event CPU, %.2fx plain (%.1f ns), limit %.1fx, %.1f MB\n", what,
		best.cpu * 1e9 / (double)events, best.cpu / plain, plain * 1e9 / (double)events, LIMIT, (double)best.rss / 1e3);
	(void)fflush(stdout);
	return best.cpu / plain;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		(void)fprintf(stderr, "usage: sort OVNISORT [events]\n");
		return 2;
	}
	long events = argc > 2 ? atol(argv[2]) : 8000000;
	(void)snprintf(dir, sizeof(dir), "%s/bench.XXXXXX", bench_place());
	if (!mkdtemp(dir))
		bench_fail(dir);
	(void)snprintf(path, sizeof(path), "%s/thread.1", dir);
	/* No name of a stream, so that the tool does not see it. */
	(void)snprintf(copy, sizeof(copy), "%s/unsorted", dir);
	make(copy, events);
	double worst = measure("sort, all events move", argv[1], "-v", 1, events);
	double r = measure("sort, nothing moves", argv[1], "-v", 0, events);
	worst = r > worst ? r : worst;
	r = measure("check", argv[1], "-c", 0, events);
	worst = r > worst ? r : worst;
	bench_remove(dir);
	return worst > LIMIT * TOLERANCE;
}
