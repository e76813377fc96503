/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OVNI_BARE_H
#define INPUT_OVNI_BARE_H

/* bare: the streams of a runtime trace, with or without their metadata.
 *
 * For tools that look at events and not at what they mean. A stream is opened for every
 * stream file, of any version of the metadata, and its loom, process and thread are taken
 * from the metadata or, where they are missing there, from the path
 * (loom.NAME/proc.PID/thread.TID). */

#include "find.h"

/* Opens what was found. A stream that cannot be opened is reported and failed. Returns 0,
 * or <0 (reported): memory is exhausted. */
int bare_open(struct trace *t, struct found *f);

#endif
