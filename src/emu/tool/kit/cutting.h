/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_CUTTING_H
#define TOOL_KIT_CUTTING_H

/* cutting: the options that choose a part of a trace: time, rows and types. */

#include "option.h"
#include "plan.h"

/* The options, which are stored in `o`. */
struct cli_group cutting_options(struct emu_options *o);

#endif
