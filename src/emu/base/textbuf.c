/* SPDX-License-Identifier: MIT */
#include "textbuf.h"

#include "arena.h"

int
textbuf_init(struct textbuf *t)
{
	*t = (struct textbuf){ .data = block_alloc(TEXTBUF_SIZE), .size = TEXTBUF_SIZE };
	return t->data ? 0 : -1;
}

void
textbuf_grow(struct textbuf *t)
{
	char *data = t->failed ? NULL : block_resize(t->data, t->size * 2);
	if (!data) {
		t->failed = true;
		t->used = 0;
		return;
	}
	t->data = data;
	t->size *= 2;
}

void
textbuf_finish(struct textbuf *t)
{
	block_free(t->data);
	*t = (struct textbuf){ 0 };
}
