/* SPDX-License-Identifier: MIT */
/* emit: what an event costs its program: reading the clock, filling in 8 bytes of payload, adding it
 * to the buffer, and its share of the flushes.
 *
 * Each way runs in a process of its own, as the environment chooses it; they take turns, and the
 * best of many short rounds counts, as everything that disturbs a round makes it longer. Exits 1
 * far above a limit. argv[1]: another libovni whose ovni_ev_emit() is timed too. */
#include <dlfcn.h>
#include <ftw.h>
#include <ovni.h>
#include <ovni_emit.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../check.h"

enum {
	TURNS = 5,
	ATTEMPTS = 6,
	ROUNDS = 10,
	EVENTS = 180000, /* more than a buffer of this size, so that each round has a flush */
	LATENCIES = 5 * 1000 * 1000,
	BUCKETS = 100 * 1000, /* of a nanosecond */
};

/* How far above a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.5

enum way {
	PRIVATE,
	SHARED,
	RING,
	COUNTER,
	INLINE,
	OTHER,
	WAYS,
};

struct result {
	double clock, event, bare, p9999;
};

static struct result *results; /* by way, the best so far; shared by the processes */
static const char *other;
static volatile uint64_t sink;

static uint64_t (*clock_now)(void) = ovni_clock_now;
static void (*set_clock)(struct ovni_ev *, uint64_t) = ovni_ev_set_clock;
static void (*set_mcv)(struct ovni_ev *, const char *) = ovni_ev_set_mcv;
static void (*payload_add)(struct ovni_ev *, const uint8_t *, int) = ovni_payload_add;
static void (*emit)(struct ovni_ev *) = ovni_ev_emit;
static void (*proc_init)(int, const char *, int) = ovni_proc_init;
static void (*thread_init)(pid_t) = ovni_thread_init;
static void (*flush)(void) = ovni_flush;
static void (*thread_free)(void) = ovni_thread_free;
static void (*proc_fini)(void) = ovni_proc_fini;

static void
load_other(void)
{
	void *lib = dlmopen(LM_ID_NEWLM, other, RTLD_NOW);
	CHECK(lib != NULL);
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{ "clock_now", &clock_now },
		{ "ev_set_clock", &set_clock },
		{ "ev_set_mcv", &set_mcv },
		{ "payload_add", &payload_add },
		{ "ev_emit", &emit },
		{ "proc_init", &proc_init },
		{ "thread_init", &thread_init },
		{ "flush", &flush },
		{ "thread_free", &thread_free },
		{ "proc_fini", &proc_fini },
	};
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		char name[64];
		(void)snprintf(name, sizeof(name), "ovni_%s", symbols[i].name);
		void *f = dlsym(lib, name);
		CHECK(f != NULL);
		memcpy(symbols[i].to, &f, sizeof(f));
	}
}

static double
now(void)
{
	struct timespec ts;
	CHECK(clock_gettime(CLOCK_MONOTONIC, &ts) == 0);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double
clock_alone(void)
{
	uint64_t sum = 0;
	double begin = now();
	for (int i = 0; i < EVENTS; i++)
		sum += clock_now();
	sink = sum;
	return (now() - begin) / EVENTS;
}

static void
one_event(uint64_t clock, uint64_t value)
{
	struct ovni_ev ev = { 0 };
	set_clock(&ev, clock);
	set_mcv(&ev, "OB.");
	payload_add(&ev, (const uint8_t *)&value, sizeof(value));
	emit(&ev);
}

static double
events(bool inlined)
{
	double begin = now();
	if (inlined)
		for (uint64_t i = 0; i < EVENTS; i++)
			ovni_emit_u64("OB.", ovni_clock_now(), i);
	else
		for (uint64_t i = 0; i < EVENTS; i++)
			one_event(clock_now(), i);
	return (now() - begin) / EVENTS;
}

/* Without their clocks. */
static double
bare_events(bool inlined)
{
	uint64_t clock = clock_now();
	double begin = now();
	if (inlined)
		for (uint64_t i = 0; i < EVENTS; i++)
			ovni_emit_u64("OB.", clock, i);
	else
		for (uint64_t i = 0; i < EVENTS; i++)
			one_event(clock, i);
	return (now() - begin) / EVENTS;
}

/* The time of an event that 1 of 10,000 exceeds. */
static double
latency(void)
{
	static uint32_t counts[BUCKETS];
	uint64_t last = clock_now();
	for (int i = 0; i < LATENCIES; i++) {
		uint64_t t = clock_now();
		one_event(t, 0);
		counts[t - last < BUCKETS ? t - last : BUCKETS - 1]++;
		last = t;
	}
	uint32_t above = 0;
	int at = BUCKETS - 1;
	while (at > 0 && (above += counts[at]) < LATENCIES / 10000)
		at--;
	return at;
}

static void
least(double *best, double v)
{
	if (*best == 0 || v < *best)
		*best = v;
}

static void
measure(enum way way, bool latencies)
{
	CHECK(setenv("OVNI_BUFFER", way == PRIVATE ? "private" : "shared", 1) == 0);
	CHECK(setenv("OVNI_CLOCK", way == COUNTER || way == INLINE ? "tsc" : "monotonic", 1) == 0);
	if (way == RING)
		CHECK(setenv("OVNI_RING", "2m", 1) == 0);
	if (way == OTHER)
		load_other();
	proc_init(1, "node.1", getpid());
	thread_init(getpid());
	for (int i = 0; i < ROUNDS && !latencies; i++) {
		least(&results[way].clock, clock_alone());
		least(&results[way].event, events(way == INLINE));
		least(&results[way].bare, bare_events(way == INLINE));
	}
	if (latencies)
		least(&results[way].p9999, latency());
	flush();
	thread_free();
	proc_fini();
}

static void
in_a_process(enum way way, bool latencies)
{
	int status;
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		measure(way, latencies);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void
turns(void)
{
	for (int turn = 0; turn < TURNS; turn++)
		for (enum way w = 0; w < WAYS; w++)
			if (w != OTHER || other)
				in_a_process(w, false);
	for (int turn = 0; turn < 3; turn++)
		for (enum way w = 0; w < WAYS; w++)
			if (w == PRIVATE || w == SHARED || w == RING || (w == OTHER && other))
				in_a_process(w, true);
}

/* What it is of its limit. */
static double
part(bool tell, const char *what, double ratio, double most)
{
	if (tell)
		(void)printf("%-4s %s: %.2f (limit %.2f)\n", ratio > most ? "OVER" : "ok", what, ratio, most);
	return ratio / most;
}

/* The highest figure as a part of its limit. */
static double
worst(bool tell)
{
	const struct result *r = results;
	double parts[] = {
		part(tell, "stream.tail to memory", r[SHARED].event / r[PRIVATE].event, 1.05),
		part(tell, "stream.tail to memory, p99.99", r[SHARED].p9999 / r[PRIVATE].p9999, 1.1),
		part(tell, "stream.ring to stream.tail", r[RING].event / r[SHARED].event, 1.05),
		0,
	};
	/* 14 ns, or 1.6 times the counter alone. */
	if (r[INLINE].clock < 0.9 * r[SHARED].clock && r[INLINE].event > 14)
		parts[3] = part(tell, "tsc, inline: event to its clock", r[INLINE].event / r[INLINE].clock, 1.6);
	double of = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		of = parts[i] > of ? parts[i] : of;
	return of;
}

int
main(int argc, char **argv)
{
	static const char *const names[WAYS] = { "memory", "stream.tail", "stream.ring", "tail, tsc", "tail, tsc, inline", "other library" };
	const char *base = getenv("TMPDIR");
	char dir[PATH_MAX];

	other = argc > 1 ? argv[1] : NULL;
	/* In memory if there is a choice: disks are not what this measures. */
	if (base == NULL || base[0] == '\0')
		base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	(void)snprintf(dir, sizeof(dir), "%s/ovni-bench-XXXXXX", base);
	CHECK(mkdtemp(dir) != NULL);
	CHECK(setenv("OVNI_TRACEDIR", dir, 1) == 0);
	CHECK(unsetenv("OVNI_TMPDIR") == 0 && unsetenv("OVNI_RING") == 0);
	results = mmap(NULL, sizeof(*results) * WAYS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(results != MAP_FAILED);
	/* A disturbed machine gets more turns: the least that was needed counts. */
	for (int i = 0; i < ATTEMPTS && (i == 0 || worst(false) > 1); i++)
		turns();
	CHECK(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);

	for (enum way w = 0; w < WAYS; w++)
		if (results[w].event > 0)
			(void)printf("%-18s event with clock %5.1f ns, clock alone %5.1f ns, event alone %5.1f ns, p99.99 %6.0f ns\n",
				names[w], results[w].event, results[w].clock, results[w].bare, results[w].p9999);
	return worst(true) > TOLERANCE;
}
