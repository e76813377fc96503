/* SPDX-License-Identifier: MIT */
#include "play.h"

#include <inttypes.h>

static const struct play_key ended = { .clock = INT64_MAX, .rank = UINT32_MAX };

static inline bool
is_before(struct play_key a, struct play_key b)
{
	return a.clock < b.clock || (a.clock == b.clock && a.rank < b.rank);
}

static void
say_empty(const struct stream *s)
{
	if (!s->failed && !s->silent)
		diag_warn(s->trace->diag, &(struct place){ .file = s->relpath },
			s->was_cut ? "the stream is cut before its first event" : "the stream has no events");
}

int
play_init(struct play *p, struct trace *t, bool peer_ties)
{
	*p = (struct play){ .trace = t, .nleaves = 1, .peer_ties = peer_ties };
	while (p->nleaves < t->nstreams)
		p->nleaves *= 2;
	p->events = arena_new(&t->arena, struct event, p->nleaves);
	p->tree = arena_new(&t->arena, struct play_key, p->nleaves);
	p->first = arena_new(&t->arena, struct play_key, p->nleaves);
	p->heap.items = arena_new(&t->arena, struct tieheap_item, p->nleaves + 1);
	if (!p->events || !p->tree || !p->first || !p->heap.items)
		return diag_no_memory(t->diag);
	for (uint32_t i = 0; i < p->nleaves; i++) {
		p->first[i] = ended;
		if (i >= t->nstreams)
			continue;
		if (loose_next(&t->streams[i], &p->events[i]) > 0)
			p->first[i] = (struct play_key){ p->events[i].clock, i };
		else
			say_empty(&t->streams[i]);
	}
	return 0;
}

int64_t
play_start(const struct play *p)
{
	struct play_key best = ended;
	for (uint32_t i = 0; i < p->nleaves; i++)
		if (is_before(p->first[i], best))
			best = p->first[i];
	return best.rank == UINT32_MAX ? 0 : best.clock;
}

void
play_drop(struct play *p, uint32_t rank)
{
	p->first[rank] = ended;
}

/* Plays the match of every inner node once. Returns the winner. */
static struct play_key
build(struct play *p, uint32_t node)
{
	if (node >= p->nleaves)
		return p->first[node - p->nleaves];
	struct play_key a = build(p, node * 2);
	struct play_key b = build(p, node * 2 + 1);
	bool second = is_before(b, a);
	p->tree[node] = second ? a : b;
	return second ? b : a;
}

static void
start(struct play *p)
{
	p->started = true;
	if (!p->peer_ties) {
		p->tree[0] = build(p, 1);
		return;
	}
	for (uint32_t i = 0; i < p->nleaves; i++)
		if (p->first[i].rank != UINT32_MAX)
			tieheap_insert(&p->heap, p->first[i].clock, i);
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

/* Loads the event behind the current one of a stream. Returns its key. */
static inline struct play_key
advance(struct play *p, uint32_t rank)
{
	struct event *ev = &p->events[rank];
	int64_t before = ev->clock;
	if (loose_next(&p->trace->streams[rank], ev) == 0)
		return ended;
	if (__builtin_expect(ev->clock < before, 0))
		note_back(p, rank, before);
	return (struct play_key){ ev->clock, rank };
}

/* With the ties of the peer: the stream goes back into the heap before the next is taken. */
static bool
next_of_peer(struct play *p, bool first)
{
	if (!first) {
		struct play_key key = advance(p, p->current);
		if (key.rank != UINT32_MAX)
			tieheap_insert(&p->heap, key.clock, key.rank);
	}
	if (p->heap.n == 0)
		return false;
	p->current = tieheap_extract(&p->heap);
	return true;
}

bool
play_next(struct play *p, const struct event **ev)
{
	bool first = !p->started;
	if (first)
		start(p);
	if (p->peer_ties) {
		if (!next_of_peer(p, first))
			return false;
	} else {
		struct play_key key = p->tree[0];
		if (!first && key.rank != UINT32_MAX) {
			uint32_t leaf = key.rank + p->nleaves;
			key = advance(p, key.rank);
			for (uint32_t node = leaf / 2; node >= 1; node /= 2) {
				struct play_key other = p->tree[node];
				if (is_before(other, key)) {
					p->tree[node] = key;
					key = other;
				}
			}
			p->tree[0] = key;
		}
		if (key.rank == UINT32_MAX)
			return false;
		p->current = key.rank;
	}
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
