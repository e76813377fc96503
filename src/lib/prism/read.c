/* SPDX-License-Identifier: MIT */
#include "read.h"

void
prismread_begin(struct prismread *r, const struct prism_settings *settings, uint64_t buffer_size)
{
	*r = (struct prismread){ .buffer_size = buffer_size, .left = buffer_size ? buffer_size : UINT64_MAX };
	prism_begin(&r->state, settings);
}

static void
pass(struct prismread *r, size_t n, size_t *used)
{
	r->offset += n;
	r->left -= n;
	*used += n;
}

static int
end(struct prismread *r, int code)
{
	r->at = r->offset;
	r->ended = true;
	return -code;
}

/* Skips bytes behind an End, or behind the end of the stream. Returns whether an event may
 * follow. */
static bool
behind(struct prismread *r, size_t n, size_t *used, struct prism_event *ev, int *rc)
{
	*rc = 0;
	if (r->ended) {
		r->offset += n;
		*used = n;
		return false;
	}
	if (r->closed && r->buffer_size == 0) {
		if (n == 0)
			return true;
		ev->issues = 1U << PRISM_PB15;
		*rc = end(r, r->state.lenient ? 0 : PRISM_PB15);
		if (r->state.lenient) {
			r->offset += n;
			*used = n;
		}
		return false;
	}
	if (r->closed)
		pass(r, n < r->left ? n : (size_t)r->left, used);
	if (r->left == 0 && *used < n) {
		r->left = r->buffer_size;
		r->closed = false;
	}
	return true;
}

int
prismread_next(struct prismread *r, const uint8_t *p, size_t n, bool last, size_t *used, struct prism_event *ev)
{
	*used = 0;
	if (r->closed || r->ended || r->left == 0) {
		int rc;
		ev->issues = 0;
		if (!behind(r, n, used, ev, &rc))
			return rc;
		/* p may be NULL when n is 0. */
		p = *used ? p + *used : p;
		n -= *used;
	}
	size_t most = n < r->left ? n : (size_t)r->left;
	ssize_t size = prism_decode(p, most, &r->state, ev);
	if (size > 0) {
		r->at = r->offset;
		r->seq++;
		r->closed = ev->kind == PRISM_END;
		pass(r, (size_t)size, used);
		return 1;
	}
	if (size < 0)
		return end(r, (int)-size);
	ev->issues = 0;
	if (n && most == r->left)
		return end(r, PRISM_PB16);
	if (!last)
		return 0;
	if (n)
		return end(r, PRISM_PB01);
	if (!r->closed)
		ev->issues = 1U << PRISM_PB14;
	return end(r, 0);
}

/* Bytes of an event of memory or compute, as far as its first `size` ones tell. */
static inline size_t
size_of(const struct prism_state *st, const uint8_t *p, unsigned kind, size_t size)
{
	if (!(st->seen[kind].has & PRISM_HAS_ARGS))
		return size;
	return size + 1 + (st->layout == PRISM_PACKED ? p[1] & 3 : p[size - 1] >> 6);
}

uint64_t
prismread_skip(struct prismread *r, const uint8_t *p, size_t n, size_t *used)
{
	const struct prism_state *st = &r->state;
	uint64_t events = 0;
	size_t at = 0;
	*used = 0;
	n = r->closed || r->ended ? 0 : n < r->left ? n
						    : (size_t)r->left;
	while (at < n) {
		unsigned kind = p[at] >> 5;
		unsigned b = p[at] & 0x1f;
		if (kind > PRISM_COMP || b >= 0x18 || b & st->seen[kind].off)
			break;
		size_t size = st->seen[kind].size;
		if (n - at < size || n - at < (size = size_of(st, p + at, kind, size)))
			break;
		at += size;
		events++;
	}
	r->seq += events;
	r->offset += at;
	r->left -= at;
	*used = at;
	return events;
}
