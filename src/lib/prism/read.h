/* SPDX-License-Identifier: MIT */
#ifndef PRISM_READ_H
#define PRISM_READ_H

/* read: reads the events of a stream from the bytes of its file, which the caller brings:
 * buffers, End events, and the place of each event. */

#include "prism.h"

/* An event, and where it is. */
struct prism_record {
	struct prism_event ev;
	uint64_t seq;    /* events of the stream before it, Config and End included */
	uint64_t offset; /* bytes, in the file */
	uint64_t clock_ns;
	bool brief; /* it enters a function, and returns too soon to be shown */
};

struct prismread {
	struct prism_state state;
	uint64_t buffer_size; /* 0: one run up to the first End */
	uint64_t offset;      /* in the file, of the next byte */
	uint64_t at;          /* of the last event */
	uint64_t seq;         /* events given, Config and End included */
	uint64_t left;        /* bytes up to the end of the buffer; without buffers all there can be */
	bool closed;          /* behind an End: the rest of the buffer, or of the file, holds no events */
	bool ended;           /* the end of the stream was returned */
};

void prismread_begin(struct prismread *r, const struct prism_settings *settings, uint64_t buffer_size);

/* The next event of what starts with the n bytes at p; `last`: nothing is behind them. *used
 * bytes were read, which are not given again, also when there is no event. Returns 1 an
 * event (End too), 0 it needs more bytes, or the end of the stream (r->ended), <0 -code that
 * ends the stream, at r->at: in a lenient state too, for PB01, PB02, PB03, PB12 and PB16. Codes
 * that a lenient reader passes, and warnings, are in ev->issues, which counts also when 0 is
 * returned (PB14, and PB15 at r->at); kind and rest of ev mean nothing then. Behind the end
 * all bytes are used, and 0 is returned. */
int prismread_next(struct prismread *r, const uint8_t *p, size_t n, bool last, size_t *used, struct prism_event *ev);

/* Skips events of memory and compute that do not end the stream, and uses their bytes. Returns how many. */
uint64_t prismread_skip(struct prismread *r, const uint8_t *p, size_t n, size_t *used);

/* The next event, if it is one of memory or compute, whole, and nothing is wrong with it. Returns its bytes, which are not given
 * again; else 0, and prismread_next() is due, as if this had not been called. */
static inline size_t
prismread_quick(struct prismread *r, const uint8_t *p, size_t n, struct prism_event *ev)
{
	n = n < r->left ? n : (size_t)r->left;
	if (n == 0 || r->closed || r->ended || p[0] >> 5 > PRISM_COMP)
		return 0;
	ssize_t size = prism_decode(p, n, &r->state, ev);
	if (size <= 0 || ev->issues)
		return 0;
	r->at = r->offset;
	r->seq++;
	r->offset += (size_t)size;
	r->left -= (size_t)size;
	return (size_t)size;
}

#endif
