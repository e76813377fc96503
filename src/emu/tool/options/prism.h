/* SPDX-License-Identifier: MIT */
#ifndef TOOL_OPTIONS_PRISM_H
#define TOOL_OPTIONS_PRISM_H

/* prism: options of ovniemu for Prism event streams. */

#include "kit/cli.h"
#include "input/prism/stream.h"

enum {
	PRISMOPTS = 400, /* the first id */
	PRISMOPTS_END = 499,
};

extern const struct cli_group prismopts;

/* Takes an option; its argument is optarg, and borrowed. Returns 0, or CLI_USAGE (reported). */
int prismopts_take(const struct cli *cli, int id, struct prism_options *o);

#endif
