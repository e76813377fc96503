/* SPDX-License-Identifier: MIT */
#ifndef RUN_H
#define RUN_H

/* run: what threads and CPUs are doing, and the base channels that show it.
 *
 * A CPU knows how many of its threads run (or are active) and the sum of their indices:
 * when there is one, the sum is its index. So a change costs the same whatever the
 * number of threads. Transitions are defined in doc/rules.md, "Threads". */

#include "ovniscope/model.h"
#include "system.h"

#include <stdint.h>

/* Error states of a CPU row in the default view; part of the output format. */
enum {
	ST_BAD = 666,         /* the tracked thread does not show the channel */
	ST_TOO_MANY_TH = 777, /* several threads are tracked */
};

/* Each event reads that of its thread: what its row and that of its CPU need is there, and need not be looked up. */
struct thread_run {
	uint8_t state;    /* enum thread_state */
	uint8_t has;      /* bits of enum need that the thread meets, */
	uint8_t followed; /* and those that no other thread of the CPU meets: there the CPU row follows it */
	uint32_t index;   /* of the thread; NO_INDEX: a stream that is none */
	uint32_t cpu;     /* NO_INDEX: none */
	uint32_t cpu_row; /* 0: none */
	struct chan_stack *stacks;
	int64_t *value;       /* of each column, */
	int64_t *printed;     /* what its row printed last, */
	int64_t *cpu_printed; /* and that of its CPU, if it has one */
};

struct cpu_run {
	uint32_t nrunning;
	uint32_t nactive;
	uint64_t running_sum;
	uint64_t active_sum;
	uint32_t selected; /* the thread that runs alone; NO_INDEX: none or several */
	/* Oversubscription: how often, since when (if now), for how long. */
	uint64_t over_count;
	int64_t over_since;
	int64_t over_time;
};

/* Labels of the states, in their order. */
extern const struct label thread_states[TH_STATES];

/* Begins with all threads in no CPU, and idle CPUs. The channels are there. */
void run_init(struct emu *emu);

/* Counts the oversubscription of a CPU up to the current time. */
void run_settle(struct emu *emu, uint32_t cpu);

/* Counts it from the current time on. */
void run_forget_over(struct emu *emu, uint32_t cpu);

#endif
