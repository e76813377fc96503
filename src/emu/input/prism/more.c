/* SPDX-License-Identifier: MIT */
/* more: the events that a model takes from its stream itself, in place of one from the merge each. */
#include "parts.h"

/* Time before which the stream is the next, as the events of the others that are next are known. */
static uint64_t
find_limit(const struct prism *p, uint32_t n)
{
	uint64_t limit = INT64_MAX;
	for (uint32_t i = 0; i < p->nstreams; i++) {
		const struct prism_stream *s = &p->streams[i];
		uint64_t clock = s->file.rec.clock_ns + (i > n); /* of two at a time it is the first stream */
		if (i != n && s->phase != PRISM_ENDED && clock < limit)
			limit = clock;
	}
	return limit;
}

bool
prism_has_more(struct prism *p, uint32_t n)
{
	struct prism_stream *s = &p->streams[n];
	bool again = p->last == n; /* most events of streams that take turns would look at all of them in vain */
	p->last = n;
	if (!again || !p->trace->unwatched || s->phase != PRISM_READING || s->file.time.mode == PRISM_CLOCK_TIMESTAMPS)
		return false;
	s->limit = find_limit(p, n);
	s->tick_ns = s->file.time.mode == PRISM_CLOCK_EVENT ? s->file.time.tick_ns : 0;
	return s->file.time.next < s->limit;
}

bool
prism_more(struct prism *p, uint32_t n)
{
	struct prism_stream *s = &p->streams[n];
	struct prism_file *f = &s->file;
	struct reader *r = f->bytes;
	size_t size = f->time.next < s->limit ? prismread_quick(&f->in, r->p, (size_t)(r->end - r->p), &f->rec.ev) : 0;
	if (size == 0)
		return false;
	r->p += size;
	f->time.now = f->time.next;
	f->time.next += s->tick_ns;
	f->rec.seq = f->in.seq - 1;
	f->rec.offset = f->in.at;
	f->rec.clock_ns = f->time.now;
	p->trace->nmore++;
	return true;
}
