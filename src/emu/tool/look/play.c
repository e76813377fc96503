/* SPDX-License-Identifier: MIT */
#include "play.h"

#include "input/inputs.h"

#include <inttypes.h>

int
play_open(struct trace *t, struct diag *d, const char *dir, const struct play_options *o)
{
	bool corrected = o->corrected || o->clock_table;
	const struct trace_options options = {
		.events_only = true,
		.raw_clocks = !corrected,
		.clock_table = o->clock_table,
		.inputs = inputs,
	};
	int rc = trace_open(t, d, dir, &options);
	if (rc < 0)
		return rc;
	trace_forget_attrs(t);
	diag_info(d, "loaded %zu streams", trace_nstreams(t));
	for (size_t i = 0; corrected && i < t->nstreams; i++)
		if (!t->streams[i].meta.loom && !t->streams[i].failed)
			diag_warn(d, &(struct place){ .file = t->streams[i].relpath },
				"the loom is not known: the clock is not corrected");
	return 0;
}

void
play_progress(const struct trace *t, struct progress *p)
{
	if (!progress_due(p))
		return;
	uint64_t done = 0;
	for (size_t i = 0; i < t->nstreams; i++)
		done += t->streams[i].failed ? t->streams[i].in.file_size : stream_consumed(&t->streams[i]);
	diag_progress(t->diag, "%5.1f %% done", t->bytes ? (double)done / (double)t->bytes * 100 : 100.0);
}

int
play_init(struct play *p, struct trace *t, bool peer_ties)
{
	*p = (struct play){ .trace = t, .peer_ties = peer_ties };
	p->events = arena_new(&t->arena, struct event, t->nstreams);
	p->order.heap = arena_new(&t->arena, struct kway_key, t->nstreams);
	p->heap.items = arena_new(&t->arena, struct tieheap_item, t->nstreams + 1);
	if (!p->events || !p->order.heap || !p->heap.items)
		return diag_no_memory(t->diag);
	for (uint32_t i = 0; i < t->nstreams; i++) {
		if (play_load(&t->streams[i], &p->events[i]) > 0)
			p->order.heap[p->order.n++] = (struct kway_key){ kway_time(p->events[i].clock), i, i };
		else
			stream_warn_empty(&t->streams[i]);
	}
	return 0;
}

int64_t
play_start(const struct play *p)
{
	const struct kway_key *best = p->order.heap;
	for (size_t i = 1; i < p->order.n; i++)
		if (kway_before(&p->order.heap[i], best))
			best = &p->order.heap[i];
	return p->order.n ? p->events[best->item].clock : 0;
}

void
play_filter(struct play *p, const struct filter *f)
{
	size_t n = p->order.n;
	p->order.n = 0;
	for (size_t i = 0; i < n; i++)
		if (filter_takes_stream(f, &p->trace->streams[p->order.heap[i].item]))
			p->order.heap[p->order.n++] = p->order.heap[i];
}

/* The keys, so far by rank, become a heap in place. */
static void
start(struct play *p)
{
	size_t n = p->order.n;
	p->order.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct kway_key key = p->order.heap[i];
		if (p->peer_ties)
			tieheap_insert(&p->heap, p->events[key.item].clock, key.item);
		else
			kway_push(&p->order, key);
	}
}

static void
note_back(struct play *p, uint32_t rank, int64_t before)
{
	const struct event *ev = &p->events[rank];
	if (p->nback++)
		return;
	p->back = stream_place(&p->trace->streams[rank], ev);
	p->back.mcv = NULL; /* borrowed, and gone when it is printed */
	p->back_by = (int64_t)((uint64_t)before - (uint64_t)ev->clock);
}

/* Loads the event behind the current one. Returns false at the end of its stream. */
static inline bool
advance(struct play *p)
{
	struct event *ev = &p->events[p->current];
	int64_t before = ev->clock;
	if (play_load(&p->trace->streams[p->current], ev) == 0)
		return false;
	if (__builtin_expect(ev->clock < before, 0))
		note_back(p, p->current, before);
	return true;
}

bool
play_next(struct play *p, const struct event **ev)
{
	bool more = p->started && advance(p);
	if (!p->started)
		start(p);
	else if (p->peer_ties && more)
		tieheap_insert(&p->heap, p->events[p->current].clock, p->current);
	else if (more)
		kway_replace(&p->order, kway_time(p->events[p->current].clock));
	else if (!p->peer_ties)
		kway_pop(&p->order);
	p->started = true;
	if ((p->peer_ties ? p->heap.n : p->order.n) == 0) {
		p->started = false;
		return false;
	}
	p->current = p->peer_ties ? tieheap_extract(&p->heap) : p->order.heap[0].item;
	*ev = &p->events[p->current];
	return true;
}

void
play_report(const struct play *p)
{
	if (p->nback)
		diag_warn(p->trace->diag, &p->back,
			"clocks that go back in their stream: %" PRIu64 "; this is the first, by %" PRId64 " ns\n"
			"hint: if the program marked unordered regions (OU[ OU]), run ovnisort on the trace",
			p->nback, p->back_by);
}
