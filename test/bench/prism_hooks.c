/* SPDX-License-Identifier: MIT */
/* prism_hooks: what a tool (--prism-hooks) costs an event: ovniemu with one that only counts
 * (prism_count.c), with two of them, and without, for the same stream.
 *
 *   prism_hooks OVNIEMU PRISM_COUNT.so [events]
 *
 * The stream has memory and compute events of a byte each, of which nothing is shown one by
 * one: nothing is cheaper to emulate. Exit status 1 when the limit is passed by far. */
#include "bench.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT 5.0 /* ns an event */
/* How far above the limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	RUNS = 5,
	TOOLS = 2, /* at most at once */
};

static char dir[256], stream[300], out[300], copy[300];

static void
make(long n)
{
	static uint8_t block[1 << 16];
	FILE *f = fopen(stream, "wb");
	uint64_t x = 88172645463325252U;
	/* Levels of detail with type and size, and a thread. */
	static const uint8_t head[] = { 0xa0, 0xc0, 0xa4, 0xc0, 0x45, 1, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t end = 0xc0;
	if (!f || fwrite(head, sizeof(head), 1, f) != 1)
		bench_fail(stream);
	for (size_t i = 0; i < sizeof(block); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
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
run(const char *emu, const char *const *tools, int ntools)
{
	const char *words[16] = { emu, "-q", "-f", "prv", "-j2", "--prism-events=none", "-o", out, "--prism", stream };
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

int
main(int argc, char **argv)
{
	if (argc < 3) {
		(void)fprintf(stderr, "usage: prism_hooks OVNIEMU PRISM_COUNT.so [events]\n");
		return 2;
	}
	long n = argc > 3 ? strtol(argv[3], NULL, 10) : 50000000;
	(void)snprintf(dir, sizeof(dir), "%s/ovniscope-bench-XXXXXX", bench_place());
	if (n < 1 || !mkdtemp(dir))
		bench_fail(dir);
	(void)snprintf(stream, sizeof(stream), "%s/stream.prism", dir);
	(void)snprintf(out, sizeof(out), "%s/out", dir);
	(void)snprintf(copy, sizeof(copy), "%s/again.so", dir);
	make(n);
	copy_tool(argv[2]);
	const char *const tools[TOOLS] = { argv[2], copy };
	double best[TOOLS + 1] = { 1e9, 1e9, 1e9 };
	/* In turns, so that a busy machine is so for all. */
	for (int k = 0; k < RUNS; k++)
		for (int t = 0; t <= TOOLS; t++) {
			double cpu = run(argv[1], tools, t).cpu;
			best[t] = cpu < best[t] ? cpu : best[t];
		}
	for (int t = 0; t <= TOOLS; t++) {
		(void)printf("%d tools: %6.2f ns an event", t, best[t] / (double)n * 1e9);
		(void)(t ? printf(", %.2f ns for each\n", (best[t] - best[0]) / (double)n * 1e9 / t) : printf("\n"));
	}
	(void)printf("limit: %.0f ns for the first\n", LIMIT);
	bench_remove(dir);
	return (best[1] - best[0]) / (double)n * 1e9 > LIMIT * TOLERANCE;
}
