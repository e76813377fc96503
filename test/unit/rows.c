/* SPDX-License-Identifier: MIT */
/* Channels of processes, looms and the system, of models of this test. */
#include "input/inputs.h"
#include "emu.h"
#include "kit.h"

#include <string.h>

/* ---- The model. ---- */

enum {
	QUEUE,
	NODE,
	WHOLE,
	HAPPENS,
	NAME,
	OWN,
};

static const struct chan_decl chans[] = {
	[QUEUE] = { .name = "queue", .title = "Queue", .prv_type = 900, .of = OF_PROC, .sum = true, .initial = 2 },
	[NODE] = { .name = "node", .title = "Node", .prv_type = 901, .of = OF_LOOM },
	[WHOLE] = { .name = "whole", .title = "Whole", .prv_type = 902, .of = OF_SYSTEM, .values = VALUES_ANY },
	[HAPPENS] = { .name = "happens", .title = "Happens", .prv_type = 903, .of = OF_PROC, .kind = CHAN_PUNCTUAL },
	[NAME] = { .name = "name", .title = "Name", .prv_type = 904, .of = OF_PROC, .values = VALUES_TEXT },
	[OWN] = { .name = "own", .title = "Own", .prv_type = 905, .dup = DUP_SKIP, .thread_track = TRACK_ANY, .initial = 1 },
};

static int64_t result; /* of the last call */

static void
set_row(struct emu *emu, const struct event *ev)
{
	result = emu_set_row(emu, event_u32(ev, 4), event_i32(ev, 0), event_i32(ev, 8));
}

static void
add_row(struct emu *emu, const struct event *ev)
{
	result = emu_add_row(emu, event_u32(ev, 4), event_i32(ev, 0), event_i32(ev, 8));
}

static void
ask_row(struct emu *emu, const struct event *ev)
{
	result = emu_row_value(emu, event_u32(ev, 4), event_i32(ev, 0));
}

static void
set_thread(struct emu *emu, const struct event *ev)
{
	(void)ev;
	result = emu_set(emu, QUEUE, 5);
}

static void
happen_thread(struct emu *emu, const struct event *ev)
{
	(void)ev;
	result = emu_punctual(emu, HAPPENS, 5);
}

static void
set_late(struct emu *emu, const struct event *ev)
{
	(void)ev;
	result = emu_add_row(emu, 0, QUEUE, 1);
}

static void
happen(struct emu *emu, const struct event *ev)
{
	(void)ev;
	result = emu_punctual_row(emu, 2, QUEUE, 77);
}

/* Two changes of a row are one, and none if the value comes back. */
static void
twice(struct emu *emu, const struct event *ev)
{
	(void)ev;
	(void)emu_set_row(emu, 0, QUEUE, 9);
	(void)emu_set_row(emu, 0, QUEUE, 6);
	(void)emu_set_row(emu, 1, QUEUE, 50);
	(void)emu_add_row(emu, 1, QUEUE, -48);
}

static const struct event_decl events[] = {
	{ "Ts.(i32 chan, u32 index, i32 value)", "sets", .hook = set_row },
	{ "Ta.(i32 chan, u32 index, i32 value)", "adds", .hook = add_row },
	{ "T?.(i32 chan, u32 index)", "asks", .hook = ask_row },
	{ "Tt.", "sets a thread", .hook = set_thread },
	{ "Tp.", "happens in a thread", .hook = happen_thread },
	{ "Tl.", "adds late", .op = OP_IGNORE, .emit = set_late },
	{ "Te.", "happens late", .op = OP_IGNORE, .emit = happen },
	{ "T2.", "changes rows twice", .hook = twice },
	{ "Tq+", "adds one", .op = OP_ADD, .chan = QUEUE, .value = 1 },
	{ "Tq-", "takes one", .op = OP_ADD, .chan = QUEUE, .value = -1 },
	{ "Tq0", "empties", .op = OP_SET, .chan = QUEUE },
	{ "Tqa(i16 n)", "adds", .op = OP_ADD_ARG, .chan = QUEUE, .arg = "n", .value = 10 },
	{ "Tn.(u32 n)", "sets", .op = OP_SET_ARG, .chan = NODE, .arg = "n" },
	{ "Tw.(i64 n)", "sets", .op = OP_SET_ARG, .chan = WHOLE, .arg = "n" },
	{ "Th.", "happens", .op = OP_PUNCTUAL, .chan = HAPPENS, .value = 4 },
	{ "Tm.+(str text)", "is called", .op = OP_SET_ARG, .chan = NAME, .arg = "text" },
	{ "To+", "adds one to that of the thread", .op = OP_ADD, .chan = OWN, .value = 1 },
};

static const struct model plain = { MODEL_ABI, .id = 'T', .name = "test", .version = "1.0.0", .always = true, CHANS(chans), EVENTS(events) };

/* ---- Who watches it. ---- */

static char told[1024];
static int found;

static void
on_queue(struct emu *emu, const struct chan_change *c)
{
	size_t n = strlen(told);
	CHECK(emu_look(emu, found, c->index) == c->now);
	(void)snprintf(told + n, sizeof(told) - n, "%s%d/%u:%d>%d", n ? ", " : "", emu_tid(emu, c->thread), c->index, (int)c->before, (int)c->now);
	(void)emu_set(emu, 0, c->now);
}

static void
connect(struct emu *emu)
{
	found = emu_find_chan(emu, "test.queue");
	CHECK(found >= 0 && emu_look(emu, found, 2) == 2 && emu_watch(emu, found, on_queue, NULL) == 0);
}

static bool
yes(struct emu *emu)
{
	(void)emu;
	return true;
}

static const struct chan_decl seen[] = {
	{ .name = "seen", .title = "Seen", .prv_type = 910, .dup = DUP_SKIP, .values = VALUES_ANY, .thread_track = TRACK_ANY },
};
static const struct model watcher = { MODEL_ABI, .id = 'W', .name = "watcher", .version = "1.0.0", .probe = yes, .connect = connect, CHANS(seen) };

/* ---- A model whose channels are known when the trace is. ---- */

static struct chan_decl added = { .name = "added", .title = "Added", .prv_type = 920 };

static void
create(struct emu *emu)
{
	result = emu_add_chan(emu, &added);
}

static const struct model adder = { MODEL_ABI, .id = 'A', .name = "adder", .version = "1.0.0", .probe = yes, .create = create };

/* ---- Runs. ---- */

static struct diag diag = { .program = "test" };
static char messages[4096];
static char labels[1024];
static bool ring;

/* Two looms: processes 100 and 200 in the first, another 100 in the second; the events are of thread 201, of process 200. Returns what
 * emu_close() does; the records are in kit_logs. */
static int
run(const struct model *const *models, size_t n, bool compat, void (*fill)(struct kit_bytes *b))
{
	static const struct {
		const char *loom;
		int pid, tid;
	} threads[] = { { "a", 100, 101 }, { "a", 200, 201 }, { "b", 100, 301 } };
	const char *dir = kit_path("trace");
	struct model_set set = { 0 };
	kit_remove(dir);
	for (size_t i = 0; i < 3; i++) {
		struct kit_bytes b = { 0 };
		char more[200];
		(void)snprintf(more, sizeof(more), ", \"require\": {\"test\": \"1.0.0\"}, \"rank\": %zu, \"nranks\": 3, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}]%s", i,
			ring ? ", \"ring\": {\"since\": 900}" : "");
		kit_header(&b);
		if (i == 1)
			fill(&b);
		kit_thread(dir, threads[i].loom, threads[i].pid, threads[i].tid, more, &b, "");
		kit_done(&b);
	}
	kit_forget();
	told[0] = '\0';
	result = -1;
	for (size_t i = 0; i < n; i++)
		CHECK(modelset_add(&set, &diag, models[i], MODELSET_OURS) == 0);
	struct emu emu;
	kit_capture();
	int rc = emu_open(&emu, &diag, dir, &(struct emu_options){ .inputs = inputs, .models = &set, .compat = compat });
	if (rc == 0) {
		size_t at = 0;
		for (uint32_t i = 0; i < emu_nrows(&emu, ROW_PROC); i++)
			at += (size_t)snprintf(labels + at, sizeof(labels) - at, "%s%s", i ? ", " : "", emu_row_label(&emu, emu_first_row(&emu, ROW_PROC) + i));
		CHECK(emu_nlooms(&emu) == 2 && emu_nprocs(&emu) == 3);
		rc = emu_connect(&emu, kit_sinks, ROW_CLASSES);
	}
	if (rc == 0)
		rc = emu_run(&emu);
	rc = emu_close(&emu, rc);
	(void)snprintf(messages, sizeof(messages), "%s", kit_captured());
	return rc;
}

#define RUN(fill, ...) run((const struct model *const[]){ __VA_ARGS__ }, sizeof((const struct model *const[]){ __VA_ARGS__ }) / sizeof(void *), false, fill)

/* The records of a class behind time 0, or at it, as "row:column=value time"; rows and columns from 0. */
static const char *
shown(enum row_class rows, bool first)
{
	static char out[4096];
	size_t n = 0;
	out[0] = '\0';
	uint32_t first_row = UINT32_MAX;
	for (size_t i = 0; i < kit_logs[rows].n; i++)
		first_row = kit_logs[rows].items[i].r.row < first_row ? kit_logs[rows].items[i].r.row : first_row;
	for (size_t i = 0; i < kit_logs[rows].n; i++) {
		const struct record *r = &kit_logs[rows].items[i].r;
		if (r->col >= NBASE && (r->time == 0) == first)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%u:%u=%lld%s", n ? " " : "", r->row - first_row, r->col - NBASE, (long long)r->value, r->kind == RECORD_PUNCTUAL ? "!" : "");
	}
	return out;
}

#define SAME(have, want) kit_same((have), (want), messages, __LINE__)

static void
put(struct kit_bytes *b, const char *mcv, int32_t chan, int32_t index, int32_t value)
{
	const int32_t payload[] = { chan, index, value };
	static int64_t clock = 2000;
	kit_event(b, mcv, clock++, payload, 12);
}

static void
fill_ops(struct kit_bytes *b)
{
	static const int64_t minus = -7;
	static const int32_t five = 5;
	static const int16_t less = -9;
	kit_event(b, "T?.", 1000, &(const int32_t[]){ QUEUE, 1 }, 8);
	kit_event(b, "Tq+", 1001, NULL, 0);
	kit_event(b, "Tqa", 1002, &less, 2);
	kit_event(b, "Tq0", 1003, NULL, 0);
	kit_event(b, "Tq0", 1004, NULL, 0);
	kit_event(b, "Tn.", 1005, &five, 4);
	kit_event(b, "Tw.", 1006, &minus, 8);
	kit_event(b, "Th.", 1007, NULL, 0);
	kit_jumbo(b, "Tm.", 1008, 5, "four", 5);
	kit_event(b, "To+", 1009, NULL, 0);
	kit_event(b, "Te.", 1010, NULL, 0);
}

/* Rows: 0 the system, 1 and 2 the looms, 3 to 5 the processes, of which the events are of the second. */
static void
operations(void)
{
	static const char *const first = "0:0=6 0:2=0 1:0=4 1:1=0 2:0=2 2:1=0 3:0=2 3:3=0 3:4=0 4:0=2 4:3=0 4:4=0 5:0=2 5:3=0 5:4=0";
	CHECK(RUN(fill_ops, &plain) == 0);
	SAME(labels, "SYSTEM, LOOM a, LOOM b, PROC 1.100 rank 0, PROC 1.200 rank 1, PROC 1.100 rank 2 of b");
	SAME(shown(ROW_PROC, true), first);
	SAME(shown(ROW_PROC, false), "4:0=3 1:0=5 0:0=7 4:0=4 1:0=6 0:0=8 4:0=0 1:0=2 0:0=4 1:1=5 0:2=-7 4:3=4! 4:4=367212588 5:0=77!");
	SAME(shown(ROW_THREAD, false), "1:5=2");
	/* There are no other views of them. */
	(void)run((const struct model *const[]){ &plain }, 1, true, fill_ops);
	SAME(shown(ROW_PROC, true), first);
}

static void
fill_hooks(struct kit_bytes *b)
{
	put(b, "Ts.", QUEUE, 2, 7);
	put(b, "Ts.", QUEUE, 2, 7);
	put(b, "Ta.", NODE, 1, 3);
	put(b, "Ta.", WHOLE, 0, -3);
	put(b, "Ta.", WHOLE, 0, 0);
	put(b, "T2.", 0, 0, 0);
	put(b, "T?.", QUEUE, 0, 0);
}

static void
hooks(void)
{
	CHECK(RUN(fill_hooks, &plain) == 0 && result == 6);
	SAME(shown(ROW_PROC, false), "2:1=3 0:2=-3 3:0=6 1:0=8 0:0=15");
	SAME(shown(ROW_PROC, true) + strlen(shown(ROW_PROC, true)) - strlen(" 5:0=7 2:0=7 0:0=11"), " 5:0=7 2:0=7 0:0=11");
	CHECK(RUN(fill_hooks, &plain, &watcher) == 0);
	SAME(told, "201/2:2>7, 201/0:2>6");
	SAME(shown(ROW_THREAD, false), "1:6=6");
}

#define REFUSED(name, code, text, ...)                         \
	static void                                            \
		fill_##name(struct kit_bytes *b)               \
	{                                                      \
		__VA_ARGS__;                                   \
	}                                                      \
	static void                                            \
		refused_##name(void)                           \
	{                                                      \
		CHECK(RUN(fill_##name, &plain) == -(code));    \
		if (!strstr(messages, text))                   \
			(void)fprintf(stderr, "%s", messages); \
		CHECK(strstr(messages, text));                 \
	}

REFUSED(index, ERR_MODEL, "the model test changes the channel queue of the process 3: there are 3, from 0 on", put(b, "Ts.", QUEUE, 3, 1))
REFUSED(loom, ERR_MODEL, "the channel node of the loom 2: there are 2", put(b, "Ta.", NODE, 2, 1))
REFUSED(system, ERR_MODEL, "the channel whole of the system 1: there are 1", put(b, "Ts.", WHOLE, 1, 1))
REFUSED(chan, ERR_MODEL, "the model test changes its channel 6, but it has 6", put(b, "Ts.", OWN + 1, 0, 1))
REFUSED(minus_chan, ERR_MODEL, "the model test changes its channel -1", put(b, "Ta.", -1, 0, 1))
REFUSED(of_thread, ERR_MODEL, "changes the channel own of a process, a loom or the system: it is one of threads", put(b, "Ts.", OWN, 0, 1))
REFUSED(as_thread, ERR_MODEL, "a hook of the model test changes the channel queue as if it were one of threads", kit_event(b, "Tt.", 1000, NULL, 0))
REFUSED(in_thread, ERR_MODEL, "changes the channel happens as if it were one of threads", kit_event(b, "Tp.", 1000, NULL, 0))
REFUSED(below, ERR_CHAN_VALUE, "the channel queue of the model test cannot have the value -1 in the row PROC 1.200 rank 1",
	kit_event(b, "Tq0", 1000, NULL, 0), kit_event(b, "Tq-", 1001, NULL, 0))
REFUSED(negative, ERR_CHAN_VALUE, "cannot have the value -4 in the row LOOM a", put(b, "Ts.", NODE, 0, -4))
REFUSED(late, ERR_MODEL, "a hook of the model test changes a channel or a thread when what changed is being shown", kit_event(b, "Tl.", 1000, NULL, 0))

static void
fill_large(struct kit_bytes *b)
{
	static const int64_t large = INT64_MAX;
	kit_event(b, "Tw.", 1000, &large, 8);
	put(b, "Ta.", WHOLE, 0, 1);
}

/* What is not known of the begin in a ring. */
static void
fill_ring(struct kit_bytes *b)
{
	kit_event(b, "Tq0", 1000, NULL, 0);
	kit_event(b, "Tq-", 1001, NULL, 0);
	kit_event(b, "Tq+", 1002, NULL, 0);
}

static void
values(void)
{
	CHECK(RUN(fill_large, &plain) == -ERR_CHAN_VALUE && strstr(messages, "numbers have 64 bits"));
	ring = true;
	CHECK(RUN(fill_ring, &plain) == 0 && strstr(messages, "the end of what was not told to have begun"));
	SAME(shown(ROW_PROC, false), "4:0=1 1:0=3 0:0=5");
	ring = false;
}

/* Channels that create() adds are looked at, too. */
static void
late_channels(void)
{
	added.of = OF_PROC;
	CHECK(RUN(fill_hooks, &plain, &adder) == 0 && result == 6);
	added.kind = CHAN_STACK;
	CHECK(RUN(fill_hooks, &plain, &adder) == -ERR_MODEL && result < 0);
	CHECK(strstr(messages, "the model adder: only channels of threads can be stacks: added"));
}

/* ---- What declarations may not say. ---- */

static void
declared(const struct chan_decl *k, const struct event_decl *e, const struct state_decl *s, const char *why)
{
	const struct model m = { MODEL_ABI, .id = 'A', .name = "bad", .version = "1.0.0", .chans = k, .nchans = 1, .events = e, .nevents = e != NULL, .states = s, .nstates = s != NULL };
	struct model_set set = { 0 };
	kit_capture();
	CHECK(modelset_add(&set, &diag, &m, "file") == -ERR_MODEL);
	const char *text = kit_captured();
	if (!strstr(text, why))
		(void)fprintf(stderr, "wanted %s\ngot    %s", why, text);
	CHECK(strstr(text, why));
}

#define K .name = "k", .title = "K", .prv_type = 930

static void
declarations(void)
{
	static const struct chan_decl proc[] = { { K, .of = OF_PROC } };
	static const struct event_decl op[] = { { "Ap.", "x", .op = OP_PUSH, .value = 1 }, { "Ac.", "x", .op = OP_CLEAR }, { "Aa.", "x", .op = OP_ADD, .chan = 1 }, { "Aa.(u8 n)", "x", .op = OP_ADD, .arg = "n" } };
	static const struct state_decl state = { 0, 1, "As[", "As]", "S", "begins|ends" };
	declared(&(struct chan_decl){ K, .of = OF_SYSTEM + 1 }, NULL, NULL, "not a constant of its type");
	declared(&(struct chan_decl){ K, .sum = true }, NULL, NULL, "sums are those of processes or looms");
	declared(&(struct chan_decl){ K, .of = OF_SYSTEM, .sum = true }, NULL, NULL, "sums are those of processes or looms");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .sum = true, .values = VALUES_TEXT }, NULL, NULL, "sums are those of numbers that last");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .sum = true, .kind = CHAN_PUNCTUAL }, NULL, NULL, "sums are those of numbers that last");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .sum = true, .values = VALUES_ANY, .initial = INT64_MAX }, NULL, NULL, "the initial value leaves no room for the sums");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .kind = CHAN_STACK }, NULL, NULL, "only channels of threads can be stacks");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .thread_track = TRACK_ANY }, NULL, NULL, "only channels of threads are tracked");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .cpu_track = TRACK_OWN }, NULL, NULL, "only channels of threads are tracked");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .dup = DUP_ALLOW }, NULL, NULL, "are for channels of threads");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .role = ROLE_USEFUL }, NULL, NULL, "are for channels of threads");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .idle = 3 }, NULL, NULL, "are for channels of threads");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .view = { .file = "k", .cpu_title = "CPU" } }, NULL, NULL, "are for channels of threads");
	declared(&(struct chan_decl){ K, .of = OF_LOOM, .initial = -1 }, NULL, NULL, "the initial value is none from 0 to 4294967295");
	declared(&(struct chan_decl){ K, .view = { .file = "k", .reserved = { 0, 1 } } }, NULL, NULL, "the view has members that are not known here");
	declared(proc, NULL, &state, "only channels of threads have states");
	declared(proc, &op[0], NULL, "the operation is one of channels of threads");
	declared(proc, &op[1], NULL, "the operation is one of channels of threads");
	declared(proc, &op[2], NULL, "the channel of the event does not exist");
	declared(proc, &op[3], NULL, "the operation takes no argument");
	const struct breakdown_decl file = { .file = "proc", .title = "B", .prv_type = 931, .state = -1, .task = -1, .idle = -1 };
	const struct breakdown_decl of = { .file = "b", .title = "B", .prv_type = 931, .task = -1, .idle = -1 };
	const struct breakdown_decl *const breakdowns[] = { &file, &of };
	static const char *const why[] = { "a plain file name that no other output has: \"proc\"", "a channel of the breakdown is not one of threads: k" };
	for (int i = 0; i < 2; i++) {
		struct model m = { MODEL_ABI, .id = 'A', .name = "bad", .version = "1.0.0", .chans = proc, .nchans = 1, .breakdown = breakdowns[i] };
		struct model_set set = { 0 };
		kit_capture();
		CHECK(modelset_add(&set, &diag, &m, "file") == -ERR_MODEL && strstr(kit_captured(), why[i]));
	}
}

int
main(void)
{
	operations();
	hooks();
	refused_index();
	refused_loom();
	refused_system();
	refused_chan();
	refused_minus_chan();
	refused_of_thread();
	refused_as_thread();
	refused_in_thread();
	refused_below();
	refused_negative();
	refused_late();
	values();
	late_channels();
	declarations();
	return 0;
}
