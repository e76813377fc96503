/* SPDX-License-Identifier: MIT */
#ifndef MERGE_H
#define MERGE_H

/* merge: one ordered sequence out of many streams.
 *
 * Order is (clock, rank). The rank is the position of the stream in path order, so
 * equal clocks never depend on history; only --compat follows the peer there. Defined in doc/format/trace.md, "Order".
 *
 * A tree of losers holds a key for each stream; the winner is replaced in ceil(log2 n)
 * comparisons, and not at all while it stays below the runner-up. A key is one integer:
 * the clock from a base on, above the rank. A clock too far ahead of the base does not
 * fit: its key waits at the top of the range, and when it wins the base moves. */

#include "round.h"
#include "tieheap.h"
#include "trace.h"

struct merge {
	struct round round;
	bool rounds; /* all is read in rounds: only merge_init() uses what follows */
	struct trace *trace;
	/* Puts the next round in the place of that one, as round_next(), out of those that were read ahead. NULL: none are. */
	int (*fetch)(void *arg, struct round *r);
	void *fetch_arg;
	struct event *events; /* the next event of each stream */
	struct event given;   /* the last one, whose stream may have told of its next already */
	uint64_t *losers;     /* keys of the inner nodes of the tree; [0] is the winner */
	uint64_t *leaves;     /* scratch, to build the tree from */
	uint32_t nleaves;     /* power of two, at least the number of streams */
	unsigned bits;        /* of the rank in a key, */
	uint64_t mask;        /* and all of them set */
	uint64_t far;         /* keys from here on are of clocks that do not fit */
	int64_t base;         /* clock 0 of the keys */
	uint64_t runner_up;   /* the winner stays while its key is below */
	bool started;
	bool window;         /* the streams are read with window.h: too many compressed ones for rounds */
	bool ahead;          /* the next event of the current stream is there, and its key in place */
	struct tieheap heap; /* instead of all that, with the ties of the peer */
	uint32_t current;    /* the stream it gave last */
};

/* Loads the first event of every stream, and checks that they start within an hour.
 * Memory comes from the arena of the trace. Returns 0, or <0 (reported). */
int merge_init(struct merge *m, struct trace *t);

/* Clock of the first event, ns; 0 if there is none. Before any merge_next(). */
int64_t merge_start(const struct merge *m);

/* As merge_next(), when the events of a round are given. */
int merge_more(struct merge *m, struct event **ev);

/* Take the next event.
 *   ev        out; borrowed, valid until the next call
 *   ev->clock ns, stream offset applied
 * Returns 1 event, 0 end of trace, <0 error (already reported with its place); after an
 * error it may not be called again. O(log nstreams), no allocation. */
static inline int
merge_next(struct merge *m, struct event **ev)
{
	if (__builtin_expect(m->round.at == m->round.n, 0))
		return merge_more(m, ev);
	*ev = round_take(&m->round);
	return 1;
}

#endif
