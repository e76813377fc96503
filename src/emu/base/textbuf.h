/* SPDX-License-Identifier: MIT */
#ifndef TEXTBUF_H
#define TEXTBUF_H

/* textbuf: text in memory, as long as it gets. When memory is exhausted what it held is lost, and what is added
 * goes nowhere: `failed` tells. */

#include <stdbool.h>
#include <stddef.h>

enum {
	TEXTBUF_SIZE = 64 * 1024, /* at first; most that textbuf_reserve() may ask for */
};

struct textbuf {
	char *data;
	size_t used, size;
	bool failed;
};

/* Returns 0, or -1 when memory is exhausted. */
int textbuf_init(struct textbuf *t);

/* Makes it twice as large. */
void textbuf_grow(struct textbuf *t);

/* Room for n bytes; give back the end with textbuf_commit(). Never NULL. */
static inline char *
textbuf_reserve(struct textbuf *t, size_t n)
{
	if (__builtin_expect(t->used + n > t->size, 0))
		textbuf_grow(t);
	return t->data + t->used;
}

static inline void
textbuf_commit(struct textbuf *t, const char *end)
{
	t->used = (size_t)(end - t->data);
}

/* Frees. Accepts a zeroed one, and leaves one. */
void textbuf_finish(struct textbuf *t);

#endif
