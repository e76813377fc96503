/* SPDX-License-Identifier: MIT */
/* useful: what of a thread's time is work of the program, over all models: it is, unless one of them says that the
 * thread is in a runtime, communicates, waits, or is not in its CPU. An observer: it has no events. */
#include "ovniscope/model.h"

enum {
	USEFUL,
};

/* Part of the output format. */
enum {
	WORK = 1,
	NO_WORK = 2,
};

static const struct label labels[] = {
	{ WORK, "Useful" },
	{ NO_WORK, "Not useful" },
};

static const struct chan_decl chans[] = {
	[USEFUL] = {
		.name = "useful",
		.title = "Useful work",
		.prv_type = 60,
		.dup = DUP_SKIP,
		.initial = WORK,
		LABELS(labels),
		.view = { .file = "useful", .palette = "1:0,100,0 2:204,178,0" },
	},
};

static void
on_role(struct emu *emu, const struct role_change *c)
{
	(void)emu_set(emu, USEFUL, c->now > ROLE_USEFUL ? NO_WORK : WORK);
}

static void
connect(struct emu *emu)
{
	(void)emu_watch_roles(emu, on_role, NULL);
}

const struct model model_useful = {
	MODEL_ABI,
	.id = 'U',
	.name = "useful",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	.connect = connect,
};
