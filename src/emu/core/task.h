/* SPDX-License-Identifier: MIT */
#ifndef TASK_H
#define TASK_H

/* task: task types, tasks and their bodies, as several runtimes have them: the tables behind the
 * task_*() of ovniscope/model.h.
 *
 * Types and tasks belong to a process: any of its threads may run a task. A body is one
 * execution of a task: a normal task has one, a parallel task many. A thread has a stack
 * of bodies; a body is on one stack from its execution to its end. No id is forgotten, but of a normal task that
 * has ended only its type and its flags are left: the next one takes its place in memory, which is in the cache.
 * Rules in doc/rules.md, "Tasks". */

#include "idmap.h"
#include "ovniscope/model.h"

#include <stdint.h>

enum {
	TASK_MADE_UP = 1 << 8,    /* flag: it may be created later: the events of another thread begin later */
	TASK_EXECUTED = 1 << 9,   /* flag: some body of it was, and an output knows of it */
	TASK_STANDS_IN = 1 << 10, /* flag: it is no task, but stands for those that have ended */
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
	struct task *ended;     /* stand for tasks of the type that have ended, one for each set of flags */
};

struct body {
	struct task_body face; /* id 0: it was not executed yet */
	struct task *task;
	struct body *below; /* on the stack */
	enum body_state state;
	uint32_t thread; /* thread whose stack holds it; NO_INDEX: none */
};

struct task {
	uint32_t id;
	unsigned flags;
	struct task_type *type;
	union {
		struct idmap_slot *slot; /* that leads to it */
		struct task *next;       /* of a list */
	};
	struct body body; /* the only one of a normal task */
};

/* The tasks of a model in a process. */
struct task_table {
	struct idmap types;
	struct idmap tasks;
	struct task *unused; /* memory of those that have ended */
	struct idmap bodies; /* of parallel tasks: task id above the body id */
	struct task_type *first;
	struct task_type *last;
	bool nesting_told;
};

/* The bodies of a model in a thread. */
struct task_stack {
	struct body *top;
};

/* Gives the types of all processes as labels to the channels of VALUES_TEXT of the model that is being
 * called. Returns 0, or <0 (reported). */
int task_finish(struct emu *emu);

#endif
