/* SPDX-License-Identifier: MIT */
#ifndef AHEAD_H
#define AHEAD_H

/* ahead: streams are read, decoded and merged ahead of the events that are emulated.
 *
 * Rounds (round.h) are made by a job of the crew, into a ring, and given to who emulates, in order. The job only does what cannot
 * fail. Where more is to be done (a window that cannot be read on, a stream that ends or is bad, an event that is too large to be
 * copied) the thread that emulates makes the round, when all events before it are emulated: so errors come when they are due, and rounds
 * are the same as without a job. */

struct ahead;
struct emu;

/* From now on other threads read ahead, if there are enough and the trace is read in rounds that are not too large: then emu->ahead
 * is set. Returns 0, or <0 (reported). */
int ahead_open(struct emu *emu);

/* Waits until nobody reads: streams stay as they are until the next event is taken. Accepts NULL. */
void ahead_rest(struct ahead *a);

#endif
