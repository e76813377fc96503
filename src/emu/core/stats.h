/* SPDX-License-Identifier: MIT */
#ifndef STATS_H
#define STATS_H

/* stats: where the time of a run goes, by stage.
 *
 * A stage is busy while threads are at it. Else it waits: for input, for a thread that has the time, or for room to put
 * what it makes. For a stage of one thread the four add up to the time of the run. The clock is read when a chunk of records
 * enters a stage or leaves it, never for an event. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	STATS_STAGES = 24,
};

/* Stages that are always there. */
enum {
	STAGE_EMULATE,
	STAGE_DIVIDE, /* what parts of the machine print is merged, or cut into chunks, which are */
	STAGE_MERGE,  /* merged by all threads */
};

enum wait {
	WAIT_INPUT,
	WAIT_THREAD,
	WAIT_ROOM,
	WAITS,
};

/* One kind of work. */
struct stage {
	const char *name;
	uint64_t busy_ns; /* of all threads together, */
	uint64_t cpu_ns;  /* and how long of it a CPU was at it: else they wait for a disk, or others take the CPU */
	uint64_t waited_ns[WAITS];
	uint64_t njobs;
	uint64_t bytes;   /* of text that was made or written; 0: none, or not known */
	unsigned at_once; /* threads that may be at it at the same time; 0: all */
	unsigned most;    /* as many could be in a run with more threads; 0: any number */
	uint64_t since;   /* the last change of these: */
	unsigned nbusy;   /* threads that are at it */
	unsigned nqueued; /* jobs that could be done */
	bool full;        /* nothing is there to do as there is no room */
};

struct stats {
	struct stage stages[STATS_STAGES];
	unsigned nstages;
	unsigned nthreads;
	uint64_t begin_ns, end_ns; /* of the monotonic clock: first record, all outputs complete but for their ends */
	uint64_t records;
};

/* Begins, with the stages that are always there. */
void stats_begin(struct stats *s);

/* Adds a stage that so many threads may be at, however many there are. Never NULL: too many share the last one. */
struct stage *stats_add(struct stats *s, const char *name, unsigned most);

/* Threads have begun or ended work of a stage, and jobs of it can be done now, or are taken: so many more. On one thread at a time. */
void stats_turn(struct stage *g, int nbusy, int nqueued);

/* How long CPUs were at this thread. */
uint64_t stats_cpu(void);

/* Ends, with what the stages did up to now. */
void stats_end(struct stats *s);

/* Prints them, which stage bounds the run, and which would bound one with more threads. */
void stats_print(const struct stats *s, FILE *to, uint64_t events);

#endif
