/* SPDX-License-Identifier: MIT */
/* prism: what reading and writing events of Prism costs, with libprism as a user has it, and
 * reading them out of buffers, as the emulator does.
 *
 *   prism [megabytes]
 *
 * Each figure is the best of some runs over the same bytes, which are small enough to stay in
 * the cache of the processor. Reading is compared to "plain", done in turns with it: for each event a
 * call of a function that clears an event and sets its kind from the first byte. Exit status 1 when a
 * limit is passed by far. */
#include "../xorshift.h"
#include "prism/read.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How far above a limit is a failure, and not the noise of a shared machine. */
#define TOLERANCE 1.5

enum {
	RUNS = 10,
	ATTEMPTS = 5, /* as many runs again while a limit is passed: a shared machine is disturbed */
	BUFFER = 128 * 1024,
};

static uint8_t bytes[BUFFER + PRISM_EVENT_MAX];
static uint16_t sizes[BUFFER + 1]; /* of the events there */
static uint64_t sink;

/* Not on the stack: at some addresses of it a store to an event delays the load of another variable
 * with the same low bits, in each round, which halves the speed. */
static struct {
	struct prismread reader;
	struct prism_state state;
	struct prism_event event;
} now_read;

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
	static uint64_t state = XORSHIFT_SEED;
	return xorshift(&state);
}

/* ---- Streams: the events of a program, as a level of detail shows them. ---- */

struct stream {
	const char *name;
	bool mem, comp, rest; /* which events */
	enum prism_layout layout;
	uint8_t detail[PRISM_KINDS];
	double limit; /* of reading, in parts of plain; 0: none */
};

static const struct stream streams[] = {
	{ .name = "memory 00", .mem = true, .limit = 3.5 },
	{ .name = "memory c0", .mem = true, .detail = { 0xc0 }, .limit = 3.5 },
	{ .name = "compute c0", .comp = true, .detail = { 0, 0xc0 }, .limit = 3.5 },
	{ .name = "both c0, mixed", .mem = true, .comp = true, .detail = { 0xc0, 0xc0 }, .limit = 3.5 },
	{ .name = "memory f0", .mem = true, .detail = { 0xf0 }, .limit = 5 },
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
		sizes[*n] = (uint16_t)k;
		size += (size_t)k;
	}
	return size;
}

/* ---- What is measured. ---- */

static ssize_t
touch(const uint8_t *p, size_t size, struct prism_event *ev)
{
	*ev = (struct prism_event){ .kind = p[0] >> 5 };
	return (ssize_t)size;
}

/* A function of which the compiler knows nothing, like those of a library. */
static ssize_t (*volatile const touch_event)(const uint8_t *, size_t, struct prism_event *) = touch;

static uint64_t
plain(size_t n)
{
	uint64_t sum = 0;
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		at += (size_t)touch_event(bytes + at, sizes[i], &now_read.event);
		sum += now_read.event.kind;
	}
	return sum;
}

static uint64_t
decode(const struct stream *s, size_t size)
{
	struct prism_event *ev = &now_read.event;
	uint64_t sum = 0;
	now_read.state = begin(s);
	for (size_t i = 0; i < size;) {
		ssize_t k = prism_decode(bytes + i, size - i, &now_read.state, ev);
		if (k <= 0) {
			(void)fprintf(stderr, "%s: no event at %zu\n", s->name, i);
			exit(1);
		}
		i += (size_t)k;
		sum += ev->kind;
	}
	return sum;
}

/* The same with buffers, which end nowhere here. */
static uint64_t
stream(const struct stream *s, size_t size)
{
	struct prismread *r = &now_read.reader;
	struct prism_event *ev = &now_read.event;
	uint64_t sum = 0;
	prismread_begin(r, NULL, 0);
	r->state = begin(s);
	for (size_t i = 0, used; i < size; i += used) {
		if (prismread_next(r, bytes + i, size - i, false, &used, ev) <= 0) {
			(void)fprintf(stderr, "%s: no event at %zu\n", s->name, i);
			exit(1);
		}
		sum += ev->kind;
	}
	return sum;
}

static uint64_t
encode(const struct stream *s, const struct prism_event *events, size_t n)
{
	size_t size = 0;
	now_read.state = begin(s);
	for (size_t i = 0; i < n; i++)
		size += (size_t)prism_encode(bytes + size, sizeof(bytes) - size, &now_read.state, &events[i]);
	return size;
}

enum what {
	PLAIN,
	DECODE,
	STREAM,
	ENCODE,
	WHATS,
};

/* Does all in turns, and keeps the best seconds of a pass over the bytes in best[]. */
static void
measure(const struct stream *s, const struct prism_event *events, size_t n, size_t size, int times, double best[WHATS])
{
	for (int i = 0; i < RUNS * WHATS; i++) {
		enum what what = (enum what)(i % WHATS);
		double start = now();
		for (int t = 0; t < times; t++)
			sink += what == PLAIN    ? plain(n)
				: what == DECODE ? decode(s, size)
				: what == STREAM ? stream(s, size)
						 : encode(s, events, n);
		double cost = (now() - start) / times;
		best[what] = best[what] == 0 || cost < best[what] ? cost : best[what];
	}
}

static bool
show(const struct stream *s, struct prism_event *events, int times)
{
	size_t n;
	size_t size = fill(s, events, &n);
	double best[WHATS] = { 0 };
	for (int i = 0; i < ATTEMPTS && (i == 0 || (s->limit > 0 && best[DECODE] > s->limit * best[PLAIN])); i++)
		measure(s, events, n, size, times, best);
	double million = (double)n * 1e-6;
	double ratio = best[DECODE] / best[PLAIN];
	(void)printf("%-18s %5.0f %6.2f %6.2fx %10.0f %6.0f", s->name, million / best[DECODE], (double)size / best[DECODE] * 1e-9,
		ratio, million / best[STREAM], million / best[ENCODE]);
	if (s->limit > 0)
		(void)printf("   %s (limit: read %.2fx)", ratio <= s->limit ? "ok" : "OVER", s->limit);
	(void)printf("\n");
	return s->limit == 0 || ratio <= s->limit * TOLERANCE;
}

int
main(int argc, char **argv)
{
	long megabytes = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
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
