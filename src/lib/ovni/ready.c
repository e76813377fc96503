/* SPDX-License-Identifier: MIT */
/* ready: whether the process and the calling thread may be traced now. */
#include "rt.h"

/* The buffer of threads that have none: every event takes the slow way. */
static struct tail nothing;

/* The model has to be said here too: gcc does not take it from the declaration. */
__thread struct ovni_room ovni_room __attribute__((visibility("default"), tls_model("initial-exec"))) = {
	(uint8_t *)&nothing + TAIL_HEADER, RT_SLOW
};
_Thread_local struct rt_thread *rt_self __attribute__((tls_model("initial-exec")));
_Thread_local enum rt_end rt_ended __attribute__((tls_model("initial-exec")));
_Atomic int rt_proc;

void
rt_make_room(const struct rt_thread *t)
{
	bool fast = t->limit > 0 && !t->due && t->end == RT_END_NONE;

	ovni_room.events = t->tail->events;
	ovni_room.limit = fast ? t->limit : RT_SLOW;
}

void
rt_forget(enum rt_end end)
{
	rt_self = NULL;
	rt_ended = end;
	ovni_room = (struct ovni_room){ nothing.events, RT_SLOW };
}

struct rt_thread *
rt_ready(const char *func)
{
	if (rt_self == NULL)
		rt_die(func, rt_ended ? "the thread has finished" : "the thread is not initialised");
	return rt_self;
}

struct rt_thread *
rt_enter(const char *func)
{
	struct rt_thread *t = rt_ready(func);
	(void)pthread_mutex_lock(&t->lock);
	return t;
}

void
rt_leave(struct rt_thread *t)
{
	(void)pthread_mutex_unlock(&t->lock);
}

void
rt_need_proc(const char *func)
{
	int state = atomic_load(&rt_proc);
	if (state != RT_PROC_READY)
		rt_die(func, state == RT_PROC_GONE ? "the process has finished" : "the process is not initialised");
}

const char *
rt_env(const char *name)
{
	const char *v = getenv(name);
	return v != NULL && v[0] != '\0' ? v : NULL;
}
