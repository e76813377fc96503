/* SPDX-License-Identifier: MIT */
/* The merge of random streams against a stable sort of all their events. */
#include "merge.h"

#include "kit.h"

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

static uint64_t whims; /* of peek() */

static bool
peek(const struct stream *s, int64_t *clock)
{
	const struct source *src = &sources[s - streams];
	if (src->at == src->n || kit_below(&whims, 4) == 0)
		return false;
	*clock = src->clocks[src->at];
	return true;
}

static const struct stream_format format = { .name = "memory", .next = next, .peek = peek };

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
	struct trace t = { .diag = &diag, .format = &format, .streams = streams };
	uint64_t shape = kit_below(x, 7);
	whims = kit_random(x);
	t.nstreams = 1 + kit_below(x, shape == 0 ? 4 : 200);
	struct item *all = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < t.nstreams; i++) {
		struct source *src = &sources[i];
		*src = (struct source){ .n = (uint32_t)kit_below(x, kit_below(x, 5) ? 60 : 4) };
		streams[i] = (struct stream){ .trace = &t, .relpath = "s", .clock_offset = (int64_t)kit_below(x, 3) };
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
		CHECK(ev->clock == all[i].clock && ev->stream == all[i].rank && ev->size == all[i].seq);
	}
	CHECK(rc < 0 || merge_next(&m, &ev) == 0);
	for (uint32_t i = 0; i < t.nstreams; i++)
		free(sources[i].clocks);
	free(all);
	arena_finish(&t.arena);
}

int
main(int argc, char **argv)
{
	uint64_t x = kit_seed(argc, argv);
	double end = kit_now() + 2;
	long rounds = 0;
	do {
		one(&x);
	} while (rounds++ < 20000 && kit_now() < end);
	(void)printf("%ld rounds\n", rounds);
	return 0;
}
