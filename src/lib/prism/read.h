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

#endif
