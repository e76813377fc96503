/* SPDX-License-Identifier: MIT */
#ifndef FLOW_H
#define FLOW_H

/* flow: chunks of records on their way to the sinks.
 *
 * Chunks go through bounded queues to the threads of the sinks, so that formatting and writing overlap
 * with emulation and memory does not grow with the trace. */

#include "diag.h"
#include "sink.h"

#include <stdatomic.h>

enum {
	FLOW_RECORDS = 8192, /* in a chunk: few wake-ups, and it fits in a cache */
	FLOW_CHUNKS = 4,     /* in all; bounds the memory */
	FLOW_SINKS_MAX = 16,
};

/* Records that are handed over together. */
struct chunk {
	unsigned readers; /* threads that have not finished with it */
	bool flush;       /* no chunk follows for a while, */
	int64_t next;     /* and no record before this time */
	struct batch batch;
	uint32_t odd[FLOW_RECORDS];
	struct record records[FLOW_RECORDS];
};

struct flow;

/* Opens the sinks. Returns 0, or <0 (reported); flow_close() is due in both cases. */
int flow_open(struct flow **f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink_ops *const *sinks, size_t nsinks);

/* Starts up to `threads` threads (one at least, one a sink at most) that serve the sinks. A
 * sink stays with its thread; the loads of the threads are about equal. Returns 0, or <0
 * (reported). */
int flow_start(struct flow *f, unsigned threads);

/* Returns a chunk that nobody uses, waiting for one if need be. */
struct chunk *flow_take(struct flow *f);

/* Hands a chunk over to the sinks. It may be gone when this returns. */
void flow_give(struct flow *f, struct chunk *c);

/* Whether a sink has failed, so that the run should stop. */
bool flow_failed(const struct flow *f);

/* Waits for the sinks, closes them all and frees. Returns 0, or the first error of a sink
 * (reported). Accepts NULL. */
int flow_close(struct flow *f, int64_t duration);

#endif
