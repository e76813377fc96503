/* SPDX-License-Identifier: MIT */
/* communication: who reads what whom wrote, between functions and between threads.
 *
 * Each byte of memory that was written has the thread and the function that wrote it last, and those that read it last since. A
 * load counts its bytes for the pair of writer and reader. */
#include "idmap.h"
#include "shadow.h"
#include "spans.h"

#include <stdlib.h>

enum {
	GRANULE_MAX = 4096,
	TOP_MAX = 1000000,
};

static const uint64_t memory_min = 1 << 20;
static const uint64_t memory_max = UINT64_C(1) << 40;

struct cell {
	uint32_t writer, reader; /* places, from 1; 0: nobody */
};

/* A function of a thread. */
struct place {
	uint32_t thread, function;
};

struct pair {
	uint32_t from, to; /* places, or threads, or functions */
	uint64_t bytes, unique;
};

struct pairs {
	struct arena arena;
	struct idmap ids; /* by both: its number, from 1 */
	struct pair *list;
	size_t n, cap;
};

/* Where a thread was when it accessed memory last. */
struct state {
	uint32_t function;
	uint32_t place; /* 0: it did not yet */
};

static struct kit kit;
static struct spans spans;
static struct shadow shadow;
static struct kit_threads threads;
static struct kit_functions functions;
static struct state *states; /* by thread */
static size_t states_cap;
static struct arena arena;
static struct idmap place_ids; /* by thread and function */
static struct place *places;
static size_t nplaces, places_cap;
static struct pairs pairs;
static uint64_t granule = 1, memory = UINT64_C(1) << 30, top = 20;
static uint64_t read_bytes, unwritten;

/* ---- Tables. ---- */

/* NULL when memory is exhausted. It is good until the next is added. */
static struct pair *
find_pair(struct pairs *p, uint32_t from, uint32_t to)
{
	struct idmap_slot *slot = idmap_slot(&p->ids, &p->arena, (uint64_t)from << 32 | to);
	if (!slot || (!slot->number && !kit_room(&p->list, &p->cap, p->n + 1, sizeof(*p->list))))
		return NULL;
	if (!slot->number) {
		p->list[p->n++] = (struct pair){ .from = from, .to = to };
		slot->number = p->n;
	}
	return &p->list[slot->number - 1];
}

static void
finish_pairs(struct pairs *p)
{
	arena_finish(&p->arena);
	block_free(p->list);
	*p = (struct pairs){ 0 };
}

/* The place of the thread of an event; 0: memory is exhausted. */
static uint32_t
find_place(const struct prism_at *at)
{
	uint32_t thread = kit_thread(&threads, at);
	const struct prism_entered *in = &at->in->function;
	if (thread < states_cap && states[thread].place && states[thread].function == in->name_id)
		return states[thread].place;
	if (thread == UINT32_MAX || !kit_room(&states, &states_cap, thread + (size_t)1, sizeof(*states)))
		return 0;
	struct idmap_slot *slot = idmap_slot(&place_ids, &arena, (uint64_t)thread << 32 | in->name_id);
	if (!slot || (!slot->number && (!kit_room(&places, &places_cap, nplaces + 1, sizeof(*places)) || !kit_function(&functions, in->name_id, in->name, in->name_len))))
		return 0;
	if (!slot->number) {
		places[nplaces++] = (struct place){ thread, in->name_id };
		slot->number = nplaces;
	}
	states[thread] = (struct state){ in->name_id, (uint32_t)slot->number };
	return states[thread].place;
}

/* ---- Accesses. ---- */

/* What a load reads of one writer in a row. */
struct run {
	uint32_t writer;
	uint64_t bytes, unique;
};

/* Returns 0, or -1 when memory is exhausted. */
static int
count_run(struct run *r, uint32_t reader)
{
	static size_t last;
	read_bytes += r->bytes;
	if (!r->writer) {
		unwritten += r->bytes;
		return 0;
	}
	struct pair *p = last < pairs.n ? &pairs.list[last] : NULL;
	if (!p || p->from != r->writer || p->to != reader)
		p = find_pair(&pairs, r->writer, reader);
	if (!p)
		return -1;
	last = (size_t)(p - pairs.list);
	p->bytes += r->bytes;
	p->unique += r->unique;
	return 0;
}

static int
load(uint64_t key, uint32_t n, uint32_t first, uint32_t last, uint32_t place)
{
	struct run run = { 0 };
	struct cell *cell = NULL;
	for (uint32_t i = 0; i < n; i++, key++) {
		if (i == 0 || key % SHADOW_CHUNK == 0)
			cell = shadow_cell(&shadow, key, false);
		uint64_t bytes = granule - (i == 0 ? first : 0) - (i + 1 == n ? last : 0);
		uint32_t writer = cell ? cell->writer : 0;
		if (writer != run.writer && count_run(&run, place) < 0)
			return -1;
		if (writer != run.writer)
			run = (struct run){ .writer = writer };
		run.bytes += bytes;
		if (!cell)
			continue;
		run.unique += cell->reader == place ? 0 : bytes;
		cell->reader = place;
		cell++;
	}
	return count_run(&run, place);
}

static int
store(uint64_t key, uint32_t n, uint32_t place)
{
	struct cell *cell = NULL;
	for (uint32_t i = 0; i < n; i++, key++, cell++) {
		if (i == 0 || key % SHADOW_CHUNK == 0)
			cell = shadow_cell(&shadow, key, true);
		if (!cell)
			return -1;
		*cell = (struct cell){ .writer = place };
	}
	return 0;
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	(void)u;
	if (ev->type != PRISM_LOAD && ev->type != PRISM_STORE)
		return 0;
	int64_t process = spans_process(&spans, &kit, at);
	if (process < 0)
		return -1;
	uint32_t n;
	uint64_t key = spans_keys(&spans, (uint32_t)process, ev, &n);
	uint32_t place = find_place(at);
	/* Bytes of the first and the last granule that are not accessed. */
	uint32_t mask = (uint32_t)granule - 1;
	uint32_t first = (uint32_t)ev->addr & mask;
	uint64_t end = ev->addr + (ev->bytes ? ev->bytes - 1U : 0);
	uint32_t last = end < ev->addr ? 0 : mask - ((uint32_t)end & mask);
	int rc = !place ? -1 : ev->type == PRISM_STORE ? store(key, n, place)
						       : load(key, n, first, last, place);
	return rc < 0 ? kit_no_memory(&kit) : 0;
}

/* ---- The report. ---- */

static int
by_bytes(const void *a, const void *b)
{
	const struct pair *p = a;
	const struct pair *q = b;
	if (p->bytes != q->bytes)
		return p->bytes < q->bytes ? 1 : -1;
	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return (p->to > q->to) - (p->to < q->to);
}

/* Sums the pairs of places up, by thread or by function. Returns 0, or -1 when memory is exhausted. */
static int
sum_up(struct pairs *to, bool function)
{
	for (size_t i = 0; i < pairs.n; i++) {
		const struct place *a = &places[pairs.list[i].from - 1];
		const struct place *b = &places[pairs.list[i].to - 1];
		struct pair *p = find_pair(to, function ? a->function : a->thread, function ? b->function : b->thread);
		if (!p)
			return -1;
		p->bytes += pairs.list[i].bytes;
		p->unique += pairs.list[i].unique;
	}
	if (to->n)
		qsort(to->list, to->n, sizeof(*to->list), by_bytes);
	return 0;
}

static void
put_one(bool function, const char *key, uint32_t id)
{
	if (kit.json && function)
		kit_json_function(&kit, key, &functions, id);
	else if (kit.json)
		kit_json_thread(&kit, key, &threads, id);
	else if (function)
		kit_put_function(&kit, &functions, id);
	else
		kit_put_thread(&kit, &threads, id);
}

static void
put_json(const struct pairs *p, bool function)
{
	struct wbuf *w = &kit.out;
	json_open(w, function ? "functions" : "threads", '[');
	for (size_t i = 0; i < p->n; i++) {
		json_newline(w);
		json_open(w, NULL, '{');
		put_one(function, "from", p->list[i].from);
		put_one(function, "to", p->list[i].to);
		json_u64(w, "bytes", p->list[i].bytes);
		json_u64(w, "unique", p->list[i].unique);
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* Those between different ones, the largest first. */
static void
put_text_of(const struct pairs *p, bool function)
{
	struct wbuf *w = &kit.out;
	uint64_t left = 0;
	uint64_t n = 0;
	wbuf_printf(w, "\n%14s %14s  from %s -> to %s\n", "bytes", "unique", function ? "function" : "thread", function ? "function" : "thread");
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].from == p->list[i].to)
			continue;
		if (n++ >= top) {
			left++;
			continue;
		}
		wbuf_printf(w, "%14" PRIu64 " %14" PRIu64 "  ", p->list[i].bytes, p->list[i].unique);
		put_one(function, NULL, p->list[i].from);
		put_str(w, " -> ");
		put_one(function, NULL, p->list[i].to);
		put_str(w, "\n");
	}
	if (left)
		wbuf_printf(w, "and %" PRIu64 " more\n", left);
}

static void
put(const struct pairs *by_thread, const struct pairs *by_function)
{
	struct wbuf *w = &kit.out;
	uint64_t same = 0;
	for (size_t i = 0; i < by_thread->n; i++)
		same += by_thread->list[i].from == by_thread->list[i].to ? by_thread->list[i].bytes : 0;
	uint64_t other = read_bytes - unwritten - same;
	if (!kit.json) {
		wbuf_printf(w, "communication: %" PRIu64 " bytes read, written by the same thread %" PRIu64 ", by another %" PRIu64 ", by none %" PRIu64 "\n", read_bytes,
			same, other, unwritten);
		if (shadow.forgotten)
			wbuf_printf(w, "the writers of %" PRIu64 " chunks of %" PRIu64 " bytes were forgotten: more memory=SIZE would keep them\n", shadow.forgotten,
				granule * SHADOW_CHUNK);
		put_text_of(by_thread, false);
		put_text_of(by_function, true);
		return;
	}
	kit_open_json(&kit, "communication");
	json_u64(w, "granule", granule);
	json_u64(w, "bytes", read_bytes);
	json_u64(w, "same_thread", same);
	json_u64(w, "other_thread", other);
	json_u64(w, "unwritten", unwritten);
	json_u64(w, "forgotten", shadow.forgotten * granule * SHADOW_CHUNK);
	put_json(by_thread, false);
	put_json(by_function, true);
	kit_close_json(&kit);
}

static int
finish(void *u)
{
	(void)u;
	struct pairs by_thread = { 0 };
	struct pairs by_function = { 0 };
	int rc = sum_up(&by_thread, false) < 0 || sum_up(&by_function, true) < 0 ? kit_no_memory(&kit) : 0;
	if (rc == 0)
		put(&by_thread, &by_function);
	finish_pairs(&by_thread);
	finish_pairs(&by_function);
	return kit_finish(&kit) < 0 ? -1 : rc;
}

KIT_RELEASE
release(void)
{
	finish_pairs(&pairs);
	shadow_finish(&shadow);
	spans_finish(&spans);
	kit_finish_threads(&threads);
	arena_finish(&arena);
	block_free(functions.list);
	block_free(states);
	block_free(places);
	kit_release(&kit);
}

static int
begin(void *u, struct prism_run *r)
{
	(void)u;
	if (kit_begin(&kit, r) < 0 || kit_power(&kit, "granule", GRANULE_MAX, &granule) < 0 ||
		prism_argument_number(r, "memory", memory_min, memory_max, &memory) < 0 || prism_argument_number(r, "top", 0, TOP_MAX, &top) < 0 ||
		kit_open(&kit) < 0)
		return -1;
	spans.shift = (unsigned)__builtin_ctzll(granule);
	return shadow_begin(&shadow, sizeof(struct cell), memory) < 0 ? kit_no_memory(&kit) : 0;
}

const struct prism_hooks prism_tool = {
	PRISM_HOOKS_HEAD,
	.name = "communication",
	.needs = { .mem = PRISM_HAS_TYPE | PRISM_HAS_ADDR },
	.begin = begin,
	.mem = on_mem,
	.finish = finish,
};
