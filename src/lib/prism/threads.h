/* SPDX-License-Identifier: MIT */
#ifndef PRISM_THREADS_H
#define PRISM_THREADS_H

/* threads: the threads of Prism streams with their totals, and to which of them an event belongs. A machine has a
 * table of them, or goes on with that of a reader which has looked ahead. */

#include "prism_machine.h"
#include "table.h"

enum {
	PRISM_NO_THREAD = 1000000, /* + stream: id of the thread of events before the first swap */
	PRISM_FRESH = 2000000,     /* and up: ids in the place of those that cannot be (PM05) */
};

/* How the thread of an event is found. */
enum prismthreads_how {
	PRISM_NOBODY,    /* config and End events are of none */
	PRISM_SAME,      /* the one before */
	PRISM_BY_ID,     /* of a swap or a thread context */
	PRISM_BY_STREAM, /* no event has named it yet */
	PRISM_BY_BAD_ID, /* PM05: no thread can have the id; another one stands for it */
};

struct prism_threads {
	struct prismtable table;
	struct prismtable fresh; /* process -> uint32_t: ids from PRISM_FRESH on that are taken */
	struct prism_thread **list;
	uint32_t n;
	uint32_t cap;
};

/* Whether a thread can have the id. */
static inline bool
prism_is_thread(uint64_t id)
{
	return id != 0 && id <= INT32_MAX;
}

/* has_thread: a thread runs in the stream. *id: with PRISM_BY_ID and PRISM_BY_BAD_ID. */
enum prismthreads_how prismthreads_how(const struct prism_event *ev, bool has_thread, uint64_t *id);

/* The thread, a new one if need be: of the id, or with PRISM_BY_STREAM of the number of the stream,
 * and of a process. NULL: no memory. */
struct prism_thread *prismthreads_get(struct prism_threads *ts, uint32_t process, enum prismthreads_how how, uint64_t id);

/* All threads are known: gives another id to those that were made up with one that a real thread
 * turned out to have. Returns false: no memory. */
bool prismthreads_settle(struct prism_threads *ts);

/* Frees. Accepts a zeroed struct. */
void prismthreads_finish(struct prism_threads *ts);

/* Counts an event in what happens in an interval: totals, and lines of memory that are touched. Memory is
 * that of the interval which touches most. Returns 0, or -1: no memory. A zeroed struct is ready. */
int prismtotal_mem(struct prism_total *t, const struct prism_mem *ev);
void prismtotal_comp(struct prism_total *t, const struct prism_comp *ev);

/* Frees. Accepts a zeroed struct. */
void prismtotal_finish(struct prism_total *t);

/* As prism_machine_begin(), with threads that are known, and that are borrowed. */
int prismmachine_begin_with(struct prism_machine *m, uint32_t n, bool lenient, struct prism_threads *threads);

#endif
