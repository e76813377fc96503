/* SPDX-License-Identifier: MIT */
/* ready: whether the process and the calling thread may be traced now. */
#include "rt.h"

/* The model has to be said here too: gcc does not take it from the declaration. */
_Thread_local struct rt_thread *rt_self __attribute__((tls_model("initial-exec")));
_Thread_local bool rt_finished __attribute__((tls_model("initial-exec")));
_Atomic int rt_proc;

struct rt_thread *
rt_ready(const char *func)
{
	if (rt_self == NULL)
		rt_die(func, rt_finished ? "the thread has finished" : "the thread is not initialised");
	return rt_self;
}

void
rt_need_proc(const char *func)
{
	int state = atomic_load(&rt_proc);
	if (state != RT_PROC_READY)
		rt_die(func, state == RT_PROC_GONE ? "the process has finished" : "the process is not initialised");
}
