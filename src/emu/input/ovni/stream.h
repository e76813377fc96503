/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OVNI_STREAM_H
#define INPUT_OVNI_STREAM_H

/* stream: the events of libovni out of the window of a stream, for who reads them all and
 * cannot afford a call for each. Bytes in wire.h. */

#include "trace.h"
#include "wire.h"

enum {
	/* How far ahead the bytes of a stream are asked for. With a thousand streams they
	 * have left the cache before the next event is due: 15 % of the run time. */
	RUNTIME_AHEAD = 128,
	RUNTIME_EVENT_MAX = WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX, /* bytes, unless it is jumbo */
};

/* The streams of the trace may be read with what is here. */
static inline bool
runtime_is(const struct trace *t)
{
	return t->format->wire && !t->undrifted;
}

/* Reads the event in front of the window, which is all there. */
static inline void
runtime_read(const struct stream *s, struct event *ev, uint64_t size)
{
	const uint8_t *p = s->in.p;
	__builtin_prefetch(p + RUNTIME_AHEAD);
	ev->clock = wire_i64(p + 4);
	ev->payload = p + WIRE_EVENT_HEADER;
	ev->size = (uint32_t)(size - WIRE_EVENT_HEADER);
	ev->length = (uint32_t)size;
	memcpy(ev->mcv, p + 1, 3);
	ev->jumbo = (p[0] & WIRE_JUMBO) != 0;
	ev->stream = s->rank;
}

/* The same, and goes behind it. */
static inline int
runtime_take(struct stream *s, struct event *ev, uint64_t size)
{
	runtime_read(s, ev, size);
	s->in.p += size;
	return 1;
}

/* An event that the window may not hold. 1 event, 0 end, <0 error (reported). */
int runtime_next_slow(struct stream *s, struct event *ev);

/* The member next of the format. */
static inline int
runtime_next(struct stream *s, struct event *ev)
{
	uint64_t have = (uint64_t)(s->in.end - s->in.p);
	if (__builtin_expect(have < RUNTIME_EVENT_MAX, 0))
		return runtime_next_slow(s, ev);
	uint64_t size = wire_event_size(s->in.p, RUNTIME_EVENT_MAX);
	if (__builtin_expect(size > have, 0))
		return runtime_next_slow(s, ev);
	return runtime_take(s, ev, size);
}

/* The event that runtime_next() will give, if it is in the window and no jumbo one; the stream
 * stays in front of it. */
static inline bool
runtime_view(const struct stream *s, struct event *ev)
{
	const uint8_t *p = s->in.p;
	if (s->in.end - p < RUNTIME_EVENT_MAX || p[0] & WIRE_JUMBO)
		return false;
	runtime_read(s, ev, wire_event_size(p, RUNTIME_EVENT_MAX));
	return true;
}

#endif
