/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_SCOPE_H
#define TOOL_PRISM_SCOPE_H

/* scope: streams as a µScope file: threads, what they have entered, their locks and totals
 * over time, and events (doc/prism.md, "As a µScope file").
 *
 * The command (uscope.c) takes events in the order of time, gives them to a machine, and writes
 * them; what they change of threads, frames and locks is written by state.c. */

#include "kit/scope.h"
#include "input.h"
#include "kway.h"
#include "prism/prism_machine.h"

/* Storages, in the order of the schema. */
enum {
	PS_THREADS,
	PS_COUNTERS,
	PS_FRAMES,
	PS_LOCKS,
	PS_DETAIL,
	PS_STORAGES,
};

/* Their fields. */
enum {
	PS_THREAD_TID,
	PS_THREAD_PROCESS,
	PS_THREAD_STATE,
	PS_THREAD_CPU,
	PS_THREAD_DEPTH,
	PS_THREAD_FUNCTION,
	PS_THREAD_LOCKS,
	PS_THREAD_PARENT,
};

enum {
	PS_TOTALS = PRISM_TOTAL_SYNCS + 1, /* the first of the machine's */
};

enum {
	PS_FRAME_THREAD,
	PS_FRAME_DEPTH,
	PS_FRAME_KIND,
	PS_FRAME_NAME,
	PS_FRAME_SEQ,
};

enum {
	PS_LOCK_OBJECT,
	PS_LOCK_OWNER,
	PS_LOCK_ACQUISITIONS,
};

/* Events of a stream; its types begin at PS_EVENTS times its number. */
enum {
	PS_MEM,
	PS_COMP,
	PS_SYNC,
	PS_CXT,
	PS_CFG,
	PS_EVENTS,
};

enum ps_state {
	PS_FREE,
	PS_PAUSED,
	PS_RUNNING,
	PS_DEAD,
};

enum {
	PS_THREADS_MAX = 1024,
	PS_FRAMES_MAX = 16384,
	PS_LOCKS_MAX = 4096,
	PS_STREAMS_MAX = 1024,
	PS_EVENT_STREAMS = 128, /* that have events in the file: the format has 64 KiB for definitions */
	PS_NOWHERE = 0xffff,    /* CPU of a thread that does not run; owner of a lock that nobody holds */
};

/* A thread's data for the file, `user` of its prism_thread. */
struct ps_thread {
	struct ps_thread *next_dirty;
	uint64_t n[PS_TOTALS]; /* not shown yet */
	uint16_t slot;
	bool dirty;
};

struct ps_stream {
	struct ptinput *in;
	struct prism_core *core;
	uint16_t number;
	bool has_insns; /* the density is that of instructions */
};

/* A thread that was created, and has not run yet. */
struct ps_child {
	struct ps_child *next;
	uint32_t parent;
};

struct ptscope {
	struct ptool *tool;
	struct convscope file;
	struct arena arena;
	struct ps_stream *streams;
	struct kway merge; /* of them */
	int counters[PS_TOTALS];
	uint64_t first; /* ns */
	uint64_t tick;  /* the end of the window, ns from the first */
	uint64_t rel;   /* the current time, from there */

	struct prism_machine machine;
	struct prism_step step; /* what the current event does */
	struct ps_thread *dirty;
	struct ps_child *children; /* oldest first */
	struct ps_child *last_child;
	struct conv_slots thread_slots, frame_slots, lock_slots;
};

/* The schema of a file of n streams. NULL: no memory. */
uscope_schema_t *ptschema_make(const struct ptool *t);
/* Names of the fields of PS_COUNTERS. */
extern const char *const ptschema_totals[PS_TOTALS];

/* The string of a name. */
uint32_t ptscope_string(struct ptscope *u, struct prism_name *name);
/* Counts for the thread. */
void ptscope_count(struct ptscope *u, struct ps_thread *t, int total, uint64_t n);

/* Gives the current event of a stream to the machine, and writes which threads run now. ev: NULL:
 * the stream begins. Returns 0, or <0 (reported). */
int ptstate_take(struct ptscope *u, struct ps_stream *s, const struct prism_event *ev);
/* Writes what the event has done to stacks and locks, and keeps a thread that it creates in mind. */
void ptstate_cxt(struct ptscope *u, const struct ps_stream *s, const struct prism_cxt *c);
int ptstate_sync(struct ptscope *u, const struct prism_sync *e);
/* The stream ends. */
void ptstate_end(struct ptscope *u, const struct ps_stream *s);

/* The slot of a thread. */
static inline uint16_t
ptscope_slot(const struct prism_thread *t)
{
	return ((const struct ps_thread *)t->user)->slot;
}

/* Sends an event of a stream, if the file has the events of that stream. */
static inline void
ptscope_send(struct ptscope *u, const struct ps_stream *s, int event, const struct conv_payload *p)
{
	if (s->number < PS_EVENT_STREAMS)
		convscope_send(&u->file, (uint16_t)(s->number * PS_EVENTS + event), p);
}

static inline void
ptscope_set(struct ptscope *u, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	convscope_set(&u->file, storage, slot, field, value);
}

#endif
