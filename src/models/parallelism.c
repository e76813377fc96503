/* SPDX-License-Identifier: MIT */
/* parallelism: how many threads run at once, and how many of those do work of the program, over all models: of each process,
 * and of looms and the system as sums. An observer: it has no events. */
#include "ovniscope/model.h"

enum {
	USEFUL,
	RUNNING,
};

static const struct chan_decl chans[] = {
	[USEFUL] = {
		.name = "useful",
		.title = "Threads that do useful work",
		.prv_type = 62,
		.view = { .file = "useful-threads", .gradient = true, .draw_random = true },
		.of = OF_PROC,
		.sum = true,
	},
	[RUNNING] = {
		.name = "running",
		.title = "Threads that run",
		.prv_type = 63,
		.view = { .file = "running-threads", .gradient = true, .draw_random = true },
		.of = OF_PROC,
		.sum = true,
	},
};

struct thread_data {
	bool runs;
	bool counts; /* as one that does useful work */
};

/* Counts the thread anew, after it has changed. */
static void
count(struct emu *emu, uint32_t thread, struct thread_data *t)
{
	bool counts = t->runs && emu_thread_role(emu, thread) <= ROLE_USEFUL;
	if (counts != t->counts)
		(void)emu_add_row(emu, emu_proc(emu, thread), USEFUL, counts ? 1 : -1);
	t->counts = counts;
}

static void
on_role(struct emu *emu, const struct role_change *c)
{
	count(emu, c->thread, emu_thread_data(emu, c->thread));
}

static void
on_state(struct emu *emu, const struct chan_change *c)
{
	struct thread_data *t = emu_thread_data(emu, c->thread);
	bool runs = c->now == TH_RUNNING;
	if (runs != t->runs)
		(void)emu_add_row(emu, emu_proc(emu, c->thread), RUNNING, runs ? 1 : -1);
	t->runs = runs;
	count(emu, c->thread, t);
}

static void
connect(struct emu *emu)
{
	(void)emu_watch(emu, emu_find_chan(emu, "thread.state"), on_state, NULL);
	(void)emu_watch_roles(emu, on_role, NULL);
}

const struct model model_parallelism = {
	MODEL_ABI,
	.id = 'S',
	.name = "parallelism",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	.thread_size = sizeof(struct thread_data),
	.connect = connect,
};
