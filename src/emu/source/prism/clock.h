/* SPDX-License-Identifier: MIT */
#ifndef INPUT_PRISM_CLOCK_H
#define INPUT_PRISM_CLOCK_H

/* clock: the times of the events of a stream, counted or from a file of timestamps
 * (doc/format/prism.md, "Time"). Errors are returned; the reader of the stream reports them. */

#include "prism/prism.h"
#include "reader.h"
#include "source.h"

struct prismclock {
	enum prism_clock mode;
	bool known;       /* `now` is a time: with timestamps there is none before the first */
	uint64_t now;     /* ns, of the current event */
	uint64_t next;    /* counted: of the next event that ticks */
	uint64_t tick_ns; /* counted */
	uint64_t back;    /* of PT02: by how much, ns */
	struct reader stamps;
};

/* stamps, name: the file of timestamps, and what messages call it. Returns 0, <0 (reported). */
int prismclock_open(struct prismclock *c, enum prism_clock mode, uint64_t start, uint64_t tick_ns, struct reader_pool *pool,
	const char *stamps, const char *name);

/* Does what prismclock_take() leaves: timestamps, instructions, Ends, times that do not fit. */
int prismclock_step(struct prismclock *c, const struct prism_event *ev);

/* Sets the time of the next event: that of an End is the one of the event before, or, if there
 * is none, of the event behind. Returns PRISM_OK, PRISM_PT01: there is no timestamp,
 * PRISM_PT02: it goes back, and the one before counts, PRISM_E_VALUE: the time does not fit
 * in 63 bits, <0: it cannot be read (reported). */
static inline int
prismclock_take(struct prismclock *c, const struct prism_event *ev)
{
	if (__builtin_expect(c->mode != PRISM_CLOCK_EVENT || ev->kind == PRISM_END || c->next >= INT64_MAX, 0))
		return prismclock_step(c, ev);
	c->now = c->next;
	/* A config event has the time of what comes next. */
	c->next += ev->kind != PRISM_CFG ? c->tick_ns : 0;
	return PRISM_OK;
}

/* Whether there are timestamps that no event had: 1, 0, <0 (reported). If the last of them is 0 the writer
 * was killed, and they do not count. Reads all of them. */
int prismclock_left(struct prismclock *c);

void prismclock_close(struct prismclock *c);

#endif
