/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_PLAY_H
#define TOOL_LOOK_PLAY_H

/* play: the events of all streams in the order of their clocks, whatever the clocks are.
 *
 * As in the emulator an event waits until those before it in its stream are gone, and
 * equal clocks go by rank. But a clock may be lower than the one before, or negative. */

#include "filter.h"
#include "kway.h"
#include "loose.h"
#include "tieheap.h"

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
