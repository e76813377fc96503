/* SPDX-License-Identifier: MIT */
#ifndef INPUTS_H
#define INPUTS_H

/* inputs: the formats that traces may have. Each has a folder here, and one table, which is all
 * that the player and the tools see of it. */

#include "trace.h"

extern const struct stream_format laplace_format;
extern const struct stream_format prism_format;
extern const struct stream_format runtime_format;

/* All of them, in the order in which a directory is asked for them, with the default options. */
extern const struct trace_input inputs[];

enum {
	INPUTS_MAX = 8, /* with the end of the list */
};

#endif
