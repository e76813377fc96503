/* SPDX-License-Identifier: MIT */
#include "framecursor.h"

enum { FRAME_HEADER_MAX = LEB_MAX + 6 };

int
framecursor_bad(const struct framein *f, const char *why)
{
	(void)status_set(&f->blob.r->error, USCOPE_E_FRAME, f->index, blob_offset(&f->blob), "%s", why);
	f->blob.r->error.raw_offset = true;
	return f->blob.r->error.status;
}

int
framecursor_peek(struct framein *f, struct framecursor *c, size_t n)
{
	f->blob.p = c->p;
	int status = blob_more(&f->blob, n);
	*c = (struct framecursor){ f->blob.p, f->blob.end };
	return status;
}

int
framecursor_begin(struct framein *f, struct framecursor *c)
{
	if ((size_t)(c->end - c->p) < FRAME_HEADER_MAX) {
		int status = framecursor_peek(f, c, FRAME_HEADER_MAX);
		if (status)
			return status;
		if (c->p == c->end)
			return 0;
	}
	f->blob.p = c->p; /* for errors */
	uint64_t delta = 0;
	for (unsigned i = 0;; i++) {
		if (c->p == c->end)
			return framecursor_bad(f, "the time of the last frame is cut off");
		uint8_t byte = *c->p++;
		if (i == LEB_MAX - 1 && byte > 1)
			return framecursor_bad(f, "a time of more than 64 bits");
		delta |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			break;
	}
	if (delta > UINT64_MAX - f->time)
		return framecursor_bad(f, "a time past the end of the axis");
	f->time += delta;
	f->frames++;

	size_t n = f->interleaved ? 2 : 6;
	if ((size_t)(c->end - c->p) < n)
		return framecursor_bad(f, "the last frame is cut off");
	if (f->interleaved) {
		f->ops = load16(c->p);
		f->events = 0;
	} else {
		f->format = c->p[0];
		f->ops = load16(c->p + 2);
		f->events = load16(c->p + 4);
		if (f->format > FORMAT_COMPACT)
			return framecursor_bad(f, "operations of an unknown size");
		if (f->format == FORMAT_COMPACT && !f->compact)
			return framecursor_bad(f, "compact operations that the header does not announce");
	}
	c->p += n;
	return 1;
}

int
framecursor_event(struct framein *f, struct framecursor *c, uint16_t *type, uint32_t *size)
{
	int status = framecursor_need(f, c, EVENT_HEADER_SIZE);
	if (status)
		return status;
	f->blob.p = c->p;
	*type = load16(c->p + (f->interleaved ? 2 : 0));
	*size = load32(c->p + 4);
	if (*size > blob_left(&f->blob) - EVENT_HEADER_SIZE)
		return framecursor_bad(f, "the payload of an event passes the end");
	c->p += EVENT_HEADER_SIZE;
	return 0;
}

int
framecursor_skip(struct framein *f, struct framecursor *c, uint32_t size)
{
	if ((size_t)(c->end - c->p) >= size) {
		c->p += size;
		return 0;
	}
	f->blob.p = c->p;
	int status = blob_skip(&f->blob, size);
	*c = (struct framecursor){ f->blob.p, f->blob.end };
	return status;
}
