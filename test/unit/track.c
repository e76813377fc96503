/* SPDX-License-Identifier: MIT */
/* The engine with a model of this test: the channels of an early ovni (PID and TID of
 * the running thread, a view wider than its channel, punctual events). */
#include "input/inputs.h"
#include "emu.h"
#include "kit.h"

#include <string.h>

/* ---- The model. ---- */

enum {
	PID,
	TID,
	FLUSH,
	SUBSYSTEM,
	WIDE,
	KERNEL,
	IDLE,
	OWN,
	NCHANS,
};

static const struct chan_decl chans[NCHANS] = {
	[PID] = { .name = "pid", .title = "PID", .prv_type = 91, .cpu_track = TRACK_HIDDEN },
	[TID] = { .name = "tid", .title = "TID", .prv_type = 92, .cpu_track = TRACK_HIDDEN },
	[FLUSH] = { .name = "flush", .title = "Flush", .prv_type = 7, .thread_track = TRACK_ANY },
	[SUBSYSTEM] = { .name = "subsystem", .title = "Subsystem", .prv_type = 13, .kind = CHAN_STACK },
	[WIDE] = { .name = "wide", .title = "Wide", .prv_type = 30, .cpu_track = TRACK_ACTIVE },
	[KERNEL] = { .name = "kernel", .title = "Kernel", .prv_type = 45, .thread_track = TRACK_ANY, .cpu_track = TRACK_ACTIVE },
	[IDLE] = { .name = "idle", .title = "Idle", .prv_type = 16, .idle = 101, .initial = 100 },
	[OWN] = { .name = "own", .title = "Own", .prv_type = 46, .dup = DUP_SKIP, .thread_track = TRACK_ANY, .cpu_track = TRACK_OWN },
};

static void
execute(struct emu *emu, const struct event *ev)
{
	uint32_t cpu = emu_find_cpu(emu, emu_thread(emu), event_i32(ev, 0));
	CHECK(cpu != NO_INDEX);
	(void)run_execute(emu, cpu);
	if (emu->chans.value[chan_id(&emu->chans, emu->thread, emu->cur->first_col + TID)] != CHAN_NULL)
		return;
	(void)emu_set(emu, PID, emu_pid(emu, emu_proc(emu, emu_thread(emu))));
	(void)emu_set(emu, TID, emu_tid(emu, emu_thread(emu)));
}

#define HOOK(name, call)                              \
	static void                                   \
	name(struct emu *emu, const struct event *ev) \
	{                                             \
		(void)ev;                             \
		(void)call;                           \
	}
HOOK(end, run_end(emu))
HOOK(pause_thread, run_pause(emu))
HOOK(resume, run_resume(emu))
HOOK(cool, run_cool(emu))
HOOK(warm, run_warm(emu))
HOOK(set_wide, emu_set(emu, WIDE, event_i32(ev, 0)))
HOOK(push, emu_push(emu, SUBSYSTEM, event_i32(ev, 0)))
HOOK(pop, emu_pop(emu, SUBSYSTEM, event_i32(ev, 0)))
HOOK(punctual, emu_punctual(emu, SUBSYSTEM, event_i32(ev, 0)))
HOOK(own_punctual, emu_punctual_cpu(emu, 0, OWN, event_i32(ev, 0)))

/* Several in one event. */
static void
punctuals(struct emu *emu, const struct event *ev)
{
	(void)emu_punctual(emu, SUBSYSTEM, event_i32(ev, 0));
	(void)emu_punctual(emu, SUBSYSTEM, event_i32(ev, 0) + 1);
}

/* Of the first CPU, whoever runs there. */
static void
own(struct emu *emu, const struct event *ev)
{
	emu_set_cpu(emu, 0, OWN, event_i32(ev, 0));
}

/* One event changes all threads. */
static void
set_all(struct emu *emu, const struct event *ev)
{
	for (uint32_t th = 0; th < emu_nthreads(emu); th++) {
		emu_choose(emu, th);
		(void)emu_set(emu, WIDE, event_i32(ev, 0) + (int32_t)th);
	}
}

static const struct state_decl states[] = {
	{ FLUSH, 1, "TF[", "TF]", "Flushing", "flushes|is done" },
	{ KERNEL, 3, "TKO", "TKI", "Out", "leaves|enters its CPU" },
};

static const struct event_decl events[] = {
	{ "THx(i32 cpu)", "executes", .hook = execute },
	{ "THe", "ends", .hook = end },
	{ "THp", "pauses", .hook = pause_thread },
	{ "THr", "resumes", .hook = resume },
	{ "THc", "cools", .hook = cool },
	{ "THw", "warms", .hook = warm },
	{ "TWs(i32 value)", "sets the wide channel", .hook = set_wide },
	{ "TS[(i32 value)", "pushes", .hook = push },
	{ "TS](i32 value)", "pops", .hook = pop },
	{ "TP.(i32 value)", "is punctual", .hook = punctual },
	{ "TP2(i32 value)", "is punctual twice", .hook = punctuals },
	{ "TO.(i32 value)", "sets the channel of the CPU", .hook = own },
	{ "TO!(i32 value)", "is punctual in the CPU", .hook = own_punctual },
	{ "TA.(i32 value)", "sets the wide channel of all", .hook = set_all },
	{ "TPo", "is punctual by its declaration", .op = OP_PUNCTUAL, .chan = SUBSYSTEM, .value = 35 },
};

static const struct model model_test = {
	MODEL_ABI,
	.id = 'T',
	.name = "test",
	.version = "1.0.0",
	.need = NEED_NOTHING,
	.always = true,
	CHANS(chans),
	STATES(states),
	EVENTS(events),
};

static const struct model_set set = { .items = { { &model_test, "test" } }, .n = 1 };

/* ---- Runs. ---- */

struct step {
	int tid;
	int64_t clock;
	const char *mcv;
	int32_t arg;
};

static struct diag diag = { .program = "test" };
static int types[ROW_CLASSES][64]; /* PRV type of each column */
static uint32_t first_cpu;
static char messages[4096];

/* Two CPUs; threads 101 and 102 of process 100, those that have events. The clock of
 * the first event is 1000. Returns what emu_close() does. */
static int
run(const struct step *steps, size_t n, bool compat)
{
	const char *dir = kit_path("trace");
	kit_remove(dir);
	static const char *const more = ", \"require\": {\"test\": \"1.0.0\"}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}, {\"index\": 1, \"phyid\": 1}]";
	for (int tid = 101; tid <= 102; tid++) {
		struct kit_bytes b = { 0 };
		bool any = false;
		kit_header(&b);
		for (size_t i = 0; i < n; i++) {
			if (steps[i].tid != tid)
				continue;
			kit_event(&b, steps[i].mcv, 1000 + steps[i].clock, &steps[i].arg, 4);
			any = true;
		}
		if (any)
			kit_thread(dir, "node", 100, tid, more, &b, "");
		kit_done(&b);
	}
	kit_forget();
	struct emu emu;
	kit_capture();
	int rc = emu_open(&emu, &diag, dir, &(struct emu_options){ .compat = compat, .inputs = inputs, .models = &set });
	if (rc == 0)
		rc = emu_connect(&emu, kit_sinks, ROW_CLASSES);
	if (rc == 0) {
		CHECK(emu.plan->ncols < 64);
		first_cpu = emu.plan->sys.nthreads;
		for (uint32_t col = 0; col < emu.plan->ncols; col++)
			for (int rows = 0; rows < ROW_CLASSES; rows++)
				types[rows][col] = col < NBASE ? base_chans[rows][col].prv_type : emu.plan->cols[col].decl->prv_type;
		rc = emu_run(&emu);
	}
	rc = emu_close(&emu, rc);
	(void)snprintf(messages, sizeof(messages), "%s", kit_captured());
	return rc;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The records "time type value", or "time type value^before", of one row (from 1) and those types (0 ends the list), in
 * order, or those of one instant by text; with the first line of each type or not. */
static const char *
lines(enum row_class rows, uint32_t row, const int *only, bool initial, bool sorted)
{
	static char out[8192];
	static char texts[512][48];
	const char *order[512];
	size_t k = 0;
	const struct kit_log *log = &kit_logs[rows];
	bool seen[256] = { false }; /* the first line of each type */
	for (size_t i = 0; i < log->n; i++) {
		const struct record *r = &log->items[i].r;
		uint32_t index = rows == ROW_THREAD ? r->row : r->row - first_cpu;
		int type = types[rows][r->col];
		bool wanted = false;
		for (const int *t = only; *t; t++)
			wanted = wanted || *t == type;
		if (index != row - 1 || !wanted)
			continue;
		if (!initial && !seen[type]) {
			CHECK(r->time == 0);
			seen[type] = true;
			continue;
		}
		CHECK(k < 512);
		int len = snprintf(texts[k], sizeof(texts[k]), "%lld %d %lld", (long long)r->time, type, (long long)r->value);
		if (r->kind == RECORD_PUNCTUAL)
			(void)snprintf(texts[k] + len, sizeof(texts[k]) - (size_t)len, "^%lld", (long long)r->before);
		order[k] = texts[k];
		k++;
	}
	for (size_t i = 0; sorted && i < k;) {
		size_t end = i;
		while (end < k && strtoll(order[end], NULL, 10) == strtoll(order[i], NULL, 10))
			end++;
		qsort(&order[i], end - i, sizeof(order[0]), by_text);
		i = end;
	}
	size_t n = 0;
	out[0] = 0;
	for (size_t i = 0; i < k; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s", i ? ", " : "", order[i]);
	return out;
}

#define ONLY(...) ((const int[]){ __VA_ARGS__, 0 })

#define SAME(have, want) kit_same((have), (want), messages, __LINE__)

#define RUN(compat, ...)                                                      \
	do {                                                                  \
		static const struct step list[] = { __VA_ARGS__ };            \
		int rc = run(list, sizeof(list) / sizeof(list[0]), (compat)); \
		if (rc != 0)                                                  \
			(void)fputs(messages, stderr);                        \
		CHECK(rc == 0);                                               \
	} while (0)

/* ---- Examples of the specification. ---- */

/* PID and TID are 91 and 92 in the thread row here, 1 and 2 there. */
static void
reference(void)
{
	RUN(false, { 101, 0, "THx", 0 }, { 101, 10, "TF[", 0 }, { 101, 20, "TF]", 0 }, { 101, 30, "THc", 0 },
		{ 101, 40, "THp", 0 }, { 101, 50, "THw", 0 }, { 101, 60, "THr", 0 }, { 101, 70, "THe", 0 });
	SAME(lines(ROW_THREAD, 1, ONLY(91, 92, 4, 6, 7), false, true),
		"0 4 1, 0 6 1, 0 91 100, 0 92 101, 10 7 1, 20 7 0, 30 4 4, 30 91 0, 30 92 0, 40 4 2, 50 4 5, "
		"60 4 1, 60 91 100, 60 92 101, 70 4 3, 70 6 0, 70 91 0, 70 92 0");
	SAME(lines(ROW_CPU, 1, ONLY(1, 2, 3, 7), false, true),
		"0 1 100, 0 2 101, 0 3 1, 10 7 1, 20 7 0, 30 1 0, 30 2 0, 30 3 0, "
		"60 1 100, 60 2 101, 60 3 1, 70 1 0, 70 2 0, 70 3 0");
	/* The other CPUs have their first lines alone. */
	SAME(lines(ROW_CPU, 2, ONLY(1, 2, 3, 7, 13, 16, 30, 45), true, true),
		"0 1 0, 0 13 0, 0 16 101, 0 2 0, 0 3 0, 0 30 0, 0 45 0, 0 7 0");
	/* The virtual one is not idle. */
	SAME(lines(ROW_CPU, 3, ONLY(1, 2, 3, 7, 13, 16, 30, 45), true, true),
		"0 1 0, 0 13 0, 0 16 0, 0 2 0, 0 3 0, 0 30 0, 0 45 0, 0 7 0");
	/* A channel that is idle while nobody runs, and has a value from the start. */
	SAME(lines(ROW_CPU, 1, ONLY(16), true, false), "0 16 101, 0 16 100, 30 16 101, 60 16 100, 70 16 101");
	SAME(lines(ROW_THREAD, 1, ONLY(16), true, false), "0 16 0, 0 16 100, 30 16 0, 60 16 100, 70 16 0");
	CHECK(kit_logs[ROW_THREAD].duration == 70);
}

/* A CPU row that follows more states than the thread row shows. */
static void
bad_state(void)
{
	RUN(false, { 101, 0, "THx", 0 }, { 101, 10, "TWs", 6 }, { 101, 20, "THc", 0 }, { 101, 30, "THp", 0 },
		{ 101, 40, "THr", 0 }, { 101, 40, "THe", 0 });
	SAME(lines(ROW_CPU, 1, ONLY(30), false, false), "10 30 6, 20 30 666, 30 30 0, 40 30 6, 40 30 0");
	SAME(lines(ROW_THREAD, 1, ONLY(30), false, false), "10 30 6, 20 30 0, 40 30 6, 40 30 0");

	RUN(false, { 101, 0, "THx", 0 }, { 101, 10, "TWs", 6 }, { 101, 20, "THc", 0 }, { 101, 30, "THp", 0 },
		{ 101, 40, "THr", 0 }, { 101, 50, "THe", 0 }, { 102, 22, "THx", 0 }, { 102, 24, "THe", 0 });
	SAME(lines(ROW_CPU, 1, ONLY(30), false, false),
		"10 30 6, 20 30 666, 22 30 777, 24 30 666, 30 30 0, 40 30 6, 50 30 0");
	SAME(lines(ROW_CPU, 1, ONLY(3), false, false), "0 3 1, 20 3 0, 22 3 1, 24 3 0, 40 3 1, 50 3 0");

	/* It is set while the row does not show it. */
	RUN(false, { 101, 0, "THx", 0 }, { 101, 20, "THc", 0 }, { 101, 25, "TWs", 6 }, { 101, 30, "THe", 0 });
	SAME(lines(ROW_CPU, 1, ONLY(30), false, false), "20 30 666, 30 30 0");
	SAME(lines(ROW_THREAD, 1, ONLY(30), false, false), "");
}

static void
two_threads(void)
{
	RUN(false, { 101, 0, "THx", -1 }, { 102, 10, "THx", -1 }, { 101, 30, "THc", 0 }, { 101, 40, "THp", 0 },
		{ 102, 50, "TF[", 0 }, { 102, 55, "TF]", 0 }, { 101, 60, "THr", 0 }, { 102, 70, "THe", 0 }, { 101, 80, "THe", 0 });
	SAME(lines(ROW_CPU, 3, ONLY(1, 2, 3, 7, 45), false, true),
		"0 1 100, 0 2 101, 0 3 1, "
		"10 1 777, 10 2 777, 10 3 2, 10 45 777, 10 7 777, "
		"30 1 100, 30 2 102, 30 3 1, 30 7 0, "
		"40 45 0, 50 7 1, 55 7 0, "
		"60 1 777, 60 2 777, 60 3 2, 60 45 777, 60 7 777, "
		"70 1 100, 70 2 101, 70 3 1, 70 45 0, 70 7 0, "
		"80 1 0, 80 2 0, 80 3 0");
	CHECK(messages[0] == '\0'); /* several threads in the virtual CPU are as it should be */
	/* A physical CPU is no different. */
	RUN(false, { 101, 0, "THx", 0 }, { 102, 10, "THx", 0 }, { 101, 30, "THe", 0 }, { 102, 40, "THe", 0 });
	SAME(lines(ROW_CPU, 1, ONLY(1, 2, 3, 7, 45), false, true),
		"0 1 100, 0 2 101, 0 3 1, 10 1 777, 10 2 777, 10 3 2, 10 45 777, 10 7 777, "
		"30 1 100, 30 2 102, 30 3 1, 30 45 0, 30 7 0, 40 1 0, 40 2 0, 40 3 0");
}

/* A change in a thread that is not alone is not seen; it is, once it is alone. */
static void
hidden_change(void)
{
	RUN(false, { 101, 0, "THx", 0 }, { 102, 10, "THx", 0 }, { 101, 20, "TF[", 0 }, { 101, 20, "TS[", 4 },
		{ 102, 30, "THp", 0 }, { 102, 40, "TF[", 0 }, { 101, 50, "THe", 0 }, { 102, 60, "THr", 0 }, { 102, 70, "THe", 0 });
	SAME(lines(ROW_CPU, 1, ONLY(7, 13), false, true),
		"10 13 777, 10 7 777, 30 13 4, 30 7 1, 50 13 0, 50 7 0, 60 7 1, 70 7 0");
}

/* A channel of the CPU itself, and one event for several threads. */
static void
own_channel(void)
{
	RUN(false, { 101, 0, "THx", 0 }, { 102, 0, "THx", 1 }, { 101, 10, "TO.", 5 }, { 102, 15, "TO.", 5 }, { 102, 18, "TO!", 9 },
		{ 101, 20, "THp", 0 }, { 101, 30, "TO.", 6 }, { 101, 40, "THr", 0 }, { 101, 50, "TA.", 7 }, { 101, 60, "THe", 0 },
		{ 102, 60, "THe", 0 });
	SAME(lines(ROW_CPU, 1, ONLY(46), true, false), "0 46 0, 10 46 5, 18 46 9^5, 30 46 6");
	SAME(lines(ROW_CPU, 2, ONLY(46), true, false), "0 46 0");
	SAME(lines(ROW_THREAD, 1, ONLY(46), true, false), "0 46 0");
	SAME(lines(ROW_THREAD, 1, ONLY(30), false, false), "50 30 7, 60 30 0");
	SAME(lines(ROW_THREAD, 2, ONLY(30), false, false), "50 30 8, 60 30 0");
	SAME(lines(ROW_CPU, 1, ONLY(30), false, false), "50 30 7, 60 30 0");
	SAME(lines(ROW_CPU, 2, ONLY(30), false, false), "50 30 8, 60 30 0");
}

/* ---- Punctual events. ---- */

#define START                    \
	{                        \
		101, 0, "THx", 0 \
	}
#define END                        \
	{                          \
		101, 500, "THe", 0 \
	}

/* The same lines in the row of the thread and in that of its CPU. */
#define PUNCTUAL(want, ...)                                               \
	do {                                                              \
		RUN(false, __VA_ARGS__);                                  \
		SAME(lines(ROW_THREAD, 1, ONLY(13), false, false), want); \
		SAME(lines(ROW_CPU, 1, ONLY(13), false, false), want);    \
	} while (0)

static void
punctual_events(void)
{
	PUNCTUAL("100 13 34^0", START, { 101, 100, "TP.", 34 }, END);
	PUNCTUAL("100 13 35^0", START, { 101, 100, "TPo", 0 }, END);
	PUNCTUAL("50 13 6, 100 13 34^6, 150 13 0", START, { 101, 50, "TS[", 6 }, { 101, 100, "TP.", 34 },
		{ 101, 150, "TS]", 6 }, END);
	PUNCTUAL("100 13 34^0, 101 13 35^0", START, { 101, 100, "TP.", 34 }, { 101, 101, "TP.", 35 }, END);
	/* Behind a change of the same instant. */
	PUNCTUAL("100 13 6, 100 13 34^6, 150 13 0", START, { 101, 100, "TS[", 6 }, { 101, 100, "TP.", 34 },
		{ 101, 150, "TS]", 6 }, END);
	/* Before a change of the same instant. */
	PUNCTUAL("100 13 34^0, 100 13 6, 150 13 0", START, { 101, 100, "TP.", 34 }, { 101, 100, "TS[", 6 },
		{ 101, 150, "TS]", 6 }, END);
	/* Behind a change one nanosecond before. */
	PUNCTUAL("99 13 6, 100 13 34^6, 150 13 0", START, { 101, 99, "TS[", 6 }, { 101, 100, "TP.", 34 },
		{ 101, 150, "TS]", 6 }, END);
	/* Two at one instant; two in one event. */
	PUNCTUAL("100 13 34^0, 100 13 35^0", START, { 101, 100, "TP.", 34 }, { 101, 100, "TP.", 35 }, END);
	PUNCTUAL("100 13 34^0, 100 13 35^0", START, { 101, 100, "TP2", 34 }, END);
	/* The value that the row shows. */
	PUNCTUAL("50 13 6, 150 13 0", START, { 101, 50, "TS[", 6 }, { 101, 100, "TP.", 6 }, { 101, 150, "TS]", 6 }, END);
	/* At the first instants. */
	PUNCTUAL("0 13 34^0", START, { 101, 0, "TP.", 34 }, END);
	PUNCTUAL("1 13 34^0", START, { 101, 1, "TP.", 34 }, END);
	/* With another event between. */
	PUNCTUAL("100 13 34^0", START, { 101, 99, "TF[", 0 }, { 101, 100, "TF]", 0 }, { 101, 100, "TP.", 34 }, END);
}

static void
punctual_rows(void)
{
	/* Two running threads: the thread shows it, the CPU shows 777 and no pair. */
	RUN(false, { 101, 0, "THx", 0 }, { 102, 10, "THx", 0 }, { 101, 100, "TP.", 34 }, { 102, 200, "THe", 0 }, END);
	SAME(lines(ROW_THREAD, 1, ONLY(13), false, false), "100 13 34^0");
	SAME(lines(ROW_THREAD, 2, ONLY(13), false, false), "");
	SAME(lines(ROW_CPU, 1, ONLY(13), false, false), "10 13 777, 200 13 0");
	/* A thread that does not show the channel. */
	RUN(false, { 101, 0, "THx", 0 }, { 101, 10, "THp", 0 }, { 101, 100, "TP.", 34 }, { 101, 200, "THr", 0 }, END);
	SAME(lines(ROW_THREAD, 1, ONLY(13), false, false), "");
	SAME(lines(ROW_CPU, 1, ONLY(13), false, false), "");
	/* Other rows may change at t - 1 and t: the records stay in order. */
	RUN(false, { 101, 0, "THx", 0 }, { 102, 0, "THx", 1 }, { 102, 99, "TF[", 0 }, { 102, 100, "TF]", 0 },
		{ 101, 100, "TP.", 34 }, { 102, 300, "THe", 0 }, END);
	const struct kit_log *log = &kit_logs[ROW_THREAD];
	for (size_t i = 1; i < log->n; i++)
		CHECK(log->items[i].r.time >= log->items[i - 1].r.time);
	SAME(lines(ROW_THREAD, 1, ONLY(13), false, false), "100 13 34^0");
}

/* ---- --compat. ---- */

static void
compat(void)
{
	/* No first lines, no punctual ones, no error states. */
	RUN(true, { 101, 0, "THx", 0 }, { 101, 10, "TS[", 6 }, { 101, 100, "TP.", 34 }, { 101, 100, "TP2", 34 },
		{ 101, 150, "TS]", 6 }, END);
	SAME(lines(ROW_THREAD, 1, ONLY(13), true, false), "0 13 0, 10 13 6, 150 13 0");
	SAME(lines(ROW_CPU, 1, ONLY(13), true, false), "0 13 0, 10 13 6, 150 13 0");
	SAME(lines(ROW_CPU, 2, ONLY(1, 2, 3, 7, 13, 16, 30, 45), true, false), "");

	/* Column B of the second example, in a virtual CPU; 45 needs the running thread
	 * there and is left out. */
	RUN(true, { 101, 0, "THx", -1 }, { 102, 10, "THx", -1 }, { 101, 30, "THc", 0 }, { 101, 40, "THp", 0 },
		{ 102, 50, "TF[", 0 }, { 102, 55, "TF]", 0 }, { 101, 60, "THr", 0 }, { 102, 70, "THe", 0 }, { 101, 80, "THe", 0 });
	SAME(lines(ROW_CPU, 3, ONLY(1, 2, 3, 7), true, false),
		"0 2 101, 0 1 100, 0 3 1, 0 7 0, 10 2 0, 10 1 0, 10 3 2, 30 2 102, 30 1 100, 30 3 1, "
		"50 7 1, 55 7 0, 60 2 0, 60 1 0, 60 3 2, 70 2 101, 70 1 100, 70 3 1, 80 2 0, 80 1 0, 80 3 0");

	static const struct step busy[] = { { 101, 0, "THx", 0 }, { 102, 10, "THx", 0 } };
	CHECK(run(busy, 2, true) == -ERR_CPU_BUSY);
	CHECK(strstr(messages, "event THx"));
}

/* ---- Errors. ---- */

#define FAILS(code, ...)                                                                      \
	do {                                                                                  \
		static const struct step list[] = { __VA_ARGS__ };                            \
		CHECK(run(list, sizeof(list) / sizeof(list[0]), false) == -(code));           \
		CHECK(kit_logs[ROW_THREAD].duration >= 0 && kit_logs[ROW_CPU].duration >= 0); \
	} while (0)

static void
errors(void)
{
	FAILS(ERR_STACK_EMPTY, START, { 101, 10, "TS]", 1 });
	FAILS(ERR_STACK_MISMATCH, START, { 101, 10, "TS[", 2 }, { 101, 20, "TS]", 1 });
	CHECK(strstr(messages, "the event has 1, the channel has 2"));
	CHECK(strstr(messages, "channel subsystem (type 13), thread 101, depth 1"));
	CHECK(strstr(messages, "at loom.node/proc.100/thread.101 +0x28, clock 1020 ns, event TS]"));
	FAILS(ERR_CHAN_REPEATED, START, { 101, 10, "TF[", 0 }, { 101, 20, "TF[", 0 });
	CHECK(strstr(messages, "has 1 (Flushing)"));
	FAILS(ERR_UNKNOWN_EVENT, START, { 101, 10, "TZZ", 0 });
	FAILS(ERR_UNKNOWN_MODEL, START, { 101, 10, "ZZZ", 0 });
	FAILS(ERR_THREAD_STATE, { 101, 0, "THr", 0 });
	FAILS(ERR_NOT_DEAD, START, { 101, 10, "THp", 0 });
	/* What came before is there. */
	FAILS(ERR_THREAD_STATE, START, { 101, 10, "TF[", 0 }, { 101, 20, "THx", 0 });
	SAME(lines(ROW_THREAD, 1, ONLY(7), false, false), "10 7 1");
}

int
main(void)
{
	reference();
	bad_state();
	two_threads();
	hidden_change();
	own_channel();
	punctual_events();
	punctual_rows();
	compat();
	errors();
	kit_forget();
	return 0;
}
