/* SPDX-License-Identifier: MIT */
#ifndef TASK_H
#define TASK_H

/* task: task types, tasks and their bodies, as several runtimes have them.
 *
 * Types and tasks belong to a process: any of its threads may run a task. A body is one
 * execution of a task: a normal task has one, a parallel task many. A thread has a stack
 * of bodies; a body is on one stack from its execution to its end. Nothing is removed.
 * Rules in doc/rules.md, "Tasks". */

#include "idmap.h"
#include "model.h"

#include <stdint.h>

enum task_flags {
	TASK_PARALLEL = 1,  /* it may have many bodies */
	TASK_PAUSE = 2,     /* bodies may be paused */
	TASK_RESURRECT = 4, /* a body that ended may be executed again */
	TASK_RELAXED = 8,   /* another body may be executed over one that runs */
	TASK_MADE_UP = 16,  /* it may be created later: the events of another thread begin later */
};

enum body_state {
	BODY_CREATED,
	BODY_RUNNING,
	BODY_PAUSED,
	BODY_DEAD,
};

struct task_type {
	uint32_t id;
	bool made_up;  /* it may be created later: the events of another thread begin later */
	bool awaited;  /* it will be: only tasks refer to it, whose creation was moved to the begin */
	int64_t value; /* shown in the timelines: a hash of the label */
	const char *label;
	struct task_type *next; /* in the order of creation */
};

struct body {
	struct task *task;
	struct body *below; /* on the stack */
	uint32_t id;        /* 1 for a normal task */
	enum body_state state;
	uint32_t thread; /* thread whose stack holds it; NO_INDEX: none */
};

struct task {
	uint32_t id;
	unsigned flags;
	struct task_type *type;
	struct body body; /* the only one of a normal task; id 0: not executed yet */
};

/* Data of a process: the .proc_size of a model with tasks. */
struct task_table {
	struct idmap types;
	struct idmap tasks;
	struct idmap bodies; /* of parallel tasks: task id above the body id */
	struct task_type *first;
	struct task_type *last;
	bool nesting_told;
};

/* Data of a thread: the .thread_size of a model with tasks. */
struct task_stack {
	struct body *top;
};

/* Creates a type from a jumbo event (u32 typeid, str label). An empty label becomes
 * "(unlabeled task type ID)". Returns 0, or <0 (reported). */
int task_type_create(struct emu *emu, const struct event *ev);

/* The type with that id; NULL if there is none (reported). */
struct task_type *task_type_get(struct emu *emu, const struct event *ev, uint32_t id);

/* Creates a task. Returns 0, or <0 (reported). */
int task_create(struct emu *emu, const struct event *ev, uint32_t id, uint32_t type, unsigned flags);

/* A body of a task goes on the stack of the thread of the event and runs; is paused;
 * runs again; ends and leaves the stack. `body` is 0 for a normal task. The body is
 * returned in *out. All return 0, or <0 (reported). */
int body_execute(struct emu *emu, const struct event *ev, uint32_t task, uint32_t body, struct body **out);
int body_pause(struct emu *emu, const struct event *ev, uint32_t task, uint32_t body, struct body **out);
int body_resume(struct emu *emu, const struct event *ev, uint32_t task, uint32_t body, struct body **out);
int body_end(struct emu *emu, const struct event *ev, uint32_t task, uint32_t body, struct body **out);

/* The stack of the thread of the event. */
struct task_stack *task_stack(struct emu *emu);

/* finish() of a model with tasks: gives the types of all processes as labels to its channels of
 * VALUES_TEXT. Returns 0, or <0 (reported). */
int task_finish(struct emu *emu);

#endif
