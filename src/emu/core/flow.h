/* SPDX-License-Identifier: MIT */
#ifndef FLOW_H
#define FLOW_H

/* flow: chunks of records on their way to the sinks.
 *
 * A chunk that is given goes to all sinks; each takes chunks in order, one at a time, on any thread of the crew. There
 * are few chunks: who needs one and finds none idle does what the sinks have to do, so memory does not grow with the
 * trace. */

#include "crew.h"
#include "diag.h"
#include "sink.h"

#include <stdatomic.h>

enum {
	FLOW_RECORDS = 8192, /* in a chunk: few wake-ups, and it fits in a cache */
	FLOW_NOTES = 4096,
	FLOW_CHUNKS = 3, /* and one for each thread more: bounds the memory */
	FLOW_SINKS_MAX = 16,
};

/* Records that are handed over together. */
struct chunk {
	unsigned nusers; /* sinks that have not finished with it */
	bool flush;      /* no chunk follows for a while, */
	int64_t next;    /* and no record before this time */
	struct batch batch;
	uint32_t odd[FLOW_RECORDS];
	struct record records[FLOW_RECORDS];
	struct note notes[FLOW_NOTES];
};

struct flow;

/* Opens the sinks. Returns 0, or <0 (reported); flow_close() is due in both cases. */
int flow_open(struct flow **f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink_ops *const *sinks, size_t nsinks);

/* Starts n threads beside the one that emulates, or as many as there can be. Returns 0, or <0 (reported). */
int flow_start(struct flow *f, unsigned n);

/* Returns the next chunk to fill; helps the sinks until it is idle. */
struct chunk *flow_take(struct flow *f);

/* Hands the chunk that was taken over to the sinks. */
void flow_give(struct flow *f, struct chunk *c);

/* Sees to it that somebody is at whatever can be done, before the thread that emulates waits for something else. */
void flow_flush(struct flow *f);

/* Whether a sink has failed, so that the run should stop. */
bool flow_failed(const struct flow *f);

/* Waits for the sinks, closes them all and frees. Returns 0, or the first error of a sink
 * (reported). Accepts NULL. */
int flow_close(struct flow *f, int64_t duration);

#endif
