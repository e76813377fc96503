/* SPDX-License-Identifier: MIT */
#ifndef OPS_H
#define OPS_H

/* ops: operations that are not one fixed change of a channel: with arguments, and with hooks in several phases. And
 * what observers ask for. */

#include "dispatch.h"

struct emu;

/* Somebody who asked for the changes of a channel. */
struct watch {
	uint32_t col;
	uint32_t model; /* its number in the run */
	chan_hook *hook;
	void *arg;
	int64_t *before; /* value by thread, or by index of what it is of */
	uint32_t next;   /* of the same column, from 1; 0: none */
};

/* Runs an operation of OP_SET_ARG and above. Returns 0, or <0 (reported). */
int ops_run_arg(struct emu *emu, const struct op *op);

/* Calls the hooks that follow the operation, which has been run; there are some. Returns 0, or <0 (reported). */
int ops_run_phases(struct emu *emu, const struct event *ev, const struct op *op);

/* Whether the model that is called may ask for changes now, reported if not. */
bool ops_may_watch(struct emu *emu);

/* Compiles the hooks of phases, after connect() of the models. Returns 0, or <0 (reported). */
int ops_connect(struct emu *emu);

#endif
