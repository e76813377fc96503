/* SPDX-License-Identifier: MIT */
/* What an event costs: reading the clock, filling a structure, adding it to the buffer,
 * and its share of the flushes, as a ratio to reading the clock alone. The best of many
 * short rounds, as everything that disturbs a round makes it longer. Exits 1 above LIMIT,
 * which leaves room for busy machines; a change that matters shows long before. */
#include <ftw.h>
#include <ovni.h>
#include <unistd.h>
#include "../check.h"

#define LIMIT 4.0

enum {
	ROUNDS = 30,
	EVENTS = 180000, /* more than a buffer, so that each round has a flush */
};

static volatile uint64_t sink;

static double
clock_alone(void)
{
	uint64_t sum = 0, begin = ovni_clock_now();
	for (int i = 0; i < EVENTS; i++)
		sum += ovni_clock_now();
	uint64_t end = ovni_clock_now();
	sink = sum;
	return (double)(end - begin) / EVENTS;
}

static double
events(void)
{
	uint64_t begin = ovni_clock_now();
	for (int i = 0; i < EVENTS; i++) {
		struct ovni_ev ev = { 0 };
		ovni_ev_set_clock(&ev, ovni_clock_now());
		ovni_ev_set_mcv(&ev, "OB.");
		ovni_ev_emit(&ev);
	}
	return (double)(ovni_clock_now() - begin) / EVENTS;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

int
main(void)
{
	const char *base = getenv("TMPDIR");
	char dir[PATH_MAX];
	double clk = 1e9, ev = 1e9;

	/* In memory if there is a choice: disks are not what this measures. */
	if (base == NULL || base[0] == '\0')
		base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	(void)snprintf(dir, sizeof(dir), "%s/ovni-bench-XXXXXX", base);
	CHECK(mkdtemp(dir) != NULL);
	CHECK(setenv("OVNI_TRACEDIR", dir, 1) == 0);
	CHECK(unsetenv("OVNI_TMPDIR") == 0);
	ovni_proc_init(1, "node.1", getpid());
	ovni_thread_init(gettid());
	for (int i = 0; i < ROUNDS; i++) {
		double c = clock_alone(), e = events();
		clk = c < clk ? c : clk;
		ev = e < ev ? e : ev;
	}
	ovni_thread_free();
	ovni_proc_fini();
	CHECK(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);

	double ratio = ev / clk;
	(void)printf("emit: %.2fx one ovni_clock_now() (%.1f ns / %.1f ns)\n", ratio, ev, clk);
	return ratio > LIMIT;
}
