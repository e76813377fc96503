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

struct thread_data {
	uint32_t against; /* channels whose values say that it does not work */
};

static bool
is_against(const struct emu *emu, int found, int64_t value)
{
	return emu_role(emu, found, value) > ROLE_USEFUL;
}

static void
on_change(struct emu *emu, const struct chan_change *c)
{
	struct thread_data *t = emu_thread_data(emu, c->thread);
	t->against += is_against(emu, c->found, c->now);
	t->against -= is_against(emu, c->found, c->before);
	(void)emu_set(emu, USEFUL, t->against ? NO_WORK : WORK);
}

static void
connect(struct emu *emu)
{
	for (int found = 0; (found = emu_next_role_chan(emu, found)) >= 0;)
		(void)emu_watch(emu, found, on_change, NULL);
}

const struct model model_useful = {
	MODEL_ABI,
	.id = 'U',
	.name = "useful",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	.thread_size = sizeof(struct thread_data),
	.connect = connect,
};
