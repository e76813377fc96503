/* SPDX-License-Identifier: MIT */
/* nanos6: the Nanos6 runtime of OmpSs-2: tasks, subsystems, types of threads, and idle
 * states. */
#include "ovniscope/model.h"

enum {
	TASKID,
	TYPE,
	SUBSYSTEM,
	RANK,
	THREAD_TYPE,
	IDLE,
};

/* Values that the code names; part of the output format. */
enum {
	IN_BODY = 1,
	UNKNOWN = 2,
	PROGRESSING = 100,
	RESTING = 101,
};

#define PALETTE_SUBSYSTEM                                                                                               \
	"1:0,70,0 2:60,60,60 3:99,131,0 4:53,121,221 5:223,108,0 6:75,127,82 7:242,110,162 8:255,190,0 9:153,114,0 "    \
	"10:156,12,231 11:177,25,229 12:255,72,50 13:200,30,5 14:98,133,80 15:0,171,255 16:124,213,228 17:242,239,141 " \
	"18:80,80,80 19:94,0,0 20:128,165,214 21:195,96,151 22:222,101,128 23:110,148,255 24:21,165,118 "               \
	"60:255,215,180 61:210,245,60 62:170,255,195 63:128,128,0 64:70,240,240 65:220,190,255"
#define PALETTE_IDLE "100:0,100,0 101:100,100,177 102:150,150,0"

static const struct chan_decl chans[] = {
	[TASKID] = {
		.name = "taskid",
		.title = "Nanos6 task ID",
		.prv_type = 35,
		.view = { .file = "task-id", .gradient = true },
	},
	[TYPE] = {
		.name = "task_type",
		.title = "Nanos6 task type",
		.prv_type = 36,
		.dup = DUP_ALLOW,
		.repeat = REPEAT_ALL,
		.values = VALUES_TEXT,
		.view = { .file = "task-type" },
	},
	[SUBSYSTEM] = {
		.name = "subsystem",
		.title = "Nanos6 subsystem",
		.prv_type = 37,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ACTIVE,
		.drained = true,
		.role = ROLE_RUNTIME,
		.view = { .file = "subsystem", .palette = PALETTE_SUBSYSTEM },
	},
	[RANK] = {
		.name = "rank",
		.title = "Nanos6 task MPI rank",
		.prv_type = 38,
		.dup = DUP_ALLOW,
		.repeat = REPEAT_ALL,
		.view = { .file = "mpi-rank" },
	},
	[THREAD_TYPE] = {
		.name = "thread_type",
		.title = "Nanos6 thread type",
		.prv_type = 39,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ANY,
		.view = { .file = "thread-type" },
	},
	[IDLE] = {
		.name = "idle",
		.title = "Nanos6 idle state",
		.prv_type = 40,
		.idle = RESTING,
		.initial = PROGRESSING,
		.view = { .file = "idle", .thread_title = "Thread: Nanos6 idle state", .palette = PALETTE_IDLE },
	},
};

static const struct state_decl states[] = {
	{ SUBSYSTEM, UNKNOWN, NULL, NULL, "Unknown subsystem", NULL },
	{ SUBSYSTEM, IN_BODY, NULL, NULL, "Task: Running body", NULL, ROLE_USEFUL },
	{ SUBSYSTEM, 3, "6C[", "6C]", "Task: Creating", "begins|ends to create a task" },
	{ SUBSYSTEM, 4, "6U[", "6U]", "Task: Submitting", "begins|ends to submit a task" },
	{ SUBSYSTEM, 5, "6F[", "6F]", "Task: Spawning function", "begins|ends to spawn a function as a task" },
	{ SUBSYSTEM, 6, "6O[", "6O]", "Task: Running task for", "begins|ends to run its part of a task for (obsolete)", ROLE_USEFUL },
	{ SUBSYSTEM, 9, "6S[", "6S]", "Scheduler: Serving tasks", "starts|stops serving tasks to the other threads" },
	{ SUBSYSTEM, 7, "6Sa", "6SA", "Scheduler: Adding ready tasks", "begins|ends to add ready tasks to the scheduler" },
	{ SUBSYSTEM, 8, "6Sp", "6SP", "Scheduler: Processing ready tasks", "begins|ends to process the ready tasks that were added" },
	{ SUBSYSTEM, 10, "6Dr", "6DR", "Dependency: Registering", "begins|ends to register the dependencies of a task" },
	{ SUBSYSTEM, 11, "6Du", "6DU", "Dependency: Unregistering", "begins|ends to unregister the dependencies of a task" },
	{ SUBSYSTEM, 12, "6Bw", "6BW", "Blocking: Taskwait", "enters|leaves a taskwait", ROLE_WAITING },
	{ SUBSYSTEM, 14, "6Bb", "6BB", "Blocking: Blocking current task", "begins|ends to block its task", ROLE_WAITING },
	{ SUBSYSTEM, 15, "6Bu", "6BU", "Blocking: Unblocking remote task", "begins|ends to unblock another task" },
	{ SUBSYSTEM, 13, "6Bf", "6BF", "Blocking: Wait for deadline", "begins|ends to wait for a deadline", ROLE_WAITING },
	{ SUBSYSTEM, 18, "6Wt", "6WT", "Worker: Handling task", "begins|ends to handle a task" },
	{ SUBSYSTEM, 19, "6W[", "6W]", "Worker: Looking for work", "starts|stops looking for work", ROLE_WAITING },
	{ SUBSYSTEM, 20, "6Ww", "6WW", "Worker: Switching to another thread", "begins|ends to switch to another thread" },
	{ SUBSYSTEM, 21, "6Wm", "6WM", "Worker: Migrating CPU", "begins|ends to migrate to another CPU" },
	{ SUBSYSTEM, 22, "6Ws", "6WS", "Worker: Suspending thread", "begins|ends to suspend itself", ROLE_WAITING },
	{ SUBSYSTEM, 23, "6Wr", "6WR", "Worker: Resuming another thread", "begins|ends to resume another thread" },
	{ SUBSYSTEM, 24, "6Wg", "6WG", "Worker: Sponge mode", "enters|leaves the sponge mode, leaving its CPU to the system", ROLE_WAITING },
	{ SUBSYSTEM, 16, "6Ma", "6MA", "Memory: Allocating", "begins|ends to allocate memory" },
	{ SUBSYSTEM, 17, "6Mf", "6MF", "Memory: Freeing", "begins|ends to free memory" },
	{ SUBSYSTEM, 61, NULL, NULL, "EV Scheduler: Send task", NULL },
	{ SUBSYSTEM, 60, NULL, NULL, "EV Scheduler: Recv task", NULL },
	{ SUBSYSTEM, 62, NULL, NULL, "EV Scheduler: Self-assign task", NULL },
	{ SUBSYSTEM, 63, NULL, NULL, "EV CPU: Becomes idle", NULL },
	{ SUBSYSTEM, 64, NULL, NULL, "EV CPU: Becomes active", NULL },
	{ SUBSYSTEM, 65, NULL, NULL, "EV Worker: Waking another thread", NULL },
	{ THREAD_TYPE, 4, "6He", "6HE", "External", "becomes|stops being an external thread" },
	{ THREAD_TYPE, 3, "6Hw", "6HW", "Worker", "becomes|stops being a worker" },
	{ THREAD_TYPE, 1, "6Hl", "6HL", "Leader", "becomes|stops being the leader" },
	{ THREAD_TYPE, 2, "6Hm", "6HM", "Main", "becomes|stops being the main thread" },
	{ IDLE, PROGRESSING, "6Pp", NULL, "Progressing", "makes progress" },
	{ IDLE, RESTING, "6Pr", NULL, "Resting", "rests" },
	{ IDLE, 102, "6Pa", NULL, "Absorbing noise", "absorbs noise of the system" },
};

static void
create_task(struct emu *emu, const struct event *ev)
{
	(void)task_create(emu, event_u32(ev, 0), event_u32(ev, 4), TASK_PAUSE | TASK_RELAXED);
}

static void
old_create(struct emu *emu, const struct event *ev)
{
	(void)ev;
	emu_warn_once(emu, "ignoring old event 6TC, here and elsewhere");
}

/* Shows what the thread runs; NULL: no task. */
static void
show_task(struct emu *emu, const struct task_body *b)
{
	int rank = emu_rank(emu, emu_proc(emu, emu_thread(emu)));
	if (!b) {
		(void)emu_clear(emu, TASKID);
		(void)emu_clear(emu, TYPE);
	} else {
		(void)emu_set(emu, TASKID, b->task);
		(void)emu_set(emu, TYPE, b->type);
	}
	if (rank >= 0)
		(void)(b ? emu_set(emu, RANK, (int64_t)rank + 1) : emu_clear(emu, RANK));
}

static void
execute(struct emu *emu, const struct event *ev)
{
	const struct task_body *b = task_execute(emu, event_u32(ev, 0), 0);
	(void)emu_push(emu, SUBSYSTEM, IN_BODY);
	show_task(emu, b);
}

/* Ends a task. The one below, if it was not paused, shows again at once. */
static void
end(struct emu *emu, const struct event *ev)
{
	(void)task_end(emu, event_u32(ev, 0), 0);
	(void)emu_pop(emu, SUBSYSTEM, IN_BODY);
	const struct task_body *top = task_top(emu);
	show_task(emu, top && top->running ? top : NULL);
}

static void
pause_task(struct emu *emu, const struct event *ev)
{
	(void)task_pause(emu, event_u32(ev, 0), 0);
	show_task(emu, NULL);
}

static void
resume_task(struct emu *emu, const struct event *ev)
{
	show_task(emu, task_resume(emu, event_u32(ev, 0), 0));
}

static const struct breakdown_decl breakdown = {
	.file = "nanos6-breakdown",
	.title = "CPU: Nanos6 Runtime/Idle/Task breakdown",
	.prv_type = 41,
	.state = SUBSYSTEM,
	.task = TYPE,
	.idle = IDLE,
	.progressing = PROGRESSING,
	.in_body = IN_BODY,
	.unknown = UNKNOWN,
	.view = { .file = "breakdown", .palette = PALETTE_SUBSYSTEM " " PALETTE_IDLE },
};

static const struct event_decl events[] = {
	{ "6Yc+(u32 typeid, str label)", "creates the task type %{typeid} with label \"%{label}\"", .hook = task_type_create },
	{ "6Tc(u32 taskid, u32 typeid)", "creates the task %{taskid} of type %{typeid}", .hook = create_task, .payload = PAYLOAD_EXACT },
	{ "6Tx(u32 taskid)", "executes the task %{taskid}", .hook = execute },
	{ "6Te(u32 taskid)", "ends the task %{taskid}", .hook = end },
	{ "6Tp(u32 taskid)", "pauses the task %{taskid}", .hook = pause_task },
	{ "6Tr(u32 taskid)", "resumes the task %{taskid}", .hook = resume_task },
	{ "6TC", "creates a task (old, without effect)", .hook = old_create, .payload = PAYLOAD_ANY, .unlisted = true },
	{ "6t[", "begins the user code of a task", .op = OP_IGNORE },
	{ "6t]", "ends the user code of a task", .op = OP_IGNORE },
	{ "6Sr", "receives a task from another thread", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 60 },
	{ "6Ss", "sends a task to another thread", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 61 },
	{ "6S@", "assigns a task to itself", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 62 },
	{ "6W*", "wakes another worker", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 65 },
};

const struct model model_nanos6 = {
	MODEL_ABI,
	.id = '6',
	.name = "nanos6",
	.version = "1.1.0",
	.need = NEED_ACTIVE,
	CHANS(chans),
	STATES(states),
	EVENTS(events),
	.tasks = true,
	BREAKDOWN(breakdown),
};
