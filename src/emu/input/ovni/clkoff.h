/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OVNI_CLKOFF_H
#define INPUT_OVNI_CLKOFF_H

/* clkoff: the table of clock offsets between hosts.
 * Defined in doc/format/trace.md, "Clock offsets". */

#include "trace.h"

/* Reads the table named by the options, or clock-offsets.txt of the trace if it is
 * there, and sets the offset of every stream of the hosts in it. The host of a loom is
 * its name up to the first dot. Returns 0, or <0 (reported). */
int clkoff_apply(struct trace *t);

#endif
