/* SPDX-License-Identifier: MIT */
#ifndef SYSTEM_H
#define SYSTEM_H

/* system: looms, processes, threads and CPUs as dense arrays, in the order of the rows.
 *
 * Names and numbers are fixed before the first event, from the metadata (doc/format/trace.md,
 * "Parts"); live input fixes only the most threads that may come. States are in struct thread_run
 * and struct cpu_run, apart from the names, so that the hot path touches little. */

#include "arena.h"
#include "trace.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_INDEX UINT32_MAX

struct loom {
	const char *name;
	int rank; /* lowest of its processes, -1 none */
	uint32_t first_proc, nprocs;
	uint32_t first_cpu, ncpus; /* physical ones; behind them a virtual CPU, for all threads */
	bool all_virtual;          /* or one for each thread: none executes in a physical one */
	uint32_t *cpu_of_index;    /* logical index -> CPU */
};

struct proc {
	uint32_t loom;
	int pid;
	int app_id;
	int rank; /* -1 none */
	int nranks;
	uint32_t first_thread, nthreads;
};

struct thread {
	uint32_t proc;
	uint32_t stream; /* rank of its stream */
	int tid;
	uint32_t virtual_cpu; /* the CPU that is index -1 for it */
	const char *label;    /* of its row */
	bool pseudo;          /* it never runs: its row always shows its channels */
};

struct cpu {
	uint32_t loom;
	int index;    /* logical; -1 virtual */
	int phyid;    /* -1 virtual */
	bool made_up; /* no metadata has it */
	const char *label;
};

struct system {
	struct loom *looms;
	struct proc *procs;
	struct thread *threads;
	struct cpu *cpus;
	uint32_t nlooms, nprocs, nthreads, ncpus; /* ncpus: virtual ones included */
	uint32_t nphysical;                       /* CPUs without them */
	const struct system *whole;               /* of a part that outputs see; NULL: it is all */
	uint32_t nknown;                          /* threads so far: the others may come, in live input */
	size_t cpus_cap;
	uint32_t *thread_of_stream; /* NO_INDEX: the stream is set aside */
	bool by_rank;               /* looms are sorted by rank */
};

/* Builds all from the streams of a trace. Memory comes from the arena.
 * Returns 0, or <0 (reported). */
int system_build(struct system *sys, struct arena *a, const struct trace *t);

/* Makes the labels of threads unique: looms may repeat applications and tids, and the later one is told. Returns 0, or <0
 * (reported). */
int system_distinguish(struct system *sys, struct arena *a, struct diag *d);

/* Adds the CPUs of loom number `index`, of which `streams` are all the streams: the
 * physical ones by phyid, then the virtual one, or one for each stream if none begins in a physical
 * one. A loom whose program died gets those that its events name. Returns 0, or <0 (reported). */
int cpus_build(struct system *sys, struct arena *a, const struct trace *t, uint32_t index,
	const struct stream *const *streams, size_t n);

/* Gives a thread of live input the row that was reserved for it. */
void system_take_late(struct system *sys, const struct trace *t, uint32_t row);

/* The CPU of a logical index in a loom, -1 the virtual one; NO_INDEX if there is none. */
uint32_t system_cpu(const struct system *sys, uint32_t loom, int32_t index);

/* The thread with that tid, first in the process and then in its loom; NO_INDEX if
 * there is none. */
uint32_t system_thread(const struct system *sys, uint32_t proc, int32_t tid);

#endif
