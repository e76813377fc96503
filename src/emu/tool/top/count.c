/* SPDX-License-Identifier: MIT */
#include "count.h"

#include <inttypes.h>
#include <string.h>

enum {
	FINE_BINS = 10000,        /* of an interval that is not given: merged by tens */
	GIVEN_BINS = 1024 * 1024, /* most rows of an interval that is given */
	PROGRESS_EVERY = 1 << 10, /* calls: events, or windows of them */
};

int
top_init(struct top *top)
{
	struct arena *a = &top->trace->arena;
	struct diag *d = top->trace->diag;
	top->first = INT64_MAX;
	top->last = INT64_MIN;
	int rc = catalog_init(&top->catalog, a, d, &top->filter->plugins->set);
	if (rc < 0)
		return rc;
	/* A declaration of many names is not one row. */
	struct dispatch *ops = &top->catalog.dispatch;
	for (size_t i = 0; i < ops->npages; i++)
		for (int k = 0; k < 256; k++)
			if (top->catalog.kinds[ops->pages[i][k]].any_value)
				ops->pages[i][k] = 0;
	top->kinds = arena_new(a, struct tally, ops->nops);
	top->streams = arena_new(a, struct tally, top->trace->nstreams);
	top->width = top->step ? top->step : 1;
	top->bins_cap = FINE_BINS;
	top->bins = block_alloc(top->bins_cap * sizeof(*top->bins));
	return top->kinds && top->streams && top->bins ? 0 : diag_no_memory(d);
}

void
top_close(struct top *top)
{
	block_free(top->bins);
	top->bins = NULL;
}

static inline void
add(struct tally *t, const struct event *ev)
{
	t->events++;
	t->bytes += ev->length;
}

/* ---- Names that no model has. ---- */

static int
add_odd(struct top *top, const struct event *ev)
{
	struct arena *a = &top->trace->arena;
	struct idmap_slot *slot = idmap_slot(&top->odd, a, (uint64_t)ev->mcv[0] << 16 | (uint64_t)ev->mcv[1] << 8 | ev->mcv[2]);
	if (slot && !slot->value)
		slot->value = arena_new(a, struct tally, 1);
	if (!slot || !slot->value)
		return diag_no_memory(top->trace->diag);
	add(slot->value, ev);
	return 0;
}

/* ---- Intervals. ---- */

/* Ten bins become one. */
static void
coarsen(struct top *top)
{
	size_t n = 0;
	for (size_t i = 0; i < top->nbins; i++) {
		struct tally t = top->bins[i];
		top->bins[i] = (struct tally){ 0 };
		tally_add(&top->bins[i / 10], &t);
		n = i / 10 + 1;
	}
	top->nbins = n;
	top->width *= 10;
}

static int
grow_bins(struct top *top, uint64_t index)
{
	if (index >= GIVEN_BINS)
		return diag_error(top->trace->diag, ERR_USAGE, NULL,
			"intervals of %" PRId64 " ns give more than %d lines\nhint: choose a longer one with --step, or a part of the trace with --from and --to",
			top->step, GIVEN_BINS);
	size_t cap = top->bins_cap;
	while (cap <= index)
		cap *= 2;
	struct tally *bins = block_resize(top->bins, cap * sizeof(*bins));
	if (!bins)
		return diag_no_memory(top->trace->diag);
	memset(bins + top->bins_cap, 0, (cap - top->bins_cap) * sizeof(*bins));
	top->bins = bins;
	top->bins_cap = cap;
	return 0;
}

static int
add_time(struct top *top, const struct event *ev)
{
	if (ev->clock < top->origin) {
		add(&top->early, ev);
		return 0;
	}
	uint64_t since = (uint64_t)ev->clock - (uint64_t)top->origin;
	uint64_t i = since / (uint64_t)top->width;
	while (!top->step && i >= FINE_BINS) {
		coarsen(top);
		i /= 10;
	}
	if (i >= top->bins_cap) {
		int rc = grow_bins(top, i);
		if (rc < 0)
			return rc;
	}
	if (i >= top->nbins)
		top->nbins = (size_t)i + 1;
	add(&top->bins[i], ev);
	return 0;
}

/* ---- All events. ---- */

/* The tally of the name at p, NULL: it has to be looked at. */
static inline struct tally *
tally_of(struct top *top, const uint8_t *mcv)
{
	if (top->by == TOP_MODEL)
		return &top->models[mcv[0]];
	const struct op *op = dispatch_find(&top->catalog.dispatch, mcv);
	return op ? &top->kinds[op - top->catalog.dispatch.ops] : NULL;
}

static int
add_event(struct top *top, const struct event *ev)
{
	if (top->by == TOP_TIME)
		return add_time(top, ev);
	if (top->by != TOP_EVENT && top->by != TOP_MODEL)
		return 0; /* the sum of the stream is enough */
	struct tally *t = tally_of(top, ev->mcv);
	if (!t)
		return add_odd(top, ev);
	add(t, ev);
	return 0;
}

/* Counts of one stream that all kinds of rows need. */
struct sum {
	struct tally tally;
	int64_t first;
	int64_t last;
};

/* The clocks of one interval, and what was counted when its events began: they are added to
 * it when the next begins, as a sum in memory would wait for its last one with each event. */
struct bin_range {
	uint64_t begin;
	uint64_t width; /* 0: there is none yet */
	struct tally *tally;
	const uint8_t *from;
	uint64_t events;
};

/* Adds the events in front of the byte at p, the first `events` of all. */
static inline void
leave_bin(struct bin_range *b, const uint8_t *p, uint64_t events)
{
	if (b->width == 0)
		return;
	b->tally->events += events - b->events;
	b->tally->bytes += (uint64_t)(p - b->from);
	b->from = p;
	b->events = events;
}

/* The interval of the clock of the event at p, if it is there already. False: it has to be looked at. */
static inline bool
next_bin(struct top *top, int64_t clock, struct bin_range *b, const uint8_t *p, uint64_t events)
{
	leave_bin(b, p, events);
	if (clock < top->origin)
		return false;
	uint64_t i = ((uint64_t)clock - (uint64_t)top->origin) / (uint64_t)top->width;
	int64_t begin;
	int64_t end;
	if (i >= top->bins_cap || __builtin_mul_overflow((int64_t)i, top->width, &begin) ||
		__builtin_add_overflow(begin, top->origin, &begin) || __builtin_add_overflow(begin, top->width, &end))
		return false;
	top->nbins = i >= top->nbins ? (size_t)i + 1 : top->nbins;
	*b = (struct bin_range){ (uint64_t)begin, (uint64_t)top->width, &top->bins[i], p, events };
	return true;
}

/* An event counts for these, too. */
enum {
	NAME = 1,
	CLOCK = 2, /* its interval, which is looked up only when the last one does not have it */
	ALL = 4,   /* lowest and highest clock, and bytes */
};

/* Counts what is in the window, without a call for each event: that costs as much as reading
 * it. Ends in front of an event that is not all there, or that is not plain. `what` is a
 * constant in each call. */
static inline __attribute__((always_inline)) void
count_window(struct top *top, struct stream *s, struct sum *sum, unsigned what)
{
	const uint8_t *p = s->in.p;
	const uint8_t *begin = p;
	uint64_t offset = (uint64_t)s->clock_offset;
	uint64_t n = 0;
	int64_t first = sum->first;
	int64_t last = sum->last;
	struct bin_range b = { 0 };
	while (s->in.end - p >= WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX && !(p[0] & WIRE_JUMBO)) {
		uint64_t size = wire_event_size(p, WIRE_EVENT_HEADER);
		uint64_t clock = wire_u64(p + 4) + offset;
		struct tally *t = what & NAME ? tally_of(top, p + 1) : NULL;
		if (what & CLOCK && __builtin_expect(clock - b.begin >= b.width, 0) && !next_bin(top, (int64_t)clock, &b, p, n))
			break;
		if (what & NAME) {
			if (__builtin_expect(!t, 0))
				break;
			t->events++;
			t->bytes += what & ALL ? size : 0;
		}
		if (what & ALL) {
			first = (int64_t)clock < first ? (int64_t)clock : first;
			last = (int64_t)clock > last ? (int64_t)clock : last;
		}
		n++;
		/* As a branch, most often without payload: the next event need not wait for this one. */
		if (__builtin_expect_with_probability(size == WIRE_EVENT_HEADER, 1, 0.9))
			p += WIRE_EVENT_HEADER;
		else
			p += size;
	}
	if (what & CLOCK)
		leave_bin(&b, p, n);
	s->in.p = p;
	sum->first = first;
	sum->last = last;
	sum->tally.events += n;
	sum->tally.bytes += (uint64_t)(p - begin);
}

static int
count_stream(struct top *top, struct stream *s, struct event *ev)
{
	struct sum sum = { .first = INT64_MAX, .last = INT64_MIN };
	bool by_name = top->by == TOP_EVENT || top->by == TOP_MODEL;
	bool windows = play_sees(s) && filter_takes_all(top->filter);
	uint64_t seen = 0;
	int rc = 0;
	do {
		if (top->progress && ++seen % PROGRESS_EVERY == 0)
			play_progress(top->trace, top->progress);
		if (!filter_takes(top->filter, ev))
			continue;
		sum.first = ev->clock < sum.first ? ev->clock : sum.first;
		sum.last = ev->clock > sum.last ? ev->clock : sum.last;
		add(&sum.tally, ev);
		rc = add_event(top, ev);
		if (!windows || rc < 0)
			continue;
		if (top->by == TOP_TIME)
			count_window(top, s, &sum, CLOCK | ALL);
		else if (by_name && top->only_events)
			count_window(top, s, &sum, NAME);
		else if (by_name)
			count_window(top, s, &sum, NAME | ALL);
		else
			count_window(top, s, &sum, ALL);
	} while (rc == 0 && play_load(s, ev));
	top->first = sum.first < top->first ? sum.first : top->first;
	top->last = sum.last > top->last ? sum.last : top->last;
	top->streams[s->rank] = sum.tally;
	tally_add(&top->all, &sum.tally);
	return rc;
}

int
top_count(struct top *top)
{
	struct trace *t = top->trace;
	struct play play;
	int rc = play_init(&play, t, false);
	if (rc < 0)
		return rc;
	top->origin = play.order.n ? play_start(&play) : INT64_MAX;
	filter_range(top->filter, play_start(&play), false);
	play_filter(&play, top->filter);
	for (size_t i = 0; i < play.order.n && rc == 0; i++) {
		uint32_t rank = play.order.heap[i].item;
		rc = count_stream(top, &t->streams[rank], &play.events[rank]);
	}
	return rc;
}
