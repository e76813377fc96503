/* SPDX-License-Identifier: MIT */
#ifndef GUESS_H
#define GUESS_H

/* guess: the CPUs of a loom whose program died.
 *
 * A thread tells the CPUs of its loom when it ends; those of a crash never did. The
 * events name them by index, though, and that is enough to give them rows. */

#include "trace.h"

enum {
	GUESS_MAX = 4096, /* an index from here on is damage, not a machine */
};

/* How many CPUs the events of a stream imply: one more than the highest logical index
 * that it executes in or moves to; 0 if it names none. Reads the stream to its end,
 * apart from the reader of the trace, and says nothing of what is wrong with it.
 * Returns the number, or <0 when memory is exhausted (reported). */
int guess_cpus(const struct stream *s);

#endif
