/* SPDX-License-Identifier: MIT */
/* sync: threads, mutexes, condition variables, barriers and spin locks: the functions of the C library are called in
 * between.
 *
 * Times are such that of two threads one holds a lock: it is locked when the call is over, and unlocked when it
 * begins. A thread that waits in a join or at a barrier waits no more with a `sync` of the same object. */
#include "parts.h"

#include <dlfcn.h>
#include <errno.h>
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
	if (strncmp(name, "pthread_cond_", 13) == 0 && strcmp(name, "pthread_cond_clockwait") != 0)
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
note(enum prism_sync_type type, uintptr_t object, uintptr_t other, uint64_t ns)
{
	uint64_t words[2] = { object, other };
	size_t size = type == PRISM_COND_WAIT ? 17 : 9;
	if (!is_traced() || !tracer_enter(STACK_POINTER))
		return;
	ns = ns ? ns : tracer_now();
	struct tracer_stream *s = tracer_get_room(size, ns);
	if (s) {
		memcpy(s->events.base + (uint32_t)s->pos + 1, words, size - 1);
		tracer_commit(s, (uint8_t)(PRISM_SYNC << 5 | type), size, ns);
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
		note(PRISM_LOCK, (uintptr_t)m, 0, 0);
	return rc;
}

/* ---- Threads. ---- */

/* A thread that begins. It calls nothing before its function, which may be that of a library that has to be the first. */
struct start {
	void *(*fn)(void *);
	void *arg;
	size_t stack;
	struct start *next;
};

/* Those that have begun. Threads add to them, and one at a time takes from them. */
static _Atomic(struct start *) spare;

static struct start *
get_start(void)
{
	struct tracer_calm calm;
	tracer_calm(&calm);
	tracer_lock();
	struct start *s = atomic_load(&spare);
	while (s && !atomic_compare_exchange_weak(&spare, &s, s->next))
		continue;
	tracer_unlock();
	if (!s)
		s = tracer_take(sizeof(*s));
	tracer_resume(&calm);
	return s;
}

static void
give_start(struct start *s)
{
	s->next = atomic_load(&spare);
	while (!atomic_compare_exchange_weak(&spare, &s->next, s))
		continue;
}

static void *
run(void *p)
{
	struct start s = *(struct start *)p;
	give_start(p);
	tracer_self.size = s.stack;
	tracer_self.lo = STACK_POINTER - s.stack;
	return s.fn(s.arg);
}

/* Bytes of the stack that a thread will have. */
static size_t
stack_size(const pthread_attr_t *attr)
{
	size_t size = 0;
	if (attr)
		return pthread_attr_getstacksize(attr, &size) == 0 ? size : 0;
	pthread_attr_t usual;
	if (pthread_getattr_default_np(&usual) != 0)
		return 0;
	(void)pthread_attr_getstacksize(&usual, &size);
	(void)pthread_attr_destroy(&usual);
	return size;
}

EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	REAL(pthread_create)
	struct start *s = tracer_on ? get_start() : NULL;
	uint64_t before = get_time();
	if (s)
		*s = (struct start){ .fn = fn, .arg = arg, .stack = stack_size(attr) };
	int rc = s ? real(thread, attr, run, s) : real(thread, attr, fn, arg);
	if (rc == 0) /* before the first event of the thread */
		note(PRISM_CREATE, (uintptr_t)*thread, 0, before);
	else if (s)
		give_start(s);
	return rc;
}

EXPORT int
pthread_join(pthread_t thread, void **value)
{
	REAL(pthread_join)
	note(PRISM_JOIN, (uintptr_t)thread, 0, 0);
	int rc = real(thread, value);
	note(PRISM_SYNC_SYNC, (uintptr_t)thread, 0, 0);
	return rc;
}

EXPORT int
pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	REAL(pthread_timedjoin_np)
	note(PRISM_JOIN, (uintptr_t)thread, 0, 0);
	int rc = real(thread, value, until);
	note(PRISM_SYNC_SYNC, (uintptr_t)thread, 0, 0);
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

#ifdef HAVE_CLOCKWAIT
EXPORT int
pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	REAL(pthread_mutex_clocklock)
	return note_locked(m, real(m, clock, until));
}
#endif

EXPORT int
pthread_mutex_unlock(pthread_mutex_t *m)
{
	REAL(pthread_mutex_unlock)
	uint64_t before = get_time();
	int rc = real(m);
	if (rc == 0)
		note(PRISM_UNLOCK, (uintptr_t)m, 0, before);
	return rc;
}

/* ---- Condition variables. ---- */

/* The thread has the mutex again, also when it is cancelled. */
static void
note_back(void *m)
{
	note(PRISM_LOCK, (uintptr_t)m, 0, 0);
}

/* A call of one of the functions. */
struct waiting {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	const struct timespec *until;
	clockid_t clock;
	int (*plain)(pthread_cond_t *, pthread_mutex_t *);
	int (*timed)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	int (*clocked)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
};

static int
wait_for(const struct waiting *w)
{
	int rc;
	note(PRISM_UNLOCK, (uintptr_t)w->mutex, 0, 0);
	pthread_cleanup_push(note_back, w->mutex);
	if (w->plain)
		rc = w->plain(w->cond, w->mutex);
	else if (w->timed)
		rc = w->timed(w->cond, w->mutex, w->until);
	else
		rc = w->clocked ? w->clocked(w->cond, w->mutex, w->clock, w->until) : EINVAL;
	pthread_cleanup_pop(1);
	if (rc == 0)
		note(PRISM_COND_WAIT, (uintptr_t)w->cond, (uintptr_t)w->mutex, 0);
	return rc;
}

EXPORT int
pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	REAL(pthread_cond_wait)
	return wait_for(&(struct waiting){ .cond = c, .mutex = m, .plain = real });
}

EXPORT int
pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	REAL(pthread_cond_timedwait)
	return wait_for(&(struct waiting){ .cond = c, .mutex = m, .until = until, .timed = real });
}

#ifdef HAVE_CLOCKWAIT
EXPORT int
pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	REAL(pthread_cond_clockwait)
	return wait_for(&(struct waiting){ .cond = c, .mutex = m, .until = until, .clock = clock, .clocked = real });
}
#endif

EXPORT int
pthread_cond_signal(pthread_cond_t *c)
{
	REAL(pthread_cond_signal)
	note(PRISM_COND_SIGNAL, (uintptr_t)c, 0, 0);
	return real(c);
}

EXPORT int
pthread_cond_broadcast(pthread_cond_t *c)
{
	REAL(pthread_cond_broadcast)
	note(PRISM_COND_BROADCAST, (uintptr_t)c, 0, 0);
	return real(c);
}

/* ---- Others. ---- */

EXPORT int
pthread_barrier_wait(pthread_barrier_t *b)
{
	REAL(pthread_barrier_wait)
	note(PRISM_BARRIER, (uintptr_t)b, 0, 0);
	int rc = real(b);
	note(PRISM_SYNC_SYNC, (uintptr_t)b, 0, 0);
	return rc;
}

EXPORT int
pthread_spin_lock(pthread_spinlock_t *l)
{
	REAL(pthread_spin_lock)
	int rc = real(l);
	if (rc == 0)
		note(PRISM_SPIN_LOCK, (uintptr_t)l, 0, 0);
	return rc;
}

EXPORT int
pthread_spin_trylock(pthread_spinlock_t *l)
{
	REAL(pthread_spin_trylock)
	int rc = real(l);
	if (rc == 0)
		note(PRISM_SPIN_LOCK, (uintptr_t)l, 0, 0);
	return rc;
}

EXPORT int
pthread_spin_unlock(pthread_spinlock_t *l)
{
	REAL(pthread_spin_unlock)
	uint64_t before = get_time();
	int rc = real(l);
	if (rc == 0)
		note(PRISM_SPIN_UNLOCK, (uintptr_t)l, 0, before);
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
