/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_PLAY_H
#define TOOL_LOOK_PLAY_H

/* play: a trace as its events, for tools that print or count them: stream by stream, or all in the
 * order of their clocks.
 *
 * Whatever is wrong is said once and the rest is used: metadata that is missing, a stream
 * that cannot be read (further), clocks that are negative or go back.
 *
 * As in the emulator an event waits until those before it in its stream are gone, and
 * equal clocks go by rank. But a clock may be lower than the one before, or negative. */

#include "filter.h"
#include "kway.h"
#include "kit/progress.h"
#include "tieheap.h"
#include "wire.h"

struct play_options {
	bool corrected;          /* add the clock offsets; otherwise the clocks are as written */
	const char *clock_table; /* adds those; NULL: of clock-offsets.txt of the trace, if it is there */
};

/* Rows of the table of options. */
#define PLAY_CORRECTED(o) 0, "corrected", NULL, "add the clock offsets of the hosts", CLI_FLAG, &(o)->corrected
#define PLAY_TABLE(o) 'c', "clock-offsets", "FILE", "the same, with the offsets of that file", CLI_TEXT, &(o)->clock_table

/* Opens the streams and says how many there are. `dir` is borrowed. Returns 0, or <0
 * (reported): there is nothing to look at. trace_close() is due in both cases. */
int play_open(struct trace *t, struct diag *d, const char *dir, const struct play_options *o);

/* Tells how far the streams have been read, when that is due. */
void play_progress(const struct trace *t, struct progress *p);

/* The next event of a stream, which may be any bytes: it wraps when the corrected clock does
 * not fit. 1 event, 0 the stream ends here; if it is damaged, it was reported. */
static inline int
play_load(struct stream *s, struct event *ev)
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
play_sees(const struct stream *s)
{
	return s->trace->format->wire && !s->failed && !s->drift;
}

struct play {
	struct trace *trace;
	struct event *events; /* the current one of each stream */
	struct kway order;    /* by clock and rank; until the first event by rank alone */
	struct tieheap heap;  /* instead, with the ties of ovni 1.14 */
	bool peer_ties;
	bool started;
	uint32_t current; /* the stream of the last event */

	/* Clocks that go back in their stream. */
	uint64_t nback;
	struct place back; /* the first */
	int64_t back_by;   /* ns */
};

/* Loads the first event of every stream; says which have none. Memory comes from the arena
 * of the trace. Returns 0, or <0 (reported). */
int play_init(struct play *p, struct trace *t, bool peer_ties);

/* Clock of the first event; 0 if there is none. */
int64_t play_start(const struct play *p);

/* Leaves out the streams that the filter does not take, before the first play_next(): until then
 * p->order has those with events by rank, and p->events their first ones. */
void play_filter(struct play *p, const struct filter *f);

/* The next event; borrowed until the next call. Damage has been reported: false is the end
 * in any case. O(log streams), no allocation. */
bool play_next(struct play *p, const struct event **ev);

/* Says what was noticed. */
void play_report(const struct play *p);

#endif
