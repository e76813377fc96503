/* SPDX-License-Identifier: MIT */
#include "wbuf.h"

#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int
open_file(struct wbuf *w, const char *path, int flags)
{
	*w = (struct wbuf){ .fd = -1, .path = path };
	w->data = block_alloc(WBUF_SIZE);
	if (!w->data)
		return -ENOMEM;
	w->fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);
	if (w->fd < 0) {
		int rc = -errno;
		block_free(w->data);
		*w = (struct wbuf){ 0 };
		return rc;
	}
	return 0;
}

int
wbuf_open(struct wbuf *w, const char *path)
{
	return open_file(w, path, O_CREAT | O_TRUNC);
}

int
wbuf_join(struct wbuf *w, const char *path)
{
	return open_file(w, path, 0);
}

int
wbuf_attach(struct wbuf *w, int fd, const char *path)
{
	*w = (struct wbuf){ .fd = fd, .path = path };
	w->data = block_alloc(WBUF_SIZE);
	return w->data ? 0 : -ENOMEM;
}

enum {
	PAGE = 4096,
};

/* Writes all of it, at `offset` or at the end of what was written (offset < 0). */
static void
write_all(struct wbuf *w, const char *p, size_t n, off_t offset)
{
	int before = w->error;
	if (offset >= 0)
		w->error = 0;
	while (n && !w->error) {
		ssize_t k = offset < 0 ? write(w->fd, p, n) : pwrite(w->fd, p, n, offset);
		if (k < 0) {
			if (errno != EINTR)
				w->error = errno;
			continue;
		}
		if (k == 0) {
			w->error = ENOSPC;
			break;
		}
		p += k;
		n -= (size_t)k;
		if (offset < 0)
			w->written += (uint64_t)k;
		else
			offset += k;
	}
	if (before)
		w->error = before;
}

void
wbuf_drain(struct wbuf *w)
{
	size_t n = (size_t)((w->written + w->used) % PAGE);
	n = n < w->used ? n : 0;
	write_all(w, w->data, w->used - n, -1);
	if (n)
		memmove(w->data, w->data + w->used - n, n);
	w->used = n;
}

int
wbuf_flush(struct wbuf *w)
{
	write_all(w, w->data, w->used, -1);
	w->used = 0;
	return -w->error;
}

int
wbuf_pass(struct wbuf *w, const void *bytes, size_t n)
{
	if (wbuf_flush(w) == 0)
		write_all(w, bytes, n, -1);
	return -w->error;
}

enum {
	SHORT_MAX = 32,
};

/* Two moves that may overlap. A memcpy() of a bounded length becomes `rep movs` here, which
 * takes ten times as long to begin as most texts take to copy. */
static void
copy_short(char *to, const char *p, size_t n)
{
	if (n >= 16) {
		memcpy(to, p, 16);
		memcpy(to + n - 16, p + n - 16, 16);
	} else if (n >= 8) {
		memcpy(to, p, 8);
		memcpy(to + n - 8, p + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, p, 4);
		memcpy(to + n - 4, p + n - 4, 4);
	} else if (n) {
		to[0] = p[0];
		to[n / 2] = p[n / 2];
		to[n - 1] = p[n - 1];
	}
}

void
wbuf_put(struct wbuf *w, const void *bytes, size_t n)
{
	const char *p = bytes;
	if (n <= SHORT_MAX) {
		char *to = wbuf_reserve(w, n);
		copy_short(to, p, n);
		wbuf_commit(w, to + n);
		return;
	}
	while (n) {
		size_t k = n < WBUF_RESERVE_MAX ? n : WBUF_RESERVE_MAX;
		char *to = wbuf_reserve(w, k);
		memcpy(to, p, k);
		wbuf_commit(w, to + k);
		p += k;
		n -= k;
	}
}

void
wbuf_printf(struct wbuf *w, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	char *to = wbuf_reserve(w, WBUF_RESERVE_MAX);
	int n = vsnprintf(to, WBUF_RESERVE_MAX, fmt, ap);
	va_end(ap);
	if (n < 0) {
		wbuf_fail(w, EINVAL);
	} else if ((size_t)n < WBUF_RESERVE_MAX) {
		wbuf_commit(w, to + n);
	} else { /* rare: a very long label */
		char *big = block_alloc((size_t)n + 1);
		if (!big) {
			wbuf_fail(w, ENOMEM);
		} else {
			(void)vsnprintf(big, (size_t)n + 1, fmt, again);
			wbuf_put(w, big, (size_t)n);
			block_free(big);
		}
	}
	va_end(again);
}

void
wbuf_patch(struct wbuf *w, uint64_t offset, const void *bytes, size_t n)
{
	write_all(w, bytes, n, (off_t)offset);
}

void
wbuf_cut(struct wbuf *w, uint64_t size)
{
	if (size >= w->written) {
		w->used = (size_t)(size - w->written);
		return;
	}
	w->used = 0;
	w->written = size;
	/* A failure to cut leaves what was there: the error is reported in any case. */
	if (ftruncate(w->fd, (off_t)size) != 0 || lseek(w->fd, (off_t)size, SEEK_SET) < 0)
		wbuf_fail(w, errno);
}

void
wbuf_trim(struct wbuf *w, char mark)
{
	size_t n = w->written < WBUF_SIZE ? (size_t)w->written : WBUF_SIZE;
	uint64_t from = w->written - n;
	if (pread(w->fd, w->data, n, (off_t)from) != (ssize_t)n)
		return;
	const char *last = memrchr(w->data, mark, n);
	if (last)
		wbuf_cut(w, from + (uint64_t)(last + 1 - w->data));
}

int
wbuf_close(struct wbuf *w)
{
	if (!w->data)
		return 0;
	(void)wbuf_flush(w);
	if (close(w->fd) != 0 && !w->error)
		w->error = errno;
	int rc = -w->error;
	block_free(w->data);
	*w = (struct wbuf){ 0 };
	return rc;
}
