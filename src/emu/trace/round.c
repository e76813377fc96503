/* SPDX-License-Identifier: MIT */
#include "round.h"

#include "window.h"

#include <stddef.h>
#include <string.h>

enum {
	/* Events of a round: some of each stream, so that streams are not visited in vain, as long as all of it stays in a cache. */
	TARGET_OF_STREAM = 32,
	TARGET_MIN = 512,
	TARGET_MOST = 4096,
	TARGET_LEAST = 2, /* of a stream, whatever that makes in all, */
	TARGET_MAX = 1 << (ROUND_INDEX_BITS - 1),
	AHEAD = 4,         /* streams asked for before their turn, */
	AHEAD_BYTES = 192, /* and of each that many bytes before they are decoded */
	REST = 8,          /* that part of a window is left when a plain file is read on: a window that ends would end the round */
	PACKED_MAX = 256,  /* compressed files are read when that is due, no earlier: with many of them rounds are too short */
	DIGIT_MAX = 12,    /* bits of a digit of the sort */
	SORTED = 4,        /* keys that a turn of its loops takes */
	COST_OF_KEY = 5,   /* in a pass of the sort, compared with that of a value of the digit */
};

_Static_assert((int)SORTED <= (int)ROUND_PEEK, "keys that make a turn of the sort whole have room");
_Static_assert((int)ROUND_PAYLOAD == (int)WIRE_PAYLOAD_MAX, "copies have room");

#define INDEX_MASK ((UINT64_C(1) << ROUND_INDEX_BITS) - 1)
#define SPAN_MAX (INT64_C(1) << (62 - ROUND_INDEX_BITS)) /* the clock of a key fits */

bool
round_is(const struct trace *t)
{
	size_t npacked = 0;
	for (size_t i = 0; i < t->nstreams; i++)
		npacked += t->streams[i].in.codec != NULL;
	return window_is(t) && !t->options.peer_ties && npacked <= PACKED_MAX;
}

static void
make_room(struct round *r, struct trace *t)
{
	r->events = arena_new(&t->arena, struct event, r->cap + 1);
	r->keys = arena_new(&t->arena, uint64_t, r->cap + ROUND_PEEK);
}

int
round_init(struct round *r, struct trace *t, uint32_t nstreams, int64_t base)
{
	size_t n = (size_t)nstreams * TARGET_OF_STREAM;
	n = n < TARGET_MOST ? n : TARGET_MOST;
	n = n > (size_t)nstreams * TARGET_LEAST ? n : (size_t)nstreams * TARGET_LEAST;
	n = n > TARGET_MIN ? n : TARGET_MIN;
	n = n < TARGET_MAX ? n : TARGET_MAX;
	*r = (struct round){ .target = (uint32_t)n, .cap = (uint32_t)n * 2, .base = (uint64_t)base, .bound = UINT64_MAX, .span = 1 };
	make_room(r, t);
	r->spare = arena_new(&t->arena, uint64_t, r->cap + ROUND_PEEK);
	r->streams = arena_new(&t->arena, uint32_t, nstreams);
	return r->events && r->keys && r->spare && r->streams ? 0 : diag_no_memory(t->diag);
}

int
round_add_copies(struct round *r, struct trace *t)
{
	if (!r->events)
		make_room(r, t);
	r->copies = arena_new(&t->arena, struct round_copy, r->cap + 1);
	return r->events && r->keys && r->copies ? 0 : diag_no_memory(t->diag);
}

/* A round while it is decoded. Clocks are not negative. */
struct scan {
	uint64_t limit; /* no event of the streams to come from that clock on, */
	uint64_t last;  /* and of those before none behind that one */
	uint64_t next;  /* the lowest clock that is left */
	bool full;
	bool due; /* see round.h */
};

/* Whether the event at p is there with all its bytes, and how it is read. */
static inline bool
measure(const uint8_t *p, const uint8_t *end, uint64_t *size, bool *jumbo)
{
	uint64_t have = (uint64_t)(end - p);
	*jumbo = false;
	if (__builtin_expect(have >= WINDOW_EVENT_MAX && !(p[0] & WIRE_JUMBO), 1)) {
		*size = wire_event_size(p, WINDOW_EVENT_MAX);
		return true;
	}
	*size = wire_event_size(p, have);
	*jumbo = *size && p[0] & WIRE_JUMBO;
	return *size && *size <= have;
}

/* Copies the payload of the event at p. */
static inline void
copy(struct round_copy *to, const uint8_t *p, const uint8_t *end, struct event *ev)
{
	if (__builtin_expect(end - p >= WINDOW_EVENT_MAX, 1)) /* two moves, whatever its size is */
		memcpy(to->payload, p + WIRE_EVENT_HEADER, WIRE_PAYLOAD_MAX);
	else
		memcpy(to->payload, p + WIRE_EVENT_HEADER, ev->size);
	ev->payload = to->payload;
}

/* Decodes events of a stream while that takes no more than a look into its window. Returns whether the next one is not of this
 * round; if not, it needs more. */
static inline __attribute__((always_inline)) bool
look_at(struct round *r, struct scan *x, struct stream *s, bool copies)
{
	const uint8_t *p = s->in.p;
	const uint8_t *end = s->in.end;
	int64_t last = s->last_clock;
	uint64_t limit = x->limit, base = r->base;
	uint32_t n = r->n, cap = r->cap, rank = s->rank;
	uint64_t *keys = r->keys;
	struct event *ev = &r->events[n];
	uint64_t before = s->in.base - (uint64_t)(uintptr_t)s->in.buf; /* with an address, the offset in the stream */
	bool out = false;
	for (;; n++, ev++) {
		uint64_t size;
		bool jumbo;
		__builtin_prefetch(p + AHEAD_BYTES);
		if (__builtin_expect(!measure(p, end, &size, &jumbo), 0))
			break;
		window_read(p, rank, size, jumbo, ev);
		if (__builtin_expect(!stream_is_good(s, last, &ev->clock), 0))
			break;
		uint64_t clock = (uint64_t)ev->clock;
		if (clock >= limit || n == cap) {
			x->next = clock < x->next ? clock : x->next;
			x->full = x->full || clock < limit;
			out = true;
			break;
		}
		if (copies)
			r->copies[n].offset = before + (uintptr_t)p;
		if (copies && !jumbo)
			copy(&r->copies[n], p, end, ev);
		else if (copies && (x->due = r->looks))
			break;
		else if (copies)
			r->pinned = true;
		keys[n] = (clock - base) << ROUND_INDEX_BITS | n;
		last = ev->clock;
		p += size;
	}
	s->in.p = p;
	s->last_clock = last;
	r->n = n;
	return out;
}

/* Neither version has a test for the other in its loop. */
static bool
look(struct round *r, struct scan *x, struct stream *s)
{
	return r->copying ? look_at(r, x, s, true) : look_at(r, x, s, false);
}

/* Decodes the events of a stream. Returns 1, 0 it has ended, or <0 (reported). */
static int
decode(struct round *r, struct scan *x, struct stream *s)
{
	struct reader *in = &s->in;
	uint32_t first = r->n;
	uint64_t rest = (uint64_t)(in->end - in->p);
	int rc = 1;
	if (rest < in->cap / REST && !in->eof && !in->codec)
		rc = reader_fill(in, in->cap / REST);
	if (rc < 0 && r->looks) {
		x->due = true;
		return 1;
	}
	while (rc >= 0 && !look(r, x, s)) {
		x->due = x->due || (r->looks && r->n == first);
		if (x->due)
			return 1;
		if (r->n > first) {
			/* Its next event is not due before those decoded are given. */
			if (in->p < in->end || !in->eof || in->torn)
				x->limit = x->last = x->next = (uint64_t)s->last_clock;
			return 1;
		}
		struct event ev;
		rc = stream_next(s, &ev);
		if (rc <= 0)
			return rc;
		in->p -= ev.length;
	}
	return rc < 0 ? rc : 1;
}

/* Decodes the events of all streams. Returns 0, or <0 (reported). */
static int
decode_all(struct round *r, struct scan *x, struct trace *t)
{
	uint32_t n = 0;
	int rc = 1;
	for (uint32_t i = 0; i < r->nstreams; i++) {
		if (i + AHEAD < r->nstreams) {
			__builtin_prefetch(&t->streams[r->streams[i + AHEAD]]);
			__builtin_prefetch(t->streams[r->streams[i + AHEAD / 2]].in.p);
		}
		if (rc >= 0 && !x->full && !x->due)
			rc = decode(r, x, &t->streams[r->streams[i]]);
		if (rc != 0)
			r->streams[n++] = r->streams[i];
	}
	r->nstreams = n;
	return rc < 0 ? rc : 0;
}

/* Puts the last n events back in front of their streams. */
static void
take_back(struct round *r, struct trace *t, uint32_t n)
{
	for (; n; n--) {
		const struct event *ev = &r->events[r->keys[--r->n] & INDEX_MASK];
		struct stream *s = &t->streams[ev->stream];
		s->in.p -= ev->length;
		s->last_clock = ev->clock;
	}
}

/* One pass of the sort: orders n keys, a multiple of SORTED, by a digit, and those that are equal there as they were. */
static void
sort_by(const uint64_t *restrict from, uint64_t *restrict to, uint32_t n, unsigned shift, unsigned digit)
{
	uint32_t at[1 << DIGIT_MAX];
	uint32_t mask = (1u << digit) - 1;
	uint32_t sum = 0;
	memset(at, 0, sizeof(*at) << digit);
	const uint64_t *end = from + n;
	for (const uint64_t *key = from; key < end; key += SORTED)
		for (int k = 0; k < SORTED; k++)
			at[key[k] >> shift & mask]++;
	for (uint32_t i = 0; i <= mask; i++) {
		uint32_t k = at[i];
		at[i] = sum;
		sum += k;
	}
	for (const uint64_t *key = from; key < end; key += SORTED)
		for (int k = 0; k < SORTED; k++)
			to[at[key[k] >> shift & mask]++] = key[k];
}

/* Orders the keys by the lowest bits of their clocks. Those of equal clocks are in order. */
static void
sort(struct round *r, unsigned bits)
{
	/* Each pass costs something for each event, and for each value of the digit. */
	unsigned passes = 1;
	uint64_t least = UINT64_MAX;
	for (unsigned n = (bits + DIGIT_MAX - 1) / DIGIT_MAX; n <= bits; n++) {
		uint64_t cost = n * ((uint64_t)r->n * COST_OF_KEY + (UINT64_C(1) << ((bits + n - 1) / n)));
		if (cost >= least)
			break;
		least = cost;
		passes = n;
	}
	unsigned digit = (bits + passes - 1) / passes;
	uint32_t n = r->n;
	for (; n % SORTED; n++)
		r->keys[n] = UINT64_MAX; /* it stays behind all others */
	for (unsigned shift = ROUND_INDEX_BITS; passes--; shift += digit) {
		sort_by(r->keys, r->spare, n, shift, digit);
		uint64_t *keys = r->keys;
		r->keys = r->spare;
		r->spare = keys;
	}
}

/* Chooses the length of the next round by how many events are in this one, of that span. */
static void
adapt(struct round *r, int64_t span)
{
	int64_t least = r->span / 4;
	int64_t most = r->span * 4;
	r->span = span * r->target / r->n;
	r->span = r->span < least ? least : r->span;
	r->span = r->span > most ? most : r->span;
	r->span = r->span < 1 ? 1 : r->span;
	r->span = r->span > SPAN_MAX ? SPAN_MAX : r->span;
}

int
round_next(struct round *r, struct trace *t)
{
	r->at = r->n = 0;
	r->copied = r->copying;
	r->pinned = !r->copying;
	r->due = false;
	while (r->n == 0 && r->nstreams && r->base < r->bound) {
		bool cut = r->bound - r->base < (uint64_t)r->span;
		int64_t span = cut ? (int64_t)(r->bound - r->base) : r->span;
		struct scan x = { .limit = r->base + (uint64_t)span, .last = UINT64_MAX, .next = UINT64_MAX };
		int rc = decode_all(r, &x, t);
		if (rc < 0)
			return rc;
		if (x.due) {
			take_back(r, t, r->n);
			r->due = true;
			return ROUND_DUE;
		}
		if (x.full && span > 1) {
			take_back(r, t, r->n);
			r->span = span / 2;
			continue;
		}
		if (r->n && r->events[0].stream != r->events[r->n - 1].stream)
			sort(r, 64 - (unsigned)__builtin_clzll((uint64_t)span));
		uint32_t n = r->n;
		while (n && r->base + (r->keys[n - 1] >> ROUND_INDEX_BITS) > x.last)
			n--;
		if (x.last == UINT64_MAX && n)
			adapt(r, span);
		take_back(r, t, r->n - n);
		r->base = x.next;
		r->due = x.last != UINT64_MAX;
	}
	for (uint32_t i = 0; i < ROUND_PEEK && r->n; i++)
		r->keys[r->n + i] = r->keys[r->n - 1];
	return r->n != 0;
}

void
round_swap(struct round *a, struct round *b)
{
	const size_t size = offsetof(struct round, copying);
	struct round was = *a;
	memcpy(a, b, size);
	memcpy(b, &was, size);
}

struct place
round_place(const struct round *r, const struct stream *s, const struct event *ev)
{
	if (!r->copied || ev < r->events || ev > r->events + r->cap)
		return stream_place(s, ev);
	return stream_place_at(s, ev, r->copies[ev - r->events].offset); /* its stream may be further on */
}
