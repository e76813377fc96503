/* SPDX-License-Identifier: MIT */
#ifndef MERGE_H
#define MERGE_H

/* merge: one ordered sequence out of many streams.
 *
 * Order is (clock, rank). The rank is the position of the stream in path order, so
 * equal clocks never depend on history. A tree of losers keeps the keys: the winner is
 * replaced in ceil(log2 n) comparisons, and not at all while it stays below the
 * runner-up. Defined in doc/format/trace.md, "Order". */

#include "trace.h"

struct merge_key {
	int64_t clock;
	uint32_t rank;
};

struct merge {
	struct trace *trace;
	struct event *events;     /* the current event of each stream */
	struct merge_key *losers; /* inner nodes of the tree; [0] is the winner */
	uint32_t nleaves;         /* power of two, at least the number of streams */
	int64_t limit;            /* the winner stays while its clock is below */
	bool started;
};

/* Loads the first event of every stream, and checks that they start within an hour.
 * Memory comes from the arena of the trace. Returns 0, or <0 (reported). */
int merge_init(struct merge *m, struct trace *t);

/* Take the next event.
 *   ev        out; borrowed, valid until the next call
 *   ev->clock ns, stream offset applied
 * Returns 1 event, 0 end of trace, <0 error (already reported with its place); after an
 * error it may not be called again. O(log nstreams), no allocation. */
int merge_next(struct merge *m, struct event **ev);

#endif
