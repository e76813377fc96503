/* SPDX-License-Identifier: MIT */
#ifndef RT_H
#define RT_H

/* rt: what the files of the library share. Nothing here is exported but ovni_room.
 *
 * Invariants:
 * - The way of an event looks at ovni_room, which is thread-local, and at the buffer it leads
 *   to; at nothing of the process, and no lock. Whatever is rare makes ovni_room.limit so small that every
 *   event takes the slow way, which finds out why.
 * - The rest of a struct rt_thread is changed by its owner under its lock, as a thread that calls
 *   exit() writes what the others have not. The list that links all (threads.c) exists for that
 *   and for fork().
 * - A stream that lost something takes no more events: they are counted. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <limits.h>
#include <sys/types.h>
#include "jsonvalue.h"
#include "ovni.h"
#include "ovni_emit.h"
#include "tail.h"
#include "wire.h"

enum {
	RT_BUF_MAX = OVNI_MAX_EV_BUF,          /* an event that would reach it flushes */
	RT_FLUSH_PAIR = 2 * WIRE_EVENT_HEADER, /* OF[ and OF], always room for them */
	RT_KEY_MAX = 128,                      /* "ovni.require.<model>" must be shorter */
	RT_TEXT_MAX = 512,                     /* title or label a reader refuses */
};

/* Values of ovni_room.limit that are no limits. */
enum {
	RT_BUSY = 0, /* an event is being added, so one that comes now is from a signal handler */
	RT_SLOW = 1, /* every event takes the slow way */
};

/* Why events are lost. */
enum rt_loss {
	RT_LOST_WRITE,  /* the stream could not be created or written */
	RT_LOST_SIGNAL, /* a signal handler emitted while its thread did */
	RT_LOST_EXIT,   /* the process was exiting */
	RT_LOST_SIZE,   /* it is too large for the ring */
	RT_LOSSES,
};

/* How a thread ended. */
enum rt_end {
	RT_END_NONE,   /* it runs, or whoever ended it did not tell */
	RT_END_FREE,   /* ovni_thread_free() */
	RT_END_THREAD, /* the thread ended without it */
	RT_END_EXIT,   /* the process did */
};

struct rt_thread {
	pthread_mutex_t lock; /* of all but what the way of an event uses */

	/* The buffer: a mapped stream.tail or stream.ring, or private memory of that layout. */
	struct tail *tail; /* all of it, or the chunk of the ring that takes events */
	void *map;         /* where it begins */
	size_t map_size;
	struct ring *ring; /* NULL: the stream is written as a whole */
	size_t limit;      /* bytes of events that fit now; 0: the stream takes none */
	bool shared;       /* it is a file, which grows */
	bool draining;     /* the stream may have a part of it */
	_Atomic uint64_t lost[RT_LOSSES];
	_Atomic uint64_t lost_since; /* clock of the first, ns */

	/* Every flush. */
	int fd;     /* stream.obs, or -1 */
	off_t size; /* bytes of it that are whole events */

	/* Metadata. */
	struct json *meta; /* stream.json, but for what is written last */
	struct json *cpus;
	bool have_rank;
	int rank, nranks;
	bool counter;            /* clocks are those of the counter, */
	uint64_t clock_error;    /* which was off by this at most, ns */
	bool due;                /* to be written before the next event */
	size_t changes, written; /* changes so far, and when it was written last */

	/* Begin and end. */
	pid_t tid;
	enum rt_end end;
	bool on_disk; /* its files could be created */
	struct rt_thread *prev, *next;
	char dir[PATH_MAX];   /* where the files are written */
	char final[PATH_MAX]; /* where they belong; empty if that is dir */
};

/* The caller's; NULL: not ready. */
extern _Thread_local struct rt_thread *rt_self
	__attribute__((tls_model("initial-exec")));

#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* say.c: the three kinds of line on stderr. func is the public function the program
 * called. A format that ends in ':' gets the text of errno appended. */
_Noreturn void rt_die(const char *func, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
void rt_error(const char *func, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));

/* An error of the disk, as errno has it: told once for a process, whatever follows from it in all its threads. */
void rt_disk_error(const char *func, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
void rt_disk_forget(void); /* in the child of a fork */
void rt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2), cold));
_Noreturn void rt_nomem(const char *func);

/* ready.c */
enum {
	RT_PROC_NONE,
	RT_PROC_STARTING,
	RT_PROC_READY,
	RT_PROC_GONE,
};
extern _Atomic int rt_proc;               /* one of these */
extern _Thread_local enum rt_end rt_ended /* of the caller */
	__attribute__((tls_model("initial-exec")));

struct rt_thread *rt_ready(const char *func); /* the caller's, aborts if there is none */
struct rt_thread *rt_enter(const char *func); /* likewise, locked; rt_leave() lets it go */
void rt_leave(struct rt_thread *t);
void rt_need_proc(const char *func); /* aborts unless the process is ready */

/* Says how large an event may be that the way of an event takes: the caller's thread. */
void rt_make_room(const struct rt_thread *t);
void rt_forget(enum rt_end end); /* the caller has no thread any more */

/* Value of an environment variable, NULL if unset or empty. */
const char *rt_env(const char *name);

/* buffer.c. The lock is held. */

/* Gives a thread its buffer. Returns 0, or -1 without memory. Where a tail cannot be, there is
 * private memory (said once for the process, unless the user wanted it). */
int rt_buffer_open(struct rt_thread *t);

/* Reserves disk and memory for `size` bytes of its file, from a place that is a multiple of a page. Returns 0, or -1. */
int rt_buffer_reserve(const struct rt_thread *t, size_t from, size_t size);

/* Makes room for an event of `size` bytes if the buffer can grow. Returns whether there is. */
bool rt_buffer_grow(struct rt_thread *t, size_t size);

/* Writes the buffer to the stream and empties it. Errors are reported in the name of func and
 * end the stream. */
void rt_drain(struct rt_thread *t, const char *func);

/* Ends the stream. What a private buffer has is lost, from its byte `from` on. */
void rt_break(struct rt_thread *t, size_t from);

/* Removes the tail if the stream has all of it. The memory stays. */
void rt_buffer_retire(struct rt_thread *t);

/* Releases the memory. */
void rt_buffer_close(struct rt_thread *t);

/* Counts an event that is lost. From anywhere, without the lock. */
void rt_lose(struct rt_thread *t, enum rt_loss why);

/* ring.c: buffers that keep the last events only (OVNI_RING). The lock is held. */
void rt_ring_configure(void);                                             /* reads OVNI_RING, before the process is ready */
size_t rt_ring_size(void);                                                /* bytes of events to keep; 0: all are written */
int rt_ring_begin(struct rt_thread *t);                                   /* before it has a buffer: says how large one is. 0, or -1 without memory */
void rt_ring_first(struct rt_thread *t);                                  /* readies its first chunk, in a buffer that is all zero */
bool rt_ring_make_room(struct rt_thread *t, size_t size, uint64_t clock); /* for an event; false: it is lost, and counted */
void rt_ring_end(struct rt_thread *t, const char *func);                  /* writes it to stream.obs */
void rt_ring_crash(const struct rt_thread *t);                            /* writes private memory as stream.ring. Async-signal-safe */
void rt_ring_free(struct rt_thread *t);

/* What the metadata says of it. */
struct rt_window {
	uint64_t size;             /* OVNI_RING */
	uint64_t dropped;          /* events that were before */
	uint64_t missed;           /* regions and types that had no room in snapshots */
	uint64_t since;            /* its first clock; 0: not known, or nothing was dropped */
	uint64_t snapshot, shared; /* bytes at its begin, as in tail.h */
};
struct rt_window rt_ring_window(const struct rt_thread *t);

/* Copies the ring of a thread that goes on, and writes what it has as a stream. `copy` has room for t->map_size
 * bytes. Not with the lock held. Returns 0, or -1 with errno set. */
int rt_ring_dump(struct rt_thread *t, void *copy, const char *path, struct rt_window *w);

/* dump.c: ovni_dump(), and the signal that calls it. */
void rt_dump_configure(void); /* reads OVNI_DUMP_SIGNAL, once the process is ready */
void rt_dump_forget(void);    /* in the child of a fork */

/* threads.c: all ready threads. */
void rt_enlist(struct rt_thread *t, const char *func); /* aborts if there is one of that tid */
void rt_delist(struct rt_thread *t);
/* Calls fn for each, with the list locked. Returns false, without a call, if the list is locked and try_only is set. */
bool rt_each_thread(void (*fn)(struct rt_thread *t), bool try_only);
void rt_fork_lock(void);
void rt_fork_unlock(void);
struct rt_thread *rt_take_all(void); /* in the child of a fork: empties the list */

/* end.c: how processes and threads end that nobody told. */
void rt_watch_ends(void);               /* once for a process */
void rt_watch_thread(const char *func); /* for the caller */
void rt_unwatch_thread(void);
void rt_watch_crashes(void); /* from now on, private memory is written then */

/* life.c */
/* The directory of the process in a trace whose own is that of this one with `suffix` behind it. Returns 0, or -1 with errno set. */
int rt_proc_dir(char out[PATH_MAX], const char *suffix);
/* Ends a stream and its metadata, once. The lock is held. */
void rt_finish(struct rt_thread *t, enum rt_end end, const char *func);
void rt_release(struct rt_thread *t);

/* clock.c */
void rt_clock_begin(void);         /* reads OVNI_CLOCK, before the process is ready */
bool rt_clock_error(uint64_t *ns); /* how far off the caller's was at most; false: it is the system's */

/* disk.c: all return 0, or -1 with errno set and nothing reported. */
int rt_path(char out[PATH_MAX], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int rt_mkpath(const char *path);
int rt_open(const char *path);
int rt_write(int fd, const void *buf, size_t size, size_t *done);

/* How many of the bytes from `at` on a file may have: beyond its limit (RLIMIT_FSIZE) the kernel does not only refuse,
 * but sends a signal that ends the program. errno is set if that is not all. */
size_t rt_allowed(uint64_t at, size_t size);
int rt_close(int fd);

/* move.c: with OVNI_TMPDIR, files are written elsewhere first. */

/* Leaves links in t->final to the files in t->dir, so that who looks for the trace of a process
 * that was killed finds them. File systems without links have none. moved: only to files that are
 * still there. */
void rt_link(const struct rt_thread *t, bool moved);

/* Brings stream.* from t->dir to t->final. Errors are reported; the files that could not be brought
 * stay where they are. */
void rt_move(const struct rt_thread *t, const char *func);

/* meta.c: the tree of a thread, and its file. The lock is held. */
void rt_meta_begin(struct rt_thread *t, const char *func, const char *loom, int app, int pid);
int rt_meta_write(struct rt_thread *t, const char *func);
int rt_meta_dump(struct rt_thread *t, const char *dir, const struct rt_window *w, const char *func); /* elsewhere, of a window of it; not reported */

/* When a change must be in the file: of the calling thread, whose lock is held. */
enum rt_when {
	RT_WHEN_FLUSHED, /* at the next flush; earlier when there are as many changes as the file has */
	RT_WHEN_USED,    /* before the next event */
	RT_NOW,          /* other threads may need it */
};
void rt_meta_changed(struct rt_thread *t, enum rt_when when, const char *func);

/* tree.c: dotted keys. rt_set takes value over, replaces what is there and creates what
 * is missing on the way; it aborts on a NULL value (no memory) too. */
struct json *rt_find(const struct json *root, const char *key);
void rt_set(struct json *root, const char *func, const char *key, struct json *value);
void rt_set_str(struct json *root, const char *func, const char *key, const char *value);

#endif
