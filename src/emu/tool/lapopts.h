/* SPDX-License-Identifier: MIT */
#ifndef LAPOPTS_H
#define LAPOPTS_H

/* lapopts: options of ovniemu for traces of Laplace. */

#include "cli.h"
#include "lapstream.h"

enum {
	LAPOPTS = 300, /* the first id */
	LAPOPTS_END = 399,
};

extern const struct cli_group lapopts;

/* Takes an option; its argument is optarg. Returns 0, or CLI_USAGE (reported). */
int lapopts_take(const struct cli *cli, int id, struct laplace_options *o);

#endif
