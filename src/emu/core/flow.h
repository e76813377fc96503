/* SPDX-License-Identifier: MIT */
#ifndef FLOW_H
#define FLOW_H

/* flow: chunks of records on their way to the sinks.
 *
 * A chunk that is given goes to all sinks. A sink takes chunks in order, one at a time, on any thread of the crew (lane.h), or
 * its formatters make text of several at once (press.h). There are few chunks: who needs one and finds none idle does what
 * the sinks have to do, so memory does not grow with the trace. */

#include "chunk.h"
#include "diag.h"

enum {
	FLOW_CHUNKS = 3, /* and one for each thread more: bounds the memory */
	FLOW_SINKS_MAX = 16,
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

/* The chunk that was taken last is filled by a job, and given back with the lock of the crew; others may be taken before, and are given
 * behind it. Returns the number of the chunk. */
uint64_t flow_lend(struct flow *f, struct chunk *c);
void flow_give_lent(struct flow *f, struct chunk *c);

/* Sees to it that somebody is at whatever can be done, before the thread that emulates waits for something else. */
void flow_flush(struct flow *f);

/* The threads, for other work. */
struct crew *flow_crew(struct flow *f);

/* Whether a sink has failed, so that the run should stop. */
bool flow_failed(const struct flow *f);

/* Waits for the sinks, closes them all and frees. Returns 0, or the first error of a sink
 * (reported). Accepts NULL. */
int flow_close(struct flow *f, int64_t duration);

#endif
