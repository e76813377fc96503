/* SPDX-License-Identifier: MIT */
#include "crew.h"

enum {
	EMULATES = 1, /* number of the thread that emulates */
	STEADY = 2,   /* a thread does again what it did last, unless another job is that much older */
};

void
crew_init(struct crew *c)
{
	*c = (struct crew){ .nmembers = EMULATES };
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->progress, NULL);
}

/* Counts what happens to a job. */
static void
turn(struct crew *c, const struct job *t, int nbusy, int nqueued)
{
	if (!c->stats)
		return;
	stats_turn(t->stage, nbusy, nqueued);
	t->stage->njobs += nbusy < 0;
}

void
crew_add(struct crew *c, struct job *t)
{
	turn(c, t, 0, 1);
	struct job **at = &c->jobs;
	while (*at && (*at)->age <= t->age)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
	c->njobs++;
}

/* Takes a job out of the list, which has one. */
static struct job *
take(struct crew *c, unsigned member)
{
	struct job **best = &c->jobs;
	for (struct job **at = best; *at && (*at)->age <= c->jobs->age + STEADY; at = &(*at)->next)
		if ((*at)->member == member) {
			best = at;
			break;
		}
	struct job *t = *best;
	*best = t->next;
	c->njobs--;
	return t;
}

/* Wakes threads for the jobs that are there, but for `less` that the caller does. */
static void
wake(struct crew *c, unsigned less)
{
	unsigned n = c->njobs > less ? c->njobs - less : 0;
	for (unsigned i = 0; i < n && i < c->nidle; i++)
		pthread_cond_signal(&c->work);
	if (c->sleeps && (n > c->nidle || c->ready(c->arg)))
		pthread_cond_signal(&c->progress);
}

/* Does a job, with the lock held before and behind it. */
static void
do_job(struct crew *c, unsigned member)
{
	struct job *t = take(c, member);
	t->member = member;
	turn(c, t, 1, -1);
	pthread_mutex_unlock(&c->lock);
	uint64_t cpu = c->stats ? stats_cpu() : 0;
	t->run(t);
	cpu = c->stats ? stats_cpu() - cpu : 0;
	pthread_mutex_lock(&c->lock);
	turn(c, t, -1, 0);
	if (c->stats)
		t->stage->cpu_ns += cpu;
	t->done(t);
	if (c->waits && c->ready(c->arg)) {
		stats_turn(c->own, 0, 1);
		c->waits = false;
	}
	wake(c, 1);
}

static void *
serve(void *arg)
{
	struct crew *c = arg;
	pthread_mutex_lock(&c->lock);
	unsigned member = ++c->nmembers;
	for (;;) {
		while (!c->jobs && !c->ended) {
			c->nidle++;
			pthread_cond_wait(&c->work, &c->lock);
			c->nidle--;
		}
		if (!c->jobs)
			break;
		do_job(c, member);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

void
crew_start(struct crew *c, unsigned n)
{
	while (c->nthreads < n && c->nthreads < CREW_MAX && pthread_create(&c->threads[c->nthreads], NULL, serve, c) == 0)
		c->nthreads++;
}

void
crew_lock(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
}

void
crew_unlock(struct crew *c)
{
	wake(c, 0);
	pthread_mutex_unlock(&c->lock);
}

void
crew_unlock_quietly(struct crew *c)
{
	pthread_mutex_unlock(&c->lock);
}

/* The thread that emulates leaves what is its own, or goes on with it. */
static void
leave_own(struct crew *c)
{
	c->own->cpu_ns += stats_cpu() - c->since;
	stats_turn(c->own, -1, 0);
}

static void
resume_own(struct crew *c)
{
	stats_turn(c->own, 1, -(int)c->own->nqueued);
	c->since = stats_cpu();
}

void
crew_turn_to(struct crew *c, struct stage *own)
{
	pthread_mutex_lock(&c->lock);
	if (c->own)
		leave_own(c);
	c->own = own;
	resume_own(c);
	pthread_mutex_unlock(&c->lock);
}

void
crew_wait(struct crew *c, crew_ready_fn *ready, void *arg, bool room)
{
	bool counts = c->stats && !ready(arg);
	if (counts) {
		leave_own(c);
		c->own->full = room;
	}
	c->ready = ready;
	c->arg = arg;
	c->waits = counts;
	wake(c, 1); /* for what was added with the lock */
	while (!ready(arg)) {
		if (c->jobs) {
			do_job(c, EMULATES);
			continue;
		}
		c->sleeps = true;
		pthread_cond_wait(&c->progress, &c->lock);
		c->sleeps = false;
	}
	c->waits = false;
	if (counts)
		resume_own(c);
}

void
crew_finish(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->ended = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->nthreads; i++)
		pthread_join(c->threads[i], NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->progress);
}
