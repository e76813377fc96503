/* SPDX-License-Identifier: MIT */
/* synchrotrace: writes the event files of the simulator SynchroTrace: what each thread computes, which memory it accesses by itself, and
 * what it reads that another thread wrote, with the event that wrote it.
 *
 * Each byte that was written has the thread and the event that wrote it last, and those threads that have read it since: only the
 * first read of each is communication. */
#include "pthreads.h"
#include "shadow.h"
#include "spans.h"
#include "traces.h"

enum {
	ACCESSES_MAX = 100, /* more than the programs around the simulator make in an event */
	READERS = 64,       /* threads whose reads are remembered; those of others are communication each time */
	THREADS_MAX = 32767,
};

static const uint64_t memory_min = 1 << 20;
static const uint64_t memory_max = UINT64_C(1) << 40;

struct cell {
	uint64_t readers; /* a bit for each thread */
	uint32_t thread;  /* number of its file; 0: nobody wrote */
	uint32_t event;
};

static struct kit kit;
static struct spans spans;
static struct shadow shadow;
static struct kit_threads threads;
static struct traces traces = { .dir = -1 };
static struct trace **running; /* by stream */
static size_t running_cap;

static struct pthreads pthreads;

static const char *dir;
static uint64_t accesses = ACCESSES_MAX;
static uint64_t memory = UINT64_C(4) << 30;
static uint64_t process; /* whose threads are written; 0: that of the first event */
static uint64_t others, joins;

/* ---- Threads. ---- */

static int
refuse_thread(void)
{
	return prism_fail(kit.run, "there are more than %d threads", THREADS_MAX);
}

/* The trace of the thread of an event. NULL: *rc tells why, 0 when the event is of another process. */
static struct trace *
find_trace(const struct prism_at *at, int *rc)
{
	*rc = 0;
	process = process ? process : at->process;
	if (at->process != process) {
		others++;
		return NULL;
	}
	uint32_t thread = kit_thread(&threads, at);
	if (thread == UINT32_MAX || !kit_room(&running, &running_cap, at->stream + (size_t)1, sizeof(struct trace *))) {
		*rc = kit_no_memory(&kit);
		return NULL;
	}
	if (thread == traces.n) {
		struct trace *t = thread < THREADS_MAX ? traces_add(&traces) : NULL;
		if (!t)
			*rc = thread < THREADS_MAX ? -1 : refuse_thread();
		if (!t)
			return NULL;
		pthreads_add_thread(&pthreads, t->number);
	}
	struct trace *t = traces.list[thread];
	struct trace *before = running[at->stream];
	if (before && before != t) {
		trace_end_compute(before);
		trace_end_communication(before);
		*rc = traces_write(&traces, before, false);
	}
	running[at->stream] = t;
	return *rc < 0 ? NULL : t;
}

/* ---- Accesses. ---- */

static void
add_range(struct trace *t, enum trace_side side, uint64_t from, uint64_t to)
{
	t->computes = true;
	t->ranges[side][t->n[side]++] = (struct trace_range){ from, to };
}

static void
add_edge(struct trace *t, const struct cell *cell, uint64_t addr)
{
	struct trace_edge *last = t->nedges ? &t->edges[t->nedges - 1] : NULL;
	if (last && last->thread == cell->thread && last->event == cell->event && last->to + 1 == addr)
		last->to = addr;
	else
		t->edges[t->nedges++] = (struct trace_edge){ addr, addr, cell->thread, cell->event };
}

/* Ends events that are large enough, and makes sure that there is room for an access. */
static int
end_access(struct trace *t)
{
	size_t room = TRACE_RANGES - TRACE_ACCESS;
	if (t->count[TRACE_READ] >= accesses || t->count[TRACE_WRITTEN] >= accesses || t->n[TRACE_READ] > room || t->n[TRACE_WRITTEN] > room)
		trace_end_compute(t);
	if (t->nedges > TRACE_EDGES - TRACE_ACCESS)
		trace_end_communication(t);
	return traces_write(&traces, t, false);
}

static int
load(struct trace *t, uint64_t key, uint64_t addr, uint32_t n)
{
	uint64_t bit = t->number <= READERS ? UINT64_C(1) << (t->number - 1) : 0;
	struct trace_range local[TRACE_ACCESS];
	size_t nlocal = 0;
	struct cell *cell = NULL;
	for (uint32_t i = 0; i < n; i++, key++) {
		if (i == 0 || key % SHADOW_CHUNK == 0)
			cell = shadow_cell(&shadow, key, false);
		if (cell && cell->thread && cell->thread != t->number && !(cell->readers & bit)) {
			trace_end_compute(t);
			add_edge(t, cell, addr + i);
		} else if (nlocal && local[nlocal - 1].to + 1 == addr + i) {
			local[nlocal - 1].to++;
		} else {
			local[nlocal++] = (struct trace_range){ addr + i, addr + i };
		}
		if (cell)
			cell++->readers |= bit;
	}
	t->total.reads++;
	if (nlocal) {
		trace_end_communication(t);
		t->count[TRACE_READ]++;
	}
	for (size_t i = 0; i < nlocal; i++)
		add_range(t, TRACE_READ, local[i].from, local[i].to);
	return end_access(t);
}

static int
store(struct trace *t, uint64_t key, uint64_t addr, uint32_t n)
{
	struct cell *cell = NULL;
	trace_end_communication(t);
	for (uint32_t i = 0; i < n; i++, key++, cell++) {
		if (i == 0 || key % SHADOW_CHUNK == 0)
			cell = shadow_cell(&shadow, key, true);
		if (!cell)
			return kit_no_memory(&kit);
		*cell = (struct cell){ .thread = t->number, .event = t->events };
	}
	t->total.writes++;
	t->count[TRACE_WRITTEN]++;
	add_range(t, TRACE_WRITTEN, addr, addr + n - 1);
	return end_access(t);
}

/* ---- Events. ---- */

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	int rc;
	struct trace *t = find_trace(at, &rc);
	if (!t || (ev->type != PRISM_LOAD && ev->type != PRISM_STORE))
		return rc;
	uint32_t n;
	uint64_t key = spans_keys(&spans, 0, ev, &n);
	return ev->type == PRISM_LOAD ? load(t, key, ev->addr, n) : store(t, key, ev->addr, n);
}

static int
on_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	int rc;
	struct trace *t = find_trace(at, &rc);
	if (!t || (ev->format != PRISM_INTEGER && ev->format != PRISM_FLOAT))
		return rc;
	trace_end_communication(t);
	uint64_t is_float = ev->format == PRISM_FLOAT;
	t->computes = true;
	t->iops += !is_float;
	t->flops += is_float;
	t->total.iops += !is_float;
	t->total.flops += is_float;
	return traces_write(&traces, t, false);
}

static int
on_sync(void *u, const struct prism_at *at, const struct prism_sync *ev)
{
	(void)u;
	/* As the simulator numbers them. */
	static const uint8_t types[PRISM_SYNCS] = {
		[PRISM_LOCK] = 1,
		[PRISM_UNLOCK] = 2,
		[PRISM_CREATE] = 3,
		[PRISM_JOIN] = 4,
		[PRISM_BARRIER] = 5,
		[PRISM_COND_WAIT] = 6,
		[PRISM_COND_SIGNAL] = 7,
		[PRISM_COND_BROADCAST] = 8,
		[PRISM_SPIN_LOCK] = 9,
		[PRISM_SPIN_UNLOCK] = 10,
	};
	int rc;
	struct trace *t = find_trace(at, &rc);
	unsigned type = types[ev->type];
	if (!t || !type)
		return rc;
	uint64_t args[2] = { ev->arg[0], ev->arg[1] };
	/* Each create stands for a file, also of a thread that does nothing. */
	if (ev->type == PRISM_CREATE && pthreads.ncreates + 1 == THREADS_MAX)
		return refuse_thread();
	if (ev->type == PRISM_CREATE && pthreads_add_create(&pthreads, &args[0]) < 0)
		return kit_no_memory(&kit);
	if (ev->type == PRISM_BARRIER && pthreads_add_waiter(&pthreads, args[0], t->number) < 0)
		return kit_no_memory(&kit);
	if (ev->type == PRISM_JOIN && !pthreads_find(&pthreads, &args[0])) {
		joins++; /* the simulator would stop there */
		return 0;
	}
	trace_sync(t, type, args, ev->type == PRISM_COND_WAIT ? 2 : 1);
	return traces_write(&traces, t, false);
}

static int
on_cxt(void *u, const struct prism_at *at, const struct prism_cxt *ev)
{
	(void)u;
	int rc;
	struct trace *t = find_trace(at, &rc);
	if (!t || ev->type != PRISM_INSN)
		return rc;
	trace_insn(t);
	return traces_write(&traces, t, false);
}

/* ---- The end. ---- */

/* Completes the files. A thread that was made and did nothing has an empty one. Returns 0, or <0 (reported). */
static int
complete(void)
{
	int rc = 0;
	for (size_t i = 0; i < traces.n && rc == 0; i++) {
		trace_end_compute(traces.list[i]);
		trace_end_communication(traces.list[i]);
		rc = traces_write(&traces, traces.list[i], true);
	}
	while (rc == 0 && pthreads_lacks_thread(&pthreads)) {
		const struct trace *t = traces_add(&traces);
		rc = t ? 0 : -1;
		if (t)
			pthreads_add_thread(&pthreads, t->number);
	}
	if (rc < 0)
		return rc;
	struct textbuf text;
	if (textbuf_init(&text) < 0)
		return kit_no_memory(&kit);
	pthreads_put(&pthreads, &text);
	rc = traces_write_text(&traces, "sigil.pthread.out", &text);
	textbuf_finish(&text);
	return rc;
}

static void
put_thread(size_t i)
{
	const struct trace_counts *c = &traces.list[i]->total;
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "compute", c->compute },
		{ "communication", c->communication },
		{ "sync", c->sync },
		{ "iops", c->iops },
		{ "flops", c->flops },
		{ "reads", c->reads },
		{ "writes", c->writes },
		{ "instructions", c->insns },
		{ "bytes", c->communicated },
	};
	struct wbuf *w = &kit.out;
	bool seen = i < threads.n;
	if (kit.json) {
		json_newline(w);
		json_open(w, NULL, '{');
		json_u64(w, "number", i + 1);
		if (seen)
			json_u64(w, "thread", threads.list[i].id);
	} else {
		wbuf_printf(w, "%6zu %10" PRIu32, i + 1, seen ? threads.list[i].id : 0);
	}
	for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++)
		if (kit.json)
			json_u64(w, counts[k].name, counts[k].n);
		else
			wbuf_printf(w, " %13" PRIu64, counts[k].n);
	put_str(w, kit.json ? "}" : "\n");
}

static void
put(void)
{
	struct wbuf *w = &kit.out;
	size_t orphans = pthreads_orphans(&pthreads);
	if (kit.json) {
		kit_open_json(&kit, "synchrotrace");
		json_str(w, "dir", dir);
		json_u64(w, "process", process);
		json_u64(w, "other_processes", others);
		json_u64(w, "orphans", orphans);
		json_u64(w, "joins_left_out", joins);
		json_u64(w, "forgotten", shadow.forgotten * SHADOW_CHUNK);
		json_open(w, "threads", '[');
	} else {
		wbuf_printf(w, "event files of SynchroTrace in %s: %zu threads of process %" PRIu64 "\n", dir, traces.n, process);
		if (others)
			wbuf_printf(w, "%" PRIu64 " events of other processes were left out: process=N chooses another\n", others);
		if (orphans)
			wbuf_printf(w, "%zu threads were made by nobody: the simulator does not start them\n", orphans);
		if (joins)
			wbuf_printf(w, "%" PRIu64 " joins were left out: nobody had made those threads\n", joins);
		if (shadow.forgotten)
			wbuf_printf(w, "the writers of %" PRIu64 " bytes were forgotten: more memory=SIZE would keep them\n", shadow.forgotten * SHADOW_CHUNK);
		wbuf_printf(w, "\n%6s %10s %13s %13s %13s %13s %13s %13s %13s %13s %13s\n", "number", "thread", "compute", "communication", "sync", "iops", "flops",
			"reads", "writes", "instructions", "bytes");
	}
	for (size_t i = 0; i < traces.n; i++)
		put_thread(i);
	if (kit.json) {
		json_close(w, ']');
		kit_close_json(&kit);
	}
}

static int
finish(void *u)
{
	(void)u;
	int rc = complete();
	if (rc == 0)
		put();
	return kit_finish(&kit) < 0 ? -1 : rc;
}

KIT_RELEASE
release(void)
{
	traces_finish(&traces);
	shadow_finish(&shadow);
	kit_finish_threads(&threads);
	pthreads_finish(&pthreads);
	block_free(running);
	kit_release(&kit);
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	if (kit_begin(&kit, r) < 0 || prism_argument_number(r, "accesses", 1, ACCESSES_MAX, &accesses) < 0 ||
		prism_argument_number(r, "memory", memory_min, memory_max, &memory) < 0 || prism_argument_number(r, "process", 1, UINT32_MAX, &process) < 0)
		return -1;
	dir = prism_argument(r, "dir");
	if (!dir || !*dir)
		return prism_fail(r, "the argument dir=DIR tells where the event files go");
	if (traces_begin(&traces, &kit, dir) < 0 || kit_open(&kit) < 0)
		return -1;
	return shadow_begin(&shadow, sizeof(struct cell), memory) < 0 ? kit_no_memory(&kit) : 0;
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "synchrotrace",
	.needs = {
		.mem = PRISM_HAS_TYPE | PRISM_HAS_SIZE | PRISM_HAS_ADDR,
		.comp = PRISM_HAS_FORMAT,
		.sync = PRISM_HAS_TYPE | PRISM_HAS_ARGS,
	},
	.begin = begin,
	.mem = on_mem,
	.comp = on_comp,
	.sync = on_sync,
	.cxt = on_cxt,
	.finish = finish,
};
