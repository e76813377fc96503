/* SPDX-License-Identifier: MIT */
/* demo: a model in a file of its own. It is compiled as C and as C++. */
#include "ovniscope/model.h"

enum {
	PHASE,
	LEVEL,
};

static const struct chan_decl chans[] = {
	{
		.name = "phase",
		.title = "Demo phase",
		.prv_type = 900,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ACTIVE,
		.view = { .file = "phase" },
	},
	{ .name = "level", .title = "Demo level", .prv_type = 901, .dup = DUP_SKIP },
};

static const struct state_decl states[] = {
	{ PHASE, 1, "xRi", "xRI", "Read: Input", "enters|leaves reading the input" },
	{ PHASE, 2, "xSs", "xSS", "Solve: Sweep", "starts|stops a sweep" },
};

static void
set_level(struct emu *emu, const struct event *ev)
{
	(void)emu_set(emu, LEVEL, event_u32(ev, 0));
}

static const struct event_decl events[] = {
	{ .sig = "xLs(u32 level)", .text = "sets the level to %{level}", .hook = set_level },
	{ .sig = "xP@", .text = "passes a checkpoint", .op = OP_IGNORE },
};

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
