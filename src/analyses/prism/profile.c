/* SPDX-License-Identifier: MIT */
/* profile: what each function did itself, and who called whom.
 *
 * An event counts for the function that its thread was in, an enter for that of the caller; so does the time up to the next event of
 * the stream, for the function that was entered or returned to. */
#include "idmap.h"
#include "kit.h"

#include <stdlib.h>

enum counter {
	SELF_NS,
	CALLS,
	EVENTS,
	INSNS,
	LOADS,
	LOAD_BYTES,
	STORES,
	STORE_BYTES,
	INT_OPS,
	FP_OPS,
	COUNTERS,
};

static const struct {
	const char *title;
	int width;
} columns[COUNTERS] = {
	[SELF_NS] = { "self ns", 12 },
	[CALLS] = { "calls", 10 },
	[EVENTS] = { "events", 12 },
	[INSNS] = { "insns", 10 },
	[LOADS] = { "loads", 10 },
	[LOAD_BYTES] = { "load bytes", 12 },
	[STORES] = { "stores", 10 },
	[STORE_BYTES] = { "store bytes", 12 },
	[INT_OPS] = { "int ops", 10 },
	[FP_OPS] = { "fp ops", 10 },
};

struct function {
	uint32_t id;
	uint64_t n[COUNTERS];
};

struct edge {
	uint32_t caller, callee;
	uint64_t calls;
};

struct stream {
	uint64_t clock;    /* of its last event */
	uint32_t function; /* which has run since */
	bool began;
};

static struct kit kit;
static struct kit_threads threads;
static struct kit_functions names;
static struct function *functions; /* by id */
static size_t functions_cap;
static uint32_t *inside; /* by thread: the function that it is in */
static size_t inside_cap;
static struct stream *streams;
static size_t streams_cap;
static struct arena arena;
static struct idmap edge_ids; /* by caller and callee: the number of the edge, from 1 */
static struct edge *edges;
static size_t nedges, edges_cap;

/* ---- Events. ---- */

/* The function that a thread is in behind an event. The names of the deepest ones are not told: they count for the last that was. */
static uint32_t
function_of(const struct prism_at *at, uint32_t before)
{
	const struct prism_entered *f = &at->in->function;
	return f->name_id || !f->depth ? f->name_id : before;
}

/* The counters for an event, of the function that its thread was in; what ran since the event before gets its time. NULL: memory is
 * exhausted (reported). */
static uint64_t *
charge(const struct prism_at *at)
{
	uint32_t thread = kit_thread(&threads, at);
	uint32_t in = at->in->function.name_id;
	if (thread == UINT32_MAX || (thread >= inside_cap && !kit_room(&inside, &inside_cap, thread + (size_t)1, sizeof(*inside))) ||
		(at->stream >= streams_cap && !kit_room(&streams, &streams_cap, at->stream + (size_t)1, sizeof(*streams))) ||
		(in >= functions_cap && !kit_room(&functions, &functions_cap, in + (size_t)1, sizeof(*functions))) ||
		(in && (in >= names.n || !names.list[in].name) && !kit_function(&names, in, at->in->function.name, at->in->function.name_len))) {
		(void)kit_no_memory(&kit);
		return NULL;
	}
	struct stream *s = &streams[at->stream];
	if (s->began)
		functions[s->function].n[SELF_NS] += at->clock_ns - s->clock;
	uint32_t before = inside[thread];
	inside[thread] = function_of(at, before);
	*s = (struct stream){ at->clock_ns, inside[thread], true };
	functions[before].n[EVENTS]++;
	return functions[before].n;
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	uint64_t *n = charge(at);
	if (!n)
		return -1;
	/* What an event does not show is 0, which adds nothing. */
	if (ev->type == PRISM_LOAD) {
		n[LOADS]++;
		n[LOAD_BYTES] += ev->bytes;
	} else if (ev->type == PRISM_STORE) {
		n[STORES]++;
		n[STORE_BYTES] += ev->bytes;
	}
	return 0;
}

static int
on_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	uint64_t *n = charge(at);
	if (!n)
		return -1;
	n[INT_OPS] += ev->format == PRISM_INTEGER;
	n[FP_OPS] += ev->format == PRISM_FLOAT;
	return 0;
}

static int
on_sync(void *u, const struct prism_at *at, const struct prism_sync *ev)
{
	(void)u;
	(void)ev;
	return charge(at) ? 0 : -1;
}

/* Returns 0, or <0 (reported). */
static int
count_call(uint32_t caller, const struct prism_cxt *ev)
{
	struct idmap_slot *slot = idmap_slot(&edge_ids, &arena, (uint64_t)caller << 32 | ev->name_id);
	if (!slot || !kit_room(&edges, &edges_cap, nedges + 1, sizeof(*edges)) ||
		!kit_room(&functions, &functions_cap, ev->name_id + (size_t)1, sizeof(*functions)) || !kit_function(&names, ev->name_id, ev->name, ev->name_len))
		return kit_no_memory(&kit);
	if (!slot->number) {
		edges[nedges++] = (struct edge){ .caller = caller, .callee = ev->name_id };
		slot->number = nedges;
	}
	edges[slot->number - 1].calls++;
	functions[ev->name_id].n[CALLS]++;
	return 0;
}

static int
on_cxt(void *u, const struct prism_at *at, const struct prism_cxt *ev)
{
	(void)u;
	uint32_t thread = kit_thread(&threads, at);
	uint32_t before = thread < inside_cap ? inside[thread] : 0;
	uint64_t *n = charge(at);
	if (!n)
		return -1;
	n[INSNS] += ev->type == PRISM_INSN;
	return ev->type == PRISM_FUNC_ENTER ? count_call(before, ev) : 0;
}

/* ---- The report. ---- */

/* Most first; names of equal ones in the order of first appearance. */
static int
by_self(const void *a, const void *b)
{
	const struct function *f = a;
	const struct function *g = b;
	for (enum counter i = SELF_NS; i <= EVENTS; i += EVENTS - SELF_NS)
		if (f->n[i] != g->n[i])
			return f->n[i] < g->n[i] ? 1 : -1;
	return (f->id > g->id) - (f->id < g->id);
}

static int
by_calls(const void *a, const void *b)
{
	const struct edge *e = a;
	const struct edge *f = b;
	if (e->calls != f->calls)
		return e->calls < f->calls ? 1 : -1;
	if (e->caller != f->caller)
		return e->caller < f->caller ? -1 : 1;
	return (e->callee > f->callee) - (e->callee < f->callee);
}

static void
put_function(const struct function *f)
{
	struct wbuf *w = &kit.out;
	if (kit.json) {
		json_newline(w);
		json_open(w, NULL, '{');
		kit_json_function(&kit, "function", &names, f->id);
		for (unsigned i = 0; i < COUNTERS; i++)
			json_words(w, columns[i].title, f->n[i]);
		json_close(w, '}');
		return;
	}
	for (unsigned i = 0; i < COUNTERS; i++)
		wbuf_printf(w, "%*" PRIu64 " ", columns[i].width, f->n[i]);
	put_str(w, " ");
	kit_put_function(&kit, &names, f->id);
	put_str(w, "\n");
}

static void
put_edge(const struct edge *e)
{
	struct wbuf *w = &kit.out;
	if (kit.json) {
		json_newline(w);
		json_open(w, NULL, '{');
		kit_json_function(&kit, "caller", &names, e->caller);
		kit_json_function(&kit, "callee", &names, e->callee);
		json_u64(w, "calls", e->calls);
		json_close(w, '}');
		return;
	}
	wbuf_printf(w, "%12" PRIu64 "  ", e->calls);
	kit_put_function(&kit, &names, e->caller);
	put_str(w, " -> ");
	kit_put_function(&kit, &names, e->callee);
	put_str(w, "\n");
}

static void
put_heads(bool calls)
{
	struct wbuf *w = &kit.out;
	if (kit.json && !calls) {
		kit_open_json(&kit, "profile");
		json_open(w, "functions", '[');
	} else if (kit.json) {
		json_close(w, ']');
		json_open(w, "calls", '[');
	} else if (calls) {
		wbuf_printf(w, "\n%12s  caller -> callee\n", "calls");
	} else {
		for (unsigned i = 0; i < COUNTERS; i++)
			wbuf_printf(w, "%*s ", columns[i].width, columns[i].title);
		put_str(w, " function\n");
	}
}

static int
finish(void *u)
{
	(void)u;
	size_t n = 0;
	for (uint32_t i = 0; i < functions_cap; i++) {
		functions[n] = functions[i];
		functions[n].id = i;
		n += functions[i].n[EVENTS] || functions[i].n[CALLS];
	}
	if (n)
		qsort(functions, n, sizeof(*functions), by_self);
	if (nedges)
		qsort(edges, nedges, sizeof(*edges), by_calls);
	put_heads(false);
	for (size_t i = 0; i < n; i++)
		put_function(&functions[i]);
	put_heads(true);
	for (size_t i = 0; i < nedges; i++)
		put_edge(&edges[i]);
	if (kit.json) {
		json_close(&kit.out, ']');
		kit_close_json(&kit);
	}
	return kit_finish(&kit);
}

KIT_RELEASE
release(void)
{
	kit_finish_threads(&threads);
	arena_finish(&arena);
	block_free(names.list);
	block_free(functions);
	block_free(inside);
	block_free(streams);
	block_free(edges);
	kit_release(&kit);
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	return kit_begin(&kit, r) < 0 ? -1 : kit_open(&kit);
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "profile",
	.needs = { .cxt = PRISM_HAS_TYPE | PRISM_HAS_NAME },
	.begin = begin,
	.mem = on_mem,
	.comp = on_comp,
	.sync = on_sync,
	.cxt = on_cxt,
	.finish = finish,
};
