/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_LOOSE_H
#define TOOL_LOOK_LOOSE_H

/* loose: a trace as its events, for tools that print, count or sort them.
 *
 * Whatever is wrong is said once and the rest is used: metadata that is missing, a stream
 * that cannot be read (further), clocks that are negative or go back. */

#include "kit/cli.h"
#include "kit/progress.h"
#include "trace.h"
#include "wire.h"

struct loose_options {
	bool corrected;          /* add the clock offsets; otherwise the clocks are as written */
	const char *clock_table; /* adds those; NULL: of clock-offsets.txt of the trace, if it is there */
};

/* Rows of the table of options. */
#define LOOSE_CORRECTED(o) 0, "corrected", NULL, "add the clock offsets of the hosts", CLI_FLAG, &(o)->corrected
#define LOOSE_TABLE(o) 'c', "clock-offsets", "FILE", "the same, with the offsets of that file", CLI_TEXT, &(o)->clock_table

/* Opens the streams and says how many there are. `dir` is borrowed. Returns 0, or <0
 * (reported): there is nothing to look at. trace_close() is due in both cases. */
int loose_open(struct trace *t, struct diag *d, const char *dir, const struct loose_options *o);

/* Tells how far the streams have been read, when that is due. */
void loose_progress(const struct trace *t, struct progress *p);

/* The next event of a stream, which may be any bytes: it wraps when the corrected clock does
 * not fit. 1 event, 0 the stream ends here; if it is damaged, it was reported. */
static inline int
loose_next(struct stream *s, struct event *ev)
{
	if (__builtin_expect(s->failed, 0))
		return 0;
	int rc = s->trace->format->next(s, ev);
	if (__builtin_expect(rc <= 0, 0)) {
		if (rc < 0)
			stream_fail(s);
		return 0;
	}
	stream_describe(s, ev);
	ev->clock = (int64_t)((uint64_t)ev->clock + (uint64_t)s->clock_offset);
	return 1;
}

/* Whether the events in s->in, from p to end, may be taken there, as wire.h has them, and all
 * clocks have the same offset. */
static inline bool
loose_sees(const struct stream *s)
{
	return s->trace->format->wire && !s->failed && !s->drift;
}

#endif
