/* SPDX-License-Identifier: MIT */
/* blocked: why a thread does no work of the program, over all models: the last in the order of enum role that one
 * of them gives, or that it is paused. An observer: it has no events. */
#include "ovniscope/model.h"

enum {
	BLOCKED,
};

/* Part of the output format; those below are of enum role. */
enum {
	PAUSED = 7,
	NO_THREAD = 8,
};

static const struct label labels[] = {
	{ ROLE_RUNTIME, "In a runtime or library" },
	{ ROLE_COMMUNICATION, "Communicates" },
	{ ROLE_WAITING, "Waits" },
	{ ROLE_TRACING, "Writes its trace" },
	{ ROLE_PREEMPTED, "Out of its CPU" },
	{ PAUSED, "Paused" },
	{ NO_THREAD, "No thread runs" },
};

static const struct chan_decl chans[] = {
	[BLOCKED] = {
		.name = "blocked",
		.title = "Why there is no useful work",
		.prv_type = 61,
		.dup = DUP_SKIP,
		.thread_track = TRACK_ANY,
		.idle = NO_THREAD,
		LABELS(labels),
		.view = {
			.file = "blocked",
			.thread_title = "Thread: Why there is no useful work",
			.palette = "2:53,121,221 3:255,72,50 4:204,178,0 5:177,25,229 6:124,213,228 7:110,110,110 8:60,60,60",
		},
	},
};

static void
show(struct emu *emu, uint32_t thread)
{
	enum role role = emu_thread_role(emu, thread);
	enum thread_state st = emu_state(emu, thread);
	if (role > ROLE_USEFUL)
		(void)emu_set(emu, BLOCKED, role);
	else if (st != TH_UNKNOWN && st != TH_RUNNING && st != TH_DEAD)
		(void)emu_set(emu, BLOCKED, PAUSED);
	else
		(void)emu_clear(emu, BLOCKED);
}

static void
on_role(struct emu *emu, const struct role_change *c)
{
	show(emu, c->thread);
}

static void
on_state(struct emu *emu, const struct chan_change *c)
{
	show(emu, c->thread);
}

static void
connect(struct emu *emu)
{
	(void)emu_watch(emu, emu_find_chan(emu, "thread.state"), on_state, NULL);
	(void)emu_watch_roles(emu, on_role, NULL);
}

const struct model model_blocked = {
	MODEL_ABI,
	.id = 'B',
	.name = "blocked",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	.connect = connect,
};
