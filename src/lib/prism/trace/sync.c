/* SPDX-License-Identifier: MIT */
/* sync: threads, mutexes, condition variables, barriers and spin locks: the functions of the C library are called in
 * between.
 *
 * Times are such that of two threads one holds a lock: it is locked when the call is over, and unlocked when it
 * begins. A thread that waits in a join or at a barrier waits no more with a `sync` of the same object. */
#include "parts.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define STACK_POINTER ((uintptr_t)__builtin_frame_address(0))

/* The function that would be called without us: `real`. */
#define REAL(name)                                                           \
	static __typeof__(name) *cached;                                     \
	__typeof__(name) *real = __atomic_load_n(&cached, __ATOMIC_RELAXED); \
	if (__builtin_expect(!real, 0)) {                                    \
		*(void **)&real = find_real(#name);                          \
		__atomic_store_n(&cached, real, __ATOMIC_RELAXED);           \
	}

/* On x86-64 there are two of each function of condition variables; the old ones are of other objects. */
static void *
find_real(const char *name)
{
	void *p = NULL;
#if defined(__x86_64__) && defined(__GLIBC__)
	if (strncmp(name, "pthread_cond_", 13) == 0)
		p = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
	return p ? p : dlsym(RTLD_NEXT, name);
}

/* ---- Events. ---- */

static bool
is_traced(void)
{
	return tracer_on && atomic_load_explicit(&tracer_active, memory_order_relaxed);
}

/* An event at a time that may have passed; 0: now. */
static void
note(enum prism_sync_type type, const void *object, const void *other, uint64_t ns)
{
	uint64_t words[2] = { (uintptr_t)object, (uintptr_t)other };
	size_t size = type == PRISM_COND_WAIT ? 17 : 9;
	if (!is_traced() || !tracer_enter(STACK_POINTER))
		return;
	struct tracer_stream *s = tracer_get_room(size);
	if (s) {
		memcpy(s->events.base + (uint32_t)s->pos + 1, words, size - 1);
		tracer_commit(s, (uint8_t)(PRISM_SYNC << 5 | type), size, ns ? ns : tracer_now());
	}
	tracer_leave();
}

static uint64_t
get_time(void)
{
	return is_traced() ? tracer_now() : 0;
}

static int
note_locked(pthread_mutex_t *m, int rc)
{
	if (rc == 0 || rc == EOWNERDEAD)
		note(PRISM_LOCK, m, NULL, 0);
	return rc;
}

/* ---- Threads. ---- */

struct start {
	void *(*fn)(void *);
	void *arg;
};

static void *
run(void *p)
{
	struct start s = *(struct start *)p;
	free(p);
	tracer_know_stack();
	return s.fn(s.arg);
}

EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	REAL(pthread_create)
	struct start *s = tracer_on ? malloc(sizeof(*s)) : NULL;
	uint64_t before = get_time();
	if (s)
		*s = (struct start){ fn, arg };
	int rc = s ? real(thread, attr, run, s) : real(thread, attr, fn, arg);
	if (rc == 0) /* before the first event of the thread */
		note(PRISM_CREATE, (const void *)*thread, NULL, before);
	else
		free(s);
	return rc;
}

EXPORT int
pthread_join(pthread_t thread, void **value)
{
	REAL(pthread_join)
	note(PRISM_JOIN, (const void *)thread, NULL, 0);
	int rc = real(thread, value);
	note(PRISM_SYNC_SYNC, (const void *)thread, NULL, 0);
	return rc;
}

EXPORT int
pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	REAL(pthread_timedjoin_np)
	note(PRISM_JOIN, (const void *)thread, NULL, 0);
	int rc = real(thread, value, until);
	note(PRISM_SYNC_SYNC, (const void *)thread, NULL, 0);
	return rc;
}

/* ---- Mutexes. ---- */

EXPORT int
pthread_mutex_lock(pthread_mutex_t *m)
{
	REAL(pthread_mutex_lock)
	return note_locked(m, real(m));
}

EXPORT int
pthread_mutex_trylock(pthread_mutex_t *m)
{
	REAL(pthread_mutex_trylock)
	return note_locked(m, real(m));
}

EXPORT int
pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	REAL(pthread_mutex_timedlock)
	return note_locked(m, real(m, until));
}

EXPORT int
pthread_mutex_unlock(pthread_mutex_t *m)
{
	REAL(pthread_mutex_unlock)
	uint64_t before = get_time();
	int rc = real(m);
	if (rc == 0)
		note(PRISM_UNLOCK, m, NULL, before);
	return rc;
}

/* ---- Condition variables. ---- */

/* The thread has the mutex again, also when it is cancelled. */
static void
note_back(void *m)
{
	note(PRISM_LOCK, m, NULL, 0);
}

static int
note_waited(pthread_cond_t *c, pthread_mutex_t *m, int rc)
{
	if (rc == 0)
		note(PRISM_COND_WAIT, c, m, 0);
	return rc;
}

typedef int timed_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);

/* Calls one of two functions. */
static int
wait_for(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until, __typeof__(pthread_cond_wait) *const plain, timed_wait *const timed)
{
	int rc;
	note(PRISM_UNLOCK, m, NULL, 0);
	pthread_cleanup_push(note_back, m);
	rc = plain ? plain(c, m) : timed(c, m, until);
	pthread_cleanup_pop(1);
	return note_waited(c, m, rc);
}

EXPORT int
pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	REAL(pthread_cond_wait)
	return wait_for(c, m, NULL, real, NULL);
}

EXPORT int
pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	REAL(pthread_cond_timedwait)
	return wait_for(c, m, until, NULL, real);
}

EXPORT int
pthread_cond_signal(pthread_cond_t *c)
{
	REAL(pthread_cond_signal)
	note(PRISM_COND_SIGNAL, c, NULL, 0);
	return real(c);
}

EXPORT int
pthread_cond_broadcast(pthread_cond_t *c)
{
	REAL(pthread_cond_broadcast)
	note(PRISM_COND_BROADCAST, c, NULL, 0);
	return real(c);
}

/* ---- Others. ---- */

EXPORT int
pthread_barrier_wait(pthread_barrier_t *b)
{
	REAL(pthread_barrier_wait)
	note(PRISM_BARRIER, b, NULL, 0);
	int rc = real(b);
	note(PRISM_SYNC_SYNC, b, NULL, 0);
	return rc;
}

EXPORT int
pthread_spin_lock(pthread_spinlock_t *l)
{
	REAL(pthread_spin_lock)
	int rc = real(l);
	if (rc == 0)
		note(PRISM_SPIN_LOCK, (const void *)l, NULL, 0);
	return rc;
}

EXPORT int
pthread_spin_trylock(pthread_spinlock_t *l)
{
	REAL(pthread_spin_trylock)
	int rc = real(l);
	if (rc == 0)
		note(PRISM_SPIN_LOCK, (const void *)l, NULL, 0);
	return rc;
}

EXPORT int
pthread_spin_unlock(pthread_spinlock_t *l)
{
	REAL(pthread_spin_unlock)
	uint64_t before = get_time();
	int rc = real(l);
	if (rc == 0)
		note(PRISM_SPIN_UNLOCK, (const void *)l, NULL, before);
	return rc;
}

EXPORT int
dlclose(void *handle)
{
	REAL(dlclose)
	int rc = real(handle);
	if (rc == 0 && tracer_on) {
		struct tracer_calm calm;
		tracer_calm(&calm);
		tracer_names_closed();
		tracer_resume(&calm);
	}
	return rc;
}
