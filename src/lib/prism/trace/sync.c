/* SPDX-License-Identifier: MIT */
/* sync: events of synchronization, and threads and barriers: the functions of the C library are called in between.
 *
 * A thread that waits in a join or at a barrier waits no more with a `sync` of the same object. */
#include "parts.h"

#include <dlfcn.h>
#include <string.h>
#ifdef HAVE_THREADS
#include <threads.h>
#endif

/* On x86-64 there are two of each function of condition variables; the old ones are of other objects. */
void *
tracer_real(const char *name)
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

void
tracer_note(enum prism_sync_type type, uintptr_t object, uintptr_t other, uint64_t ns)
{
	const uint64_t words[2] = { object, other };
	size_t size = type == PRISM_COND_WAIT ? 17 : 9;
	if (!is_traced() || !tracer_enter(STACK_POINTER))
		return;
	ns = ns ? ns : tracer_now();
	bool wanted = ns >= tracer_filter.from && ns <= tracer_filter.to;
	struct tracer_stream *s = wanted ? tracer_get_room(size, ns) : NULL;
	if (s) {
		uint8_t *at = s->events.base + (uint32_t)s->pos;
		at[size] = TRACER_END;
		memcpy(at + 8, (const char *)words + 7, size - 8);
		tracer_commit(s, (PRISM_SYNC << 5 | type) | words[0] << 8, size, ns);
	}
	tracer_leave();
}

uint64_t
tracer_time(void)
{
	return is_traced() ? tracer_now() : 0;
}

/* ---- Threads. ---- */

/* A thread that begins. It calls nothing before its function, which may be that of a library that has to be the first. */
struct start {
	void *(*fn)(void *);
	int (*fn_c11)(void *); /* instead, of <threads.h> */
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

/* sp: stack pointer of the thread's first function. */
static struct start
take_start(void *p, uintptr_t sp)
{
	struct start s = *(struct start *)p;
	give_start(p);
	tracer_self.size = s.stack;
	tracer_self.lo = sp - s.stack;
	return s;
}

static void *
run(void *p)
{
	struct start s = take_start(p, STACK_POINTER);
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
	uint64_t before = tracer_time();
	if (s)
		*s = (struct start){ .fn = fn, .arg = arg, .stack = stack_size(attr) };
	int rc = s ? real(thread, attr, run, s) : real(thread, attr, fn, arg);
	if (rc == 0) /* before the first event of the thread */
		tracer_note(PRISM_CREATE, (uintptr_t)*thread, 0, before);
	else if (s)
		give_start(s);
	return rc;
}

EXPORT int
pthread_join(pthread_t thread, void **value)
{
	REAL(pthread_join)
	tracer_note(PRISM_JOIN, (uintptr_t)thread, 0, 0);
	int rc = real(thread, value);
	tracer_note(PRISM_SYNC_SYNC, (uintptr_t)thread, 0, 0);
	return rc;
}

EXPORT int
pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	REAL(pthread_timedjoin_np)
	tracer_note(PRISM_JOIN, (uintptr_t)thread, 0, 0);
	int rc = real(thread, value, until);
	tracer_note(PRISM_SYNC_SYNC, (uintptr_t)thread, 0, 0);
	return rc;
}

#ifdef HAVE_THREADS
static int
run_c11(void *p)
{
	struct start s = take_start(p, STACK_POINTER);
	return s.fn_c11(s.arg);
}

EXPORT int
thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	REAL(thrd_create)
	struct start *s = tracer_on ? get_start() : NULL;
	uint64_t before = tracer_time();
	if (s)
		*s = (struct start){ .fn_c11 = fn, .arg = arg, .stack = stack_size(NULL) };
	int rc = s ? real(thread, run_c11, s) : real(thread, fn, arg);
	if (rc == thrd_success)
		tracer_note(PRISM_CREATE, (uintptr_t)*thread, 0, before);
	else if (s)
		give_start(s);
	return rc;
}

EXPORT int
thrd_join(thrd_t thread, int *value)
{
	REAL(thrd_join)
	tracer_note(PRISM_JOIN, (uintptr_t)thread, 0, 0);
	int rc = real(thread, value);
	tracer_note(PRISM_SYNC_SYNC, (uintptr_t)thread, 0, 0);
	return rc;
}
#endif

/* ---- Others. ---- */

EXPORT int
pthread_barrier_wait(pthread_barrier_t *b)
{
	REAL(pthread_barrier_wait)
	tracer_note(PRISM_BARRIER, (uintptr_t)b, 0, 0);
	int rc = real(b);
	tracer_note(PRISM_SYNC_SYNC, (uintptr_t)b, 0, 0);
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
