/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_SCOPE_H
#define TOOL_PRISM_SCOPE_H

/* scope: streams as a µScope file: threads, what they have entered, their locks and totals
 * over time, and events (doc/prism.md, "As a µScope file").
 *
 * The command (ptuscope.c) takes events in the order of time and writes them; which thread an
 * event belongs to is in ptthread.c, what a thread has entered in ptframe.c, locks in ptlock.c. */

#include "kit/scope.h"
#include "idmap.h"
#include "prism/names.h"
#include "input.h"

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
	PS_LOADS,
	PS_STORES,
	PS_LOAD_BYTES,
	PS_STORE_BYTES,
	PS_INT_OPS,
	PS_FP_OPS,
	PS_INSNS,
	PS_SYNCS,
	PS_TOTALS,
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
	PS_DEPTH_MAX = 512,
	PS_NOWHERE = 0xffff, /* CPU of a thread that does not run; owner of a lock that nobody holds */
};

struct ps_frame {
	const struct prism_name *name; /* NULL: not shown */
	uint16_t slot;
};

/* What a thread has entered of a kind. */
struct ps_stack {
	struct ps_frame *frames;
	uint32_t n;
	size_t cap;
	uint64_t deeper; /* not stored */
};

struct ps_thread {
	struct ps_thread *next; /* of all */
	struct ps_thread *next_dirty;
	struct ps_stream *stream; /* that runs it; NULL: none */
	struct ps_stream *last;   /* that ran it last */
	struct ps_stack stacks[PRISMNAMES_KINDS];
	struct idmap locks[2]; /* mutexes and spin locks that it holds: object -> struct ps_held */
	uint64_t held, unnamed;
	uint64_t n[PS_TOTALS]; /* not shown yet */
	uint32_t tid;
	uint16_t slot;
	bool dirty;
};

/* How often a thread has taken a lock. */
struct ps_held {
	uint64_t n;
};

struct ps_lock {
	const struct ps_thread *owner; /* NULL: nobody */
	uint64_t acquisitions;
	uint16_t slot;
};

struct ps_stream {
	struct ptinput *in;
	struct ps_thread *thread; /* NULL: none yet */
	uint16_t number;
	uint8_t initial[PRISM_KINDS]; /* level of detail */
	bool has_insns;               /* the density is that of instructions */
};

/* Threads of a process whose ids cannot be. */
struct ps_fresh {
	struct idmap ids; /* to uint32_t */
	uint32_t n;
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
	int counters[PS_TOTALS];
	uint64_t first; /* ns */
	uint64_t tick;  /* the end of the window, ns from the first */
	uint64_t rel;   /* the current time, from there */

	struct idmap threads; /* process << 32 | tid */
	struct idmap fresh;   /* process: struct ps_fresh */
	struct ps_thread *all;
	struct ps_thread *dirty;
	struct ps_child *children; /* oldest first */
	struct ps_child *last_child;
	struct prismnames names;
	struct idmap locks[2];
	struct conv_slots thread_slots, frame_slots, lock_slots;
};

/* The schema of a file of n streams. NULL: no memory. */
schema_t *ptschema_make(const struct ptool *t);
/* Names of the fields of PS_COUNTERS. */
extern const char *const ptschema_totals[PS_TOTALS];

/* All below return 0, or <0 (reported). */

/* Something is wrong with the current event of the stream. */
int ptscope_issue(struct ptscope *u, const struct ps_stream *s, int code);
/* The string of a name. */
uint32_t ptscope_string(struct ptscope *u, struct prism_name *name);
/* Counts for the thread. */
void ptscope_count(struct ptscope *u, struct ps_thread *t, int total, uint64_t n);

/* In the first frame. */
int ptthread_begin(struct ptscope *u, struct ps_stream *s);
/* The thread of the current event of the stream, in s->thread. */
int ptthread_find(struct ptscope *u, struct ps_stream *s, const struct prism_event *ev);
/* A thread is created by that of the stream. */
int ptthread_create(struct ptscope *u, struct ps_stream *s);
/* The stream ends. */
void ptthread_end(struct ptscope *u, struct ps_stream *s);

/* *string: of the name; 0: none. */
int ptframe_take(struct ptscope *u, struct ps_stream *s, const struct prism_cxt *c, uint32_t *string);
int ptlock_take(struct ptscope *u, struct ps_stream *s, const struct prism_sync *ev);

/* Of the stream, if the file has its events. */
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
