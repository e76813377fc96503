/* SPDX-License-Identifier: MIT */
/* end: threads and processes that end without telling.
 *
 * What is in a mapped buffer needs nobody: it is in its file. Here the streams are brought into order
 * where there is time for it, and private buffers are written. */
#include <limits.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "rt.h"

enum {
	LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS - 1, /* in the very last, sanitizers end the thread */
};

static pthread_key_t key;
static bool have_key;
static const char rounds[LAST_ROUND + 1]; /* values of the key */
static pid_t watched;                     /* the process whose threads are listed, not one that forked without pthread_atfork() */

/* The destructor of the key. Others may emit in theirs: ours waits for the last rounds. */
static void
thread_ends(void *arg)
{
	const char *round = arg;
	struct rt_thread *t = rt_self;

	if (t == NULL)
		return;
	if (round < &rounds[LAST_ROUND] && pthread_setspecific(key, round + 1) == 0)
		return;
	(void)pthread_mutex_lock(&t->lock);
	rt_finish(t, RT_END_THREAD, "pthread_exit");
	rt_leave(t);
	rt_release(t);
}

/* A thread that is stuck in the library must not stop the process from ending. Its own lock is held if
 * exit() came from a signal handler. */
static void
finish_at_exit(struct rt_thread *t)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	int rc = t == rt_self ? pthread_mutex_trylock(&t->lock) : pthread_mutex_timedlock(&t->lock, &until);
	atomic_store(&t->tail->ended, TAIL_EXIT);
	if (rc != 0)
		return;
	rt_finish(t, RT_END_EXIT, "exit");
	rt_leave(t);
}

static __attribute__((destructor)) void
process_exits(void)
{
	if (watched == getpid())
		(void)rt_each_thread(finish_at_exit, false);
}

/* Async-signal-safe as far as needed: whoever holds a lock is left alone. */
static void
write_at_abort(struct rt_thread *t)
{
	bool locked = pthread_mutex_trylock(&t->lock) == 0;
	size_t done;

	atomic_store(&t->tail->ended, TAIL_ABORT);
	if (t->ring != NULL && !t->shared && t->end == RT_END_NONE)
		rt_ring_crash(t);
	else if (!t->shared && t->limit > 0 && t->end == RT_END_NONE && (locked || (t == rt_self && !t->draining)))
		(void)rt_write(t->fd, t->tail->events, atomic_load(&t->tail->used), &done);
	if (locked)
		rt_leave(t);
}

static void
process_aborts(int sig)
{
	(void)signal(sig, SIG_DFL);
	if (watched == getpid())
		(void)rt_each_thread(write_at_abort, true); /* NOLINT(bugprone-signal-handler): takes no lock that is held */
	(void)raise(sig);
}

void
rt_watch_ends(void)
{
	struct sigaction sa;

	watched = getpid();
	if (!have_key && pthread_key_create(&key, thread_ends) != 0)
		rt_nomem("ovni_proc_init");
	have_key = true;
	/* A program that catches it itself is not disturbed. */
	if (sigaction(SIGABRT, NULL, &sa) == 0 && !(sa.sa_flags & SA_SIGINFO) && sa.sa_handler == SIG_DFL)
		(void)signal(SIGABRT, process_aborts);
}

void
rt_watch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	struct sigaction sa, ours = { .sa_handler = process_aborts, .sa_flags = SA_ONSTACK };

	(void)sigemptyset(&ours.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &sa) == 0 && !(sa.sa_flags & SA_SIGINFO) && sa.sa_handler == SIG_DFL)
			(void)sigaction(signals[i], &ours, NULL);
}

void
rt_watch_thread(const char *func)
{
	if (pthread_setspecific(key, &rounds[1]) != 0)
		rt_nomem(func);
}

void
rt_unwatch_thread(void)
{
	(void)pthread_setspecific(key, NULL);
}
