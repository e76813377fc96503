/* SPDX-License-Identifier: MIT */
/* useful: what of a thread's time is work of the program, over all models. An observer: it has no events. */
#include "work.h"

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
on_change(struct emu *emu, const struct chan_change *c)
{
	(void)emu_set(emu, USEFUL, work_take(emu_thread_data(emu, c->thread), emu, c) ? WORK : NO_WORK);
}

static void
connect(struct emu *emu)
{
	work_watch(emu, on_change);
}

const struct model model_useful = {
	MODEL_ABI,
	.id = 'U',
	.name = "useful",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	.thread_size = sizeof(struct work),
	.connect = connect,
};
