/* SPDX-License-Identifier: MIT */
#ifndef RT_H
#define RT_H

/* rt: what the files of the library share. Nothing here is exported.
 *
 * Invariants:
 * - Only the owner of a struct rt_thread reads or writes it. The list that links them
 *   all (life.c) exists for fork(), and is touched at init and free only.
 * - rt_self is set exactly while the thread is ready, so the way of an event looks at one
 *   thread-local pointer and at nothing of the process.
 * - A stream that lost something has limit 0: every event then takes the slow way, where
 *   it is counted. Nothing else tests for a broken stream. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <limits.h>
#include <sys/types.h>
#include <cjson/cJSON.h>
#include "ovni.h"
#include "wire.h"

enum {
	RT_BUF_MAX = OVNI_MAX_EV_BUF,          /* an event that would reach it flushes */
	RT_FLUSH_PAIR = 2 * WIRE_EVENT_HEADER, /* OF[ and OF], always room for them */
	RT_KEY_MAX = 128,                      /* "ovni.require.<model>" must be shorter */
	RT_TEXT_MAX = 512,                     /* title or label a reader refuses */
	RT_VERSION_MAX = 64,                   /* text of a version that is not one */
};

struct rt_thread {
	/* Every event. */
	uint8_t *buf;
	size_t used;  /* bytes of whole events in buf */
	size_t limit; /* RT_BUF_MAX, or 0 when the stream is broken */

	/* Every flush. */
	int fd;        /* stream.obs, or -1 */
	off_t size;    /* bytes of it that are whole events */
	uint64_t lost; /* events that did not reach it */

	/* Begin and end. */
	pid_t tid;
	bool have_rank;
	int rank, nranks;
	cJSON *meta; /* stream.json */
	cJSON *cpus; /* its ovni.loom_cpus, until the end */
	struct rt_thread *prev, *next;
	char dir[PATH_MAX];   /* where the files are written */
	char final[PATH_MAX]; /* where they belong; empty if that is dir */
};

/* Read once and accessed directly; 8 bytes of static TLS still allow dlopen(). */
extern _Thread_local struct rt_thread *rt_self
	__attribute__((tls_model("initial-exec")));

#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* say.c: the three kinds of line on stderr. func is the public function the program
 * called. A format that ends in ':' gets the text of errno appended. */
_Noreturn void rt_die(const char *func, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
void rt_error(const char *func, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
void rt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2), cold));
_Noreturn void rt_nomem(const char *func);

/* libver.c: three numbers out of "1.14.0-rc1". Returns 0, or -1 if it is no version. */
int rt_version_parse(const char *text, long out[3]);

/* ready.c */
enum {
	RT_PROC_NONE,
	RT_PROC_STARTING,
	RT_PROC_READY,
	RT_PROC_GONE,
};
extern _Atomic int rt_proc;           /* one of these */
extern _Thread_local bool rt_finished /* ovni_thread_free() was called */
	__attribute__((tls_model("initial-exec")));

struct rt_thread *rt_ready(const char *func); /* the caller's, aborts if there is none */
void rt_need_proc(const char *func);          /* aborts unless the process is ready */

/* emit.c: write buf to the file and empty it, whatever happens. func as above; errors
 * are reported in its name and break the stream. */
void rt_drain(struct rt_thread *t, const char *func);

/* Stop writing to this stream; events in buf are lost from offset `from` on. */
void rt_break(struct rt_thread *t, size_t from);

/* disk.c: all return 0, or -1 with errno set and nothing reported. */
int rt_path(char out[PATH_MAX], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int rt_mkpath(const char *path);
int rt_open(const char *path);
int rt_write(int fd, const void *buf, size_t size, size_t *done);
int rt_close(int fd);

/* move.c: bring stream.* from t->dir to t->final. Errors are reported; the files that
 * could not be brought stay where they are. */
void rt_move(const struct rt_thread *t, const char *func);

/* meta.c: the tree of the calling thread, and its file. */
void rt_meta_begin(struct rt_thread *t, const char *func, const char *loom, int app, int pid);
void rt_meta_end(struct rt_thread *t, const char *func);
int rt_meta_write(struct rt_thread *t, const char *func);

/* tree.c: dotted keys. rt_set takes value over, replaces what is there and creates what
 * is missing on the way; it aborts on a NULL value (no memory) too. */
cJSON *rt_find(const cJSON *root, const char *key);
cJSON *rt_member(const cJSON *object, const char *name, size_t len); /* NULL: none, or no object */
void rt_set(cJSON *root, const char *func, const char *key, cJSON *value);
void rt_set_str(cJSON *root, const char *func, const char *key, const char *value);

/* jsonout.c: print v to f. indent < 0 is one line without blanks. Errors are those of f. */
void rt_json_print(FILE *f, const cJSON *v, int indent);

#endif
