/* SPDX-License-Identifier: MIT */
/* nosv: the nOS-V tasking library: tasks, subsystems, idle states and hardware counters. */
#include "ovniscope/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

enum {
	BODYID,
	TASKID,
	TYPE,
	APPID,
	SUBSYSTEM,
	RANK,
	IDLE,
};

/* Values that the code names; part of the output format. */
enum {
	UNKNOWN = 2,
	IN_BODY = 11,
	PROGRESSING = 100,
	RESTING = 101,
};

enum {
	HWC_MAX = 100, /* PRV types 200 to 299 */
	HWC_PRV = 200,
};

#define PALETTE_SUBSYSTEM                                                                                  \
	"2:160,160,160 6:94,0,0 7:153,114,0 8:223,108,0 9:124,213,228 10:242,239,141 11:0,70,0 "           \
	"12:99,131,0 13:128,165,214 14:53,121,221 15:255,72,50 16:75,127,82 17:242,110,162 18:156,12,231 " \
	"19:195,96,151 20:255,162,255 21:203,255,3 22:7,255,12 23:21,165,118 24:255,103,0 25:200,30,5 "    \
	"26:255,10,200 27:98,133,80 28:0,171,255 29:222,101,128 30:177,25,229 31:110,148,255 "             \
	"32:0,99,162 33:110,77,252 34:255,215,180 35:210,245,60 36:170,255,195"
#define PALETTE_IDLE "100:0,100,0 101:60,60,60 102:150,150,0"

static const struct chan_decl chans[] = {
	[BODYID] = {
		.name = "bodyid",
		.title = "nOS-V task body ID",
		.prv_type = 15,
		.dup = DUP_ALLOW,
		.view = { .file = "body-id", .gradient = true },
	},
	[TASKID] = {
		.name = "taskid",
		.title = "nOS-V task ID",
		.prv_type = 10,
		.repeat = REPEAT_VALUES,
		.view = {
			.file = "task-id",
			.thread_title = "Thread: nOS-V TaskID of the RUNNING thread",
			.cpu_title = "CPU: nOS-V TaskID of the RUNNING thread",
			.gradient = true,
		},
	},
	[TYPE] = {
		.name = "task_type",
		.title = "nOS-V task type",
		.prv_type = 11,
		.dup = DUP_ALLOW,
		.values = VALUES_TEXT,
		.view = { .file = "task-type" },
	},
	[APPID] = {
		.name = "appid",
		.title = "nOS-V task AppID",
		.prv_type = 12,
		.dup = DUP_ALLOW,
		.view = { .file = "task-appid", .gradient = true },
	},
	[SUBSYSTEM] = {
		.name = "subsystem",
		.title = "nOS-V subsystem",
		.prv_type = 13,
		.kind = CHAN_STACK,
		.dup = DUP_ALLOW,
		.thread_track = TRACK_ACTIVE,
		.drained = true,
		.role = ROLE_RUNTIME,
		.view = { .file = "subsystem", .palette = PALETTE_SUBSYSTEM },
	},
	[RANK] = {
		.name = "rank",
		.title = "nOS-V task MPI rank",
		.prv_type = 14,
		.dup = DUP_ALLOW,
		.view = {
			.file = "task-rank",
			.thread_title = "Thread: nOS-V task rank+1 of the RUNNING thread",
			.cpu_title = "CPU: nOS-V task rank+1 of the RUNNING thread",
			.gradient = true,
		},
	},
	[IDLE] = {
		.name = "idle",
		.title = "nOS-V idle state",
		.prv_type = 16,
		.repeat = REPEAT_VALUES,
		.idle = RESTING,
		.initial = PROGRESSING,
		.view = { .file = "idle", .palette = PALETTE_IDLE },
	},
};

static const struct state_decl states[] = {
	{ SUBSYSTEM, UNKNOWN, NULL, NULL, "Unknown subsystem", NULL },
	{ SUBSYSTEM, 6, "VSh", "VSf", "Scheduler: Hungry", "starts|stops being hungry, with no task to run", ROLE_WAITING },
	{ SUBSYSTEM, 7, "VS[", "VS]", "Scheduler: Serving", "starts|stops serving tasks to the other threads" },
	{ SUBSYSTEM, 7, "VSN", "VSn", "Scheduler: Serving", "starts|stops serving tasks to the others, without blocking" },
	{ SUBSYSTEM, 8, "VU[", "VU]", "Scheduler: Submitting", "begins|ends to hand a task to the scheduler" },
	{ SUBSYSTEM, 9, "VMa", "VMA", "Memory: Allocating", "begins|ends to allocate memory" },
	{ SUBSYSTEM, 10, "VMf", "VMF", "Memory: Freeing", "begins|ends to free memory" },
	{ SUBSYSTEM, IN_BODY, NULL, NULL, "Task: In body", NULL, ROLE_USEFUL },
	{ SUBSYSTEM, 12, "VAr", "VAR", "API: Create", "enters|leaves nosv_create()" },
	{ SUBSYSTEM, 13, "VAd", "VAD", "API: Destroy", "enters|leaves nosv_destroy()" },
	{ SUBSYSTEM, 14, "VAs", "VAS", "API: Submit", "enters|leaves nosv_submit()" },
	{ SUBSYSTEM, 15, "VAp", "VAP", "API: Pause", "enters|leaves nosv_pause()", ROLE_WAITING },
	{ SUBSYSTEM, 16, "VAy", "VAY", "API: Yield", "enters|leaves nosv_yield()" },
	{ SUBSYSTEM, 17, "VAw", "VAW", "API: Waitfor", "enters|leaves nosv_waitfor()", ROLE_WAITING },
	{ SUBSYSTEM, 18, "VAc", "VAC", "API: Scheduling point", "enters|leaves nosv_schedpoint()" },
	{ SUBSYSTEM, 19, "VAa", "VAA", "API: Attach", "enters|leaves nosv_attach()" },
	{ SUBSYSTEM, 20, "VAe", "VAE", "API: Detach", "enters|leaves nosv_detach()" },
	{ SUBSYSTEM, 21, "VAl", "VAL", "API: Mutex lock", "enters|leaves nosv_mutex_lock()", ROLE_WAITING },
	{ SUBSYSTEM, 22, "VAt", "VAT", "API: Mutex trylock", "enters|leaves nosv_mutex_trylock()" },
	{ SUBSYSTEM, 23, "VAu", "VAU", "API: Mutex unlock", "enters|leaves nosv_mutex_unlock()" },
	{ SUBSYSTEM, 24, "VAb", "VAB", "API: Barrier wait", "enters|leaves nosv_barrier_wait()", ROLE_WAITING },
	{ SUBSYSTEM, 25, "VAo", "VAO", "API: Cond wait", "enters|leaves nosv_cond_wait()", ROLE_WAITING },
	{ SUBSYSTEM, 26, "VAg", "VAG", "API: Cond signal", "enters|leaves nosv_cond_signal()" },
	{ SUBSYSTEM, 27, "VAk", "VAK", "API: Cond broadcast", "enters|leaves nosv_cond_broadcast()" },
	{ SUBSYSTEM, 28, "VAj", "VAJ", "API: Join", "enters|leaves nosv_join()", ROLE_WAITING },
	{ SUBSYSTEM, 29, "VAm", "VAM", "API: Join all", "enters|leaves nosv_join_all()", ROLE_WAITING },
	{ SUBSYSTEM, 30, "VAi", "VAI", "API: Wait", "enters|leaves nosv_wait()", ROLE_WAITING },
	{ SUBSYSTEM, 31, "VAn", "VAN", "API: Wait all", "enters|leaves nosv_wait_all()", ROLE_WAITING },
	{ SUBSYSTEM, 32, "VHw", "VHW", "Thread: Worker", "becomes|stops being a worker", ROLE_WAITING },
	{ SUBSYSTEM, 33, "VHd", "VHD", "Thread: Delegate", "becomes|stops being a delegate", ROLE_WAITING },
	{ SUBSYSTEM, 35, NULL, NULL, "EV Scheduler: Send task", NULL },
	{ SUBSYSTEM, 34, NULL, NULL, "EV Scheduler: Recv task", NULL },
	{ SUBSYSTEM, 36, NULL, NULL, "EV Scheduler: Self-assign task", NULL },
	{ IDLE, PROGRESSING, "VPp", NULL, "Progressing", "makes progress" },
	{ IDLE, RESTING, "VPr", NULL, "Resting", "rests" },
	{ IDLE, 102, "VPa", NULL, "Absorbing noise", "absorbs noise of the system" },
};

struct data {
	int nhwc;
	int first_hwc; /* channel of counter 0 */
	struct chan_decl *hwc[HWC_MAX];
};

/* ---- Tasks. ---- */

static void
create_task(struct emu *emu, const struct event *ev)
{
	(void)task_create(emu, event_u32(ev, 0), event_u32(ev, 4), TASK_PAUSE | TASK_RESURRECT);
}

static void
create_parallel_task(struct emu *emu, const struct event *ev)
{
	(void)task_create(emu, event_u32(ev, 0), event_u32(ev, 4), TASK_PARALLEL);
}

/* Shows what the thread runs; NULL: no task. */
static void
show_task(struct emu *emu, const struct task_body *b)
{
	uint32_t proc = emu_proc(emu, emu_thread(emu));
	int rank = emu_rank(emu, proc);
	if (!b) {
		for (int chan = BODYID; chan <= APPID; chan++)
			(void)emu_clear(emu, chan);
	} else {
		(void)emu_set(emu, BODYID, b->id);
		(void)emu_set(emu, TASKID, b->task);
		(void)emu_set(emu, TYPE, b->type);
		(void)emu_set(emu, APPID, emu_app(emu, proc));
	}
	if (rank >= 0)
		(void)(b ? emu_set(emu, RANK, (int64_t)rank + 1) : emu_clear(emu, RANK));
}

static void
execute(struct emu *emu, const struct event *ev)
{
	const struct task_body *b = task_execute(emu, event_u32(ev, 0), event_u32(ev, 4));
	(void)emu_push(emu, SUBSYSTEM, IN_BODY);
	show_task(emu, b);
}

static void
end(struct emu *emu, const struct event *ev)
{
	(void)task_end(emu, event_u32(ev, 0), event_u32(ev, 4));
	(void)emu_pop(emu, SUBSYSTEM, IN_BODY);
	show_task(emu, NULL);
}

static void
pause_task(struct emu *emu, const struct event *ev)
{
	(void)task_pause(emu, event_u32(ev, 0), event_u32(ev, 4));
	show_task(emu, NULL);
}

static void
resume_task(struct emu *emu, const struct event *ev)
{
	show_task(emu, task_resume(emu, event_u32(ev, 0), event_u32(ev, 4)));
}

/* ---- Hardware counters: as many as the metadata of the first thread with some. ---- */

static void
count(struct emu *emu, const struct event *ev)
{
	const struct data *d = emu_data(emu);
	if (d->nhwc == 0)
		(void)emu_error(emu, "metadata", "no thread defines hardware counters (nosv.hwc)");
	else if (ev->size != 4 + 8u * (unsigned)d->nhwc)
		(void)emu_error(emu, "payload", "the event has %" PRIu32 " bytes of counters, but %d counters need %d",
			ev->size - 4, d->nhwc, 8 * d->nhwc);
	else
		for (int i = 0; i < d->nhwc; i++)
			(void)emu_set(emu, d->first_hwc + i, event_i64(ev, 4 + 8 * (uint32_t)i));
}

/* Reports what is wrong with the key nosv.hwc.%s of the metadata. */
#define bad_hwc(emu, th, name, ...) emu_metadata_error((emu), (th), (name), "nosv.hwc.%s: " __VA_ARGS__)

static int
define_hwc(struct emu *emu, uint32_t th, const cJSON *item)
{
	struct data *d = emu_data(emu);
	char *stop;
	long i = strtol(item->string, &stop, 10);
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name");
	if (stop == item->string || *stop || i < 0 || i >= d->nhwc)
		return bad_hwc(emu, th, "metadata", "the index must be a number below the number of counters, at most %d", item->string, HWC_MAX);
	if (!cJSON_IsObject(item) || !cJSON_IsString(name))
		return bad_hwc(emu, th, "metadata", "the name must be a string", item->string);
	struct chan_decl *old = d->hwc[i];
	if (old && strcmp(old->title, name->valuestring) == 0)
		return 0;
	if (old)
		return bad_hwc(emu, th, "metadata-conflict", "another thread gives it another name", item->string);
	struct chan_decl *c = d->hwc[i] = emu_alloc(emu, sizeof(*c));
	char *file = emu_printf(emu, "hwc-%s", name->valuestring);
	for (char *p = file; p && *p; p++)
		if (*p == '/')
			*p = '_';
	if (!c)
		return -1;
	*c = (struct chan_decl){
		.name = emu_printf(emu, "hwc%ld", i),
		.title = emu_printf(emu, "%s", name->valuestring),
		.prv_type = HWC_PRV + (int)i,
		.dup = DUP_ALLOW,
		.values = VALUES_ANY,
		.thread_track = TRACK_ACTIVE,
		.bare_title = true,
		.view = {
			.file = file,
			.thread_title = emu_printf(emu, "Thread: nOS-V %s of the ACTIVE thread", name->valuestring),
			.cpu_title = emu_printf(emu, "CPU: nOS-V %s of the RUNNING thread", name->valuestring),
			.gradient = true,
			.next_value = true,
		},
	};
	return c->name && c->title && file && c->view.thread_title && c->view.cpu_title ? 0 : -1;
}

static void
create_counters(struct emu *emu)
{
	struct data *d = emu_data(emu);
	for (uint32_t th = 0; th < emu_nthreads(emu); th++) {
		const cJSON *hwc = emu_attr(emu, th, "nosv", "hwc", NULL);
		int n = cJSON_IsObject(hwc) ? cJSON_GetArraySize(hwc) : 0;
		if (n == 0)
			continue;
		if (d->nhwc && n != d->nhwc) {
			(void)bad_hwc(emu, th, "metadata-conflict", "another thread defines another number of counters", "*");
			return;
		}
		if (n > HWC_MAX) {
			(void)bad_hwc(emu, th, "metadata", "there are more than %d counters", "*", HWC_MAX);
			return;
		}
		d->nhwc = n;
		const cJSON *item;
		cJSON_ArrayForEach(item, hwc)
		{
			if (define_hwc(emu, th, item) < 0)
				return;
		}
	}
	for (int i = 0; i < d->nhwc; i++) {
		if (!d->hwc[i]) {
			(void)emu_error(emu, "metadata", "nosv.hwc: the indices of the counters must be 0 to %d, each once", d->nhwc - 1);
			return;
		}
		int chan = emu_add_chan(emu, d->hwc[i]);
		d->first_hwc = i ? d->first_hwc : chan;
	}
}

/* ---- The breakdown needs the subsystem events of all threads. ---- */

/* Whether all threads emit subsystem events; the peer also asks threads that do not use
 * nOS-V. */
static bool
suits(struct emu *emu)
{
	uint32_t able = 0;
	uint32_t asked = 0;
	uint32_t untold = 0;
	for (uint32_t th = 0; th < emu_nthreads(emu); th++) {
		if (!emu_is_compat(emu) && !emu_may_use(emu, th))
			continue;
		const cJSON *can = emu_attr(emu, th, "nosv", "can_breakdown", NULL);
		if (!can && emu_is_unfinished(emu) && emu_has_died(emu, th)) {
			untold++;
			emu_warn_often(emu, th, "thread %d died before it told whether its events do for the breakdown (-b): it is not asked", emu_tid(emu, th));
			continue;
		}
		asked++;
		if (!cJSON_IsBool(can)) {
			(void)emu_metadata_error(emu, th, "metadata",
				"nosv.can_breakdown must be true or false in every thread for the breakdown (-b)\n"
				"hint: run the program with nOS-V 2.3 or later, or without -b");
			return false;
		}
		able += (uint32_t)cJSON_IsTrue(can);
	}
	if (!asked && untold)
		emu_warn(emu, "no thread told whether its events do for the breakdown (-b) before it died: there is none of nosv");
	if (able != asked)
		emu_warn(emu, "cannot enable breakdown for nOS-V model (suitable %" PRIu32 "/%" PRIu32 ")\n"
			      "hint: set the instrumentation level of nOS-V to 3 or higher",
			able, asked);
	return able == asked && asked > 0;
}

static const struct breakdown_decl breakdown = {
	.file = "nosv-breakdown",
	.title = "CPU: nOS-V Runtime/Idle/Task breakdown",
	.prv_type = 17,
	.state = SUBSYSTEM,
	.task = TYPE,
	.idle = IDLE,
	.progressing = PROGRESSING,
	.in_body = IN_BODY,
	.unknown = UNKNOWN,
	.suits = suits,
	.view = { .file = "breakdown", .palette = PALETTE_SUBSYSTEM " " PALETTE_IDLE },
};

static const struct event_decl events[] = {
	{ "VYc+(u32 typeid, str label)", "creates task type %{typeid} with label \"%{label}\"", .hook = task_type_create },
	{ "VTc(u32 taskid, u32 typeid)", "creates task %{taskid} with type %{typeid}", .hook = create_task },
	{ "VTC(u32 taskid, u32 typeid)", "creates parallel task %{taskid} with type %{typeid}", .hook = create_parallel_task },
	{ "VTx(u32 taskid, u32 bodyid)", "executes the body %{bodyid} of task %{taskid}", .hook = execute },
	{ "VTe(u32 taskid, u32 bodyid)", "ends the body %{bodyid} of task %{taskid}", .hook = end },
	{ "VTp(u32 taskid, u32 bodyid)", "pauses the body %{bodyid} of task %{taskid}", .hook = pause_task },
	{ "VTr(u32 taskid, u32 bodyid)", "resumes the body %{bodyid} of task %{taskid}", .hook = resume_task },
	{ "VSr", "receives a task from another thread", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 34 },
	{ "VSs", "sends a task to another thread", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 35 },
	{ "VS@", "assigns a task to itself", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 36 },
	{ "VHa", "attaches to the library (old, without effect)", .op = OP_IGNORE },
	{ "VHA", "detaches from the library (old, without effect)", .op = OP_IGNORE },
	{ "VWC+(i64 value)", "reads the hardware counters, the first is %{value}", .hook = count },
};

const struct model model_nosv = {
	MODEL_ABI,
	.id = 'V',
	.name = "nosv",
	.version = "2.7.0",
	.need = NEED_ACTIVE | NEED_IN_CPU,
	CHANS(chans),
	STATES(states),
	EVENTS(events),
	.data_size = sizeof(struct data),
	.tasks = true,
	.create = create_counters,
	BREAKDOWN(breakdown),
};
