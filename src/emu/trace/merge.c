/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <inttypes.h>

/* Streams whose clocks are that far apart come from machines that were not
 * synchronised: one hour, inclusive. */
#define CLOCK_GATE INT64_C(3600000000000)

/* A stream that has ended: behind every event, whatever its rank. */
#define ENDED UINT32_MAX

/* Without branches: which stream is next cannot be predicted. */
static inline bool
before(struct merge_key a, struct merge_key b)
{
	return (a.clock < b.clock) | ((a.clock == b.clock) & (a.rank < b.rank));
}

/* Exchanges the keys if asked to, without a branch either. */
static inline void
swap_if(bool yes, struct merge_key *a, struct merge_key *b)
{
	uint64_t mask = (uint64_t)0 - yes;
	uint64_t clock = ((uint64_t)a->clock ^ (uint64_t)b->clock) & mask;
	uint32_t rank = (a->rank ^ b->rank) & (uint32_t)mask;
	a->clock = (int64_t)((uint64_t)a->clock ^ clock);
	b->clock = (int64_t)((uint64_t)b->clock ^ clock);
	a->rank ^= rank;
	b->rank ^= rank;
}

/* The clock that the winner must stay below to win again: one more than that of the
 * runner-up if it is before it at equal clocks. */
static inline int64_t
limit_of(struct merge_key winner, struct merge_key second)
{
	if (second.rank == ENDED)
		return INT64_MAX;
	return second.clock + (winner.rank < second.rank && second.clock < INT64_MAX);
}

static struct merge_key
key_of(const struct merge *m, uint32_t leaf, bool alive)
{
	if (!alive)
		return (struct merge_key){ INT64_MAX, ENDED };
	return (struct merge_key){ m->events[leaf].clock, leaf };
}

/* Plays the match of every inner node once, bottom up. `first` holds the leaves. */
static struct merge_key
play(struct merge *m, uint32_t node, const struct merge_key *first)
{
	if (node >= m->nleaves)
		return first[node - m->nleaves];
	struct merge_key a = play(m, node * 2, first);
	struct merge_key b = play(m, node * 2 + 1, first);
	bool left = before(a, b);
	m->losers[node] = left ? b : a;
	return left ? a : b;
}

/* The best loser on the way from a leaf to the root is the runner-up. */
static void
set_limit(struct merge *m)
{
	struct merge_key second = { INT64_MAX, ENDED };
	for (uint32_t node = (m->losers[0].rank + m->nleaves) / 2; node >= 1; node /= 2)
		if (before(m->losers[node], second))
			second = m->losers[node];
	m->limit = limit_of(m->losers[0], second);
}

static int
check_gate(struct trace *t, const struct merge_key *first)
{
	uint32_t ref = ENDED;
	uint32_t bad = ENDED;
	int64_t far = 0;
	size_t nbad = 0;
	for (uint32_t i = 0; i < t->nstreams; i++) {
		if (first[i].rank == ENDED)
			continue;
		if (ref == ENDED)
			ref = i;
		/* Clocks are not negative: the difference fits. */
		int64_t diff = first[i].clock - first[ref].clock;
		if (diff <= CLOCK_GATE && diff >= -CLOCK_GATE)
			continue;
		nbad++;
		if (bad == ENDED) {
			bad = i;
			far = diff;
		}
	}
	if (!nbad)
		return 0;
	struct place at = { .file = t->streams[bad].relpath, .has_clock = true, .clock = first[bad].clock };
	return diag_error(t->diag, ERR_CLOCK_GATE, &at,
		"detected large clock gate: the stream starts %.3f hours from %s, at %" PRId64 " ns (%zu streams are more than one hour apart)\n"
		"hint: run 'ovnisync' to set the offsets, and give its table with -c",
		(double)far / 3600e9, t->streams[ref].relpath, first[ref].clock, nbad);
}

/* A stream without events needs a word: its thread shows nothing. */
static void
warn_empty(const struct stream *s)
{
	struct place at = { .file = s->relpath };
	if (s->was_cut)
		diag_warn(s->trace->diag, &at, "the stream is cut before its first event");
	else
		diag_warn(s->trace->diag, &at, "the stream has no events");
}

int
merge_init(struct merge *m, struct trace *t)
{
	*m = (struct merge){ .trace = t, .nleaves = 1 };
	while (m->nleaves < t->nstreams)
		m->nleaves *= 2;
	m->events = arena_new(&t->arena, struct event, t->nstreams);
	m->losers = arena_new(&t->arena, struct merge_key, m->nleaves);
	struct merge_key *first = block_alloc(m->nleaves * sizeof(*first));
	if (!m->events || !m->losers || !first) {
		block_free(first);
		return diag_no_memory(t->diag);
	}
	int rc = 0;
	for (uint32_t i = 0; i < m->nleaves && rc >= 0; i++) {
		rc = i < t->nstreams ? stream_next(&t->streams[i], &m->events[i]) : 0;
		first[i] = key_of(m, i, rc > 0);
		if (rc == 0 && i < t->nstreams)
			warn_empty(&t->streams[i]);
	}
	if (rc >= 0)
		rc = check_gate(t, first);
	if (rc == 0) {
		m->losers[0] = play(m, 1, first);
		m->limit = INT64_MIN;
	}
	block_free(first);
	return rc;
}

/* Puts the new key of the winner's stream in its place, up to the root. The limit is
 * worth its cost only for a stream that wins twice in a row. */
static void
replay(struct merge *m, uint32_t leaf, struct merge_key key)
{
	for (uint32_t node = (leaf + m->nleaves) / 2; node >= 1; node /= 2)
		swap_if(before(m->losers[node], key), &m->losers[node], &key);
	m->losers[0] = key;
	if (key.rank == leaf)
		set_limit(m);
	else
		m->limit = INT64_MIN;
}

int
merge_next(struct merge *m, struct event **ev)
{
	uint32_t top = m->losers[0].rank;
	if (top == ENDED)
		return 0;
	if (__builtin_expect(m->started, 1)) {
		int rc = stream_next(&m->trace->streams[top], &m->events[top]);
		if (rc < 0)
			return rc;
		if (rc == 0 || m->events[top].clock >= m->limit) {
			replay(m, top, key_of(m, top, rc > 0));
			top = m->losers[0].rank;
			if (top == ENDED)
				return 0;
		}
	}
	m->started = true;
	*ev = &m->events[top];
	return 1;
}
