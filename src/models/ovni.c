/* SPDX-License-Identifier: MIT */
/* ovni: threads and their CPUs, the flush of the event buffer, bursts and marks. */
#include "ovniscope/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

enum {
	FLUSH,
};

enum {
	FLUSHING = 1, /* part of the output format */
};

enum {
	MARK_PRV = 100,            /* PRV type of mark type 0 */
	MARK_TYPES = 100,          /* types of marks are 0 to 99 */
	NBURSTS = 100,             /* bursts that make a statistic */
	LARGE_FLUSH_NS = 10000000, /* a flush that disturbs the program */
	FLUSHES_TOLD = 20,
	LARGE_BURST_NS = 100, /* a machine where an event costs a lot */
};

static const struct label flush_labels[] = {
	{ FLUSHING, "Flushing" },
};

static const struct chan_decl chans[] = {
	[FLUSH] = {
		.name = "flush",
		.title = "Flushing ovni buffer",
		.prv_type = 7,
		.thread_track = TRACK_ANY,
		LABELS(flush_labels),
		.role = ROLE_TRACING,
		.view = {
			.file = "flushing",
			.thread_title = "Thread: Flushing state of the CURRENT thread",
			.cpu_title = "CPU: Flushing state of the RUNNING thread",
		},
	},
};

struct bursts {
	unsigned n;
	int64_t times[NBURSTS];
};

struct thread_data {
	int64_t flush_start;
	struct bursts *bursts; /* NULL until the first one */
	int64_t moved_at;      /* when another thread moved it before its own events begin, */
	int32_t moved_to;      /* and where to: the index of the CPU */
	bool was_moved;
};

/* Labels of a mark type, in the order of their definition. */
struct mark {
	struct chan_decl decl;
	struct label *labels;
	size_t cap;
	struct emu_map *by_value; /* their positions, from 1 */
};

struct data {
	struct mark *marks[MARK_TYPES]; /* NULL: not defined */
	int chan[MARK_TYPES];
	int order[MARK_TYPES]; /* types by first definition */
	int nmarks;
};

/* ---- Threads and CPUs. ---- */

/* Finds the CPU that an event names for a thread. NO_INDEX: there is none (reported). */
static uint32_t
find_cpu(struct emu *emu, uint32_t thread, int32_t index)
{
	uint32_t cpu = emu_find_cpu(emu, thread, index);
	uint32_t loom = emu_loom(emu, emu_proc(emu, thread));
	if (cpu == NO_INDEX)
		(void)emu_error(emu, "cpu-unknown", "the loom %s has no CPU with index %" PRId32 ", only 0 to %" PRId32 " and -1 for the virtual CPU",
			emu_loom_name(emu, loom), index, (int32_t)emu_loom_ncpus(emu, loom) - 1);
	return cpu;
}

static void
execute(struct emu *emu, const struct event *ev)
{
	uint32_t th = emu_thread(emu);
	const struct thread_data *t = emu_thread_data(emu, th);
	int32_t index = event_i32(ev, 0);
	/* The first of a ring tells in its tag when the thread came to that CPU. */
	if (t->was_moved && ev->size >= 16 && emu_state(emu, th) == TH_UNKNOWN && emu_time_of(emu, event_u64(ev, 8)) <= t->moved_at)
		index = t->moved_to;
	uint32_t cpu = find_cpu(emu, th, index);
	if (cpu != NO_INDEX)
		(void)run_execute(emu, cpu);
}

/* Moves a thread that does not run yet, as its events begin later. */
static void
move_early(struct emu *emu, const struct event *ev, uint32_t th)
{
	struct thread_data *t = emu_thread_data(emu, th);
	t->moved_at = emu_time(emu);
	t->moved_to = event_i32(ev, 0);
	t->was_moved = true;
}

#define ON_EVENT(change)                                             \
	static void                                                  \
		on_##change(struct emu *emu, const struct event *ev) \
	{                                                            \
		(void)ev;                                            \
		(void)run_##change(emu);                             \
	}
ON_EVENT(end)
ON_EVENT(pause)
ON_EVENT(resume)
ON_EVENT(cool)
ON_EVENT(warm)

/* Moves the thread of the event. */
static void
move_self(struct emu *emu, const struct event *ev)
{
	uint32_t th = emu_thread(emu);
	if (!emu_meets(emu, th, NEED_ACTIVE)) {
		(void)emu_error(emu, "thread-state", "thread %d cannot change its CPU while it is %s\nallowed states: Running, Cooling or Warming",
			emu_tid(emu, th), emu_state_name(emu_state(emu, th)));
		return;
	}
	uint32_t cpu = find_cpu(emu, th, event_i32(ev, 0));
	if (cpu != NO_INDEX && cpu != emu_cpu(emu, th))
		(void)run_migrate(emu, th, cpu);
}

/* Moves another thread of the loom. */
static void
move_other(struct emu *emu, const struct event *ev)
{
	int32_t tid = event_i32(ev, 4);
	uint32_t proc = emu_proc(emu, emu_thread(emu));
	uint32_t th = emu_find_thread(emu, proc, tid);
	if (th != NO_INDEX && emu_is_ring(emu, th) && emu_state(emu, th) == TH_UNKNOWN) {
		move_early(emu, ev, th);
		return;
	}
	if (emu_is_unfinished(emu) && (th == NO_INDEX || emu_state(emu, th) == TH_UNKNOWN)) {
		emu_warn_often(emu, emu_thread(emu), "thread %" PRId32 " is moved to another CPU before any event of it, and is not shown there", tid);
		return;
	}
	if (th == NO_INDEX) {
		(void)emu_error(emu, "thread-unknown", "the loom %s has no thread with tid %" PRId32, emu_loom_name(emu, emu_loom(emu, proc)), tid);
		return;
	}
	if (emu_cpu(emu, th) == NO_INDEX) {
		(void)emu_error(emu, "thread-state", "thread %" PRId32 " cannot be moved while it is %s: it has no CPU",
			tid, emu_state_name(emu_state(emu, th)));
		return;
	}
	uint32_t cpu = find_cpu(emu, th, event_i32(ev, 0));
	if (cpu == NO_INDEX)
		return;
	if (cpu != emu_cpu(emu, th))
		(void)run_migrate(emu, th, cpu);
	else if (emu_is_strict(emu))
		(void)emu_error(emu, "same-cpu", "thread %" PRId32 " is already in CPU %" PRId32 "\n"
						 "hint: without -l and --compat this is accepted",
			tid, event_i32(ev, 0));
}

/* ---- Flush and bursts. ---- */

static void
flush_begin(struct emu *emu, const struct event *ev)
{
	(void)ev;
	struct thread_data *t = emu_thread_data(emu, emu_thread(emu));
	t->flush_start = emu_time(emu);
	(void)emu_set(emu, FLUSH, FLUSHING);
}

static void
flush_end(struct emu *emu, const struct event *ev)
{
	(void)ev;
	uint32_t th = emu_thread(emu);
	const struct thread_data *t = emu_thread_data(emu, th);
	int64_t took = emu_time(emu) - t->flush_start;
	if (emu_clear(emu, FLUSH) < 0 || took <= LARGE_FLUSH_NS || !emu_meets(emu, th, NEED_RUNNING))
		return;
	emu_warn_few(emu, FLUSHES_TOLD, "large flush of %.1f ms at dclock=%" PRId64 " ns in tid=%d", (double)took / 1e6, emu_time(emu), emu_tid(emu, th));
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void
report_bursts(struct emu *emu, struct bursts *b)
{
	int64_t delta[NBURSTS - 1];
	double sum = 0;
	for (int i = 0; i < NBURSTS - 1; i++) {
		delta[i] = b->times[i + 1] - b->times[i];
		sum += (double)delta[i];
	}
	qsort(delta, NBURSTS - 1, sizeof(delta[0]), by_value);
	const int middle = (NBURSTS - 1) / 2;
	double median = (double)delta[middle];
	uint32_t loom = emu_loom(emu, emu_proc(emu, emu_thread(emu)));
	emu_info(emu, "%s burst stats: median/avg/max = %3.0f/%3.0f/%3.0f ns", emu_loom_name(emu, loom),
		median, sum / (NBURSTS - 1), (double)delta[NBURSTS - 2]);
	if (median > LARGE_BURST_NS)
		emu_warn(emu, "large median burst time of %.0f ns, expect overhead", median);
	b->n = 0;
}

static void
burst(struct emu *emu, const struct event *ev)
{
	(void)ev;
	struct thread_data *t = emu_thread_data(emu, emu_thread(emu));
	if (!t->bursts && !(t->bursts = emu_alloc(emu, sizeof(*t->bursts))))
		return;
	t->bursts->times[t->bursts->n++] = emu_time(emu);
	if (t->bursts->n == NBURSTS)
		report_bursts(emu, t->bursts);
}

/* ---- Marks: timelines that the program defines. ---- */

/* Finds the channel of a mark event. Returns it, or <0 (reported). */
static int
mark_chan(struct emu *emu, const struct event *ev, enum chan_kind kind)
{
	const struct data *d = emu_data(emu);
	int32_t type = event_i32(ev, 8);
	uint8_t *kept = emu_kept(emu);
	if (type >= 0 && type < MARK_TYPES && !d->marks[type] && emu_is_unfinished(emu) && kept) {
		kept[type] = (uint8_t)(kind + 1);
		return emu_begin_again(emu, "mark type %" PRId32 " has no definition, as the program did not end: it is shown without title and labels", type);
	}
	if (type < 0 || type >= MARK_TYPES || !d->marks[type])
		return emu_error(emu, "mark-type", "mark type %" PRId32 " is not defined\n"
						   "hint: call ovni_mark_type() in some thread before the first mark",
			type);
	if (d->marks[type]->decl.kind != kind)
		return emu_error(emu, "mark-type", "mark type %" PRId32 " (%s) is %s",
			type, d->marks[type]->decl.title,
			kind == CHAN_STACK ? "set with ovni_mark_set(), it has no stack" : "a stack, it cannot be set");
	if (event_i64(ev, 0) == 0)
		return emu_error(emu, "chan-value", "the value of a mark cannot be 0, which shows as nothing");
	return d->chan[type];
}

static void
mark_push(struct emu *emu, const struct event *ev)
{
	(void)emu_push(emu, mark_chan(emu, ev, CHAN_STACK), event_i64(ev, 0));
}

static void
mark_pop(struct emu *emu, const struct event *ev)
{
	(void)emu_pop(emu, mark_chan(emu, ev, CHAN_STACK), event_i64(ev, 0));
}

static void
mark_set(struct emu *emu, const struct event *ev)
{
	(void)emu_set(emu, mark_chan(emu, ev, CHAN_SINGLE), event_i64(ev, 0));
}

/* Reports what is wrong with the definition of a mark type, ovni.mark.%s of the metadata. */
#define bad_mark(emu, th, name, ...) emu_metadata_error((emu), (th), (name), "ovni.mark.%s: " __VA_ARGS__)

/* A decimal key of the metadata. */
static bool
parse_key(const char *text, int64_t *out)
{
	char *end;
	errno = 0;
	long long v = strtoll(text, &end, 10);
	*out = v;
	return end != text && !*end && !errno;
}

static int
add_label(struct emu *emu, uint32_t th, const char *type, struct mark *m, const cJSON *item)
{
	int64_t value;
	if (!parse_key(item->string, &value) || !cJSON_IsString(item))
		return bad_mark(emu, th, "metadata", "a label must be a string, and its key a number", type);
	const char *text = item->valuestring;
	/* The peer keeps 32 bits of a value, and refuses two that are then equal. */
	uint64_t key = emu_is_compat(emu) ? (uint32_t)value : (uint64_t)value;
	void **slot = emu_map_slot(emu, m->by_value, key);
	if (!slot)
		return -1;
	if (*slot) {
		const struct label *have = &m->labels[(uintptr_t)*slot - 1];
		if (have->value != value)
			return bad_mark(emu, th, "label-collision", "the labelled values %" PRId64 " and %" PRId64 " are equal in 32 bits", type, have->value, value);
		if (strcmp(have->text, text) != 0)
			return bad_mark(emu, th, "metadata-conflict", "two labels for the value %" PRId64 ", \"%s\" and \"%s\"", type, value, have->text, text);
		return 0;
	}
	text = emu_printf(emu, "%s", text);
	if (!text || !emu_grow(emu, &m->labels, m->decl.nlabels, &m->cap, sizeof(*m->labels)))
		return -1;
	/* An index, as labels move; NULL is free. NOLINTNEXTLINE(performance-no-int-to-ptr) */
	*slot = (void *)(uintptr_t)(m->decl.nlabels + 1);
	m->labels[m->decl.nlabels++] = (struct label){ value, text };
	m->decl.labels = m->labels;
	return 0;
}

static int
new_mark(struct emu *emu, int type, const char *title, enum chan_kind kind)
{
	struct data *d = emu_data(emu);
	struct mark *m = emu_alloc(emu, sizeof(*m));
	if (!m || !(m->by_value = emu_map_new(emu)))
		return -1;
	m->decl = (struct chan_decl){
		.name = emu_printf(emu, "mark%d", type),
		.title = emu_printf(emu, "%s", title),
		.prv_type = MARK_PRV + type,
		.kind = kind,
		.dup = DUP_ALLOW,
		.values = VALUES_ANY,
		.thread_track = TRACK_ACTIVE,
		.bare_title = true,
	};
	/* The first type keeps the name that users know. */
	struct view_decl *v = &m->decl.view;
	v->file = type ? emu_printf(emu, "mark-%d", type) : "mark";
	v->thread_title = emu_printf(emu, "Thread: %s (mark %d) of the ACTIVE thread", title, type);
	v->cpu_title = emu_printf(emu, "CPU: %s (mark %d) of the RUNNING thread", title, type);
	if (!m->decl.name || !m->decl.title || !v->file || !v->thread_title || !v->cpu_title)
		return -1;
	d->marks[type] = m;
	d->order[d->nmarks++] = type;
	return 0;
}

static int
define_mark(struct emu *emu, uint32_t th, const cJSON *def)
{
	struct data *d = emu_data(emu);
	const char *key = def->string;
	int64_t type;
	if (!parse_key(key, &type) || type < 0 || type >= MARK_TYPES)
		return bad_mark(emu, th, "metadata", "a mark type must be a number from 0 to %d", key, MARK_TYPES - 1);
	const cJSON *title = cJSON_GetObjectItemCaseSensitive(def, "title");
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(def, "chan_type");
	const cJSON *labels = cJSON_GetObjectItemCaseSensitive(def, "labels");
	if (!cJSON_IsString(title) || !cJSON_IsString(kind))
		return bad_mark(emu, th, "metadata", "title and chan_type must be strings", key);
	bool stack = strcmp(kind->valuestring, "stack") == 0;
	if (!stack && strcmp(kind->valuestring, "single") != 0)
		return bad_mark(emu, th, "metadata", "chan_type must be \"single\" or \"stack\"", key);
	if (labels && !cJSON_IsObject(labels))
		return bad_mark(emu, th, "metadata", "labels must be an object", key);
	enum chan_kind want = stack ? CHAN_STACK : CHAN_SINGLE;
	int rc = d->marks[type] ? 0 : new_mark(emu, (int)type, title->valuestring, want);
	if (rc < 0)
		return rc;
	struct mark *m = d->marks[type];
	if (m->decl.kind != want || strcmp(m->decl.title, title->valuestring) != 0)
		return bad_mark(emu, th, "metadata-conflict", "another thread defines it with another title or chan_type (\"%s\", %s)", key,
			m->decl.title, m->decl.kind == CHAN_STACK ? "stack" : "single");
	const cJSON *item;
	cJSON_ArrayForEach(item, labels)
	{
		if ((rc = add_label(emu, th, key, m, item)) < 0)
			return rc;
	}
	return 0;
}

/* Adds the channels of all types that threads define, in global order. */
static void
create_marks(struct emu *emu)
{
	struct data *d = emu_data(emu);
	for (uint32_t th = 0; th < emu_nthreads(emu); th++) {
		const cJSON *marks = emu_attr(emu, th, "ovni", "mark", NULL);
		const cJSON *def;
		cJSON_ArrayForEach(def, marks)
		{
			if (cJSON_IsObject(marks) && define_mark(emu, th, def) < 0)
				return;
		}
	}
	const uint8_t *kept = emu_kept(emu);
	for (int type = 0; kept && type < MARK_TYPES; type++) {
		char title[32];
		(void)snprintf(title, sizeof(title), "Mark type %d", type);
		if (kept[type] && !d->marks[type] && new_mark(emu, type, title, kept[type] - 1) < 0)
			return;
	}
	for (int i = 0; i < d->nmarks; i++)
		d->chan[d->order[i]] = emu_add_chan(emu, &d->marks[d->order[i]]->decl);
}

static const struct event_decl events[] = {
	{ "OHC(i32 cpu, u64 tag)", "creates a thread for CPU %{cpu} with tag %#llx{tag}", .op = OP_IGNORE, .payload = PAYLOAD_ANY },
	{ "OHx(i32 cpu, i32 tid, u64 tag)", "begins the execution on CPU %{cpu} created from %{tid} with tag %#llx{tag}", .hook = execute, .payload = PAYLOAD_FIRST },
	{ "OHe", "ends the execution", .hook = on_end },
	{ "OHp", "pauses", .hook = on_pause },
	{ "OHr", "resumes", .hook = on_resume },
	{ "OHc", "cools: it is about to pause", .hook = on_cool },
	{ "OHw", "warms: it is about to run", .hook = on_warm },
	{ "OAs(i32 cpu)", "moves to CPU %{cpu}", .hook = move_self, .payload = PAYLOAD_EXACT },
	{ "OAr(i32 cpu, i32 tid)", "moves thread %{tid} to CPU %{cpu}", .hook = move_other, .payload = PAYLOAD_EXACT },
	{ "OB.", "ticks, to measure how long an event takes", .hook = burst, .any_value = true },
	{ "OCn(i32 cpu)", "tells that there are %{cpu} CPUs (without effect)", .op = OP_IGNORE, .payload = PAYLOAD_ANY },
	{ "OF[", "begins to write its event buffer to disk", .hook = flush_begin },
	{ "OF]", "has written its event buffer to disk", .hook = flush_end },
	{ "OU[", "begins a region whose events may be unordered", .op = OP_IGNORE, .any_value = true },
	{ "OU]", "ends a region whose events may be unordered", .op = OP_IGNORE },
	{ "OM[(i64 value, i32 type)", "pushes %{value} to mark %{type}", .hook = mark_push, .payload = PAYLOAD_EXACT },
	{ "OM](i64 value, i32 type)", "pops %{value} from mark %{type}", .hook = mark_pop, .payload = PAYLOAD_EXACT },
	{ "OM=(i64 value, i32 type)", "sets mark %{type} to %{value}", .hook = mark_set, .payload = PAYLOAD_EXACT },
};

const struct model model_ovni = {
	MODEL_ABI,
	.id = 'O',
	.name = "ovni",
	.version = "1.1.0",
	.need = NEED_IN_CPU,
	.always = true,
	CHANS(chans),
	EVENTS(events),
	.data_size = sizeof(struct data),
	.thread_size = sizeof(struct thread_data),
	.create = create_marks,
};
