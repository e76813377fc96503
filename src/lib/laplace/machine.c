/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "kernel.h"

#include <stdlib.h>

int
lapmachine_init(struct lapmachine *m, struct lap_log *log, const struct lapmachine_options *options)
{
	*m = (struct lapmachine){ .log = log, .no_kernel_trace = options->no_kernel_trace, .nevents = 1 };
	m->ncpus = options->ncpus ? options->ncpus : 1;
	m->cpus = calloc(m->ncpus, sizeof(*m->cpus));
	m->on = m->cpus;
	int rc = lappages_init(&m->pages, options->kernel_base, options->offset_in_pages);
	return m->cpus ? rc : -LAP_E_MEMORY;
}

void
lapmachine_finish(struct lapmachine *m)
{
	for (size_t i = 0; i < m->ntasks; i++)
		free(m->tasks[i]);
	free(m->tasks);
	free(m->cpus);
	lapids_finish(&m->pids);
	lappages_finish(&m->pages);
	*m = (struct lapmachine){ 0 };
}

/* ---- Tasks. ---- */

/* Makes a task. NULL: no memory. */
static struct lap_task *
new_task(struct lapmachine *m, uint32_t pid, struct lap_task *parent)
{
	const struct lap_task *old = lapids_find(&m->pids, pid, 0, 0);
	struct lap_task **tasks = lap_grow(m->tasks, m->ntasks, &m->tasks_cap, sizeof(struct lap_task *));
	struct lap_task *t = tasks ? calloc(1, sizeof(*t)) : NULL;
	m->tasks = tasks ? tasks : m->tasks;
	if (!t || lapids_set(&m->pids, pid, 0, 0, t) < 0) {
		free(t);
		m->pages.failed = true;
		return NULL;
	}
	tasks[m->ntasks++] = t;
	*t = (struct lap_task){ .parent = parent, .index = (uint32_t)m->ntasks, .pid = pid };
	t->life = old ? old->life + 1 : 1;
	if (parent)
		t->space = parent->space;
	return t;
}

/* The task of a pid, made if it was never seen. NULL for pid 0, which is the idle task, and
 * when memory is exhausted. */
static struct lap_task *
get_task(struct lapmachine *m, const struct lap_place *at, const struct lap_event *ev, uint64_t pid)
{
	struct lap_task *t = lapids_find(&m->pids, pid, 0, 0);
	if (t || pid == 0)
		return t;
	(void)lap_raise(m->log, at, LAP_LM01, "task %llx was not seen before this %s (%c)",
		(unsigned long long)pid, lap_tags[ev->code - 1].name, ev->tag);
	return new_task(m, (uint32_t)pid, NULL);
}

/* Takes a task from its CPU, where nothing runs then. */
static void
stop_task(struct lapmachine *m, struct lap_task *t)
{
	if (t && t->state == LAP_TASK_RUNNING) {
		m->cpus[t->cpu].running = NULL;
		m->left = t->cpu != (uint32_t)(m->on - m->cpus) ? t->cpu : m->left;
		t->state = LAP_TASK_WAITING;
	}
}

/* Runs a task on the current CPU (NULL: none) and on no other one. */
static void
run(struct lapmachine *m, struct lap_task *t)
{
	if (m->on->running == t)
		return;
	stop_task(m, m->on->running);
	stop_task(m, t);
	m->on->running = t;
	if (!t)
		return;
	t->state = LAP_TASK_RUNNING;
	t->cpu = (uint32_t)(m->on - m->cpus);
}

/* ---- References. ---- */

/* Runs the task that stands for a space (no kernel trace). */
static void
run_space(struct lapmachine *m, struct lap_space *s)
{
	if (!s || (m->on->running && m->on->running->space == s))
		return;
	struct lap_task *t = lapids_find(&m->pids, s->index, 0, 0);
	if (!t)
		t = new_task(m, s->index, NULL);
	if (t)
		t->space = s;
	run(m, t);
}

static void
touch(struct lapmachine *m, const struct lap_record *rec, struct lap_step *step)
{
	uint32_t room = LAP_PAGE_SIZE - rec->addr % LAP_PAGE_SIZE;
	uint8_t n = rec->length < room ? rec->length : (uint8_t)room;
	struct lap_touch *t = step->touch;
	t[0] = (struct lap_touch){ .addr = rec->addr, .length = n };
	t[0].page = lappages_touch(&m->pages, step->space, t[0].addr, &t[0].class);
	step->outside = m->pages.outside;
	step->ntouches = 1;
	if (n == rec->length)
		return;
	t[1] = (struct lap_touch){ .addr = rec->addr + n, .length = (uint8_t)(rec->length - n) };
	t[1].page = lappages_touch(&m->pages, step->space, t[1].addr, &t[1].class);
	step->outside = step->outside || m->pages.outside;
	step->ntouches = 2;
}

static int
take_ref(struct lapmachine *m, const struct lap_record *rec, const struct lap_place *at, struct lap_step *step)
{
	*step = (struct lap_step){ .kernel = rec->addr >= m->pages.kernel_base };
	struct lap_cpu *on = m->on;
	/* References of one space follow each other: look it up once. */
	if (!on->last || on->last->context != rec->space || on->last->dead) {
		on->last = lappages_space(&m->pages, rec->space);
		if (!on->last)
			on->last = lappages_new_space(&m->pages, rec->space);
	}
	step->space = on->last;
	if (m->no_kernel_trace && !step->kernel)
		run_space(m, on->last);
	step->task = on->running;
	if (step->task && !step->kernel) {
		struct lap_task *t = step->task;
		if (!t->space || t->space->dead) {
			t->space = on->last;
		} else if (t->space != on->last) {
			(void)lap_raise(m->log, at, LAP_LM04, "address space %x, but that of the running task %x is %x",
				rec->space, t->pid, t->space->context);
		}
	}
	touch(m, rec, step);
	if (!m->no_kernel_trace && step->outside)
		(void)lap_raise(m->log, at, LAP_LM05, "address %x of space %x is in no mapping", rec->addr, rec->space);
	return m->pages.failed ? -LAP_E_MEMORY : 1;
}

/* ---- Events. ---- */

static int
fork_task(struct lapmachine *m, const struct lap_event *ev, const struct lap_place *at, struct lap_step *step)
{
	uint64_t pid = ev->arg[LAP_PID];
	step->task = get_task(m, at, ev, ev->arg[LAP_PARENT]);
	if (pid == 0) /* the idle task is not a task */
		return 1;
	struct lap_task *old = lapids_find(&m->pids, pid, 0, 0);
	if (old && old->state != LAP_TASK_EXITED) {
		int rc = lap_raise(m->log, at, LAP_LM02, "task %llx is forked, but it lives", (unsigned long long)pid);
		if (rc)
			return rc;
		stop_task(m, old);
		old->state = LAP_TASK_EXITED;
	}
	(void)new_task(m, (uint32_t)pid, step->task);
	return 1;
}

static void
assign_space(struct lapmachine *m, const struct lap_event *ev, struct lap_step *step)
{
	uint32_t context = (uint32_t)ev->arg[LAP_CONTEXT];
	struct lap_space *s = lappages_space(&m->pages, context);
	/* A space known from references or D, and not assigned yet, is the one assigned
	 * here. */
	if (!s || s->assigned)
		s = lappages_new_space(&m->pages, context);
	if (!s)
		return;
	s->assigned = true;
	s->owner = (uint32_t)ev->arg[LAP_PID];
	if (step->task)
		step->task->space = s;
}

/* Finds the space that D or u names. */
static struct lap_space *
named_space(struct lapmachine *m, const struct lap_event *ev, const struct lap_place *at, unsigned field)
{
	uint32_t context = (uint32_t)ev->arg[field];
	struct lap_space *s = lappages_space(&m->pages, context);
	if (s)
		return s;
	(void)lap_raise(m->log, at, LAP_LM06, "%s (%c) of address space %x, which is not known",
		lap_tags[ev->code - 1].name, ev->tag, context);
	return ev->tag == 'D' ? lappages_new_space(&m->pages, context) : NULL;
}

static int
change_tasks(struct lapmachine *m, const struct lap_event *ev, const struct lap_place *at, struct lap_step *step)
{
	struct lap_task *t = step->task;
	if ((ev->tag == 'S' || ev->tag == 'T') && t && t->state == LAP_TASK_EXITED)
		return lap_raise(m->log, at, LAP_LM03, "%s (%c) of task %x, which has ended", lap_tags[ev->code - 1].name, ev->tag, t->pid);
	if (ev->tag == 'S')
		run(m, t);
	else if (ev->tag == 'A')
		assign_space(m, ev, step);
	else if (ev->tag == 'T' && t) {
		stop_task(m, t);
		t->state = LAP_TASK_EXITED;
	}
	return 1;
}

static int
take_event(struct lapmachine *m, const struct lap_event *ev, const struct lap_place *at, struct lap_step *step)
{
	struct lap_space *dup = NULL;
	int rc = 1;
	m->nevents++;
	*step = (struct lap_step){ .task = m->on->running };
	if (ev->tag == 'F')
		rc = fork_task(m, ev, at, step);
	else if (lap_tags[ev->code - 1].owner == LAP_OWNER_PID)
		step->task = get_task(m, at, ev, ev->arg[LAP_PID]);
	if (rc > 0 && !m->pages.failed)
		rc = change_tasks(m, ev, at, step);
	if (rc <= 0)
		return rc;
	step->space = step->task ? step->task->space : NULL;

	struct lap_space *s = step->space;
	if (ev->tag == 'D') {
		s = named_space(m, ev, at, LAP_CONTEXT);
		dup = named_space(m, ev, at, LAP_DUP);
	} else if (ev->tag == 'u') {
		step->ended = named_space(m, ev, at, LAP_CONTEXT);
		if (step->ended)
			lappages_end_space(&m->pages, step->ended);
	}
	if (!m->pages.failed)
		step->copy = lappages_event(&m->pages, ev, s, dup);
	return m->pages.failed ? -LAP_E_MEMORY : 1;
}

int
lapmachine_step(struct lapmachine *m, const struct lap_record *rec, const struct lap_place *at, struct lap_step *step)
{
	int rc;
	m->on = &m->cpus[at->cpu];
	m->left = at->cpu;
	if (rec->type == LAP_EVENT)
		rc = take_event(m, rec->event, at, step);
	else if (rec->type == LAP_REF)
		rc = take_ref(m, rec, at, step);
	else
		rc = lap_raise(m->log, at, LAP_E_FORMAT, "a record of pages, which have no addresses any more");
	step->left = m->left;
	return rc;
}
