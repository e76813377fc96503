/* SPDX-License-Identifier: MIT */
#ifndef INPUTS_H
#define INPUTS_H

/* inputs: the formats that traces may have. Each has a folder here, and one table: the player and
 * the tools see no more of it. */

#include "trace.h"

extern const struct stream_format laplace_format;
extern const struct stream_format prism_format;
extern const struct stream_format runtime_format;

/* All formats with their default options; a directory is tried for them in this order. */
extern const struct trace_input inputs[];

enum {
	INPUTS_MAX = 8, /* with the end of the list */
};

#endif
