/* SPDX-License-Identifier: MIT */
/* laplace_emulate: what ovniemu costs for references of 16 tasks with --laplace-refs=none, as
 * a ratio to "plain": one pass that reads the same file and looks at each 8 bytes of it.
 *
 *   laplace_emulate OVNIEMU [references]
 *
 * Each task walks over a few pages and now and then goes on to another one, as programs do.
 * In "scattered" each 20th reference is to any of 65536 pages, so that most are in no cache.
 * Memory is printed in bytes per page beyond that of few pages. Exit status 1 when
 * the limit is passed by far. */
#include "../xorshift.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 4.0
/* How far above the limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	RUNS = 3,
	TASKS = 16,
	SLICE = 50000, /* references between two switches */
	PAGES = 4096,  /* of a task */
	NEAR = 8,      /* pages that a task uses at a time */
	RECORD = 18,
};

static char dir[256], refs[300], kernel[300], manifest[300], out[300];

static void
put(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* every: references between two changes of the pages that are near. */
static void
make(long n, unsigned pages, unsigned every)
{
	FILE *r = fopen(refs, "wb");
	FILE *k = fopen(kernel, "w");
	FILE *m = fopen(manifest, "w");
	if (!r || !k || !m)
		bench_fail(dir);
	(void)fprintf(m, "{ \"version\": 1, \"format\": \"laplace\", \"cpus\": [ { \"references\": \"refs.lrb\", \"kernel\": \"kernel.lkt\" } ] }\n");
	uint64_t ts = 1 << 20;
	uint64_t x = XORSHIFT_SEED;
	for (unsigned t = 0; t < TASKS; t++)
		(void)fprintf(k, "F %llx %x 0\nA %llx %x %x\nm %llx %x 8048000 %x\n", (unsigned long long)ts, 0x100 + t, (unsigned long long)ts, 0x100 + t, 0x5000 + t,
			(unsigned long long)ts, 0x100 + t, PAGES * 4096);
	uint32_t near[NEAR] = { 0 };
	unsigned task = 0;
	for (long i = 0; i < n; i++) {
		uint8_t b[RECORD];
		uint64_t v = xorshift(&x);
		if (i % SLICE == 0) {
			task = (unsigned)(i / SLICE % TASKS);
			(void)fprintf(k, "S %llx %x\n", (unsigned long long)ts, 0x100 + task);
		}
		if (i % every == 0)
			near[v >> 50 & (NEAR - 1)] = (uint32_t)(v >> 20) % pages;
		b[0] = (uint8_t) "iiirrw"[v % 6];
		put(b + 1, ts, 8);
		b[9] = 4;
		put(b + 10, 0x5000 + task, 4);
		put(b + 14, i % 1000 > 990 ? 0xc0100000 + (v >> 40 & 0x3ffc) : 0x8048000 + near[v >> 8 & (NEAR - 1)] * 4096 + (v >> 16 & 0xffc), 4);
		if (fwrite(b, RECORD, 1, r) != 1)
			bench_fail(refs);
		ts += v >> 60;
	}
	if (fclose(r) != 0 || fclose(k) != 0 || fclose(m) != 0)
		bench_fail(dir);
}

static struct cost
best_of(const char *emu)
{
	struct cost best = { .cpu = 1e9 };
	for (int i = 0; i < RUNS; i++) {
		struct cost c = emu ? bench_run(emu, dir, out, "prv", "--laplace-refs=none") : bench_plain(refs, NULL, NULL, 0);
		best = c.cpu < best.cpu ? c : best;
	}
	return best;
}

static double
show(const char *emu, const char *name, long n, long *rss)
{
	struct cost base = best_of(NULL);
	struct cost cost = best_of(emu);
	*rss = cost.rss;
	(void)printf("%-10s %5.1f ns a reference, %4.2fx plain (%.1f ns), %ld KiB\n", name, cost.cpu / (double)n * 1e9,
		cost.cpu / base.cpu, base.cpu / (double)n * 1e9, cost.rss);
	(void)fflush(stdout);
	return cost.cpu / base.cpu;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		(void)fprintf(stderr, "usage: laplace_emulate OVNIEMU [references]\n");
		return 2;
	}
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 20000000;
	(void)snprintf(dir, sizeof(dir), "%s/ovniscope-bench-XXXXXX", bench_place());
	if (n < 1 || !mkdtemp(dir))
		bench_fail(dir);
	(void)snprintf(refs, sizeof(refs), "%s/refs.lrb", dir);
	(void)snprintf(kernel, sizeof(kernel), "%s/kernel.lkt", dir);
	(void)snprintf(manifest, sizeof(manifest), "%s/laplace.json", dir);
	(void)snprintf(out, sizeof(out), "%s/out", dir);
	long few, near, scattered;
	make(n, NEAR, 1000);
	(void)show(argv[1], "few pages", n, &few);
	make(n, PAGES, 1000);
	double ratio = show(argv[1], "near", n, &near);
	make(n, PAGES, 20);
	double far = show(argv[1], "scattered", n, &scattered);
	(void)printf("limit: %.0fx; %ld bytes a page of %d tasks x %d pages\n", LIMIT,
		(scattered - few) * 1024 / (TASKS * PAGES), TASKS, PAGES);
	bench_remove(dir);
	return ratio > LIMIT * TOLERANCE || far > LIMIT * TOLERANCE;
}
