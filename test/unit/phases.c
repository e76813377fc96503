/* SPDX-License-Identifier: MIT */
/* Hooks of all phases, observers, and operations with arguments, of models of this test. */
#include "input/inputs.h"
#include "emu.h"
#include "kit.h"

#include <string.h>

/* ---- What the hooks tell. ---- */

static char told[4096];

static void
tell(const char *what, const struct event *ev)
{
	size_t n = strlen(told);
	(void)snprintf(told + n, sizeof(told) - n, "%s%s %.3s", n ? ", " : "", what, (const char *)ev->mcv);
}

#define TELLER(name)                                  \
	static void                                   \
	name(struct emu *emu, const struct event *ev) \
	{                                             \
		(void)emu;                            \
		tell(#name, ev);                      \
	}

/* ---- A model with phases. ---- */

enum {
	STATE,
	NUMBER,
	TEXT,
	STACK,
};

static const struct chan_decl chans[] = {
	[STATE] = { .name = "state", .title = "State", .prv_type = 91, .thread_track = TRACK_ANY },
	[NUMBER] = { .name = "number", .title = "Number", .prv_type = 92, .dup = DUP_SKIP, .values = VALUES_ANY, .thread_track = TRACK_ANY },
	[TEXT] = { .name = "text", .title = "Text", .prv_type = 93, .dup = DUP_SKIP, .values = VALUES_TEXT, .thread_track = TRACK_ANY },
	[STACK] = { .name = "stack", .title = "Stack", .prv_type = 94, .kind = CHAN_STACK, .values = VALUES_ANY, .thread_track = TRACK_ANY },
};

static const struct state_decl states[] = {
	{ STATE, 1, "Tw[", "Tw]", "Working", "begins|ends to work", ROLE_USEFUL },
	{ STATE, 2, "Ti[", "Ti]", "Idle", "begins|ends to be idle", ROLE_WAITING },
};

TELLER(hook)
TELLER(emit_own)
TELLER(post_own)
TELLER(pre)
TELLER(emit)
TELLER(post)

static const struct event_decl events[] = {
	{ "Th.", "has a hook in each phase", .hook = hook, .emit = emit_own, .post = post_own },
	{ "Tn8(i8 n, u8 more)", "sets a number", .op = OP_SET_ARG, .chan = NUMBER, .arg = "n" },
	{ "Tn2(u8 skip, u16 n)", "sets a number", .op = OP_SET_ARG, .chan = NUMBER, .arg = "n", .value = 1000 },
	{ "Tn4(i32 n)", "adds a number", .op = OP_ADD_ARG, .chan = NUMBER, .arg = "n" },
	{ "Tt.+(str text)", "sets a text", .op = OP_SET_ARG, .chan = TEXT, .arg = "text" },
	{ "Ts[(u64 n)", "pushes", .op = OP_PUSH_ARG, .chan = STACK, .arg = "n" },
	{ "Ts](u64 n)", "pops", .op = OP_POP_ARG, .chan = STACK, .arg = "n" },
	{ "Tp.(i16 n)", "is punctual", .op = OP_PUNCTUAL_ARG, .chan = NUMBER, .arg = "n" },
	{ "Tl.+(u32 n, str text)", "labels a number", .op = OP_LABEL, .chan = NUMBER, .arg = "n", .text_arg = "text" },
	{ "Tr.", "must run", .op = OP_IGNORE, .need = NEED_RUNNING },
};

static const struct model plain = { MODEL_ABI, .id = 'T', .name = "test", .version = "1.0.0", .always = true, CHANS(chans), STATES(states), EVENTS(events) };

/* ---- Observers. ---- */

static const struct chan_decl observed[] = {
	{ .name = "seen", .title = "Seen", .prv_type = 95, .dup = DUP_SKIP, .values = VALUES_ANY, .thread_track = TRACK_ANY },
};

static int found;

/* Mirrors the state, ten times as high. */
static void
on_state(struct emu *emu, const struct chan_change *c)
{
	size_t n = strlen(told);
	(void)snprintf(told + n, sizeof(told) - n, "%s%d:%d>%d", n ? ", " : "", emu_tid(emu, c->thread), (int)c->before, (int)c->now);
	CHECK(c->found == found && c->arg == told && emu_look(emu, found, c->thread) == c->now);
	(void)emu_set(emu, 0, c->now * 10);
}

static void
connect(struct emu *emu)
{
	CHECK(emu_find_chan(emu, "test.nothing") < 0 && emu_find_chan(emu, "tes.state") < 0 && emu_find_chan(emu, "thread.state") == COL_STATE);
	found = emu_find_chan(emu, "test.state");
	CHECK(emu_look(emu, found, 0) == 0 && emu_state(emu, 0) == TH_UNKNOWN && emu_attr(emu, 0, "ovni", "tid", NULL));
	CHECK(found >= NBASE && emu_watch(emu, found, on_state, told) == 0);
}

static void
on_role(struct emu *emu, const struct role_change *c)
{
	size_t n = strlen(told);
	(void)snprintf(told + n, sizeof(told) - n, "%s%d:%d>%d", n ? ", " : "", emu_tid(emu, c->thread), (int)c->before, (int)c->now);
	CHECK(c->arg == told && emu_thread_role(emu, c->thread) == c->now);
	(void)emu_set(emu, 0, c->now);
}

static void
connect_roles(struct emu *emu)
{
	CHECK(emu_thread_role(emu, 0) == ROLE_NONE && emu_watch_roles(emu, on_role, told) == 0 && emu_thread_role(emu, 0) == ROLE_NONE);
}

static bool
yes(struct emu *emu)
{
	(void)emu;
	return true;
}

static void
change_late(struct emu *emu, const struct event *ev)
{
	(void)ev;
	CHECK(emu_set(emu, 0, 1) < 0);
}

static void
fail(struct emu *emu, const struct event *ev)
{
	tell("fail", ev);
	(void)emu_error(emu, "test", "no more");
}

static const struct model all = { MODEL_ABI, .id = 'T', .name = "test", .version = "1.0.0", .always = true, CHANS(chans), STATES(states), EVENTS(events), .pre = pre, .emit = emit, .post = post };
static const struct model watcher = { MODEL_ABI, .id = 'W', .name = "watcher", .version = "1.0.0", .probe = yes, .connect = connect, CHANS(observed) };
static const struct model judge = { MODEL_ABI, .id = 'W', .name = "judge", .version = "1.0.0", .probe = yes, .connect = connect_roles, CHANS(observed) };
static const struct model failing = { MODEL_ABI, .id = 'U', .name = "failing", .version = "1.0.0", .probe = yes, .observes = "*", .emit = fail };
static const struct model listener = { MODEL_ABI, .id = 'U', .name = "listener", .version = "1.0.0", .probe = yes, .observes = "*", .pre = pre, .post = post };
static const struct model late = { MODEL_ABI, .id = 'U', .name = "late", .version = "1.0.0", .probe = yes, .observes = "T", .emit = change_late, CHANS(observed) };
static const struct model other = { MODEL_ABI, .id = 'X', .name = "other", .version = "1.0.0", .probe = yes, .observes = "U", .post = post };
static const struct model back = { MODEL_ABI, .id = 'U', .name = "back", .version = "1.0.0", .probe = yes, .observes = "X", .post = post };

/* Counts events, for one that watches the count. */
static void
count(struct emu *emu, const struct event *ev)
{
	(void)ev;
	(void)emu_set(emu, 0, emu_value(emu, 0) + 1);
}

static void
connect_count(struct emu *emu)
{
	found = emu_find_chan(emu, "counter.count");
	CHECK(found >= NBASE && emu_watch(emu, found, on_state, told) == 0);
}

static const struct chan_decl counts[] = {
	{ .name = "count", .title = "Count", .prv_type = 96, .dup = DUP_SKIP, .values = VALUES_ANY, .thread_track = TRACK_ANY },
};
static const struct model counter = { MODEL_ABI, .id = 'X', .name = "counter", .version = "1.0.0", .probe = yes, .observes = "T", .pre = count, CHANS(counts) };
static const struct model follower = { MODEL_ABI, .id = 'W', .name = "follower", .version = "1.0.0", .probe = yes, .connect = connect_count, CHANS(observed) };

/* ---- Runs. ---- */

static struct diag diag = { .program = "test" };
static char messages[4096];

/* Emulates a thread with the events of `fill`. Returns what emu_close() does; the records are in kit_logs. */
static int
run(const struct model *const *models, size_t n, void (*fill)(struct kit_bytes *b))
{
	static const char *const more = ", \"require\": {\"test\": \"1.0.0\"}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}]";
	const char *dir = kit_path("trace");
	struct model_set set = { 0 };
	struct kit_bytes b = { 0 };
	kit_remove(dir);
	kit_header(&b);
	fill(&b);
	kit_thread(dir, "node", 100, 101, more, &b, "");
	kit_done(&b);
	kit_forget();
	told[0] = '\0';
	for (size_t i = 0; i < n; i++)
		CHECK(modelset_add(&set, &diag, models[i], MODELSET_OURS) == 0);
	struct emu emu;
	kit_capture();
	int rc = emu_open(&emu, &diag, dir, &(struct emu_options){ .inputs = inputs, .models = &set });
	if (rc == 0)
		rc = emu_connect(&emu, kit_sinks, ROW_CLASSES);
	if (rc == 0)
		rc = emu_run(&emu);
	rc = emu_close(&emu, rc);
	(void)snprintf(messages, sizeof(messages), "%s", kit_captured());
	return rc;
}

#define RUN(fill, ...) run((const struct model *const[]){ __VA_ARGS__ }, sizeof((const struct model *const[]){ __VA_ARGS__ }) / sizeof(void *), fill)

/* The records of the thread behind the first lines, as "time value". */
static const char *
shown(void)
{
	static char out[4096];
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; i < kit_logs[ROW_THREAD].n; i++) {
		const struct record *r = &kit_logs[ROW_THREAD].items[i].r;
		if (r->row == 0 && r->time > 0)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%lld %lld%s", n ? ", " : "", (long long)r->time, (long long)r->value, r->kind == RECORD_PUNCTUAL ? "!" : "");
	}
	return out;
}

#define SAME(have, want) kit_same((have), (want), messages, __LINE__)

static void
fill_phases(struct kit_bytes *b)
{
	kit_event(b, "Th.", 1000, NULL, 0);
	kit_event(b, "Tw[", 1001, NULL, 0);
	kit_event(b, "Tw]", 1002, NULL, 0);
}

static void
order(void)
{
	CHECK(RUN(fill_phases, &plain) == 0);
	SAME(told, "hook Th., emit_own Th., post_own Th.");
	SAME(shown(), "1 1, 2 0");
	CHECK(RUN(fill_phases, &all) == 0);
	SAME(told, "hook Th., pre Th., emit_own Th., emit Th., post_own Th., post Th., pre Tw[, emit Tw[, post Tw[, pre Tw], emit Tw], post Tw]");
	SAME(shown(), "1 1, 2 0");
}

static void
observers(void)
{
	CHECK(RUN(fill_phases, &plain, &listener) == 0);
	SAME(told, "hook Th., pre Th., emit_own Th., post_own Th., post Th., pre Tw[, post Tw[, pre Tw], post Tw]");
	CHECK(RUN(fill_phases, &plain, &watcher) == 0);
	SAME(told, "hook Th., emit_own Th., post_own Th., 101:0>1, 101:1>0");
	SAME(shown(), "1 1, 1 10, 2 0, 2 0");
	CHECK(RUN(fill_phases, &plain, &counter, &follower) == 0);
	SAME(told, "hook Th., 101:0>1, emit_own Th., post_own Th., 101:1>2, 101:2>3");
}

static void
fill_roles(struct kit_bytes *b)
{
	static const uint64_t n = 2;
	kit_event(b, "Ts[", 1000, &n, 8);
	kit_event(b, "Tw[", 1001, NULL, 0);
	kit_event(b, "Tw]", 1002, NULL, 0);
	kit_event(b, "Ti[", 1003, NULL, 0);
	kit_event(b, "Ts]", 1004, &n, 8);
	kit_event(b, "Ti]", 1005, NULL, 0);
}

/* The channel with states says what the thread does, the others have no roles. */
static void
roles(void)
{
	CHECK(RUN(fill_roles, &plain, &judge) == 0);
	SAME(told, "101:0>1, 101:1>0, 101:0>4, 101:4>0");
	SAME(shown(), "1 1, 1 1, 2 0, 2 0, 3 2, 3 4, 4 0, 5 0, 5 0");
}

/* Hooks behind one that fails are not called. */
static void
failure(void)
{
	CHECK(RUN(fill_phases, &all, &failing) < 0);
	SAME(told, "hook Th., pre Th., emit_own Th., emit Th., fail Th.");
}

static void
fill_numbers(struct kit_bytes *b)
{
	static const uint8_t minus[] = { 0xff, 7 };
	static const uint8_t odd[] = { 9, 0xff, 0xff };
	static const int32_t add = -5;
	static const uint64_t large = UINT64_C(1) << 60;
	static const int16_t punctual = -2;
	kit_event(b, "Tn8", 1000, minus, 2);
	kit_event(b, "Tn8", 1001, minus, 2);
	kit_event(b, "Tn2", 1002, odd, 3);
	kit_event(b, "Tn4", 1003, &add, 4);
	kit_event(b, "Ts[", 1004, &large, 8);
	kit_event(b, "Ts]", 1005, &large, 8);
	kit_event(b, "Tp.", 1006, &punctual, 2);
	kit_jumbo(b, "Tt.", 1007, 5, "four", 5);
	kit_jumbo(b, "Tt.", 1008, 5, "four", 5);
	kit_jumbo(b, "Tl.", 1009, 7, "\x07\0\0\0ab", 7);
}

static void
arguments(void)
{
	CHECK(RUN(fill_numbers, &plain) == 0);
	SAME(shown(), "2 66535, 3 66530, 4 1152921504606846976, 5 0, 6 -2!, 7 367212588");
}

static void
fill_open(struct kit_bytes *b)
{
	kit_jumbo(b, "Tt.", 1000, 4, "four", 4);
}

static void
fill_need(struct kit_bytes *b)
{
	kit_event(b, "Tr.", 1000, NULL, 0);
}

static void
refused(void)
{
	CHECK(RUN(fill_open, &plain) == -ERR_PAYLOAD);
	CHECK(RUN(fill_need, &plain) == -ERR_THREAD_STATE);
	CHECK(RUN(fill_phases, &plain, &late) == -ERR_MODEL);
	CHECK(strstr(messages, "a hook of the model late changes a channel or a thread when what changed is being shown"));
	CHECK(RUN(fill_phases, &plain, &back, &other) == -ERR_MODEL);
	CHECK(strstr(messages, "the models back of ovniscope and other of ovniscope observe each other"));
}

int
main(void)
{
	order();
	observers();
	roles();
	failure();
	arguments();
	refused();
	return 0;
}
