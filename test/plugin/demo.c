/* SPDX-License-Identifier: MIT */
/* demo: a model in a file of its own, of tables alone. */
#include "ovniscope/model.h"

static const struct chan_decl chans[] = {
	{
		.name = "phase",
		.title = "Demo phase",
		.prv_type = 900,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ACTIVE,
		.view = { .file = "phase" },
	},
};

static const struct state_decl states[] = {
	{ 0, 1, "xRi", "xRI", "Read: Input", "enters|leaves reading the input" },
	{ 0, 2, "xSs", "xSS", "Solve: Sweep", "starts|stops a sweep" },
};

static const struct event_decl events[] = {
	{ .sig = "xP@", .text = "passes a checkpoint", .op = OP_IGNORE },
};

extern const struct model ovniscope_model;
const struct model ovniscope_model = {
	MODEL_ABI,
	.id = 'x',
	.name = "demo",
	.version = "1.0.0",
	.need = NEED_RUNNING,
	CHANS(chans),
	STATES(states),
	EVENTS(events),
};
