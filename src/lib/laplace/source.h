/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_SOURCE_H
#define LAPLACE_SOURCE_H

/* source: bytes of a file, or of any callback, through a small window. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LAPSOURCE_WINDOW = 256 * 1024,
	LAPSOURCE_SLACK = 64, /* readable bytes behind the end: zeros */
};

/* Source of bytes. */
struct lap_input {
	/* Up to n bytes; 0 at the end, or -errno. NULL: the descriptor fd is read. */
	ptrdiff_t (*read)(void *self, void *buf, size_t n);
	void *self;
	const char *const *why; /* NULL, or the place of a text: of the failure that read() returned, if it is not that of errno */
	int fd;                 /* not closed */
};

struct lapsource {
	const uint8_t *p; /* bytes that are ready: the caller consumes by moving p */
	const uint8_t *end;
	uint8_t *buf;
	struct lap_input input;
	uint64_t base; /* offset of buf[0] */
	int error;     /* errno of a read that failed */
	bool eof;
};

/* Returns 0 or -LAP_E_MEMORY. */
int lapsource_open(struct lapsource *s, const struct lap_input *input);

/* Reads once, behind what is there; s->p moves. Returns 1: there is more, 0: the input ends, or the window is
 * full, -LAP_E_IO. */
int lapsource_more(struct lapsource *s);

/* Makes `want` bytes (at most half the window) available from s->p on, which moves. Returns
 * 1 they are there, 0 the input ends before (what is left is there), -LAP_E_IO. */
int lapsource_fill(struct lapsource *s, size_t want);

/* Frees. Accepts a zeroed struct. */
void lapsource_close(struct lapsource *s);

static inline uint64_t
lapsource_offset(const struct lapsource *s)
{
	return s->base + (uint64_t)(s->p - s->buf);
}

#endif
