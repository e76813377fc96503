/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_PARTS_H
#define MODELS_PRISM_PARTS_H

/* parts: the state of the model prism, and what its parts share: its channels
 * (prismchans.c), the way of an event (prism.c), who runs where (prismthread.c), stacks of
 * contexts, and blocks (prismcxt.c), synchronization (prismsync.c), intervals (prismspan.c). */

#include "emu.h"
#include "names.h"
#include "input/prism/stream.h"
#include "total.h"

/* Channels. */
enum {
	FUNC,
	FUNC_DEPTH,
	OPERATOR,
	NET,
	BB,
	INSN,
	SYNC_STATE,
	SYNC,
	LOCKS,
	CHILDREN,
	SYNC_OBJECT,
	MEM,
	MEM_BYTES,
	COMP,
	COMP_OP,
	CF,
	WIN, /* the totals of prismtotal.h */
	LOD = WIN + PRISMTOTAL_KINDS,
	LOD_MEM = LOD,
	LOD_COMP,
	LOD_SYNC,
	LOD_CXT,
	SWAPS,
	THREADS,
	DIAG,
	NCHANS,
};

/* Values of SYNC_STATE. */
enum {
	STATE_CRITICAL = 1,
	STATE_BARRIER,
	STATE_JOIN,
};

/* Values of MEM and COMP: what is 0 in the event is 3, or it would be nothing. */
enum {
	MEM_LOAD = 1,
	MEM_STORE,
	MEM_OTHER,
	COMP_INTEGER = 1,
	COMP_FLOAT,
	COMP_OTHER,
	OP_OTHER = PRISM_OPS + 1,
};

enum {
	LABELS_MAX = 1024, /* of blocks, instructions and objects each: names have no limit */
};

/* A thread, by row. Zeroed: nothing of it has come. */
struct prism_thread {
	struct prismtotal total;
	uint64_t nticks; /* events in the interval */
	uint32_t core;   /* stream that runs it, + 1; 0: none */
	uint32_t nchildren;
	uint64_t held;                     /* locks, */
	uint64_t unnamed;                  /* and those of them whose object is not known */
	struct idmap locks[2];             /* mutexes and spin locks: object -> struct prism_lock */
	uint64_t deeper[PRISMNAMES_KINDS]; /* contexts that the stacks do not hold */
	uint8_t waiting;                   /* STATE_BARRIER or STATE_JOIN, up to its next event */
	bool listed;                       /* the interval, or the one before, has something */
	bool active;                       /* the interval has */
};

struct prism_lock {
	uint64_t held;
};

/* A stream, and its CPU. */
struct prism_core {
	struct prismtotal total;
	uint64_t nticks;
	uint64_t nswaps; /* in the interval */
	uint64_t nthreads;
	uint32_t row; /* of its thread; NO_INDEX: none yet */
	uint8_t detail[PRISM_KINDS];
	bool started;
	bool ended;
	bool shown;  /* its level of detail */
	bool active; /* the interval has something, */
	bool stale;  /* or the one before */
};

/* What has a number in the order of first appearance. */
struct prism_key {
	uint64_t key;
	uint32_t number; /* from 1 */
	struct prism_key *next;
};

struct prism_index {
	struct idmap ids; /* struct prism_key */
	struct prism_key *first;
	struct prism_key *last;
};

/* Names of a kind, by index less one; NULL: what has no name. */
struct prism_labels {
	const struct prism_name **list;
	size_t n;
	size_t cap;
	uint32_t unnamed; /* index of what has no name; 0: none yet */
};

struct prismmodel {
	struct prism *p;
	struct prism_run *tools;
	struct prism_core *cores;
	struct prism_thread *threads; /* by row */
	struct prismnames names;
	struct prism_labels kinds[PRISMNAMES_KINDS];
	struct prism_index blocks;
	struct prism_index insns;
	struct prism_index objects;
	struct idmap met; /* stream << 32 | row */
	uint32_t *listed; /* rows */
	uint32_t nlisted;
	int64_t ticked; /* time of the last RW. */
	bool all;       /* events show as such: all, */
	bool syncs;     /* or those of synchronization */
	bool quick;     /* events of memory and compute only count */
	uint64_t every; /* events in an interval; 0: it is not of events */
	/* The current event. */
	uint32_t stream;
	struct prism_core *core;
	struct prism_thread *thread; /* NULL: config or End event before there is one */
	uint32_t codes;              /* 1 << code of what was wrong with it */
};

static inline struct prism_thread *
prismmodel_thread(const struct prismmodel *d, uint32_t row)
{
	return &d->threads[row];
}

extern const struct chan_decl prismmodel_chans[NCHANS];

/* A number of the trace as a key of a table. Where memory is differs between runs, and the
 * numbers with it that meet in a slot. */
static inline uint64_t
prismmodel_key(const void *table, uint64_t number)
{
	return number ^ (uint64_t)(uintptr_t)table * UINT64_C(0x9e3779b97f4a7c15);
}

/* All functions return 0, or <0 (reported), unless said otherwise. */

/* Something is wrong with the current event: the lenient go on. */
int prismmodel_issue(struct prismmodel *d, enum prism_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The number of a key, from 1; 0: no memory (reported). */
uint32_t prismmodel_index(struct emu *emu, struct prism_index *x, uint64_t key);

/* The current stream begins: what runs in it from the start. */
int prismthread_start(struct emu *emu, const struct event *ev, struct prismmodel *d);
/* The thread of the event, which is not Config or End: chosen, and running. */
int prismthread_find(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_event *pe);
/* The current stream ends, and the threads of its CPU. */
int prismthread_end(struct emu *emu, const struct event *ev, struct prismmodel *d);

int prismcxt_take(struct emu *emu, const struct event *ev, struct prismmodel *d, struct prism_cxt *c);
/* Labels of what was numbered. */
int prismcxt_label(struct emu *emu, struct prismmodel *d);

int prismsync_take(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s);
/* A thread that waits goes on. */
int prismsync_wake(struct emu *emu, const struct event *ev, struct prism_thread *t);

/* Whose totals the current event adds to: both change. */
void prismspan_note(struct prismmodel *d);
/* The interval of the thread ends with the current event, or may do so as it has come. */
int prismspan_close(struct emu *emu, const struct event *ev, struct prismmodel *d);
int prismspan_tick(struct emu *emu, const struct event *ev, struct prismmodel *d);
/* All end: of time, and of the trace. */
int prismspan_rotate(struct emu *emu, const struct event *ev, struct prismmodel *d);
int prismspan_end(struct emu *emu, const struct event *ev, struct prismmodel *d);

#endif
