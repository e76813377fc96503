/* SPDX-License-Identifier: MIT */
/* windows: streams of which only the last part is there, with what was open at its begin (OVNI_RING). */
#include "parts.h"

#include "wire.h"

#include <string.h>

/* The first clock of all streams, corrected. Returns 1, 0 there is none, or <0 (reported). */
static int
find_begin(struct trace *t, int64_t *begin)
{
	int any = 0;
	for (size_t i = 0; i < t->nstreams; i++) {
		struct stream *s = &t->streams[i];
		int rc = reader_fill(&s->in, WIRE_EVENT_HEADER);
		if (rc < 0)
			return rc;
		int64_t clock = rc ? wire_i64(s->in.p + 4) : 0;
		if (s->drift)
			return 0; /* its offset is not the same everywhere */
		if (rc == 0 || __builtin_add_overflow(clock, s->clock_offset, &clock) || clock < 0)
			continue;
		*begin = any && *begin < clock ? *begin : clock;
		any = 1;
	}
	return any;
}

/* Brings the events that concern the process to the begin of a stream, in front of the one that says that the
 * thread runs, and gives them an earlier clock: that of types is before that of tasks. */
static int
share(struct stream *s, int64_t begin)
{
	struct reader *r = &s->in;
	uint8_t first[WIRE_EVENT_HEADER + WIRE_PAYLOAD_MAX];
	int rc = reader_fill(r, (uint64_t)s->meta.shared + sizeof(first));
	if (rc < 0)
		return rc;
	/* The window is the reader's own memory. */
	uint8_t *p = r->buf + (r->p - r->buf);
	uint64_t have = (uint64_t)(r->end - p);
	uint64_t left = have < s->meta.shared ? have : s->meta.shared;
	if (have - left >= sizeof(first) && memcmp(p + 1, "OHx", 3) == 0 && wire_event_size(p, have) == sizeof(first)) {
		memcpy(first, p, sizeof(first));
		memmove(p, p + sizeof(first), left);
		memcpy(p + left, first, sizeof(first));
	}
	while (left) {
		uint64_t size = wire_event_size(p, left);
		int64_t clock, own = size ? wire_i64(p + 4) : 0;
		if (!size || size > left)
			break;
		if (!__builtin_sub_overflow(begin - (p[0] & WIRE_JUMBO ? 2 : 1), s->clock_offset, &clock) && clock < own && begin >= 2)
			memcpy(p + 4, &clock, sizeof(clock));
		p += size;
		left -= size;
	}
	return 0;
}

int
windows_share(struct trace *t)
{
	int64_t begin = 0;
	bool any = false;
	for (size_t i = 0; i < t->nstreams; i++)
		any = any || t->streams[i].meta.shared;
	int rc = any ? find_begin(t, &begin) : 0;
	for (size_t i = 0; i < t->nstreams && rc > 0; i++) {
		struct stream *s = &t->streams[i];
		int bad = s->meta.ring && s->meta.shared ? share(s, begin) : 0;
		rc = bad < 0 ? bad : rc;
	}
	return rc < 0 ? rc : 0;
}
