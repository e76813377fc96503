/* SPDX-License-Identifier: MIT */
/* prism_profile: what each function of a Prism trace did itself, and who called whom.
 *
 *   ovniemu --prism-hooks ./prism_profile.so TRACEDIR
 *
 * The report goes to stdout when the run ends. An event counts for the function that its
 * thread is in, an enter for that of the caller; so does the time up to the next event of
 * the stream, for the function that was entered or returned to. */
#include <prism_hooks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function { /* 0: outside of all */
	const char *name;
	uint32_t name_len;
	uint32_t id;
	uint64_t calls, events, ns, insns;
	uint64_t loads, stores, load_bytes, store_bytes;
	uint64_t int_ops, fp_ops;
};

struct edge {
	uint32_t caller, callee;
	uint64_t calls; /* 0: the slot is free */
};

struct thread {
	uint32_t process, id;
	uint32_t *stack; /* ids of functions */
	size_t depth, cap;
};

struct stream {
	uint64_t clock;    /* of its last event */
	uint32_t function; /* which has run since */
	size_t thread;     /* index, from 1; 0: none yet */
};

static struct function *functions;
static size_t nfunctions, functions_cap; /* by id, with gaps for names of other things */
static struct edge *edges;
static size_t nedges, edges_cap; /* a hash table: a power of two, at most half full */
static struct thread *threads;
static size_t nthreads, threads_cap;
static struct stream *streams;
static size_t nstreams, streams_cap;

/* ---- Tables. ---- */

/* Makes room for n items, zeroed. Returns whether there is. */
static bool
room(void *table, size_t *cap, size_t n, size_t size)
{
	void *old;
	size_t want = *cap ? *cap : 16;

	if (n <= *cap)
		return true;
	while (want < n)
		want *= 2;
	memcpy(&old, table, sizeof(old));
	void *p = realloc(old, want * size);
	if (!p) {
		(void)fprintf(stderr, "prism_profile: memory is exhausted\n");
		return false;
	}
	memset((char *)p + *cap * size, 0, (want - *cap) * size);
	memcpy(table, &p, sizeof(p));
	*cap = want;
	return true;
}

static struct edge *
find_edge(struct edge *table, size_t cap, uint32_t caller, uint32_t callee)
{
	uint64_t h = ((uint64_t)caller << 32 | callee) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 32) & (cap - 1);
	while (table[i].calls && (table[i].caller != caller || table[i].callee != callee))
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static bool
count_edge(uint32_t caller, uint32_t callee)
{
	if ((nedges + 1) * 2 > edges_cap) {
		struct edge *more = NULL;
		size_t cap = 0;
		if (!room(&more, &cap, edges_cap ? edges_cap * 2 : 64, sizeof(*more)))
			return false;
		for (size_t i = 0; i < edges_cap; i++)
			if (edges[i].calls)
				*find_edge(more, cap, edges[i].caller, edges[i].callee) = edges[i];
		free(edges);
		edges = more;
		edges_cap = cap;
	}
	struct edge *e = find_edge(edges, edges_cap, caller, callee);
	nedges += e->calls == 0;
	e->caller = caller;
	e->callee = callee;
	e->calls++;
	return true;
}

/* The thread of an event. A stream changes it by swaps only, so this is rarely looked for. */
static struct thread *
find_thread(struct stream *s, const struct prism_at *at)
{
	struct thread *t = s->thread ? &threads[s->thread - 1] : NULL;
	if (t && t->id == at->thread && t->process == at->process)
		return t;
	size_t i = 0;
	while (i < nthreads && (threads[i].id != at->thread || threads[i].process != at->process))
		i++;
	if (i == nthreads) {
		if (!room(&threads, &threads_cap, nthreads + 1, sizeof(*threads)))
			return NULL;
		nthreads++;
		threads[i].process = at->process;
		threads[i].id = at->thread;
	}
	s->thread = i + 1;
	return &threads[i];
}

/* ---- Events. ---- */

/* The function of an event; what ran since the event before gets its time. NULL: memory. */
static struct function *
charge(const struct prism_at *at)
{
	bool new = at->stream >= nstreams;
	if (!room(&streams, &streams_cap, at->stream + (size_t)1, sizeof(*streams)) ||
		!room(&functions, &functions_cap, 1, sizeof(*functions)))
		return NULL;
	nstreams = new ? at->stream + (size_t)1 : nstreams;
	struct stream *s = &streams[at->stream];
	if (s->thread)
		functions[s->function].ns += at->clock_ns - s->clock;
	s->clock = at->clock_ns;
	struct thread *t = find_thread(s, at);
	if (!t)
		return NULL;
	s->function = t->depth ? t->stack[t->depth - 1] : 0;
	functions[s->function].events++;
	return &functions[s->function];
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	struct function *f = charge(at);
	if (!f)
		return -1;
	/* What an event does not show is 0, which adds nothing. */
	if (ev->type == PRISM_LOAD) {
		f->loads++;
		f->load_bytes += ev->bytes;
	} else if (ev->type == PRISM_STORE) {
		f->stores++;
		f->store_bytes += ev->bytes;
	}
	return 0;
}

static int
on_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	(void)u;
	struct function *f = charge(at);
	if (!f)
		return -1;
	f->int_ops += ev->format == PRISM_INTEGER;
	f->fp_ops += ev->format == PRISM_FLOAT;
	return 0;
}

static int
on_sync(void *u, const struct prism_at *at, const struct prism_sync *ev)
{
	(void)u;
	(void)ev;
	return charge(at) ? 0 : -1;
}

static int
enter(struct stream *s, struct thread *t, const struct prism_cxt *ev)
{
	if (!room(&functions, &functions_cap, ev->name_id + (size_t)1, sizeof(*functions)) ||
		!room(&t->stack, &t->cap, t->depth + 1, sizeof(*t->stack)) || !count_edge(s->function, ev->name_id))
		return -1;
	struct function *f = &functions[ev->name_id];
	nfunctions = ev->name_id >= nfunctions ? ev->name_id + (size_t)1 : nfunctions;
	f->name = ev->name; /* lives as long as the run */
	f->name_len = ev->name_len;
	f->id = ev->name_id;
	f->calls++;
	t->stack[t->depth++] = ev->name_id;
	s->function = ev->name_id;
	return 0;
}

/* In a strict run the name is on top; in a lenient one perhaps below, or nowhere. */
static void
leave(struct stream *s, struct thread *t, const struct prism_cxt *ev)
{
	size_t n = t->depth;
	while (n && t->stack[n - 1] != ev->name_id)
		n--;
	t->depth = n ? n - 1 : t->depth;
	s->function = t->depth ? t->stack[t->depth - 1] : 0;
}

static int
on_cxt(void *u, const struct prism_at *at, const struct prism_cxt *ev)
{
	(void)u;
	struct function *f = charge(at);
	if (!f)
		return -1;
	struct stream *s = &streams[at->stream];
	f->insns += ev->type == PRISM_INSN;
	if (ev->type == PRISM_FUNC_ENTER)
		return enter(s, &threads[s->thread - 1], ev);
	if (ev->type == PRISM_FUNC_EXIT)
		leave(s, &threads[s->thread - 1], ev);
	return 0;
}

/* ---- The report. ---- */

/* Names are any bytes: what a terminal would act on is shown as \xNN. */
static int
put_name(uint32_t id)
{
	const struct function *f = &functions[id];
	int n = 0;
	if (id == 0)
		return printf("(no function)");
	for (uint32_t i = 0; i < f->name_len; i++) {
		unsigned char c = (unsigned char)f->name[i];
		n += c < ' ' || c == 0x7f || c == '\\' || c > 0x7f ? printf("\\x%02x", c) : printf("%c", c);
	}
	return n;
}

/* Most first; names of equal ones in the order of first appearance. */
static int
by_self(const void *a, const void *b)
{
	const struct function *f = a;
	const struct function *g = b;
	if (f->ns != g->ns)
		return f->ns < g->ns ? 1 : -1;
	if (f->events != g->events)
		return f->events < g->events ? 1 : -1;
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
put_functions(const struct function *sorted)
{
	(void)printf("%12s %10s %12s %10s %10s %12s %10s %12s %10s %10s  function\n", "self ns", "calls", "events", "insns", "loads", "load bytes",
		"stores", "store bytes", "int ops", "fp ops");
	for (size_t i = 0; i < nfunctions; i++) {
		const struct function *f = &sorted[i];
		if (f->events == 0 && f->calls == 0)
			continue;
		(void)printf("%12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64 "  ",
			f->ns, f->calls, f->events, f->insns, f->loads, f->load_bytes, f->stores, f->store_bytes, f->int_ops, f->fp_ops);
		(void)put_name(f->id);
		(void)printf("\n");
	}
}

static void
put_edges(void)
{
	size_t n = 0;
	(void)printf("\n%12s  caller -> callee\n", "calls");
	for (size_t i = 0; i < edges_cap; i++)
		if (edges[i].calls)
			edges[n++] = edges[i];
	if (n)
		qsort(edges, n, sizeof(*edges), by_calls);
	for (size_t i = 0; i < n; i++) {
		(void)printf("%12" PRIu64 "  ", edges[i].calls);
		(void)put_name(edges[i].caller);
		(void)printf(" -> ");
		(void)put_name(edges[i].callee);
		(void)printf("\n");
	}
}

static int
finish(void *u)
{
	(void)u;
	struct function *sorted = NULL;
	size_t cap = 0;
	int rc = 0;
	if (!room(&functions, &functions_cap, 1, sizeof(*functions)) || !room(&sorted, &cap, functions_cap, sizeof(*sorted))) {
		rc = -1;
	} else {
		nfunctions = nfunctions ? nfunctions : 1;
		memcpy(sorted, functions, nfunctions * sizeof(*sorted));
		qsort(sorted, nfunctions, sizeof(*sorted), by_self);
		put_functions(sorted);
		put_edges();
		rc = fflush(stdout) != 0 || ferror(stdout) ? -1 : 0;
	}
	for (size_t i = 0; i < nthreads; i++)
		free(threads[i].stack);
	free(sorted);
	free(functions);
	free(edges);
	free(threads);
	free(streams);
	return rc;
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "profile",
	.needs = { .cxt = PRISM_HAS_TYPE | PRISM_HAS_NAME },
	.mem = on_mem,
	.comp = on_comp,
	.sync = on_sync,
	.cxt = on_cxt,
	.finish = finish,
};
