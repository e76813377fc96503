/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LOOK_PLAY_H
#define TOOL_LOOK_PLAY_H

/* play: the events of all streams in the order of their clocks, whatever the clocks are.
 *
 * As in the emulator an event waits until those before it in its stream are gone, and
 * equal clocks go by rank. But a clock may be lower than the one before, or negative. */

#include "loose.h"
#include "tieheap.h"

struct play_key {
	int64_t clock;
	uint32_t rank; /* UINT32_MAX: nothing is left there */
};

struct play {
	struct trace *trace;
	struct event *events;   /* the current one of each stream */
	struct play_key *tree;  /* losers of the inner nodes; [0] is the winner */
	struct play_key *first; /* of each stream */
	uint32_t nleaves;       /* power of two, at least the number of streams */
	bool started;
	bool peer_ties;
	struct tieheap heap; /* instead of the tree, with the ties of ovni 1.14 */
	uint32_t current;    /* the stream of the last event */

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

/* Takes a stream out, before the first play_next(). */
void play_drop(struct play *p, uint32_t rank);

/* The next event; borrowed until the next call. Damage has been reported: false is the end
 * in any case. O(log streams), no allocation. */
bool play_next(struct play *p, const struct event **ev);

/* Says what was noticed. */
void play_report(const struct play *p);

#endif
