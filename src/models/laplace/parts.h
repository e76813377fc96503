/* SPDX-License-Identifier: MIT */
#ifndef MODELS_LAPLACE_PARTS_H
#define MODELS_LAPLACE_PARTS_H

/* parts: the state of the model laplace, shared by its parts: its tables (laplace.c), tasks
 * and events of the kernel (tasks.c), references and pages (touch.c). */

#include "input/laplace/stream.h"
#include "laplace/count.h"
#include "laplace/kernel.h"
#include "ovniscope/model.h"

/* Channels. */
enum {
	REF,
	MODE,
	SPACE,
	KEVENT,
	PAGE_EVENT,
	KSECTION,
	LOADS,
	STORES,
	FETCHES,
	LOAD_BYTES,
	STORE_BYTES,
	WORKING_SET,
	FOOTPRINT,
	MAPPED,
	NEW_PAGES,
	REFS,
	FILE_READ,
	FILE_WRITE,
	SWITCHES,
	TASKS,
	SPACES,
	PAGE,
	DIAG,
};

enum {
	KEVENT_OTHER = 256, /* and the tag: value of an event whose tag is not known */
};

enum {
	MODE_USER = 1,
	MODE_KERNEL,
};

enum {
	HOT = 1024, /* pages known to be touched, a power of two */
};

struct lapmodel_cpu {
	uint32_t run;          /* row that runs, NO_INDEX: none */
	uint32_t last_run;     /* row that ran last */
	uint64_t switches;     /* in the window */
	struct lapcount count; /* of all rows that run on it */
	/* Pages known to be touched by the row in the space in this window. */
	uint32_t hot_row;
	const struct lap_space *hot_space;
	uint64_t hot_key; /* changes with row and space */
	uint64_t hot[HOT];
};

struct lapmodel {
	bool ready;
	const struct laplace *l;    /* NULL: references are in streams of the runtime */
	struct lapmachine *machine; /* of the source, or `own` where there is none */
	struct lapmachine own;
	struct lap_log log;   /* of `own` */
	uint32_t cpu;         /* of the record that is emulated */
	struct lapids rows;   /* pid -> task of its last life */
	uint32_t kernel_row;  /* NO_INDEX: nothing is without a task */
	uint32_t first_row;   /* of the tasks */
	size_t ntasks;        /* tasks of the machine that have a thread */
	uint64_t alive;       /* of them, alive */
	uint64_t shown_alive; /* value shown last, plus one; 0: none yet */
	uint64_t shown_spaces;
	uint32_t window;    /* from 1 */
	bool labelled[256]; /* unknown tags that have a label */
	struct lapmodel_cpu *cpus;
	uint32_t ncpus;
	struct lapcount all; /* pages touched on any CPU, where merges number them */
	uint32_t *listed;    /* rows that had something in this window or the last */
	uint32_t nlisted;
	struct lapcount *counts; /* by row */
	uint64_t next_key;       /* the last hot_key */
	uint64_t cold;           /* a hot_key up to here is no longer valid */
};

static inline uint32_t
lapmodel_row(const struct lapmodel *d, const struct lap_task *task)
{
	return d->first_row + task->index - 1;
}

/* Prepares the model, before the first event. All functions that return int return 0, or <0 (reported). */
int lapmodel_prepare(struct emu *emu, struct lapmodel *d);

/* Makes all pages cold on all CPUs: a window has ended, or mappings have changed. */
void lapmodel_cool(struct lapmodel *d);

/* Reports memory that is exhausted; the machine has logged all other failures. Returns <0. */
int lapmodel_failed(struct emu *emu, int rc);

/* Returns the totals of a row, and lists the row for the end of the window. */
struct lapcount *lapmodel_count(struct lapmodel *d, uint32_t row);

/* Brings the threads up to the machine: new tasks, the end of `task` (of the event, or NULL), switches. A failure
 * leaves tasks without a row. */
int lapmodel_follow(struct emu *emu, struct lapmodel *d, const struct lap_task *task);

/* Lets another row run on a CPU; NO_INDEX: none. */
void lapmodel_switch(struct emu *emu, struct lapmodel *d, uint32_t cpu, uint32_t row);

/* Shows the space of a task and its size in the row of the task; NULL: does nothing. */
void lapmodel_show_space(struct emu *emu, const struct lapmodel *d, const struct lap_task *task);

/* Shows `code`, or else the last issue of the machine's log, in the rows of thread and CPU (lenient). */
void lapmodel_show_diag(struct emu *emu, uint32_t cpu, int code);

/* Shows how many tasks and spaces there are, if that has changed. */
void lapmodel_show_alive(struct emu *emu, struct lapmodel *d);

/* Hooks: references, events of the kernel, the end of a window. */
event_hook lapmodel_refs;
event_hook lapmodel_event;
event_hook lapmodel_window;

#endif
