/* SPDX-License-Identifier: MIT */
#ifndef STATS_H
#define STATS_H

/* stats: where the time of a run goes, by stage. */

#include <stdint.h>
#include <stdio.h>

enum {
	STATS_STAGES = 24,
};

/* One kind of work. */
struct stage {
	const char *name;
	uint64_t busy_ns; /* of all threads together */
	uint64_t njobs;
	uint64_t bytes;   /* of text that was made or written; 0: none, or not known */
	unsigned at_once; /* threads that may do it at the same time */
};

struct stats {
	struct stage stages[STATS_STAGES]; /* the first is that of the thread that emulates */
	unsigned nstages;
	unsigned nthreads;
	uint64_t begin_ns, end_ns; /* of the monotonic clock: first record, all outputs complete but for their ends */
	uint64_t records;
	uint64_t waited_ns; /* by the thread that emulates: nothing was there to do */
};

/* Now, by the monotonic clock. */
uint64_t stats_now(void);

/* Adds a stage. Never NULL: too many share the last one. */
struct stage *stats_add(struct stats *s, const char *name, unsigned at_once);

/* Prints them, and which stage bounds the run. */
void stats_print(const struct stats *s, FILE *to, uint64_t events);

#endif
