/* SPDX-License-Identifier: MIT */
#ifndef FLOWING_H
#define FLOWING_H

/* flowing: what flow, lanes and presses know of each other. */

#include "flow.h"
#include "lane.h"
#include "press.h"

/* A sink. */
struct station {
	const struct sink_ops *ops;
	void *self;
	bool opened;
	bool takes; /* records, as one of these */
	struct lane lane;
	struct press press;
};

/* Chunks are counted from 0; number n is in the ring at n % nchunks. */
struct flow {
	struct diag *diag;
	struct pick *pick; /* what is done to records before the sinks get them; NULL: nothing */
	struct station stations[FLOW_SINKS_MAX];
	size_t nstations;
	struct chunk **ring;
	unsigned nchunks;
	uint64_t taken, filled;  /* by the thread that emulates, */
	uint64_t given;          /* and to the sinks: it may hold one back */
	const struct team *team; /* other processes write the same files; NULL: there are none */
	atomic_bool failed;
	struct crew crew;
};

static inline struct chunk *
flow_chunk(const struct flow *f, uint64_t number)
{
	return f->ring[number % f->nchunks];
}

/* Gives the sinks all chunks that are filled. With the lock of the crew. */
void flow_hand_over(struct flow *f);

/* A sink has failed. */
static inline void
flow_fail(struct flow *f)
{
	atomic_store(&f->failed, true);
}

#endif
