/* SPDX-License-Identifier: MIT */
#ifndef REFUSE_H
#define REFUSE_H

/* refuse: the messages of events that are not applied, and of hooks that do what they may not. All return <0 (reported), but
 * for what is said at each. */

#include "dispatch.h"
#include "emu.h"

/* An event that no operation is for, for which its thread is in the wrong state, or whose payload is wrong. Returns 0 if it is
 * skipped, 1 if it is applied all the same, EMU_AGAIN if its model has to be enabled first. */
int refuse_event(struct emu *emu, const struct op *op);

/* A change of a channel's value that failed with rc. Returns 0 if the stream is of a ring, which may have lost the begin of what ends. */
int refuse_value(struct emu *emu, int rc, uint32_t col, int64_t value);

/* A channel that the model may not change so, or, of a CPU, not at all. */
int refuse_chan(struct emu *emu, int chan);
int refuse_own(struct emu *emu, uint32_t cpu, int chan);

/* Whether the stream of the event kept only its last events. */
static inline bool
emu_is_of_ring(const struct emu *emu)
{
	return emu->plan->trace.streams[emu->event->stream].meta.ring;
}

#endif
