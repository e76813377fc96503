/* SPDX-License-Identifier: MIT */
#ifndef WORK_H
#define WORK_H

/* work: whether a thread does work of the program, for the observers that show it. It does, unless one of the models
 * says that the thread is in a runtime, communicates, waits, writes its trace, or is not in its CPU. */

#include "ovniscope/model.h"

/* What the channels with roles say of a thread. */
struct work {
	uint32_t against; /* how many have a value that is no work */
};

/* In connect(): asks for the changes of all channels whose values have roles. */
static inline void
work_watch(struct emu *emu, chan_hook *hook)
{
	for (int found = 0; (found = emu_next_role_chan(emu, found)) >= 0;)
		(void)emu_watch(emu, found, hook, NULL);
}

/* Takes one of those changes. Returns whether the thread works now. */
static inline bool
work_take(struct work *w, const struct emu *emu, const struct chan_change *c)
{
	w->against += emu_role(emu, c->found, c->now) > ROLE_USEFUL;
	w->against -= emu_role(emu, c->found, c->before) > ROLE_USEFUL;
	return w->against == 0;
}

#endif
