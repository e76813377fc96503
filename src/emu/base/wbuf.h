/* SPDX-License-Identifier: MIT */
#ifndef WBUF_H
#define WBUF_H

/* wbuf: buffered output to one file.
 *
 * The first failure is kept and every later call is a no-op, so that only
 * wbuf_close() need be checked; wbuf_failed() lets a long job stop early. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	WBUF_SIZE = 64 * 1024,
	WBUF_RESERVE_MAX = 4096, /* most that one wbuf_reserve() may ask for */
};

struct wbuf {
	int fd;
	int error;        /* errno of the first failure, 0 if none */
	size_t used;      /* bytes in data */
	uint64_t written; /* bytes that reached the file */
	const char *path; /* borrowed from the caller until closed */
	char *data;
	bool spaced; /* jsonout.h puts a blank behind commas and colons */
};

/* Creates or truncates the file at path. The path is borrowed until wbuf_close().
 * Returns 0, or -errno. */
int wbuf_open(struct wbuf *w, const char *path);

/* Opens a file that is there, as it is. Returns 0, or -errno. */
int wbuf_join(struct wbuf *w, const char *path);

/* Writes to an open descriptor, which wbuf_close() closes; `path` is its name in messages.
 * Returns 0, or -errno. */
int wbuf_attach(struct wbuf *w, int fd, const char *path);

/* Writes what is buffered but for the begin of a page of the file, so that the kernel has no page to fill twice. */
void wbuf_drain(struct wbuf *w);

/* Writes what is buffered. Returns 0, or -errno of the first failure. */
int wbuf_flush(struct wbuf *w);

/* Writes what is buffered, then these bytes, which are not copied. Returns as wbuf_flush(). */
int wbuf_pass(struct wbuf *w, const void *bytes, size_t n);

/* Room for n <= WBUF_RESERVE_MAX bytes; give back the end with wbuf_commit().
 * Never NULL: after a failure the bytes go nowhere. */
static inline char *
wbuf_reserve(struct wbuf *w, size_t n)
{
	if (w->used + n > WBUF_SIZE)
		wbuf_drain(w);
	return w->data + w->used;
}

static inline void
wbuf_commit(struct wbuf *w, const char *end)
{
	w->used = (size_t)(end - w->data);
}

void wbuf_put(struct wbuf *w, const void *bytes, size_t n);
void wbuf_printf(struct wbuf *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes n bytes at `offset` of the file, of which nothing must be buffered; also after a
 * failure, as it needs no space where there are some. */
void wbuf_patch(struct wbuf *w, uint64_t offset, const void *bytes, size_t n);

/* Makes the output end at `size`, which is not behind its end, and goes on from there; a failure stays. */
void wbuf_cut(struct wbuf *w, uint64_t size);

/* After a failed write: cuts the file behind the last `mark` that reached it, looking
 * back one buffer, so that no torn line is left. The failure stays. */
void wbuf_trim(struct wbuf *w, char mark);

/* Fails, as if a write had. */
static inline void
wbuf_fail(struct wbuf *w, int error)
{
	w->error = w->error ? w->error : error;
}

static inline bool
wbuf_failed(const struct wbuf *w)
{
	return w->error != 0;
}

/* Flushes, closes and frees. Returns 0 when every byte reached the file, else -errno of
 * the first failure. Accepts a zeroed struct. */
int wbuf_close(struct wbuf *w);

#endif
