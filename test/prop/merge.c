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
static const uint8_t *ends[256]; /* of the bytes of a stream, of which its window has the first */
static uint32_t fails[256];      /* place of an event with a bad clock; 0: there is none */
static uint64_t seed;
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

/* Moves the end of the window on, now and then into the middle of an event. */
static int
next_in_bytes(struct stream *s, struct event *ev)
{
	const uint8_t *end = ends[s - streams];
	uint64_t have = (uint64_t)(s->in.end - s->in.p);
	uint64_t size = wire_event_size(s->in.p, have);
	if (!size || size > have) {
		uint64_t left = (uint64_t)(end - s->in.p);
		uint64_t more = (uint64_t)WIRE_JUMBO_HEADER + 4 + kit_below(&seed, 400);
		s->in.end = s->in.p + (more < left ? more : left);
		s->in.eof = left == 0;
		have = (uint64_t)(s->in.end - s->in.p);
	}
	return have && window_take(s, ev, wire_event_size(s->in.p, have));
}

/* The same as the bytes of the runtime, which the merge reads ahead. */
static const struct stream_format wire_format = { .name = "bytes", .next = next_in_bytes, .wire = true };

/* All events of a source as the window of its stream; some are jumbo. */
static void
put_bytes(uint64_t *x, struct stream *s, const struct source *src, bool whole)
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
	ends[s - streams] = to;
	s->in.end = whole || kit_below(x, 2) ? to : s->in.buf;
	s->in.eof = s->in.end == to && (whole || kit_below(x, 2));
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
	seed = *x;
	struct trace t = { .diag = &diag, .format = wire ? &wire_format : &format, .streams = streams };
	uint64_t shape = kit_below(x, 8);
	uint64_t most = shape == 7 ? 300 : 60;
	bool whole = kit_below(x, 2);    /* windows have all of a stream */
	bool bad = kit_below(x, 4) == 0; /* some clocks go back */
	t.nstreams = 1 + kit_below(x, shape == 0 ? 4 : 200);
	struct item *all = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < t.nstreams; i++) {
		struct source *src = &sources[i];
		fails[i] = 0;
		*src = (struct source){ .n = (uint32_t)kit_below(x, kit_below(x, 5) ? most : 4) };
		streams[i] = (struct stream){ .trace = &t, .rank = i, .relpath = "s", .clock_offset = (int64_t)kit_below(x, shape == 7 ? 1 : 3) };
		src->clocks = malloc((src->n + 1) * sizeof(*src->clocks));
		all = realloc(all, (n + src->n + 1) * sizeof(*all));
		CHECK(src->clocks && all);
		int64_t clock = (int64_t)kit_below(x, shape == 1 || shape == 7 ? 1 : 40);
		for (uint32_t k = 0; k < src->n; k++) {
			/* Ties, bursts of one stream, long gaps, gaps of years, the largest clock. */
			uint64_t step = shape == 2 ? kit_below(x, 2) : kit_below(x, 10);
			if (shape == 3 && kit_below(x, 8) == 0)
				step = kit_below(x, 5000);
			if (shape == 4)
				step = k % 16 ? 0 : kit_below(x, 300);
			/* First few, then more at an instant than the merge takes at once. */
			if (shape == 7)
				step = k < 4 ? kit_below(x, 10000) : k < 60 ? kit_below(x, 8) == 0
									    : 0;
			if (shape == 7 && (k == 4 || k == 60))
				step = (k == 4 ? 40000 : 50000) - (uint64_t)clock;
			if ((shape == 5 || shape == 6) && kit_below(x, 8) == 0)
				step = UINT64_C(1) << (30 + kit_below(x, 33));
			bool last = shape == 5 && k + 2 >= src->n;
			bool over = step > (uint64_t)(INT64_MAX - 3 - clock);
			clock = last || over ? INT64_MAX - 3 : clock + (int64_t)step;
			src->clocks[k] = clock;
			if (bad && k && src->clocks[k - 1] > 0 && kit_below(x, 500) == 0) {
				src->clocks[k] = src->clocks[k - 1] - 1; /* nothing of the stream comes behind it */
				src->n = k + 1;
				fails[i] = k;
				break;
			}
			all[n++] = (struct item){ clock + streams[i].clock_offset, i, k };
		}
		if (wire)
			put_bytes(x, &streams[i], src, whole);
	}
	qsort(all, n, sizeof(*all), before);

	struct merge m;
	kit_quiet();
	int rc = merge_init(&m, &t);
	kit_loud();
	/* A stream that begins years later is refused by the gate. */
	if ((shape == 5 || shape == 6) && rc == -ERR_CLOCK_GATE)
		n = 0;
	else
		CHECK(rc == 0);
	struct event *ev;
	kit_quiet();
	for (size_t i = 0; rc == 0 && i < n; i++) {
		CHECK(merge_next(&m, &ev) == 1);
		CHECK(ev->clock == all[i].clock && ev->stream == all[i].rank && seq_of(ev) == all[i].seq);
		/* Found behind the event before it, not earlier and not later. */
		if (fails[ev->stream] && fails[ev->stream] == all[i].seq + 1)
			rc = merge_next(&m, &ev);
	}
	kit_loud();
	CHECK(rc < 0 ? rc == -ERR_CLOCK_BACKWARDS || n == 0 : merge_next(&m, &ev) == 0);
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
