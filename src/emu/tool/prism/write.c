/* SPDX-License-Identifier: MIT */
#include "write.h"

void
ptwrite_begin(struct ptwrite *w, struct conv *c, const struct prism_settings *settings, uint64_t buffer_size)
{
	*w = (struct ptwrite){ .conv = c, .buffer_size = buffer_size, .left = buffer_size };
	prism_begin(&w->state, settings);
}

/* Fills the rest of the buffer with zeros, which no reader looks at. */
static void
pad(struct ptwrite *w)
{
	static const uint8_t zeros[4096];
	while (w->left > 0) {
		size_t n = w->left < sizeof(zeros) ? (size_t)w->left : sizeof(zeros);
		wbuf_put(&w->conv->out, zeros, n);
		w->left -= n;
	}
	w->left = w->buffer_size;
	w->closed = false;
}

static void
put(struct ptwrite *w, const uint8_t *bytes, size_t n)
{
	wbuf_put(&w->conv->out, bytes, n);
	if (w->buffer_size == 0)
		return;
	/* Only bytes that are no events are longer than what is left. */
	w->left = n <= w->left ? w->left - n : w->buffer_size - (n - w->left) % w->buffer_size;
}

int
ptwrite_event(struct ptwrite *w, const struct prism_event *ev)
{
	static const uint8_t end = PRISM_END << 5;
	uint8_t bytes[PRISM_EVENT_MAX];
	if (w->closed && w->buffer_size == 0)
		return -PRISM_PB15;
	ssize_t n = prism_encode(bytes, sizeof(bytes), &w->state, ev);
	if (n < 0)
		return (int)n;
	if (w->buffer_size) {
		if (w->closed)
			pad(w);
		/* There is always room for an End. */
		size_t want = (size_t)n + (ev->kind != PRISM_END);
		if (want > w->buffer_size)
			return -PRISM_PB16;
		if (want > w->left) {
			if (w->left)
				put(w, &end, 1);
			pad(w);
		}
	}
	put(w, bytes, (size_t)n);
	w->closed = ev->kind == PRISM_END;
	return 0;
}

void
ptwrite_bytes(struct ptwrite *w, const uint8_t *bytes, size_t n)
{
	if (w->closed && w->buffer_size)
		pad(w);
	put(w, bytes, n);
}
