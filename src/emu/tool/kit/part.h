/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_PART_H
#define TOOL_KIT_PART_H

/* part: the options that choose a part of a trace: time, rows and types. */

#include "option.h"
#include "plan.h"

/* The options, which are stored in `o`. */
struct cli_group part_options(struct emu_options *o);

#endif
