/* SPDX-License-Identifier: MIT */
/* threads: all ready threads of the process, by number. */
#include "rt.h"

enum {
	BUCKETS = 4096, /* a power of two; numbers of threads are mostly consecutive */
};

static struct rt_thread *all[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct rt_thread **
bucket(pid_t tid)
{
	return &all[(unsigned)tid % BUCKETS];
}

void
rt_enlist(struct rt_thread *t, const char *func)
{
	struct rt_thread **head = bucket(t->tid);

	(void)pthread_mutex_lock(&lock);
	for (const struct rt_thread *o = *head; o != NULL; o = o->next)
		if (o->tid == t->tid) {
			(void)pthread_mutex_unlock(&lock);
			rt_die(func, "another thread has tid %d", (int)t->tid);
		}
	t->next = *head;
	if (t->next != NULL)
		t->next->prev = t;
	*head = t;
	(void)pthread_mutex_unlock(&lock);
}

void
rt_delist(struct rt_thread *t)
{
	(void)pthread_mutex_lock(&lock);
	*(t->prev != NULL ? &t->prev->next : bucket(t->tid)) = t->next;
	if (t->next != NULL)
		t->next->prev = t->prev;
	(void)pthread_mutex_unlock(&lock);
}

bool
rt_each_thread(void (*fn)(struct rt_thread *t), bool try_only)
{
	if (try_only ? pthread_mutex_trylock(&lock) != 0 : pthread_mutex_lock(&lock) != 0)
		return false;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct rt_thread *t = all[i]; t != NULL; t = t->next)
			fn(t);
	(void)pthread_mutex_unlock(&lock);
	return true;
}

void
rt_fork_lock(void)
{
	(void)pthread_mutex_lock(&lock);
}

void
rt_fork_unlock(void)
{
	(void)pthread_mutex_unlock(&lock);
}

struct rt_thread *
rt_take_all(void)
{
	struct rt_thread *list = NULL;

	for (size_t i = 0; i < BUCKETS; i++)
		while (all[i] != NULL) {
			struct rt_thread *t = all[i];
			all[i] = t->next;
			t->next = list;
			list = t;
		}
	return list;
}
