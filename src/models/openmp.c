/* SPDX-License-Identifier: MIT */
/* openmp: the OpenMP-V runtime: where the threads are in it, and the tasks and
 * worksharings that they run, by label. */
#include "ovniscope/model.h"

#include <inttypes.h>

enum {
	SUBSYSTEM,
	LABEL,
	TASKID,
};

#define PALETTE_SUBSYSTEM                                                                                         \
	"1:255,177,245 2:255,86,239 3:122,44,22 4:110,148,255 5:239,188,0 6:160,89,0 7:195,96,151 8:0,255,73 "    \
	"9:53,121,221 10:86,209,43 11:203,208,93 12:0,176,169 13:190,82,201 14:124,114,183 15:157,231,255 "       \
	"16:199,194,0 17:96,0,200 18:255,255,124 19:35,152,0 20:99,131,0 21:255,251,174 22:232,0,0 23:210,66,40 " \
	"24:222,101,128 25:177,25,229 26:101,101,99 27:200,0,255 28:0,203,249 29:128,165,214 30:255,219,0 31:48,103,107"

static const struct chan_decl chans[] = {
	[SUBSYSTEM] = {
		.name = "subsystem",
		.title = "OpenMP subsystem",
		.prv_type = 50,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.thread_track = TRACK_ACTIVE,
		.drained = true,
		.role = ROLE_RUNTIME,
		.view = { .file = "subsystem", .palette = PALETTE_SUBSYSTEM },
	},
	[LABEL] = {
		.name = "label",
		.title = "OpenMP label",
		.prv_type = 51,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.values = VALUES_TEXT,
		.thread_track = TRACK_ACTIVE,
		.view = { .file = "label" },
	},
	[TASKID] = {
		.name = "taskid",
		.title = "OpenMP task ID",
		.prv_type = 52,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.thread_track = TRACK_ACTIVE,
		.view = {
			.file = "task-id",
			.thread_title = "Thread: OpenMP task id of the ACTIVE thread",
			.cpu_title = "CPU: OpenMP task id of the RUNNING thread",
		},
	},
};

static const struct state_decl states[] = {
	{ SUBSYSTEM, 9, "PWd", "PWD", "Work-distribution: Distribute", "enters|leaves a distribute region" },
	{ SUBSYSTEM, 10, "PWc", "PWC", "Work-distribution: Dynamic for chunk", "begins|ends a chunk of a dynamic for", ROLE_USEFUL },
	{ SUBSYSTEM, 11, "PWy", "PWY", "Work-distribution: Dynamic for initialization", "begins|ends to set up a dynamic for" },
	{ SUBSYSTEM, 12, "PWs", "PWS", "Work-distribution: Static for chunk", "begins|ends a chunk of a static for", ROLE_USEFUL },
	{ SUBSYSTEM, 13, "PWe", "PWE", "Work-distribution: Section", "enters|leaves a section", ROLE_USEFUL },
	{ SUBSYSTEM, 14, "PWi", "PWI", "Work-distribution: Single", "enters|leaves a single region", ROLE_USEFUL },
	{ SUBSYSTEM, 15, "PTa", "PTA", "Task: Allocation", "begins|ends to allocate a task" },
	{ SUBSYSTEM, 16, "PTc", "PTC", "Task: Check deps", "begins|ends to check the dependencies of a task" },
	{ SUBSYSTEM, 17, "PTd", "PTD", "Task: Duplicating", "begins|ends to duplicate a task" },
	{ SUBSYSTEM, 18, "PTr", "PTR", "Task: Releasing deps", "begins|ends to release the dependencies of a task" },
	{ SUBSYSTEM, 19, "PT[", "PT]", "Task: Running task", "begins|ends to run a task", ROLE_USEFUL },
	{ SUBSYSTEM, 20, "PTi", "PTI", "Task: Running task if0", "begins|ends to run an if(0) task", ROLE_USEFUL },
	{ SUBSYSTEM, 21, "PTs", "PTS", "Task: Scheduling", "begins|ends to schedule a task" },
	{ SUBSYSTEM, 22, "PTg", "PTG", "Task: Taskgroup", "begins|ends to wait in a taskgroup", ROLE_WAITING },
	{ SUBSYSTEM, 23, "PTt", "PTT", "Task: Taskwait", "enters|leaves a taskwait", ROLE_WAITING },
	{ SUBSYSTEM, 24, "PTw", "PTW", "Task: Taskwait deps", "enters|leaves a taskwait with dependencies", ROLE_WAITING },
	{ SUBSYSTEM, 25, "PTy", "PTY", "Task: Taskyield", "enters|leaves a taskyield" },
	{ SUBSYSTEM, 6, "PIa", "PIA", "Critical: Acquiring", "begins|ends to acquire a critical section", ROLE_WAITING },
	{ SUBSYSTEM, 7, "PIr", "PIR", "Critical: Releasing", "begins|ends to release a critical section" },
	{ SUBSYSTEM, 8, "PI[", "PI]", "Critical: Section", "enters|leaves a critical section", ROLE_USEFUL },
	{ SUBSYSTEM, 1, "PBf", "PBF", "Barrier: Fork", "enters|leaves the fork barrier", ROLE_WAITING },
	{ SUBSYSTEM, 2, "PBj", "PBJ", "Barrier: Join", "enters|leaves the join barrier", ROLE_WAITING },
	{ SUBSYSTEM, 3, "PBb", "PBB", "Barrier: Plain", "enters|leaves a plain barrier", ROLE_WAITING },
	{ SUBSYSTEM, 5, "PBt", "PBT", "Barrier: Task", "enters|leaves a task barrier", ROLE_WAITING },
	{ SUBSYSTEM, 4, NULL, NULL, "Barrier: Spin wait", NULL, ROLE_WAITING },
	{ SUBSYSTEM, 26, "PA[", "PA]", "Runtime: Attached", "attaches to|detaches from the runtime", ROLE_USEFUL },
	{ SUBSYSTEM, 27, "PCf", "PCF", "Runtime: Fork call", "enters|leaves the fork call" },
	{ SUBSYSTEM, 28, "PCi", "PCI", "Runtime: Initialization", "begins|ends to initialize the runtime" },
	{ SUBSYSTEM, 29, "PMi", "PMI", "Runtime: Internal microtask", "enters|leaves an internal microtask" },
	{ SUBSYSTEM, 30, "PMu", "PMU", "Runtime: User microtask", "enters|leaves a microtask of the user", ROLE_USEFUL },
	{ SUBSYSTEM, 31, "PH[", "PH]", "Runtime: Worker main loop", "enters|leaves the main loop of a worker", ROLE_WAITING },
};

static void
create_task(struct emu *emu, const struct event *ev)
{
	if (event_u32(ev, 0) == 0)
		(void)emu_error(emu, "task", "the id of a task cannot be 0");
	else
		(void)task_create(emu, event_u32(ev, 0), event_u32(ev, 4), TASK_RESURRECT | TASK_RELAXED);
}

static void
execute(struct emu *emu, const struct event *ev)
{
	const struct task_body *b = task_execute(emu, event_u32(ev, 0), 0);
	if (!b)
		return;
	(void)emu_push(emu, TASKID, b->task);
	(void)emu_push(emu, LABEL, b->type);
}

static void
end(struct emu *emu, const struct event *ev)
{
	const struct task_body *b = task_end(emu, event_u32(ev, 0), 0);
	if (!b)
		return;
	(void)emu_pop(emu, TASKID, b->task);
	(void)emu_pop(emu, LABEL, b->type);
}

static void
begin_worksharing(struct emu *emu, const struct event *ev)
{
	(void)emu_push(emu, LABEL, task_type_value(emu, event_u32(ev, 0)));
}

static void
end_worksharing(struct emu *emu, const struct event *ev)
{
	(void)emu_pop(emu, LABEL, task_type_value(emu, event_u32(ev, 0)));
}

static const struct breakdown_decl breakdown = {
	.file = "openmp-breakdown",
	.title = "CPU: OpenMP Runtime/Label breakdown",
	.prv_type = 53,
	.state = SUBSYSTEM,
	.task = LABEL,
	.idle = -1,
	.view = { .file = "breakdown", .palette = PALETTE_SUBSYSTEM },
};

static const struct event_decl events[] = {
	{ "POc+(u32 typeid, str label)", "creates the label %{typeid}, \"%{label}\"", .hook = task_type_create },
	{ "PPc(u32 taskid, u32 typeid)", "creates the task %{taskid} with label %{typeid}", .hook = create_task, .payload = PAYLOAD_EXACT },
	{ "PPx(u32 taskid)", "executes the task %{taskid}", .hook = execute },
	{ "PPe(u32 taskid)", "ends the task %{taskid}", .hook = end },
	{ "PQx(u32 typeid)", "begins a worksharing with label %{typeid}", .hook = begin_worksharing },
	{ "PQe(u32 typeid)", "ends a worksharing with label %{typeid}", .hook = end_worksharing },
	{ "PBs", "starts spinning while it waits", .op = OP_IGNORE },
	{ "PBS", "stops spinning while it waits", .op = OP_IGNORE },
};

const struct model model_openmp = {
	MODEL_ABI,
	.id = 'P',
	.name = "openmp",
	.version = "1.2.1",
	.need = NEED_RUNNING,
	CHANS(chans),
	STATES(states),
	EVENTS(events),
	.tasks = true,
	BREAKDOWN(breakdown),
};
