/* SPDX-License-Identifier: MIT */
/* bytes: a file by place and piece by piece. All of the reader stands on it. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int
reader_read(struct uscope_reader *r, uint64_t offset, void *to, size_t n)
{
	uint8_t *p = to;
	while (n > 0) {
		ssize_t k = offset > INT64_MAX ? 0 : pread(r->fd, p, n, (off_t)offset);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return status_set(&r->error, USCOPE_E_IO, NO_SEGMENT, offset, "cannot read: %s", strerror(errno));
		if (k == 0)
			return status_set(&r->error, USCOPE_E_TRUNCATED, NO_SEGMENT, offset, "the file has become shorter");
		p += k;
		n -= (size_t)k;
		offset += (uint64_t)k;
	}
	return 0;
}

bool
reader_room(void *buf, size_t *cap, size_t n)
{
	void **p = buf;
	if (n <= *cap)
		return true;
	free(*p);
	*p = malloc(n);
	*cap = *p ? n : 0;
	return *p != NULL;
}

int
reader_text(struct uscope_reader *r, struct text *t, uint64_t offset, uint32_t n, const char *what, uint64_t at)
{
	if (n > TEXT_MAX)
		return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, at, "a %s of %u bytes", what, n);
	if (!reader_room(&t->text, &t->cap, (size_t)n + 1))
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, at, "out of memory");
	t->text[n] = '\0';
	return reader_read(r, offset, t->text, n);
}

void
window_open(struct window *w, struct uscope_reader *r, uint64_t offset, uint64_t size)
{
	w->r = r;
	w->offset = offset;
	w->end = offset + size;
	w->pos = w->n = 0;
	w->status = 0;
}

uint64_t
window_left(const struct window *w)
{
	return w->end - w->offset - w->pos;
}

void
window_skip(struct window *w, uint64_t n)
{
	if (n <= w->n - w->pos) {
		w->pos += (size_t)n;
		return;
	}
	w->offset += w->pos + n;
	w->pos = w->n = 0;
}

const uint8_t *
window_next(struct window *w, size_t n)
{
	if (w->status || n > window_left(w))
		return NULL;
	if (n > w->n - w->pos) {
		w->offset += w->pos;
		w->pos = w->n = 0;
		uint64_t left = w->end - w->offset;
		size_t k = left < sizeof(w->buf) ? (size_t)left : sizeof(w->buf);
		w->status = reader_read(w->r, w->offset, w->buf, k);
		if (w->status)
			return NULL;
		w->n = k;
	}
	w->pos += n;
	return w->buf + w->pos - n;
}

int
window_copy(struct window *w, void *to, size_t n)
{
	uint8_t *q = to;
	while (n > 0) {
		size_t k = n < READ_WINDOW ? n : READ_WINDOW;
		const uint8_t *p = window_next(w, k);
		if (!p)
			break; /* cannot be read, as the range has so many */
		memcpy(q, p, k);
		q += k;
		n -= k;
	}
	return w->status;
}
