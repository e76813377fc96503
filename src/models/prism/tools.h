/* SPDX-License-Identifier: MIT */
#ifndef MODELS_PRISM_TOOLS_H
#define MODELS_PRISM_TOOLS_H

/* tools: the shared objects of users that look at a Prism trace, and what they may ask
 * of the emulator (prism_hooks.h). */

#include "emu.h"
#include "prism/prism_hooks.h"
#include "input/prism/stream.h"

struct prism_run; /* all tools of an emulator */

/* In connect(): loads the tools of the options, lets each begin, and adds their channels.
 * NULL in *run when there is none. Returns 0, or <0 (reported). */
int prismtools_open(struct prism_run **run, struct emu *emu, struct prism *p);

/* The current event of a stream (none that the format has made up, RW. and RD.), behind the
 * update of the model; row: of its thread (at.thread), NO_INDEX for a config or End event
 * before the stream has one. The name of a context is that of prismnames.h, and name_id
 * is its id: the model has put them there. Returns 0, or <0 (reported). */
int prismtools_event(struct prism_run *run, const struct event *ev, const struct prism_stream *s, uint32_t row);

/* The same for an event that is known to be one of memory, or of compute. */
int prismtools_mem(struct prism_run *run, const struct event *ev, const struct prism_stream *s, uint32_t row);
int prismtools_comp(struct prism_run *run, const struct event *ev, const struct prism_stream *s, uint32_t row);

/* In finish(), also when the run failed: lets each tool finish and unloads it. Accepts NULL.
 * Returns 0, or <0 (reported). */
int prismtools_close(struct prism_run *run);

#endif
