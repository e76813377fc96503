/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_TOOLS_H
#define MODELS_PRISM_TOOLS_H

/* tools: runs the shared objects of users that analyse a Prism trace (prism_hooks.h). */

#include "emu.h"
#include "prism/prism_hooks.h"
#include "prism/prism_machine.h"
#include "input/prism/stream.h"

struct prism_run; /* all tools of an emulator */

/* In connect(): loads the tools of the options, lets each begin, and adds their channels.
 * NULL in *run when there is none. Returns 0, or <0 (reported). */
int prismtools_open(struct prism_run **run, struct emu *emu, struct prism *p, const struct prism_machine *machine);

/* The current event of a stream (none that the format has made up, RW. and RD.), behind the
 * update of the model. at: of its stream, with the thread; row: of that, NO_INDEX for a config or
 * End event before the stream has one; name: of a context, as the machine has it, or NULL. Returns 0, or <0
 * (reported). */
int prismtools_event(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row, const struct prism_name *name);

/* As prismtools_event(), for events known to be of memory or of compute. */
int prismtools_mem(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row);
int prismtools_comp(struct prism_run *run, const struct event *ev, struct prism_at *at, uint32_t row);

/* In finish(), also when the run failed: lets each tool finish and unloads it. Accepts NULL.
 * Returns 0, or <0 (reported). */
int prismtools_close(struct prism_run *run);

#endif
