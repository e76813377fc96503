/* SPDX-License-Identifier: MIT */
#ifndef WINDOW_H
#define WINDOW_H

/* window: events out of the window of a stream that holds them as in wire.h, for readers of all
 * events, which cannot afford a call for each. */

#include "trace.h"
#include "wire.h"

enum {
	/* How far ahead the bytes of a stream are asked for. With a thousand streams they
	 * have left the cache before the next event is due: 15 % of the run time. */
	WINDOW_AHEAD = 128,
	WINDOW_EVENT_MAX = WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX, /* bytes, unless it is jumbo */
	WINDOW_CUT = 2,
};

/* Whether the streams of the trace may be read with what is here. */
static inline bool
window_is(const struct trace *t)
{
	return t->format->wire && !t->undrifted;
}

/* Reads an event of a stream at p, which is all there. */
static inline void
window_read(const uint8_t *p, uint32_t rank, uint64_t size, bool jumbo, struct event *ev)
{
	ev->clock = wire_i64(p + 4);
	ev->payload = p + WIRE_EVENT_HEADER;
	ev->size = (uint32_t)(size - WIRE_EVENT_HEADER);
	ev->length = (uint32_t)size;
	memcpy(ev->mcv, p + 1, 3);
	ev->jumbo = jumbo;
	ev->stream = rank;
}

/* Reads it and goes behind it. */
static inline int
window_take(struct stream *s, struct event *ev, uint64_t size)
{
	window_read(s->in.p, s->rank, size, s->in.p[0] & WIRE_JUMBO, ev);
	s->in.p += size;
	return 1;
}

/* Takes the next event if the window holds all of it. Returns whether it does. */
static inline bool
window_next(struct stream *s, struct event *ev)
{
	uint64_t have = (uint64_t)(s->in.end - s->in.p);
	if (__builtin_expect(have < WINDOW_EVENT_MAX, 0))
		return false;
	uint64_t size = wire_event_size(s->in.p, WINDOW_EVENT_MAX);
	if (__builtin_expect(size > have, 0))
		return false;
	return window_take(s, ev, size);
}

/* Reads the event that window_next() will give, if it is no jumbo one; the stream stays in front
 * of it. Returns whether there is one. */
static inline bool
window_view(const struct stream *s, struct event *ev)
{
	const uint8_t *p = s->in.p;
	if (s->in.end - p < WINDOW_EVENT_MAX || p[0] & WIRE_JUMBO)
		return false;
	__builtin_prefetch(p + WINDOW_AHEAD);
	window_read(p, s->rank, wire_event_size(p, WINDOW_EVENT_MAX), false, ev);
	return true;
}

/* Brings the next event into the window. Returns 1 and its size, 0 at the end of the stream,
 * WINDOW_CUT when the stream ends inside it (its size, or 0: that is not known), <0 (reported). */
int window_fill(struct stream *s, uint64_t *size);

#endif
