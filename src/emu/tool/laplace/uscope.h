/* SPDX-License-Identifier: MIT */
#ifndef TOOL_LAPLACE_USCOPE_H
#define TOOL_LAPLACE_USCOPE_H

/* uscope: the machine of a trace as a µScope file: tables of the processor, tasks, address
 * spaces and mappings over time, and events (doc/laplace.md, "As a µScope file").
 *
 * The command (uscope.c) drives a machine of src/lib/laplace and asks for frames; tables.c turns
 * changes of the machine into operations, regions.c those of mappings. */

#include "kit/scope.h"
#include "laplace/count.h"
#include "laplace/kernel.h"
#include "tool.h"

/* Ids, in the order of the schema. */
enum {
	LU_CPU,
	LU_TASKS,
	LU_COUNTERS,
	LU_SPACES,
	LU_REGIONS,
	LU_STORAGES,
};

enum {
	LU_CPU_PID,
	LU_CPU_SPACE,
	LU_CPU_MODE,
	LU_CPU_KSECTION,
};

enum {
	LU_TASK_PID,
	LU_TASK_PARENT,
	LU_TASK_SPACE,
	LU_TASK_STATE,
	LU_TASK_START,
	LU_TASK_PROGRAM,
};

enum {
	LU_LOADS,
	LU_STORES,
	LU_FETCHES,
	LU_LOAD_BYTES,
	LU_STORE_BYTES,
	LU_NEW_PAGES,
	LU_TOTALS,
};

enum {
	LU_SPACE_CONTEXT,
	LU_SPACE_TASKS,
	LU_SPACE_MAPPED,
	LU_SPACE_TOUCHED,
};

enum {
	LU_REGION_SPACE,
	LU_REGION_CLASS,
	LU_REGION_START,
	LU_REGION_END,
	LU_REGION_MAJOR,
	LU_REGION_MINOR,
	LU_REGION_INODE,
	LU_REGION_OFFSET,
	LU_REGION_NAME,
};

enum {
	LU_REF,
	LU_KEVENT,
	LU_PAGE,
	LU_SWITCH,
};

enum {
	LU_TASKS_MAX = 4096,
	LU_SPACES_MAX = 4096,
	LU_REGIONS_MAX = 16384,
};

/* A task or space with a slot in its table. Lists link entries whose counts wait, and entries that
 * ended in this frame. */
struct lu_entry {
	struct lu_entry *next_dirty;
	struct lu_entry *next_clear;
	uint16_t slot;
	bool dirty;
	bool ended;
};

/* Behind lap_space.user. */
struct lu_space {
	struct lu_entry entry;     /* first */
	struct lu_region *regions; /* those that have a slot, in order of addresses */
	size_t nregions, regions_cap;
	struct lapcount touched;
	uint64_t mapped; /* as shown */
	uint64_t shown_touched;
	uint32_t tasks;
};

/* Behind lap_task.user. */
struct lu_task {
	struct lu_entry entry; /* first */
	struct lu_space *home; /* counts it */
	uint64_t n[LU_TOTALS]; /* not shown yet */
	uint32_t space;        /* context, as shown */
	uint32_t program;      /* string */
	uint8_t state;         /* as shown */
	uint8_t mode;
	uint8_t section;
};

struct lu_cpu {
	struct lap_task *running;
	uint64_t shown[4];
};

struct lu_region {
	uint64_t first, last; /* pages */
	uint64_t base;
	uint32_t owner;
	uint16_t slot;
};

/* Behind lap_object.user. */
struct lu_object {
	uint32_t major, minor, inode;
	uint32_t name; /* string */
};

struct luscope {
	struct ltool *tool;
	struct convscope file;
	struct lapmachine *machine; /* of the tool */
	int counters[LU_TOTALS];
	uint64_t first; /* cycle */
	uint64_t rel;   /* the current one, from there */
	uint64_t tick;  /* the end of the window, from the first cycle */
	bool begun;
	size_t ntasks, nspaces; /* of the machine, that have an entry */
	struct lapids contexts; /* the last space of each */
	struct lapids pids;     /* the last task of each */
	struct lu_task kernel;
	struct lu_cpu *cpus;
	struct lu_entry *dirty_tasks, *clear_tasks;
	struct lu_entry *dirty_spaces, *clear_spaces;
	struct lu_region *fresh; /* room for a change of regions */
	uint32_t live;           /* regions */
	uint64_t beyond;         /* regions above 4 GiB */
	struct conv_slots tasks, spaces, regions;
};

/* The schema of such a file. NULL: no memory. */
uscope_schema_t *lschema_make(uint64_t freq, uint32_t ncpus);
extern const struct conv_table lschema_storages[LU_STORAGES];

/* In the first frame: the kernel. */
void ltables_begin(struct luscope *u);
/* Removes the tasks and spaces that ended in the frame before from their tables. */
void ltables_clear(struct luscope *u);
/* Counts that wait go to the tables. */
void ltables_flush(struct luscope *u);
/* Updates the tasks and spaces that a record has changed. */
void ltables_follow(struct luscope *u, const struct lap_step *step);
/* A task may have changed. NULL is accepted. */
void ltables_task(struct luscope *u, struct lap_task *t);
/* A space may have changed. */
void ltables_space(struct luscope *u, const struct lap_space *s);
/* Updates the processor of a record, and those whose task it has changed or taken. */
void ltables_cpu(struct luscope *u, const struct lap_step *step);
/* The entry of a task, of the kernel if it is NULL. */
struct lu_task *ltables_of(struct luscope *u, const struct lap_task *t);
/* Notes that an entry has counts that wait. */
void ltables_dirty(struct lu_entry **list, struct lu_entry *e);
void ltables_finish(struct luscope *u);

/* Updates the mappings that an event has changed. */
void lregions_event(struct luscope *u, const struct lap_event *ev, const struct lap_step *step);
/* All of a space go. */
void lregions_end(struct luscope *u, struct lu_space *s);

#endif
