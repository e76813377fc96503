/* SPDX-License-Identifier: MIT */
#ifndef REFILL_H
#define REFILL_H

/* refill: the next window of each stream is read by another thread.
 *
 * Of two threads, one emulates and has the more to do: the other one reads for it, into a second window of each stream, which takes the
 * place of the first when that has been read to its end. What nobody has begun to read then, or what failed, the thread that
 * emulates reads itself: so what a stream holds, and all errors, are as with one thread. With more threads there is ahead.h. */

struct emu;
struct refill;

/* From now on another thread reads windows, if there are two and second windows do not take too much memory. Returns 0, or
 * -ERR_MEMORY (reported). */
int refill_open(struct emu *emu);

/* Frees, when the threads have ended and before streams are closed. Accepts NULL. */
void refill_close(struct refill *f);

#endif
