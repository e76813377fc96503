/* SPDX-License-Identifier: MIT */
/* kernel: context switches. A thread that the kernel has taken out of its CPU cannot do
 * anything until it is back. */
#include "ovniscope/model.h"

enum {
	SWITCH,
};

enum {
	OUT = 3, /* part of the output format */
};

static const struct label labels[] = {
	{ OUT, "Context switch: Out of the CPU" },
};

static const struct chan_decl chans[] = {
	[SWITCH] = {
		.name = "context_switch",
		.title = "Kernel context switch",
		.prv_type = 45,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ANY,
		LABELS(labels),
		.role = ROLE_PREEMPTED,
		.view = {
			.file = "context-switch",
			.thread_title = "Thread: Context switches of the CURRENT thread",
			.cpu_title = "CPU: Context switches of the RUNNING thread",
		},
	},
};

static void
leave_cpu(struct emu *emu, const struct event *ev)
{
	(void)ev;
	run_set_in_cpu(emu, false);
	(void)emu_push(emu, SWITCH, OUT);
}

static void
enter_cpu(struct emu *emu, const struct event *ev)
{
	(void)ev;
	run_set_in_cpu(emu, true);
	(void)emu_pop(emu, SWITCH, OUT);
}

static const struct event_decl events[] = {
	{ "KCO", "is taken out of its CPU by the kernel", .hook = leave_cpu },
	{ "KCI", "is back in its CPU", .hook = enter_cpu },
};

const struct model model_kernel = {
	MODEL_ABI,
	.id = 'K',
	.name = "kernel",
	.version = "1.0.0",
	CHANS(chans),
	EVENTS(events),
};
