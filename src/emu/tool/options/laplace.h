/* SPDX-License-Identifier: MIT */
#ifndef TOOL_OPTIONS_LAPLACE_H
#define TOOL_OPTIONS_LAPLACE_H

/* laplace: options of ovniemu for traces of Laplace. */

#include "kit/cli.h"
#include "input/laplace/stream.h"

enum {
	LAPOPTS = 300, /* the first id */
	LAPOPTS_END = 399,
};

extern const struct cli_group lapopts;

/* Takes an option; its argument is optarg. Returns 0, or CLI_USAGE (reported). */
int lapopts_take(const struct cli *cli, int id, struct laplace_options *o);

#endif
