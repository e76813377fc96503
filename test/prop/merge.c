/* SPDX-License-Identifier: MIT */
/* The merge of random streams against a stable sort of all their events. */
#include "merge.h"

#include "kit.h"
#include "window.h"

#include <inttypes.h>
#include <string.h>

struct item {
	int64_t clock;
	uint32_t rank;
	uint32_t seq; /* in its stream */
};

struct source {
	int64_t *clocks;
	uint32_t n, at;
};

static struct source sources[256];
static struct stream streams[256];

static int
next(struct stream *s, struct event *ev)
{
	struct source *src = &sources[s - streams];
	if (src->at == src->n)
		return 0;
	*ev = (struct event){ .clock = src->clocks[src->at], .stream = (uint32_t)(s - streams), .size = src->at };
	src->at++;
	return 1;
}

static const struct stream_format format = { .name = "memory", .next = next };

static int
next_in_bytes(struct stream *s, struct event *ev)
{
	uint64_t have = (uint64_t)(s->in.end - s->in.p);
	return have && window_take(s, ev, wire_event_size(s->in.p, have));
}

/* The same as the bytes of the runtime, which the merge reads ahead. */
static const struct stream_format wire_format = { .name = "bytes", .next = next_in_bytes, .wire = true };

/* All events of a source as the window of its stream; some are jumbo. */
static void
put_bytes(uint64_t *x, struct stream *s, const struct source *src)
{
	uint8_t *to = s->in.buf = malloc((size_t)src->n * (WIRE_JUMBO_HEADER + 4) + 1);
	CHECK(to);
	for (uint32_t k = 0; k < src->n; k++) {
		const uint32_t size = sizeof(k);
		bool jumbo = kit_below(x, 4) == 0;
		memcpy(to, "\3ABC", 4);
		to[0] |= jumbo ? WIRE_JUMBO : 0;
		memcpy(to + 4, &src->clocks[k], 8);
		to += WIRE_EVENT_HEADER;
		if (jumbo)
			memcpy(to, &size, sizeof(size));
		to += jumbo ? sizeof(size) : 0;
		memcpy(to, &k, sizeof(k));
		to += sizeof(k);
	}
	s->in.p = s->in.buf;
	s->in.end = to;
	s->in.eof = true;
	s->in.file_size = (uint64_t)(to - s->in.buf);
	s->in.fd = -1;
}

static uint32_t
seq_of(const struct event *ev)
{
	uint32_t seq = ev->size;
	if (ev->payload)
		memcpy(&seq, ev->payload + (ev->jumbo ? 4 : 0), sizeof(seq));
	return seq;
}

static int
before(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;
	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void
one(uint64_t *x)
{
	struct diag diag = { .program = "test" };
	bool wire = kit_below(x, 2);
	struct trace t = { .diag = &diag, .format = wire ? &wire_format : &format, .streams = streams };
	uint64_t shape = kit_below(x, 7);
	t.nstreams = 1 + kit_below(x, shape == 0 ? 4 : 200);
	struct item *all = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < t.nstreams; i++) {
		struct source *src = &sources[i];
		*src = (struct source){ .n = (uint32_t)kit_below(x, kit_below(x, 5) ? 60 : 4) };
		streams[i] = (struct stream){ .trace = &t, .rank = i, .relpath = "s", .clock_offset = (int64_t)kit_below(x, 3) };
		src->clocks = malloc((src->n + 1) * sizeof(*src->clocks));
		all = realloc(all, (n + src->n + 1) * sizeof(*all));
		CHECK(src->clocks && all);
		int64_t clock = (int64_t)kit_below(x, shape == 1 ? 1 : 40);
		for (uint32_t k = 0; k < src->n; k++) {
			/* Ties, bursts of one stream, long gaps, gaps of years, the largest clock. */
			uint64_t step = shape == 2 ? kit_below(x, 2) : kit_below(x, 10);
			if (shape == 3 && kit_below(x, 8) == 0)
				step = kit_below(x, 5000);
			if (shape == 4)
				step = k % 16 ? 0 : kit_below(x, 300);
			if (shape >= 5 && kit_below(x, 8) == 0)
				step = UINT64_C(1) << (30 + kit_below(x, 33));
			bool last = shape == 5 && k + 2 >= src->n;
			bool over = step > (uint64_t)(INT64_MAX - 3 - clock);
			clock = last || over ? INT64_MAX - 3 : clock + (int64_t)step;
			src->clocks[k] = clock;
			all[n++] = (struct item){ clock + streams[i].clock_offset, i, k };
		}
		if (wire)
			put_bytes(x, &streams[i], src);
	}
	qsort(all, n, sizeof(*all), before);

	struct merge m;
	kit_quiet();
	int rc = merge_init(&m, &t);
	kit_loud();
	/* A stream that begins years later is refused by the gate. */
	if (shape >= 5 && rc == -ERR_CLOCK_GATE)
		n = 0;
	else
		CHECK(rc == 0);
	struct event *ev;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		CHECK(merge_next(&m, &ev) == 1);
		CHECK(ev->clock == all[i].clock && ev->stream == all[i].rank && seq_of(ev) == all[i].seq);
	}
	CHECK(rc < 0 || merge_next(&m, &ev) == 0);
	for (uint32_t i = 0; i < t.nstreams; i++) {
		free(sources[i].clocks);
		free(streams[i].in.buf);
	}
	free(all);
	arena_finish(&t.arena);
}

int
main(int argc, char **argv)
{
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 2.0 / check_share();
	long rounds = 0;
	do {
		one(&x);
	} while (rounds++ < 20000 && kit_now() < end);
	(void)printf("%ld rounds\n", rounds);
	return 0;
}
