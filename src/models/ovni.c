/* SPDX-License-Identifier: MIT */
/* ovni: threads and their CPUs, the flush of the event buffer, bursts and marks. */
#include "emu.h"
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	FLUSH,
};

enum {
	FLUSHING = 1, /* part of the output format */
};

enum {
	MARK_PRV = 100,            /* PRV type of mark type 0 */
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
	int64_t moved_at; /* when another thread moved it before its own events begin, */
	int32_t moved_to; /* and where to: the index of the CPU */
	bool was_moved;
	struct bursts *bursts; /* NULL until the first one */
};

/* Labels of a mark type, in the order of their definition. */
struct mark {
	struct chan_decl decl;
	struct label *labels;
	size_t cap;
	struct idmap by_value; /* their positions, from 1 */
};

struct data {
	uint64_t large_flushes;         /* seen */
	struct mark *marks[MARK_TYPES]; /* NULL: not defined */
	int chan[MARK_TYPES];
	int order[MARK_TYPES]; /* types by first definition */
	int nmarks;
};

/* ---- Threads and CPUs. ---- */

/* Finds the CPU that an event names for a thread. */
static int
find_cpu(struct emu *emu, const struct event *ev, uint32_t thread, int32_t index, uint32_t *cpu)
{
	const struct thread *th = &emu->plan->sys.threads[thread];
	uint32_t loom = emu->plan->sys.procs[th->proc].loom;
	*cpu = index == -1 ? th->virtual_cpu : system_cpu(&emu->plan->sys, loom, index);
	if (*cpu != NO_INDEX)
		return 0;
	return emu_error(emu, ev, ERR_CPU_UNKNOWN,
		"the loom %s has no CPU with index %" PRId32 ", only 0 to %" PRId32 " and -1 for the virtual CPU",
		emu->plan->sys.looms[loom].name, index, (int32_t)emu->plan->sys.looms[loom].ncpus - 1);
}

static int
execute(struct emu *emu, const struct event *ev)
{
	uint32_t cpu;
	int rc = find_cpu(emu, ev, emu->thread, event_i32(ev, 0), &cpu);
	const struct thread_data *t = emu_thread_data(emu, emu->thread);
	/* The first of a ring tells in its tag when the thread came to that CPU. */
	if (rc == 0 && t->was_moved && ev->size >= 16 && emu->threads[emu->thread].state == TH_UNKNOWN) {
		uint64_t since = event_u64(ev, 8) + (uint64_t)emu->plan->trace.streams[ev->stream].clock_offset - (uint64_t)emu->plan->start;
		rc = (int64_t)since <= t->moved_at ? find_cpu(emu, ev, emu->thread, t->moved_to, &cpu) : rc;
	}
	return rc < 0 ? rc : run_execute(emu, ev, cpu);
}

/* Moves a thread that does not run yet, as its events begin later. */
static void
move_early(struct emu *emu, const struct event *ev, uint32_t th)
{
	struct thread_data *t = emu_thread_data(emu, th);
	t->moved_at = emu->time;
	t->moved_to = event_i32(ev, 0);
	t->was_moved = true;
}

/* Moves the thread of the event. */
static int
move_self(struct emu *emu, const struct event *ev)
{
	const struct thread_run *t = &emu->threads[emu->thread];
	if (!(t->has & NEED_ACTIVE))
		return emu_error(emu, ev, ERR_THREAD_STATE, "thread %d cannot change its CPU while it is %s\nallowed states: Running, Cooling or Warming",
			emu->plan->sys.threads[emu->thread].tid, thread_states[t->state].text);
	uint32_t cpu;
	int rc = find_cpu(emu, ev, emu->thread, event_i32(ev, 0), &cpu);
	if (rc < 0 || cpu == t->cpu)
		return rc;
	return run_migrate(emu, ev, emu->thread, cpu);
}

static bool
is_ring(const struct emu *emu, uint32_t thread)
{
	return emu->plan->trace.streams[emu->plan->sys.threads[thread].stream].meta.ring;
}

/* Moves another thread of the loom. */
static int
move_other(struct emu *emu, const struct event *ev)
{
	int32_t tid = event_i32(ev, 4);
	uint32_t th = system_thread(&emu->plan->sys, emu->plan->sys.threads[emu->thread].proc, tid);
	if (th != NO_INDEX && is_ring(emu, th) && emu->threads[th].state == TH_UNKNOWN) {
		move_early(emu, ev, th);
		return 0;
	}
	if (emu->plan->unfinished && (th == NO_INDEX || emu->threads[th].state == TH_UNKNOWN)) {
		struct place at = stream_place(&emu->plan->trace.streams[ev->stream], ev);
		often_add(&emu->tallies.moves, &at, "thread %" PRId32 " is moved to another CPU before any event of it, and is not shown there", tid);
		return 0;
	}
	if (th == NO_INDEX)
		return emu_error(emu, ev, ERR_THREAD_UNKNOWN, "the loom %s has no thread with tid %" PRId32,
			emu->plan->sys.looms[emu->plan->sys.procs[emu->plan->sys.threads[emu->thread].proc].loom].name, tid);
	const struct thread_run *t = &emu->threads[th];
	if (t->cpu == NO_INDEX)
		return emu_error(emu, ev, ERR_THREAD_STATE, "thread %" PRId32 " cannot be moved while it is %s: it has no CPU",
			tid, thread_states[t->state].text);
	uint32_t cpu;
	int rc = find_cpu(emu, ev, th, event_i32(ev, 0), &cpu);
	if (rc < 0)
		return rc;
	if (cpu != t->cpu)
		return run_migrate(emu, ev, th, cpu);
	if (!emu->plan->options.compat)
		return 0;
	return emu_error(emu, ev, ERR_SAME_CPU, "thread %" PRId32 " is already in CPU %" PRId32 "\n"
						"hint: without --compat this is accepted",
		tid, event_i32(ev, 0));
}

/* ---- Flush and bursts. ---- */

static int
flush_begin(struct emu *emu, const struct event *ev)
{
	struct thread_data *t = emu_thread_data(emu, emu->thread);
	t->flush_start = emu->time;
	return emu_set(emu, ev, FLUSH, FLUSHING);
}

static int
flush_end(struct emu *emu, const struct event *ev)
{
	struct thread_data *t = emu_thread_data(emu, emu->thread);
	int64_t took = emu->time - t->flush_start;
	int rc = emu_clear(emu, ev, FLUSH);
	if (rc < 0 || took <= LARGE_FLUSH_NS || !(emu->threads[emu->thread].has & NEED_RUNNING))
		return rc;
	struct data *d = emu_data(emu);
	if (++d->large_flushes <= FLUSHES_TOLD)
		diag_warn(emu->diag, NULL, "large flush of %.1f ms at dclock=%" PRId64 " ns in tid=%d%s",
			(double)took / 1e6, emu->time, emu->plan->sys.threads[emu->thread].tid,
			d->large_flushes == FLUSHES_TOLD ? " (no more will be told)" : "");
	return 0;
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
	uint32_t loom = emu->plan->sys.procs[emu->plan->sys.threads[emu->thread].proc].loom;
	diag_info(emu->diag, "%s burst stats: median/avg/max = %3.0f/%3.0f/%3.0f ns", emu->plan->sys.looms[loom].name,
		median, sum / (NBURSTS - 1), (double)delta[NBURSTS - 2]);
	if (median > LARGE_BURST_NS)
		diag_warn(emu->diag, NULL, "large median burst time of %.0f ns, expect overhead", median);
	b->n = 0;
}

static int
burst(struct emu *emu, const struct event *ev)
{
	(void)ev;
	struct thread_data *t = emu_thread_data(emu, emu->thread);
	if (!t->bursts && !(t->bursts = arena_new(&emu->arena, struct bursts, 1)))
		return diag_no_memory(emu->diag);
	t->bursts->times[t->bursts->n++] = emu->time;
	if (t->bursts->n == NBURSTS)
		report_bursts(emu, t->bursts);
	return 0;
}

/* ---- Marks: timelines that the program defines. ---- */

/* Finds the channel of a mark event. Returns it, or <0 (reported). */
static int
mark_chan(struct emu *emu, const struct event *ev, enum chan_kind kind, int64_t value)
{
	const struct data *d = emu_data(emu);
	int32_t type = event_i32(ev, 8);
	struct learned *learned = emu->plan->options.learned;
	if (type >= 0 && type < MARK_TYPES && !d->marks[type] && emu->plan->unfinished && learned) {
		learned->marks[type] = (uint8_t)(kind + 1);
		(void)snprintf(learned->note, sizeof(learned->note),
			"mark type %" PRId32 " has no definition, as the program did not end: it is shown without title and labels", type);
		return EMU_AGAIN;
	}
	if (type < 0 || type >= MARK_TYPES || !d->marks[type])
		return emu_error(emu, ev, ERR_MARK_TYPE, "mark type %" PRId32 " is not defined\n"
							 "hint: call ovni_mark_type() in some thread before the first mark",
			type);
	if (d->marks[type]->decl.kind != kind)
		return emu_error(emu, ev, ERR_MARK_TYPE, "mark type %" PRId32 " (%s) is %s",
			type, d->marks[type]->decl.title,
			kind == CHAN_STACK ? "set with ovni_mark_set(), it has no stack" : "a stack, it cannot be set");
	if (value == 0)
		return emu_error(emu, ev, ERR_CHAN_VALUE, "the value of a mark cannot be 0, which shows as nothing");
	return d->chan[type];
}

static int
mark_push(struct emu *emu, const struct event *ev)
{
	int64_t value = event_i64(ev, 0);
	int chan = mark_chan(emu, ev, CHAN_STACK, value);
	return chan < 0 ? chan : emu_push(emu, ev, chan, value);
}

static int
mark_pop(struct emu *emu, const struct event *ev)
{
	int64_t value = event_i64(ev, 0);
	int chan = mark_chan(emu, ev, CHAN_STACK, value);
	return chan < 0 ? chan : emu_pop(emu, ev, chan, value);
}

static int
mark_set(struct emu *emu, const struct event *ev)
{
	int64_t value = event_i64(ev, 0);
	int chan = mark_chan(emu, ev, CHAN_SINGLE, value);
	return chan < 0 ? chan : emu_set(emu, ev, chan, value);
}

/* Reports what is wrong with the definition of a mark type, ovni.mark.%s of the metadata. */
#define bad_mark(emu, s, code, ...) \
	diag_error((emu)->diag, code, &(struct place){ .file = (s)->relpath }, "ovni.mark.%s: " __VA_ARGS__)

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
add_label(struct emu *emu, const struct stream *s, const char *type, struct mark *m, const cJSON *item)
{
	int64_t value;
	if (!parse_key(item->string, &value) || !cJSON_IsString(item))
		return bad_mark(emu, s, ERR_METADATA, "a label must be a string, and its key a number", type);
	const char *text = item->valuestring;
	/* The peer keeps 32 bits of a value, and refuses two that are then equal. */
	uint64_t key = emu->plan->options.compat ? (uint32_t)value : (uint64_t)value;
	struct idmap_slot *slot = idmap_slot(&m->by_value, &emu->arena, key);
	if (!slot)
		return diag_no_memory(emu->diag);
	if (slot->value) {
		const struct label *have = &m->labels[(uintptr_t)slot->value - 1];
		if (have->value != value)
			return bad_mark(emu, s, ERR_LABEL_COLLISION, "the labelled values %" PRId64 " and %" PRId64 " are equal in 32 bits", type, have->value, value);
		if (strcmp(have->text, text) != 0)
			return bad_mark(emu, s, ERR_METADATA_CONFLICT, "two labels for the value %" PRId64 ", \"%s\" and \"%s\"", type, value, have->text, text);
		return 0;
	}
	text = arena_strndup(&emu->arena, text, strlen(text));
	if (!text || !arena_grow(&emu->arena, &m->labels, m->decl.nlabels, &m->cap, sizeof(*m->labels)))
		return diag_no_memory(emu->diag);
	/* An index, as labels move; NULL is free. NOLINTNEXTLINE(performance-no-int-to-ptr) */
	slot->value = (void *)(uintptr_t)(m->decl.nlabels + 1);
	m->labels[m->decl.nlabels++] = (struct label){ value, text };
	m->decl.labels = m->labels;
	return 0;
}

static int
new_mark(struct emu *emu, int type, const char *title, enum chan_kind kind)
{
	struct data *d = emu_data(emu);
	struct mark *m = arena_new(&emu->arena, struct mark, 1);
	if (!m)
		return diag_no_memory(emu->diag);
	m->decl = (struct chan_decl){
		.name = arena_printf(&emu->arena, "mark%d", type),
		.title = arena_strndup(&emu->arena, title, strlen(title)),
		.prv_type = MARK_PRV + type,
		.kind = kind,
		.dup = DUP_ALLOW,
		.values = VALUES_ANY,
		.thread_track = TRACK_ACTIVE,
		.bare_title = true,
	};
	/* The first type keeps the name and the titles that users know. */
	struct view_decl *v = &m->decl.view;
	v->file = type ? arena_printf(&emu->arena, "mark-%d", type) : "mark";
	v->thread_title = type ? arena_printf(&emu->arena, "Thread: %s (mark %d) of the ACTIVE thread", title, type)
			       : "Thread: Mark value of the ACTIVE thread";
	v->cpu_title = type ? arena_printf(&emu->arena, "CPU: %s (mark %d) of the RUNNING thread", title, type)
			    : "CPU: Mark value of the RUNNING thread";
	if (!m->decl.name || !m->decl.title || !v->file || !v->thread_title || !v->cpu_title)
		return diag_no_memory(emu->diag);
	d->marks[type] = m;
	d->order[d->nmarks++] = type;
	return 0;
}

static int
define_mark(struct emu *emu, const struct stream *s, const cJSON *def)
{
	struct data *d = emu_data(emu);
	const char *key = def->string;
	int64_t type;
	if (!parse_key(key, &type) || type < 0 || type >= MARK_TYPES)
		return bad_mark(emu, s, ERR_METADATA, "a mark type must be a number from 0 to %d", key, MARK_TYPES - 1);
	const cJSON *title = json_find(def, "title", NULL);
	const cJSON *kind = json_find(def, "chan_type", NULL);
	const cJSON *labels = json_find(def, "labels", NULL);
	if (!cJSON_IsString(title) || !cJSON_IsString(kind))
		return bad_mark(emu, s, ERR_METADATA, "title and chan_type must be strings", key);
	bool stack = strcmp(kind->valuestring, "stack") == 0;
	if (!stack && strcmp(kind->valuestring, "single") != 0)
		return bad_mark(emu, s, ERR_METADATA, "chan_type must be \"single\" or \"stack\"", key);
	if (labels && !cJSON_IsObject(labels))
		return bad_mark(emu, s, ERR_METADATA, "labels must be an object", key);
	enum chan_kind want = stack ? CHAN_STACK : CHAN_SINGLE;
	int rc = d->marks[type] ? 0 : new_mark(emu, (int)type, title->valuestring, want);
	if (rc < 0)
		return rc;
	struct mark *m = d->marks[type];
	if (m->decl.kind != want || strcmp(m->decl.title, title->valuestring) != 0)
		return bad_mark(emu, s, ERR_METADATA_CONFLICT, "another thread defines it with another title or chan_type (\"%s\", %s)", key,
			m->decl.title, m->decl.kind == CHAN_STACK ? "stack" : "single");
	const cJSON *item;
	cJSON_ArrayForEach(item, labels)
	{
		if ((rc = add_label(emu, s, key, m, item)) < 0)
			return rc;
	}
	return 0;
}

/* The definitions of all threads, in global order. */
static int
connect_marks(struct emu *emu)
{
	struct data *d = emu_data(emu);
	for (uint32_t th = 0; th < emu->plan->sys.nthreads; th++) {
		const struct stream *s = &emu->plan->trace.streams[emu->plan->sys.threads[th].stream];
		const cJSON *marks = json_find(s->meta.attrs, "ovni", "mark", NULL);
		const cJSON *def;
		cJSON_ArrayForEach(def, marks)
		{
			int rc = cJSON_IsObject(marks) ? define_mark(emu, s, def) : 0;
			if (rc < 0)
				return rc;
		}
	}
	const struct learned *learned = emu->plan->options.learned;
	for (int type = 0; learned && type < MARK_TYPES; type++) {
		char title[32];
		(void)snprintf(title, sizeof(title), "Mark type %d", type);
		int rc = learned->marks[type] && !d->marks[type] ? new_mark(emu, type, title, learned->marks[type] - 1) : 0;
		if (rc < 0)
			return rc;
	}
	for (int i = 0; i < d->nmarks; i++) {
		int type = d->order[i];
		d->chan[type] = emu_add_chan(emu, &d->marks[type]->decl);
		if (d->chan[type] < 0)
			return d->chan[type];
	}
	return 0;
}

static const struct event_decl events[] = {
	{ "OHC(i32 cpu, u64 tag)", "creates a thread for CPU %{cpu} with tag %#llx{tag}", .op = OP_IGNORE, .payload = PAYLOAD_ANY },
	{ "OHx(i32 cpu, i32 tid, u64 tag)", "begins the execution on CPU %{cpu} created from %{tid} with tag %#llx{tag}", .hook = execute, .payload = PAYLOAD_FIRST },
	{ "OHe", "ends the execution", .hook = run_end },
	{ "OHp", "pauses", .hook = run_pause },
	{ "OHr", "resumes", .hook = run_resume },
	{ "OHc", "cools: it is about to pause", .hook = run_cool },
	{ "OHw", "warms: it is about to run", .hook = run_warm },
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
	.id = 'O',
	.name = "ovni",
	.version = "1.1.0",
	.need = NEED_IN_CPU,
	.always = true,
	CHANS(chans),
	EVENTS(events),
	.data_size = sizeof(struct data),
	.thread_size = sizeof(struct thread_data),
	.connect = connect_marks,
};
