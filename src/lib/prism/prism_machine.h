/* SPDX-License-Identifier: MIT */
#ifndef PRISM_MACHINE_H
#define PRISM_MACHINE_H

/* prism_machine: the state behind Prism streams: which thread runs in each stream, what it has
 * entered and not left, which locks it holds, what it waits for, and totals.
 *
 * A reader of the streams gives all events to the machine, in the order of time, and gets the
 * effects of each. Threads, names and locks stay where they are until the end. The machine prints
 * nothing: the caller knows the names of files. */

#include "prism.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum prism_stack_kind {
	PRISM_FUNCTIONS,
	PRISM_OPERATORS,
	PRISM_NETS,
	PRISM_STACKS,
};

enum {
	PRISM_DEPTH_MAX = 512, /* entries of a stack; the deeper ones are only counted (PM06) */
	PRISM_LINE = 64,       /* bytes of a line of memory */
};

/* Totals. */
enum prism_total_kind {
	PRISM_TOTAL_LOADS,
	PRISM_TOTAL_STORES,
	PRISM_TOTAL_LOAD_BYTES,
	PRISM_TOTAL_STORE_BYTES,
	PRISM_TOTAL_INT_OPS,
	PRISM_TOTAL_FP_OPS,
	PRISM_TOTAL_INSNS,
	PRISM_TOTAL_SYNCS, /* swaps are none */
	PRISM_TOTAL_LINES, /* that were touched, each once */
	PRISM_TOTAL_MEM_OTHER,
	PRISM_TOTAL_OPS, /* eight: undefined or absent, add ... mov, other */
	PRISM_TOTAL_COMP_OTHER = PRISM_TOTAL_OPS + PRISM_OPS + 1,
	PRISM_TOTALS,
};

struct prism_line; /* the library's */

struct prism_total {
	uint64_t n[PRISM_TOTALS];
	bool active; /* something has come since it was cleared */

	/* The library's own. */
	uint32_t interval; /* from 1 */
	uint64_t last;     /* line touched last, + 1; 0: none in this interval */
	struct prism_line *lines;
	size_t cap; /* power of two, or 0 */
	uint64_t seed;
};

struct prism_name {
	const char *text; /* any bytes, and a NUL behind them */
	uint32_t len;     /* 1 to 256 */
	uint32_t id;      /* 1, 2 ... in the order of first appearance, whatever it names */
	uint32_t user[PRISM_STACKS];
};

struct prism_frame {
	struct prism_name *name; /* NULL: not shown */
	uint32_t user;
};

/* Contexts that a thread has entered. Behind frames[n - 1] are those that the last event has left. */
struct prism_stack {
	struct prism_frame *frames;
	uint32_t n;
	uint32_t cap;
	uint64_t deeper; /* entered above PRISM_DEPTH_MAX */
};

struct prism_lock {
	struct prism_thread *owner; /* NULL: nobody */
	uint64_t object;
	uint64_t acquisitions;
	uint32_t user;
};

struct prism_thread {
	struct prism_total total;
	struct prism_core *on;   /* where it runs; NULL: nowhere */
	struct prism_core *last; /* where it ran last; NULL: nowhere, or that stream has ended */
	struct prism_stack stacks[PRISM_STACKS];
	uint64_t held;     /* locks, */
	uint64_t unnamed;  /* and those of them whose object is not shown */
	uint64_t children; /* that it has created */
	uint32_t process;
	uint32_t id;
	uint32_t number; /* 0, 1 ... in the order of appearance */
	uint8_t waiting; /* PRISM_BARRIER or PRISM_JOIN, up to its next event; or 0 */
	bool made_up;    /* no event has its id */
	void *user;
};

/* A stream, which is a core. */
struct prism_core {
	struct prism_total total;
	struct prism_thread *thread; /* the last that ran; NULL: none yet. It may be elsewhere now */
	uint32_t number;
	uint32_t process;
	uint8_t detail[PRISM_KINDS]; /* level of detail in force */
};

/* All threads. Zeroed: none. */
struct prism_threads;

struct prism_machine {
	struct prism_core *cores;
	uint32_t ncores;
	bool no_totals; /* nothing is counted: set it behind the begin */

	/* The library's own. */
	struct prism_threads *threads;
	struct prism_tables *tables;
	bool own_threads;
	bool lenient;
};

/* Effects of an event: all else is 0, NULL and false. */
struct prism_step {
	struct prism_thread *thread; /* of the event; NULL: it is of the stream, or before the first thread */
	bool is_new;                 /* the thread has not come before */
	bool selects;                /* the event names the thread */
	bool switched;               /* the stream goes on with another thread, */
	struct prism_thread *paused; /* this one has run until now, */
	struct prism_core *from;     /* PM04: and the new one ran here */
	bool woke;                   /* the thread was waiting for a barrier or a join */
	uint64_t held;               /* locks that it held before */
	struct prism_lock *lock;     /* taken, or released, and its object is known */
	bool released;               /* nobody holds the lock any more */
	struct prism_name *name;     /* of the context */
	struct prism_stack *stack;   /* entered or left, also when that changes nothing */
	bool changed;                /* the stack is deeper or less deep, */
	bool pushed;                 /* there is one frame more, */
	uint32_t popped;             /* or so many less */
	struct prism_name *top;      /* PM02: this one is on top */
	uint32_t issues;             /* 1 << code: PM01 to PM06 */
};

/* Prepares the streams 0 to n - 1, as zeroed settings and process 1 have them. Returns 0, or
 * -PRISM_E_MEMORY; prism_machine_finish() is due in any case. */
int prism_machine_begin(struct prism_machine *m, uint32_t n, bool lenient);
void prism_machine_finish(struct prism_machine *m);

/* A stream is of that process, with levels of detail from its settings, which may be NULL. */
void prism_machine_stream(struct prism_machine *m, uint32_t stream, uint32_t process, const struct prism_settings *settings);

/* Runs a thread, of an id that one can have, in a stream before its first event. */
int prism_machine_start(struct prism_machine *m, uint32_t stream, uint32_t id, struct prism_step *step);

/* Takes the next event. Both return 0, or <0: -code of what only a lenient machine passes, when
 * nothing has changed, or -PRISM_E_MEMORY. */
int prism_machine_step(struct prism_machine *m, uint32_t stream, const struct prism_event *ev, struct prism_step *step);

/* Threads so far, and one of them by its number. */
uint32_t prism_machine_nthreads(const struct prism_machine *m);
struct prism_thread *prism_machine_thread(const struct prism_machine *m, uint32_t number);

/* A thread that ran last in a stream that ends does so, too. */
void prism_machine_end(struct prism_thread *t);

/* Another interval begins. */
void prism_total_clear(struct prism_total *t);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
