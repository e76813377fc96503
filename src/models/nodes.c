/* SPDX-License-Identifier: MIT */
/* nodes: the runtime between OmpSs-2 programs and nOS-V. */
#include "ovniscope/model.h"

enum {
	SUBSYSTEM,
};

static const struct chan_decl chans[] = {
	[SUBSYSTEM] = {
		.name = "subsystem",
		.title = "NODES subsystem",
		.prv_type = 30,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ACTIVE,
		.drained = true,
		.role = ROLE_RUNTIME,
		.view = { .file = "subsystem" },
	},
};

static const struct state_decl states[] = {
	{ SUBSYSTEM, 1, "DR[", "DR]", "Dependencies: Registering task accesses", "begins|ends to register the accesses of a task" },
	{ SUBSYSTEM, 2, "DU[", "DU]", "Dependencies: Unregistering task accesses", "begins|ends to unregister the accesses of a task" },
	{ SUBSYSTEM, 3, "DW[", "DW]", "If0: Waiting for an If0 task", "begins|ends to wait for an if(0) task", ROLE_WAITING },
	{ SUBSYSTEM, 4, "DI[", "DI]", "If0: Executing an If0 task inline", "begins|ends to execute an if(0) task inline" },
	{ SUBSYSTEM, 5, "DT[", "DT]", "Taskwait: Taskwait", "enters|leaves a taskwait", ROLE_WAITING },
	{ SUBSYSTEM, 6, "DC[", "DC]", "Add Task: Creating a task", "begins|ends to create a task" },
	{ SUBSYSTEM, 7, "DS[", "DS]", "Add Task: Submitting a task", "begins|ends to submit a task" },
	{ SUBSYSTEM, 8, "DP[", "DP]", "Spawn Function: Spawning a function", "begins|ends to spawn a function" },
};

const struct model model_nodes = {
	MODEL_ABI,
	.id = 'D',
	.name = "nodes",
	.version = "1.0.0",
	.need = NEED_RUNNING,
	CHANS(chans),
	STATES(states),
};
