/* SPDX-License-Identifier: MIT */
/* prism_hooks: what a tool (--prism-hooks) costs an event: ovniemu with one that only counts
 * (prism_count.c), with two of them, and without, for the same stream. What is told is between
 * the best runs; medians of the rounds show how far to trust it. With one, and without timelines
 * (-f none), it is the whole run.
 *
 *   prism_hooks OVNIEMU PRISM_COUNT.so [events]
 *
 * The stream has memory and compute events of a byte each, of which nothing is shown one by
 * one: nothing is cheaper to emulate. Exit status 1 when the limit is passed by far. */
#include "../xorshift.h"
#include "bench.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT 5.0       /* ns an event */
#define LIMIT_NONE 20.0 /* without timelines, in all */
/* How far above the limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	ROUNDS = 8,
	ATTEMPTS = 4, /* as many rounds again while the limit is passed */
	ALL = ROUNDS * ATTEMPTS,
	TOOLS = 2, /* at most at once */
	NONE,      /* one, without timelines */
	KINDS,
};

static char dir[256], stream[300], out[300], copy[300];

static void
make(long n)
{
	static uint8_t block[1 << 16];
	FILE *f = fopen(stream, "wb");
	uint64_t x = XORSHIFT_SEED;
	/* Levels of detail with type and size, and a thread. */
	static const uint8_t head[] = { 0xa0, 0xc0, 0xa4, 0xc0, 0x45, 1, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t end = 0xc0;
	if (!f || fwrite(head, sizeof(head), 1, f) != 1)
		bench_fail(stream);
	for (size_t i = 0; i < sizeof(block); i++) {
		(void)xorshift(&x);
		block[i] = (uint8_t)((x & 3) == 0 ? 0x2a : (x & 4) ? 0x0b
								   : 0x13);
	}
	for (long left = n; left > 0;) {
		size_t some = left < (long)sizeof(block) ? (size_t)left : sizeof(block);
		if (fwrite(block, some, 1, f) != 1)
			bench_fail(stream);
		left -= (long)some;
	}
	if (fwrite(&end, 1, 1, f) != 1 || fclose(f) != 0)
		bench_fail(stream);
}

/* A second tool has to be a file of its own. */
static void
copy_tool(const char *from)
{
	static char bytes[1 << 20];
	FILE *in = fopen(from, "rb");
	FILE *to = fopen(copy, "wb");
	if (!in || !to)
		bench_fail(from);
	size_t n = fread(bytes, 1, sizeof(bytes), in);
	if (n == sizeof(bytes) || fwrite(bytes, n, 1, to) != 1 || fclose(to) != 0 || fclose(in) != 0)
		bench_fail(copy);
}

static struct cost
run(const char *emu, const char *const *tools, int kind)
{
	int ntools = kind == NONE ? 1 : kind;
	const char *words[16] = { emu, "-q", "-f", kind == NONE ? "none" : "prv", "-j2", "--prism-events=none", "-o", out, "--prism", stream };
	int n = 10;
	for (int i = 0; i < ntools; i++) {
		words[n++] = "--prism-hooks";
		words[n++] = tools[i];
	}
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			_exit(1);
		(void)execv(emu, (char *const *)words);
		_exit(127);
	}
	return bench_wait(pid);
}

static double
best_of(const double *ns, int n)
{
	double best = ns[0];
	for (int k = 1; k < n; k++)
		best = ns[k] < best ? ns[k] : best;
	return best;
}

/* Of one of t tools. */
static double
cost_of(double (*ns)[ALL], int t, int n)
{
	return (best_of(ns[t], n) - best_of(ns[0], n)) / t;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of what the runs of a round differ by. */
static double
median_cost(const double *with, const double *without, int n)
{
	double cost[ALL];
	for (int k = 0; k < n; k++)
		cost[k] = with[k] - without[k];
	qsort(cost, (size_t)n, sizeof(cost[0]), compare);
	return (cost[(n - 1) / 2] + cost[n / 2]) / 2;
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		(void)fprintf(stderr, "usage: prism_hooks OVNIEMU PRISM_COUNT.so [events]\n");
		return 2;
	}
	long n = argc > 3 ? strtol(argv[3], NULL, 10) : 3000000;
	(void)snprintf(dir, sizeof(dir), "%s/ovniscope-bench-XXXXXX", bench_place());
	if (n < 1 || !mkdtemp(dir))
		bench_fail(dir);
	(void)snprintf(stream, sizeof(stream), "%s/stream.prism", dir);
	(void)snprintf(out, sizeof(out), "%s/out", dir);
	(void)snprintf(copy, sizeof(copy), "%s/again.so", dir);
	make(n);
	copy_tool(argv[2]);
	const char *const tools[TOOLS] = { argv[2], copy };
	static double ns[KINDS][ALL];
	double worst = 1e9;
	int rounds = 0;
	/* Many short runs in turns: a busy machine is so for all, and now and then it is not. */
	while (rounds < ALL && (worst > LIMIT || best_of(ns[NONE], rounds) > LIMIT_NONE)) {
		for (int k = 0; k < ROUNDS; k++, rounds++)
			for (int t = 0; t < KINDS; t++)
				ns[t][rounds] = run(argv[1], tools, t).cpu / (double)n * 1e9;
		worst = 0;
		for (int t = 1; t <= TOOLS; t++)
			worst = cost_of(ns, t, rounds) > worst ? cost_of(ns, t, rounds) : worst;
	}
	(void)printf("no tool: %6.2f ns an event\n", best_of(ns[0], rounds));
	for (int t = 1; t <= TOOLS; t++)
		(void)printf("%d tool%s %6.2f ns an event, %.2f ns for each (median %.2f); limit: %.0f ns\n", t, t > 1 ? "s:" : ": ", best_of(ns[t], rounds),
			cost_of(ns, t, rounds), median_cost(ns[t], ns[0], rounds) / t, LIMIT);
	(void)printf("1 tool:  %6.2f ns an event without timelines; limit: %.0f ns\n", best_of(ns[NONE], rounds), LIMIT_NONE);
	bool bad = best_of(ns[NONE], rounds) > LIMIT_NONE * TOLERANCE * bench_slowness() || worst > LIMIT * TOLERANCE * bench_slowness();
	bench_remove(dir);
	return bad;
}
