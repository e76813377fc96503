/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_PARTS_H
#define MODELS_PRISM_PARTS_H

/* parts: the state of the model prism, and what its parts share: its channels
 * (chans.c), the way of an event (prism.c), who runs where (thread.c), contexts and names
 * (cxt.c), synchronization (sync.c), intervals (span.c), messages (issue.c). The machine of the
 * library knows what events do; the model shows it. */

#include "emu.h"
#include "input/prism/stream.h"
#include "prism/prism_hooks.h"
#include "prism/threads.h"

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
	WIN, /* the totals of the machine */
	LOD = WIN + PRISM_TOTALS,
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

/* A thread, by row, which is its number in the machine. */
struct prismmodel_thread {
	uint64_t nticks; /* events in the interval */
	bool listed;     /* the interval, or the one before, has something */
};

/* A stream, and its CPU. */
struct prismmodel_core {
	struct prism_at at; /* of the current event, for tools */
	uint64_t nticks;
	uint64_t nswaps; /* in the interval */
	uint64_t nthreads;
	bool started;
	bool ended;
	bool shown; /* its level of detail */
	bool stale; /* the interval before the current one has something */
};

/* An address or object, which has a number in the order of first appearance. */
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

/* Names of a stack, by index less one; NULL: what has no name. */
struct prism_labels {
	const struct prism_name **list;
	size_t n;
	size_t cap;
	uint32_t unnamed; /* index of what has no name; 0: none yet */
};

struct prismmodel {
	struct prism *p;
	struct prism_run *tools;
	struct prism_machine machine;
	struct prismmodel_core *cores;
	struct prismmodel_thread *threads; /* by row */
	struct prism_labels stacks[PRISM_STACKS];
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
	struct prismmodel_core *core;
	struct prism_step step; /* what it does */
	uint32_t codes;         /* 1 << code of what was wrong with it */
};

extern const struct chan_decl prismmodel_chans[NCHANS];

/* A number of the trace as a key of a table. Where memory is differs between runs, and the
 * numbers with it that meet in a slot. */
static inline uint64_t
prismmodel_key(const void *table, uint64_t number)
{
	return number ^ (uint64_t)(uintptr_t)table * UINT64_C(0x9e3779b97f4a7c15);
}

/* All functions return 0, or <0 (reported), unless said otherwise. */

/* Tells what the machine has found at the current event: the lenient go on. */
int prismissue_tell(struct prismmodel *d, const struct prism_event *pe);
/* The name as a text of one line, in a buffer of PRISMISSUE_TEXT bytes. */
enum {
	PRISMISSUE_TEXT = PRISM_NAME_MAX * 4 + 1, /* \xNN for every byte */
};
const char *prismissue_text(char *text, const struct prism_name *name);

/* The number of a key, from 1; 0: no memory (reported). */
uint32_t prismmodel_index(struct emu *emu, struct prism_index *x, uint64_t key);

/* The thread of the step is chosen, and runs. */
int prismthread_show(struct emu *emu, const struct event *ev, struct prismmodel *d);
/* The current stream ends, and the threads of its CPU. */
int prismthread_end(struct emu *emu, const struct event *ev, struct prismmodel *d);

/* Gives the name that the step enters a number, also when that is too deep. */
int prismcxt_number(struct emu *emu, struct prismmodel *d, const struct prism_cxt *c);
int prismcxt_take(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_cxt *c);
/* Labels of what was numbered. */
int prismcxt_label(struct emu *emu, struct prismmodel *d);

int prismsync_take(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s);
/* The thread of the step goes on. */
int prismsync_wake(struct emu *emu, const struct event *ev, const struct prismmodel *d);

/* The current event adds to totals of its thread. */
void prismspan_note(struct prismmodel *d);
/* The interval of the thread ends with the current event, or may do so as it has come. */
int prismspan_close(struct emu *emu, const struct event *ev, struct prismmodel *d);
int prismspan_tick(struct emu *emu, const struct event *ev, struct prismmodel *d);
/* All end: of time, and of the trace. */
int prismspan_rotate(struct emu *emu, const struct event *ev, struct prismmodel *d);
int prismspan_end(struct emu *emu, const struct event *ev, struct prismmodel *d);

#endif
