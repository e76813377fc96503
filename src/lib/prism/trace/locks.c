/* SPDX-License-Identifier: MIT */
/* locks: what threads hold and wait for: mutexes, spin locks, read-write locks, condition variables and semaphores, also
 * those of <threads.h>, whose functions call those of POSIX where nobody can come in between.
 *
 * Times are such that of two threads one holds a lock: it is locked when the call is over, and unlocked when it
 * begins. Readers hold a read-write lock together. A semaphore is a condition variable without a mutex. */
#include "parts.h"

#include <errno.h>
#include <semaphore.h>
#ifdef HAVE_THREADS
#include <threads.h>
#endif

/* A function that takes the lock l. */
#define LOCKS(name, type, params, args)                            \
	EXPORT int                                                 \
		name params                                        \
	{                                                          \
		REAL(name)                                         \
		return note_locked(type, (uintptr_t)l, real args); \
	}

#define UNLOCKS(name, type, params)                                 \
	EXPORT int                                                  \
		name params                                         \
	{                                                           \
		REAL(name)                                          \
		uint64_t before = tracer_time();                    \
		int rc = real(l);                                   \
		if (rc == 0)                                        \
			tracer_note(type, (uintptr_t)l, 0, before); \
		return rc;                                          \
	}

/* A function that waits for the condition c and unlocks the mutex m meanwhile, which the thread has again also when it is
 * cancelled. */
#define WAITS(name, params, args)                                                    \
	EXPORT int                                                                   \
		name params                                                          \
	{                                                                            \
		int rc;                                                              \
		REAL(name)                                                           \
		tracer_note(PRISM_UNLOCK, (uintptr_t)m, 0, 0);                       \
		pthread_cleanup_push(note_back, m);                                  \
		__typeof__(name) *call = __atomic_load_n(&cached, __ATOMIC_RELAXED); \
		rc = call args;                                                      \
		pthread_cleanup_pop(1);                                              \
		if (rc == 0)                                                         \
			tracer_note(PRISM_COND_WAIT, (uintptr_t)c, (uintptr_t)m, 0); \
		return rc;                                                           \
	}

/* A function that wakes those that wait for c. */
#define WAKES(name, type, params)                      \
	EXPORT int                                     \
		name params                            \
	{                                              \
		REAL(name)                             \
		tracer_note(type, (uintptr_t)c, 0, 0); \
		return real(c);                        \
	}

/* A function that takes one from the semaphore c. */
#define TAKES(name, params, args)                                         \
	EXPORT int                                                        \
		name params                                               \
	{                                                                 \
		REAL(name)                                                \
		int rc = real args;                                       \
		if (rc == 0)                                              \
			tracer_note(PRISM_COND_WAIT, (uintptr_t)c, 0, 0); \
		return rc;                                                \
	}

typedef const struct timespec until_t;

static int
note_locked(enum prism_sync_type type, uintptr_t lock, int rc)
{
	if (rc == 0 || rc == EOWNERDEAD)
		tracer_note(type, lock, 0, 0);
	return rc;
}

static void
note_back(void *m)
{
	tracer_note(PRISM_LOCK, (uintptr_t)m, 0, 0);
}

LOCKS(pthread_mutex_lock, PRISM_LOCK, (pthread_mutex_t * l), (l))
LOCKS(pthread_mutex_trylock, PRISM_LOCK, (pthread_mutex_t * l), (l))
LOCKS(pthread_mutex_timedlock, PRISM_LOCK, (pthread_mutex_t * l, until_t *t), (l, t))
UNLOCKS(pthread_mutex_unlock, PRISM_UNLOCK, (pthread_mutex_t * l))

LOCKS(pthread_spin_lock, PRISM_SPIN_LOCK, (pthread_spinlock_t * l), (l))
LOCKS(pthread_spin_trylock, PRISM_SPIN_LOCK, (pthread_spinlock_t * l), (l))
UNLOCKS(pthread_spin_unlock, PRISM_SPIN_UNLOCK, (pthread_spinlock_t * l))

LOCKS(pthread_rwlock_rdlock, PRISM_LOCK, (pthread_rwlock_t * l), (l))
LOCKS(pthread_rwlock_tryrdlock, PRISM_LOCK, (pthread_rwlock_t * l), (l))
LOCKS(pthread_rwlock_timedrdlock, PRISM_LOCK, (pthread_rwlock_t * l, until_t *t), (l, t))
LOCKS(pthread_rwlock_wrlock, PRISM_LOCK, (pthread_rwlock_t * l), (l))
LOCKS(pthread_rwlock_trywrlock, PRISM_LOCK, (pthread_rwlock_t * l), (l))
LOCKS(pthread_rwlock_timedwrlock, PRISM_LOCK, (pthread_rwlock_t * l, until_t *t), (l, t))
UNLOCKS(pthread_rwlock_unlock, PRISM_UNLOCK, (pthread_rwlock_t * l))

WAITS(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
WAITS(pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, until_t *t), (c, m, t))
WAKES(pthread_cond_signal, PRISM_COND_SIGNAL, (pthread_cond_t * c))
WAKES(pthread_cond_broadcast, PRISM_COND_BROADCAST, (pthread_cond_t * c))

TAKES(sem_wait, (sem_t * c), (c))
TAKES(sem_trywait, (sem_t * c), (c))
TAKES(sem_timedwait, (sem_t * c, until_t *t), (c, t))

/* Called from signal handlers, in which dlsym() must not be. */
static __typeof__(sem_post) *real_post;

static __attribute__((constructor)) void
find_post(void)
{
	*(void **)&real_post = tracer_real("sem_post");
}

EXPORT int
sem_post(sem_t *c)
{
	if (!real_post)
		find_post();
	tracer_note(PRISM_COND_SIGNAL, (uintptr_t)c, 0, 0);
	return real_post(c);
}

#ifdef HAVE_CLOCKWAIT
LOCKS(pthread_mutex_clocklock, PRISM_LOCK, (pthread_mutex_t * l, clockid_t k, until_t *t), (l, k, t))
LOCKS(pthread_rwlock_clockrdlock, PRISM_LOCK, (pthread_rwlock_t * l, clockid_t k, until_t *t), (l, k, t))
LOCKS(pthread_rwlock_clockwrlock, PRISM_LOCK, (pthread_rwlock_t * l, clockid_t k, until_t *t), (l, k, t))
WAITS(pthread_cond_clockwait, (pthread_cond_t * c, pthread_mutex_t *m, clockid_t k, until_t *t), (c, m, k, t))
TAKES(sem_clockwait, (sem_t * c, clockid_t k, until_t *t), (c, k, t))
#endif

#ifdef HAVE_THREADS
LOCKS(mtx_lock, PRISM_LOCK, (mtx_t * l), (l))
LOCKS(mtx_trylock, PRISM_LOCK, (mtx_t * l), (l))
LOCKS(mtx_timedlock, PRISM_LOCK, (mtx_t * l, until_t *t), (l, t))
UNLOCKS(mtx_unlock, PRISM_UNLOCK, (mtx_t * l))

WAITS(cnd_wait, (cnd_t * c, mtx_t *m), (c, m))
WAITS(cnd_timedwait, (cnd_t * c, mtx_t *m, until_t *t), (c, m, t))
WAKES(cnd_signal, PRISM_COND_SIGNAL, (cnd_t * c))
WAKES(cnd_broadcast, PRISM_COND_BROADCAST, (cnd_t * c))
#endif
