/* SPDX-License-Identifier: MIT */
#ifndef ROUND_H
#define ROUND_H

/* round: many events of all streams at a time, in order.
 *
 * Streams whose windows hold events as in wire.h need no tree: all events up to an instant are decoded, stream by stream, and a
 * radix sort of their clocks puts them in order. An event costs the same whatever the number of streams, as the instant is
 * moved so that a round has a few thousand of them. What cannot be decoded at once (a window that ends, a clock that goes
 * back, a stream that is cut) ends the round behind the event before it, so that it is found when it is due. */

#include "trace.h"

enum {
	ROUND_INDEX_BITS = 16,
	ROUND_PAYLOAD = 16, /* bytes at most, but of jumbo events */
	ROUND_DUE = 2,
	ROUND_PEEK = 13, /* events that can be seen before they are taken */
};

/* What the window of a stream would tell of an event, when the stream has been read on. */
struct round_copy {
	uint8_t payload[ROUND_PAYLOAD];
	uint64_t offset; /* of the event in its stream */
};

struct round {
	struct event *events;      /* decoded, stream by stream; room for one more */
	uint64_t *keys;            /* in order: clock from `base` on, above the index of the event; the last one also ROUND_PEEK times behind it */
	uint32_t at, n;            /* the next key, and how many there are */
	struct round_copy *copies; /* by index of the event; NULL: there is no memory for them */
	bool copied;               /* payloads are there. If not, all are in the windows of streams, which must stay as they are until the next round */
	bool pinned;               /* some payload is in a window: all if they are not copied, or those that are too large */

	/* Of the rounds to come. */
	bool copying;      /* they will be copied */
	bool looks;        /* nothing is done that may fail: round_next() may return ROUND_DUE, */
	bool due;          /* and would for the next round */
	uint64_t *spare;   /* the other half of each pass of the sort */
	uint32_t cap;      /* room for events */
	uint32_t target;   /* events that a round should have */
	uint64_t base;     /* no event that is left has a lower clock, */
	uint64_t bound;    /* and none from this one on is decoded: UINT64_MAX at first */
	int64_t span;      /* length of a round, ns */
	uint32_t *streams; /* ranks of those that have not ended, ascending: none at first */
	uint32_t nstreams;
};

/* Whether the streams of the trace can be read in rounds. */
bool round_is(const struct trace *t);

/* Makes room for rounds of n streams of the trace. The first event will be at `base`. Memory comes from the
 * arena of the trace. Returns 0, or <0 (reported). */
int round_init(struct round *r, struct trace *t, uint32_t n, int64_t base);

/* Makes room for copies in a round, and for events where it has none. Returns 0, or <0 (reported). */
int round_add_copies(struct round *r, struct trace *t);

/* Decodes the next round, of r->streams. Returns 1 it has events, 0 none is left below the bound, <0 (reported); ROUND_DUE: more
 * is to be done than looking, and streams are where they were. */
int round_next(struct round *r, struct trace *t);

/* Swaps the events of two rounds, but not what is of those to come. */
void round_swap(struct round *a, struct round *b);

/* Where an event is, that the round has given last, for messages. Looks at no stream that may be further on. */
struct place round_place(const struct round *r, const struct stream *s, const struct event *ev);

/* The event that round_take() gives after so many others, less than ROUND_PEEK, or the last one. There must be events in the round. */
static inline struct event *
round_peek(const struct round *r, uint32_t behind)
{
	return &r->events[r->keys[r->at + behind] & ((1u << ROUND_INDEX_BITS) - 1)];
}

/* Takes the next event of the round, which has one. It is valid until the next round. */
static inline struct event *
round_take(struct round *r)
{
	return &r->events[r->keys[r->at++] & ((1u << ROUND_INDEX_BITS) - 1)];
}

#endif
