/* SPDX-License-Identifier: MIT */
#ifndef TOOL_EMULATE_RUN_H
#define TOOL_EMULATE_RUN_H

/* run: ovniemu with its options read, in one process or in one of a team. */

struct diag;
struct emu_options;

/* Emulates the trace in a directory, or that which options name, until nothing has to be learned, and tells how that went.
 * options->stop and options->learned are there. Returns the exit status. */
int run(struct diag *d, const char *dir, const struct emu_options *options);

#endif
