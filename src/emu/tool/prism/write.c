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

/* Whether the event holds a number, which it has not yet. */
static bool
lacks_number(const struct ptwrite *w, const struct prism_event *ev)
{
	return w->state.name_size && ev->kind == PRISM_CXT && (ev->cxt.has & PRISM_HAS_TYPE) && prism_cxt_is_named(ev->cxt.type) &&
		!(ev->cxt.has & PRISM_HAS_NUMBER) && (prism_detail_has(PRISM_CXT, w->state.detail[PRISM_CXT]) & PRISM_HAS_NAME);
}

/* Makes the event in *to, which has its number. Returns 0, or -PRISM_E_MEMORY. */
static int
add_number(struct ptwrite *w, const struct prism_event *ev, struct prism_event *to)
{
	bool named = (ev->cxt.has & PRISM_HAS_NAME) && ev->cxt.name_len;
	uint32_t len = !named ? 1 : ev->cxt.name_len < PRISM_NAME_MAX ? ev->cxt.name_len
								      : PRISM_NAME_MAX;
	*to = *ev;
	to->cxt.has |= PRISM_HAS_NUMBER;
	return ptnames_number(&w->names, &w->conv->beside[PTOOL_NAMES], named ? ev->cxt.name : "?", len, &to->cxt.id) ? 0 : -PRISM_E_MEMORY;
}

int
ptwrite_event(struct ptwrite *w, const struct prism_event *ev)
{
	static const uint8_t end = PRISM_END << 5;
	uint8_t bytes[PRISM_EVENT_MAX];
	struct prism_event numbered;
	if (w->closed && w->buffer_size == 0)
		return -PRISM_PB15;
	if (lacks_number(w, ev)) {
		int rc = add_number(w, ev, &numbered);
		if (rc < 0)
			return rc;
		ev = &numbered;
	}
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

void
ptwrite_finish(struct ptwrite *w)
{
	ptnames_finish(&w->names);
}
