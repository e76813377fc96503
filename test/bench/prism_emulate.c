/* SPDX-License-Identifier: MIT */
/* prism_emulate: what ovniemu costs for Prism events, as a ratio to "plain": one pass that reads
 * the same file and looks at each 8 bytes of it.
 *
 *   prism_emulate OVNIEMU [events]
 *
 * "short": memory and compute events of a byte, of one thread. "full": all that can be shown,
 * accesses to any of 4096 lines, instructions and functions. "swaps": the same, and
 * every 20 events another of 1000 threads runs. Nothing is shown one by one but
 * synchronization. Limits are those of the machine of bench_slowness(), of which others get more.
 * Exit status 1 when one is passed by far. */
#include "../xorshift.h"
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far above a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 2

enum {
	RUNS = 3,
	ATTEMPTS = 4, /* as many runs again while the limit is passed: the least that was needed counts */
	THREADS = 1000,
	SLICE = 20,
	LINES = 4096,
	FUNCTIONS = 64,
	LONGEST = 16,
};

static char dir[256], stream[300], out[300], manifest[300];

static size_t
put_swap(uint8_t *p, unsigned thread)
{
	memset(p, 0, 9);
	p[0] = 0x45;
	p[1] = (uint8_t)thread;
	p[2] = (uint8_t)(thread >> 8);
	return 9;
}

/* A function is left before the next is entered. */
static size_t
put_full(uint8_t *p, uint64_t v, int *inside)
{
	unsigned what = (unsigned)(v >> 8) % 16;
	memset(p, 0, LONGEST);
	if (what < 8) { /* 8 bytes of a line, in full detail */
		unsigned at = (unsigned)(v >> 20) % LINES * 64;
		p[0] = what < 5 ? 0x0b : 0x13;
		p[1] = (uint8_t)at;
		p[2] = (uint8_t)(at >> 8);
		p[3] = (uint8_t)(at >> 16);
		return 9;
	}
	if (what < 12) {
		memcpy(p, "\x2a\x01\x40\x01\x02", 5);
		return 5;
	}
	if (what < 15) {
		p[0] = 0x61;
		p[1] = (uint8_t)(v >> 20);
		return 8;
	}
	p[0] = *inside < 0 ? 0x63 : 0x64;
	p[1] = 1;
	p[2] = 'f';
	p[3] = (uint8_t)('0' + (*inside < 0 ? v >> 20 & (FUNCTIONS - 1) : (unsigned)*inside));
	*inside = *inside < 0 ? (int)(v >> 20 & (FUNCTIONS - 1)) : -1;
	return 4;
}

static void
make(long n, bool full, bool swaps)
{
	FILE *f = fopen(stream, "wb");
	uint64_t x = XORSHIFT_SEED;
	int inside[THREADS];
	unsigned thread = 0;
	uint8_t b[LONGEST] = { 0xa0, full ? 0xf0 : 0xc0, 0xa4, full ? 0xf8 : 0xc0 };
	if (!f || fwrite(b, 4, 1, f) != 1 || fwrite(b, put_swap(b, 1), 1, f) != 1)
		bench_fail(stream);
	for (int i = 0; i < THREADS; i++)
		inside[i] = -1;
	for (long i = 0; i < n; i++) {
		uint64_t v = xorshift(&x);
		size_t size = 1;
		if (swaps && i % SLICE == SLICE - 1) {
			thread = (unsigned)(v >> 20) % THREADS;
			size = put_swap(b, thread + 1);
		} else if (full) {
			size = put_full(b, v, &inside[thread]);
		} else {
			b[0] = (v & 3) == 0 ? 0x2a : (v & 4) ? 0x0b
							     : 0x13;
		}
		if (fwrite(b, size, 1, f) != 1)
			bench_fail(stream);
	}
	b[0] = 0xc0;
	if (fwrite(b, 1, 1, f) != 1 || fclose(f) != 0)
		bench_fail(stream);
}

static void
best_of(struct cost *best, const char *emu)
{
	for (int i = 0; i < RUNS; i++) {
		struct cost c = emu ? bench_run(emu, dir, out, "prv", "--prism-events=sync") : bench_plain(stream, NULL, NULL, 0);
		*best = c.cpu < best->cpu ? c : *best;
	}
}

/* Returns whether the limit, in ns an event, is passed by far. */
static bool
show(const char *emu, const char *name, long n, double limit)
{
	struct cost base = { .cpu = 1e9 };
	struct cost cost = { .cpu = 1e9 };
	double ns = 0;
	double most = 0;
	best_of(&base, NULL);
	for (int i = 0; i < ATTEMPTS && (i == 0 || ns > most); i++) {
		most = limit * bench_slowness();
		best_of(&cost, emu);
		ns = cost.cpu / (double)n * 1e9;
	}
	(void)printf("%-4s %-6s %5.1f ns an event, %5.1fx plain, %ld KiB; limit: %.0f ns, %.0f on this machine\n", ns > most ? "OVER" : "ok", name, ns,
		cost.cpu / base.cpu, cost.rss, limit, most);
	(void)fflush(stdout);
	return ns > most * TOLERANCE;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		(void)fprintf(stderr, "usage: prism_emulate OVNIEMU [events]\n");
		return 2;
	}
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 3000000;
	(void)snprintf(dir, sizeof(dir), "%s/ovniscope-bench-XXXXXX", bench_place());
	if (n < 1 || !mkdtemp(dir))
		bench_fail(dir);
	(void)snprintf(stream, sizeof(stream), "%s/stream.prism", dir);
	(void)snprintf(manifest, sizeof(manifest), "%s/stream.json", dir);
	(void)snprintf(out, sizeof(out), "%s/out", dir);
	FILE *m = fopen(manifest, "w");
	if (!m || fputs("{ \"version\": 1, \"format\": \"prism\", \"events\": \"stream.prism\" }\n", m) < 0 || fclose(m) != 0)
		bench_fail(manifest);
	make(n, false, false);
	bool bad = show(argv[1], "short", n, 80);
	make(n, true, false);
	bad = show(argv[1], "full", n, 120) || bad;
	make(n, true, true);
	bad = show(argv[1], "swaps", n, 220) || bad;
	bench_remove(dir);
	return bad;
}
