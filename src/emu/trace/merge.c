/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "window.h"

#include <assert.h>
#include <inttypes.h>

/* Streams whose clocks are that far apart come from machines that were not
 * synchronised: one hour, inclusive. */
#define CLOCK_GATE INT64_C(3600000000000)

/* A stream that has ended: behind every event. No rank has all its bits set. */
#define ENDED UINT64_MAX

static inline uint32_t
rank_of(const struct merge *m, uint64_t key)
{
	return (uint32_t)(key & m->mask);
}

/* Whether the clock of the key did not fit. */
static inline bool
is_far(const struct merge *m, uint64_t key)
{
	return key >= m->far;
}

/* The key of an event of a stream. Its clock is not below the base. */
static inline uint64_t
key_of(const struct merge *m, uint32_t rank, int64_t clock)
{
	uint64_t ahead = (uint64_t)clock - (uint64_t)m->base;
	uint64_t key = ahead << m->bits;
	bool fits = key >> m->bits == ahead && key < m->far;
	return (__builtin_expect(fits, 1) ? key : m->far) | rank;
}

/* Plays the match of every inner node once, bottom up. Returns the winner. */
static uint64_t
play(struct merge *m, uint32_t node, const uint64_t *leaves)
{
	if (node >= m->nleaves)
		return leaves[node - m->nleaves];
	uint64_t a = play(m, node * 2, leaves);
	uint64_t b = play(m, node * 2 + 1, leaves);
	m->losers[node] = a < b ? b : a;
	return a < b ? a : b;
}

/* The best loser on the way from the winner's leaf to the root is the runner-up. */
static inline void
find_runner_up(struct merge *m)
{
	/* Keys that do not fit are not in order among themselves: they never stay. */
	uint64_t best = m->far;
	uint32_t rank = rank_of(m, m->losers[0]);
	assert(rank < m->nleaves);
	for (uint32_t node = (rank + m->nleaves) / 2; node >= 1; node /= 2)
		best = m->losers[node] < best ? m->losers[node] : best;
	m->runner_up = best;
}

/* Puts the new key of a stream in its place, up to the root. No branch depends on the
 * keys: which stream is next cannot be predicted. */
static inline void
replay(struct merge *m, uint32_t rank, uint64_t key)
{
	uint64_t *losers = m->losers;
	for (size_t node = (rank + m->nleaves) / 2; node >= 1; node /= 2) {
		uint64_t other = losers[node];
		uint64_t best = other < key ? other : key;
		losers[node] = other ^ key ^ best;
		key = best;
	}
	losers[0] = key;
}

/* Moves the base to the lowest clock there is and makes all keys anew. Due when a clock
 * that did not fit is next: once in hours of trace, if ever. */
static void
rebase(struct merge *m)
{
	m->base = INT64_MAX;
	for (uint32_t i = 0; i < m->nleaves; i++) {
		m->leaves[i] = ENDED;
		uint64_t key = m->losers[i]; /* winner and losers are each stream once */
		if (key != ENDED && m->events[rank_of(m, key)].clock < m->base)
			m->base = m->events[rank_of(m, key)].clock;
	}
	for (uint32_t i = 0; i < m->nleaves; i++)
		if (m->losers[i] != ENDED)
			m->leaves[rank_of(m, m->losers[i])] = key_of(m, rank_of(m, m->losers[i]), m->events[rank_of(m, m->losers[i])].clock);
	m->losers[0] = play(m, 1, m->leaves);
	m->runner_up = 0; /* not known: the next event is replayed */
}

static int
check_gate(const struct merge *m)
{
	struct trace *t = m->trace;
	uint32_t ref = UINT32_MAX;
	uint32_t bad = UINT32_MAX;
	int64_t far = 0;
	size_t nbad = 0;
	for (uint32_t i = 0; i < t->nstreams && !t->format->one_clock; i++) {
		if (m->leaves[i] == ENDED)
			continue;
		if (ref == UINT32_MAX)
			ref = i;
		/* Clocks are not negative: the difference fits. */
		int64_t diff = m->events[i].clock - m->events[ref].clock;
		/* A thread that emits little keeps what is old. */
		bool ring = t->streams[i].meta.ring || t->streams[ref].meta.ring;
		if (ring || (diff <= CLOCK_GATE && diff >= -CLOCK_GATE))
			continue;
		nbad++;
		if (bad == UINT32_MAX) {
			bad = i;
			far = diff;
		}
	}
	if (!nbad)
		return 0;
	struct place at = { .file = t->streams[bad].relpath, .has_clock = true, .clock = m->events[bad].clock };
	return diag_error(t->diag, ERR_CLOCK_GATE, &at,
		"detected large clock gate: the stream starts %" PRId64 " ns from %s, more than one hour (%zu streams do)\n"
		"hint: run 'ovnisync' to set the offsets, and give its table with -c",
		far, t->streams[ref].relpath, nbad);
}

/* One line for all streams without events. */
static void
warn_of_empty(const struct merge *m)
{
	const struct trace *t = m->trace;
	const struct stream *first = NULL;
	size_t n = 0;
	bool died = false;
	for (uint32_t i = 0; i < t->nstreams; i++) {
		const struct stream *s = &t->streams[i];
		if (m->leaves[i] != ENDED || s->silent || s->failed)
			continue;
		first = n++ ? first : s;
		died = died || s->meta.finished == FINISHED_NO;
	}
	if (n == 1)
		stream_warn_empty(first);
	else if (n > 1)
		diag_warn(t->diag, &(struct place){ .file = first->relpath }, "%zu of %zu streams have no events%s, this is the first",
			n, trace_nstreams(t), died ? ": the program ended before their buffers were written" : "");
}

/* From now on whole rounds are read, from the first events on. */
static int
take_rounds(struct merge *m)
{
	struct trace *t = m->trace;
	m->rounds = true;
	int rc = round_init(&m->round, t, (uint32_t)t->nstreams, m->base);
	for (uint32_t i = 0; rc == 0 && i < t->nstreams; i++) {
		if (m->leaves[i] == ENDED)
			continue;
		t->streams[i].in.p -= m->events[i].length;
		m->round.streams[m->round.nstreams++] = i;
	}
	return rc;
}

int
merge_init(struct merge *m, struct trace *t)
{
	*m = (struct merge){ .trace = t, .nleaves = 1, .bits = 1 };
	while (m->nleaves < t->nstreams)
		m->nleaves *= 2;
	while (UINT64_C(1) << m->bits <= m->nleaves)
		m->bits++;
	m->mask = (UINT64_C(1) << m->bits) - 1;
	m->far = ~m->mask;
	m->window = window_is(t);
	m->events = arena_new(&t->arena, struct event, m->nleaves);
	m->losers = arena_new(&t->arena, uint64_t, m->nleaves);
	m->leaves = arena_new(&t->arena, uint64_t, m->nleaves);
	if (!m->events || !m->losers || !m->leaves)
		return diag_no_memory(t->diag);
	int64_t lowest = INT64_MAX;
	for (uint32_t i = 0; i < m->nleaves; i++) {
		m->leaves[i] = ENDED;
		if (i >= t->nstreams)
			continue;
		int rc = stream_next(&t->streams[i], &m->events[i]);
		if (rc < 0)
			return rc;
		if (rc > 0)
			m->leaves[i] = 0; /* alive */
		if (rc > 0 && m->events[i].clock < lowest)
			lowest = m->events[i].clock;
	}
	warn_of_empty(m);
	int rc = check_gate(m);
	m->base = lowest;
	for (uint32_t i = 0; i < m->nleaves; i++)
		m->leaves[i] = m->leaves[i] == ENDED ? ENDED : key_of(m, i, m->events[i].clock);
	m->losers[0] = play(m, 1, m->leaves);
	if (t->options.peer_ties) {
		m->heap.items = arena_new(&t->arena, struct tieheap_item, t->nstreams + 1);
		if (!m->heap.items)
			return diag_no_memory(t->diag);
		for (uint32_t i = 0; i < t->nstreams; i++)
			if (m->leaves[i] != ENDED)
				tieheap_insert(&m->heap, m->events[i].clock, i);
	}
	return rc < 0 || !round_is(t) ? rc : take_rounds(m);
}

int64_t
merge_start(const struct merge *m)
{
	return m->events && m->losers && m->losers[0] != ENDED ? m->events[rank_of(m, m->losers[0])].clock : 0;
}

/* Takes the next event with equal clocks in the order of the peer: the stream of the last event
 * goes back into the heap first. */
static int
next_of_peer(struct merge *m, struct event **ev)
{
	if (m->started) {
		uint32_t rank = m->current;
		int rc = stream_next(&m->trace->streams[rank], &m->events[rank]);
		if (rc < 0)
			return rc;
		if (rc > 0)
			tieheap_insert(&m->heap, m->events[rank].clock, rank);
	}
	m->started = true;
	if (m->heap.n == 0)
		return 0;
	m->current = tieheap_extract(&m->heap);
	*ev = &m->events[m->current];
	return 1;
}

/* The winner has a new key. */
static inline void
place(struct merge *m, uint32_t rank, uint64_t key)
{
	if (key < m->runner_up)
		return;
	replay(m, rank, key);
	m->runner_up = 0;
	if (m->losers[0] == key && key != ENDED) /* it may win again */
		find_runner_up(m);
}

/* Finds who is next after the event of the winner, if the window of its stream has one that can
 * be given as it is: then the matches are played while the event is emulated. */
static inline void
look_ahead(struct merge *m, uint32_t rank)
{
	const struct stream *s = &m->trace->streams[rank];
	struct event *ev = &m->events[rank];
	m->ahead = false;
	if (!m->window || !window_view(s, ev) || !stream_is_good(s, s->last_clock, &ev->clock))
		return;
	uint64_t key = key_of(m, rank, ev->clock);
	if (is_far(m, key))
		return;
	m->ahead = true;
	place(m, rank, key);
	/* With many streams it is not in the cache. */
	uint32_t next = rank_of(m, m->losers[0]);
	__builtin_prefetch(&m->trace->streams[next]);
	__builtin_prefetch(&m->events[next]);
}

/* The next event of a stream. */
static inline int
load(struct merge *m, uint32_t rank)
{
	struct stream *s = &m->trace->streams[rank];
	struct event *ev = &m->events[rank];
	return m->window && window_next(s, ev) ? stream_correct(s, ev) : stream_next(s, ev);
}

int
merge_more(struct merge *m, struct event **ev)
{
	if (m->rounds) {
		int rc = m->fetch ? m->fetch(m->fetch_arg, &m->round) : round_next(&m->round, m->trace);
		*ev = rc > 0 ? round_take(&m->round) : NULL;
		return rc;
	}
	if (m->heap.items)
		return next_of_peer(m, ev);
	uint32_t rank = m->current;
	if (m->losers[0] == ENDED)
		return 0;
	if (__builtin_expect(m->ahead, 1)) {
		struct stream *s = &m->trace->streams[rank];
		s->in.p += m->events[rank].length;
		s->last_clock = m->events[rank].clock;
	} else if (m->started) {
		int rc = load(m, rank);
		if (rc < 0)
			return rc;
		place(m, rank, rc > 0 ? key_of(m, rank, m->events[rank].clock) : ENDED);
	}
	m->started = true;
	if (__builtin_expect(is_far(m, m->losers[0]), 0)) {
		if (m->losers[0] == ENDED)
			return 0;
		rebase(m);
	}
	rank = m->current = rank_of(m, m->losers[0]);
	m->given = m->events[rank];
	*ev = &m->given;
	look_ahead(m, rank);
	return 1;
}
