/* SPDX-License-Identifier: MIT */
#ifndef TASKTYPE_H
#define TASKTYPE_H

/* tasktype: the types of tasks of a process (task.h), and what they share with the tasks. All is for the model that is being
 * called, and the process of the event's thread. */

#include "diag.h"
#include "task.h"

/* Its table. */
struct task_table *task_table(struct emu *emu);

/* Reports an error with its model and thread. Returns <0. */
__attribute__((format(printf, 3, 4))) int task_error(struct emu *emu, enum error code, const char *fmt, ...);

/* Finds a type; one of a program that did not write all is made up, with a warning for all. NULL: there is none, or no memory (reported). */
struct task_type *tasktype_get(struct emu *emu, uint32_t id);

/* Adds a type to the process. The label lives as long as the emulator; NULL: there was no memory for it. Returns NULL without
 * memory (reported). */
struct task_type *tasktype_new(struct emu *emu, uint32_t id, const char *label);

/* The label of a type that nobody has named, in the arena of the emulator; NULL without memory. */
const char *tasktype_unknown(struct emu *emu, uint32_t id);

/* Why the trace lacks what created a type or a task, in words. */
const char *tasktype_why_lost(const struct emu *emu);

#endif
