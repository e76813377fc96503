/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_MACHINE_H
#define LAPLACE_MACHINE_H

/* machine: the simulated machine as its trace shows it: tasks, the running one of each CPU, and
 * the address spaces of pages.h. It takes all records in order, and tells for each its task
 * and the pages it touches.
 *
 * CPUs share tasks and spaces; a record belongs to the CPU of its place. A task runs on one CPU
 * at a time: when another CPU runs it, the first one has no task until an event gives it one.
 *
 * Without a kernel trace there are no tasks: each address space counts as one, with the pids
 * 1, 2... in order of appearance, and runs while references to it come. */

#include "pages.h"

enum lap_task_state {
	LAP_TASK_CREATED,
	LAP_TASK_RUNNING,
	LAP_TASK_WAITING,
	LAP_TASK_EXITED,
};

struct lap_task {
	struct lap_space *space; /* NULL: not known */
	struct lap_task *parent; /* NULL: not known */
	void *user;              /* for the caller; NULL at first */
	uint32_t index;          /* from 1, in order of appearance */
	uint32_t pid;
	uint32_t life; /* which one with this pid, from 1 */
	uint32_t cpu;  /* CPU where it runs, or ran last */
	uint8_t state;
};

struct lap_cpu {
	struct lap_task *running;
	struct lap_space *last; /* space of the last reference */
	struct {
		uint64_t since; /* nevents of struct lapmachine when it was marked */
		uint32_t space;
	} steady[2]; /* by mode, of references to the kernel second */
};

struct lapmachine_options {
	uint32_t kernel_base; /* addresses from here on are the kernel's */
	bool offset_in_pages; /* of event M */
	bool no_kernel_trace; /* there are references only */
	uint32_t ncpus;       /* 0: one */
};

struct lapmachine {
	struct lappages pages;
	struct lap_log *log; /* borrowed */
	struct lap_cpu *cpus;
	struct lap_cpu *on; /* the CPU of the current record */
	uint32_t ncpus;
	uint32_t left;      /* see struct lap_step */
	struct lapids pids; /* the last life of each pid */
	struct lap_task **tasks;
	size_t ntasks, tasks_cap;
	uint64_t nevents; /* kernel events so far, plus one */
	bool no_kernel_trace;
};

/* One page of a reference, which may touch two. */
struct lap_touch {
	uint64_t page; /* canonical */
	uint32_t addr; /* of the first byte in the page */
	uint8_t length;
	uint8_t class; /* first touch: enum lap_class; else 0 */
};

/* The effects of a record. */
struct lap_step {
	struct lap_task *task;   /* task it belongs to; NULL: the kernel */
	struct lap_space *space; /* reference: its space; event: that of the task, or NULL */
	bool kernel;             /* a reference to an address of the kernel */
	bool outside;            /* a reference to a page in no mapping */
	uint8_t ntouches;
	struct lap_touch touch[2];
	uint64_t copy;           /* C: the new page */
	struct lap_space *ended; /* u: its space is no more */
	uint32_t left;           /* another CPU, which lost its task to this one; else the CPU of the record */
};

/* Returns 0 or -LAP_E_MEMORY; lapmachine_finish() is called in any case. */
int lapmachine_init(struct lapmachine *m, struct lap_log *log, const struct lapmachine_options *options);
void lapmachine_finish(struct lapmachine *m);

/* Takes the next record, a reference or an event, and describes its effects in *step. at: its place,
 * for messages, and its CPU, which must be there. Returns 1, 0: it is ignored (lenient), <0 a code, of
 * which the log was told unless it is -LAP_E_MEMORY. */
int lapmachine_step(struct lapmachine *m, const struct lap_record *rec, const struct lap_place *at, struct lap_step *step);

/* Marks that references of the current CPU in a mode and a space only count, until the next
 * kernel event. Set by the model. */
static inline void
lapmachine_settle(struct lapmachine *m, bool kernel, uint32_t space)
{
	m->on->steady[kernel].since = m->nevents;
	m->on->steady[kernel].space = space;
}

/* Whether references of a CPU in a mode and a space are so marked. */
static inline bool
lapmachine_is_steady(const struct lapmachine *m, uint32_t cpu, bool kernel, uint32_t space)
{
	return m->cpus[cpu].steady[kernel].since == m->nevents && m->cpus[cpu].steady[kernel].space == space;
}

#endif
