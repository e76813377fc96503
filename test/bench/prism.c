/* SPDX-License-Identifier: MIT */
/* prism: what reading and writing events of Prism costs, with libprism as a user has it, and
 * reading them out of buffers, as the emulator does.
 *
 *   prism [megabytes]
 *
 * Each figure is the best of some runs over the same bytes, which are small enough to stay in
 * the cache of the processor, as a ratio to "plain": one pass that adds up the same bytes, eight at
 * a time. Exit status 1 when a limit is passed by far. */
#include "prism/read.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How far below a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.6

enum {
	RUNS = 15,
	BUFFER = 128 * 1024,
};

static uint8_t bytes[BUFFER + PRISM_EVENT_MAX];
static uint64_t sink;

static double
now(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0) {
		perror("clock_gettime");
		exit(1);
	}
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t
any(void)
{
	static uint64_t state = 88172645463325252U;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* ---- Streams: the events of a program, as a level of detail shows them. ---- */

struct stream {
	const char *name;
	bool mem, comp, rest; /* which events */
	enum prism_layout layout;
	uint8_t detail[PRISM_KINDS];
	double events; /* limits: millions a second, and GB; 0: none */
	double gigabytes;
};

static const struct stream streams[] = {
	{ .name = "memory 00", .mem = true, .events = 150 },
	{ .name = "memory c0", .mem = true, .detail = { 0xc0 }, .events = 150 },
	{ .name = "compute c0", .comp = true, .detail = { 0, 0xc0 }, .events = 150 },
	{ .name = "both c0, mixed", .mem = true, .comp = true, .detail = { 0xc0, 0xc0 }, .events = 150 },
	{ .name = "memory f0", .mem = true, .detail = { 0xf0 }, .gigabytes = 1 },
	{ .name = "compute f8, wide", .comp = true, .detail = { 0, 0xf8 } },
	{ .name = "compute f8, packed", .comp = true, .detail = { 0, 0xf8 }, .layout = PRISM_PACKED },
	{ .name = "all kinds, full", .mem = true, .comp = true, .rest = true, .detail = { 0xf0, 0xf8, 0xc0, 0xc0 } },
};

static struct prism_event
any_event(const struct stream *s)
{
	static const char name[] = "_ZN4heat6solver5sweepEPdS1_m";
	struct prism_event ev = { .kind = s->mem ? PRISM_MEM : PRISM_COMP };
	uint64_t r = any();
	if (s->rest && r % 4 == 0)
		ev.kind = r >> 8 & 1 ? PRISM_SYNC : PRISM_CXT;
	else if (s->mem && s->comp && r >> 9 & 1)
		ev.kind = PRISM_COMP;
	uint16_t size = (uint16_t)(1U << (r >> 10 & 3));
	switch (ev.kind) {
	case PRISM_MEM:
		ev.mem = (struct prism_mem){ .has = 15, .type = (uint8_t)(1 + (r >> 13 & 1)), .id = (uint8_t)(r >> 16), .bytes = size, .addr = r >> 17 };
		break;
	case PRISM_COMP:
		ev.comp = (struct prism_comp){ .has = 242, .format = (uint8_t)(1 + (r >> 13 & 1)), .bytes = size, .op = (uint8_t)((r >> 16 & 3) + 1) };
		ev.comp.arity = ev.comp.nids = (uint8_t)(1 + (r >> 20 & 1));
		ev.comp.ids[0] = (uint8_t)(r >> 24);
		break;
	case PRISM_SYNC: ev.sync = (struct prism_sync){ .has = 129, .type = PRISM_LOCK, .nargs = 1, .arg = { r } }; break;
	default:
		ev.cxt = (struct prism_cxt){ .has = 265, .type = (uint8_t)(1 + (r >> 20 & 3)), .id = r >> 8, .name = name, .name_len = sizeof(name) - 1 };
		break;
	}
	return ev;
}

static struct prism_state
begin(const struct stream *s)
{
	struct prism_settings settings = { .layout = s->layout, .has_detail = true };
	struct prism_state st;
	memcpy(settings.detail, s->detail, sizeof(settings.detail));
	prism_begin(&st, &settings);
	return st;
}

/* Fills the buffer. Returns the bytes. */
static size_t
fill(const struct stream *s, struct prism_event *events, size_t *n)
{
	struct prism_state st = begin(s);
	size_t size = 0;
	for (*n = 0; size < BUFFER; (*n)++) {
		events[*n] = any_event(s);
		ssize_t k = prism_encode(bytes + size, sizeof(bytes) - size, &st, &events[*n]);
		if (k <= 0) {
			(void)fprintf(stderr, "%s: an event cannot be written: %s\n", s->name, prism_code_name((int)k));
			exit(1);
		}
		size += (size_t)k;
	}
	return size;
}

/* ---- What is measured. ---- */

static void
plain(size_t size, int times)
{
	for (int t = 0; t < times; t++) {
		uint64_t sum = sink;
		for (size_t i = 0; i + 8 <= size; i += 8) {
			uint64_t word;
			memcpy(&word, bytes + i, sizeof(word));
			sum += word;
		}
		/* The pass is one for each time. */
		__asm__ volatile(""
				 :
				 : "r"(sum), "r"(bytes)
				 : "memory");
		sink = sum;
	}
}

static void
decode(const struct stream *s, size_t size, int times)
{
	for (int t = 0; t < times; t++) {
		struct prism_state st = begin(s);
		struct prism_event ev;
		for (size_t i = 0; i < size;) {
			ssize_t k = prism_decode(bytes + i, size - i, &st, &ev);
			if (k <= 0) {
				(void)fprintf(stderr, "%s: no event at %zu\n", s->name, i);
				exit(1);
			}
			i += (size_t)k;
			sink += ev.kind;
		}
	}
}

/* The same with buffers, which end nowhere here. */
static void
stream(const struct stream *s, size_t size, int times)
{
	for (int t = 0; t < times; t++) {
		struct prismread r;
		struct prism_event ev;
		prismread_begin(&r, NULL, 0);
		r.state = begin(s);
		for (size_t i = 0, used; i < size; i += used) {
			if (prismread_next(&r, bytes + i, size - i, false, &used, &ev) <= 0) {
				(void)fprintf(stderr, "%s: no event at %zu\n", s->name, i);
				exit(1);
			}
			sink += ev.kind;
		}
	}
}

static void
encode(const struct stream *s, const struct prism_event *events, size_t n, int times)
{
	for (int t = 0; t < times; t++) {
		struct prism_state st = begin(s);
		size_t size = 0;
		for (size_t i = 0; i < n; i++)
			size += (size_t)prism_encode(bytes + size, sizeof(bytes) - size, &st, &events[i]);
		sink += size;
	}
}

enum what {
	PLAIN,
	DECODE,
	STREAM,
	ENCODE,
};

/* Seconds of a pass, best of RUNS. */
static double
measure(enum what what, const struct stream *s, const struct prism_event *events, size_t n, size_t size, int times)
{
	double best = 1e9;
	for (int i = 0; i < RUNS; i++) {
		double start = now();
		if (what == PLAIN)
			plain(size, times);
		else if (what == DECODE)
			decode(s, size, times);
		else if (what == STREAM)
			stream(s, size, times);
		else
			encode(s, events, n, times);
		double cost = (now() - start) / times;
		best = cost < best ? cost : best;
	}
	return best;
}

static bool
show(const struct stream *s, struct prism_event *events, int times)
{
	size_t n;
	size_t size = fill(s, events, &n);
	double base = measure(PLAIN, s, events, n, size, times);
	double read = measure(DECODE, s, events, n, size, times);
	double buffers = measure(STREAM, s, events, n, size, times);
	double write = measure(ENCODE, s, events, n, size, times);
	double rate = (double)n / read * 1e-6;
	double bandwidth = (double)size / read * 1e-9;
	(void)printf("%-18s %5.0f %6.2f %6.1fx %10.0f %6.0f", s->name, rate, bandwidth, read / base, (double)n / buffers * 1e-6, (double)n / write * 1e-6);
	if (s->events > 0)
		(void)printf("   (limit: read %.0f)", s->events);
	if (s->gigabytes > 0)
		(void)printf("   (limit: %.0f GB/s)", s->gigabytes);
	(void)printf("\n");
	return rate * TOLERANCE >= s->events && bandwidth * TOLERANCE >= s->gigabytes;
}

int
main(int argc, char **argv)
{
	long megabytes = argc > 1 ? strtol(argv[1], NULL, 10) : 4;
	int times = megabytes > 0 && megabytes < 100000 ? (int)(megabytes * 1024 * 1024 / BUFFER) : 1;
	struct prism_event *events = calloc(BUFFER + 1, sizeof(*events));
	if (!events) {
		perror("calloc");
		return 1;
	}
	bool good = true;
	(void)printf("%-18s %5s %6s %7s %10s %6s   (million/s)\n", "", "read", "GB/s", "plain", "in buffers", "write");
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		good = show(&streams[i], events, times) && good;
	free(events);
	return good ? 0 : 1;
}
