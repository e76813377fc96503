/* SPDX-License-Identifier: MIT */
#include "system.h"

#include "idmap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A loom or process: its place in the order of the rows. */
struct unit {
	struct proc proc; /* of a process: the facts of all its streams */
	int rank;         /* of a loom the lowest of its processes; -1: none */
	uint32_t first;   /* lowest stream: equal ranks keep the order of the streams */
};

/* One thread stream on its way to a row. */
struct item {
	const struct stream *s;
	uint32_t rank_of_stream;
	struct unit *loom, *proc;
	uint32_t virtual_cpu;
};

struct build {
	struct system *sys;
	struct arena *arena;
	const struct trace *trace;
	struct diag *diag;
	struct item *items;
	size_t n;
};

static struct place
place_of(const struct item *it)
{
	return (struct place){ .file = it->s->relpath };
}

/* Groups the streams by identity: loom name, pid, tid, then path. */
static int
by_identity(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;
	int c = strcmp(x->s->meta.loom, y->s->meta.loom);
	if (c == 0)
		c = (x->s->meta.pid > y->s->meta.pid) - (x->s->meta.pid < y->s->meta.pid);
	if (c == 0)
		c = (x->s->meta.tid > y->s->meta.tid) - (x->s->meta.tid < y->s->meta.tid);
	if (c == 0)
		c = (x->rank_of_stream > y->rank_of_stream) - (x->rank_of_stream < y->rank_of_stream);
	return c;
}

/* The order of two looms, or processes, when ranks play a part; the order by identity is kept inside. */
static int
compare(const struct unit *x, const struct unit *y, const void *a, const void *b)
{
	int c = (x->rank > y->rank) - (x->rank < y->rank);
	if (c == 0)
		c = (x->first > y->first) - (x->first < y->first);
	return c ? c : by_identity(a, b);
}

static int
by_loom_rank(const void *a, const void *b)
{
	return compare(((const struct item *)a)->loom, ((const struct item *)b)->loom, a, b);
}

static int
by_proc_rank(const void *a, const void *b)
{
	return compare(((const struct item *)a)->proc, ((const struct item *)b)->proc, a, b);
}

static bool
same_loom(const struct item *x, const struct item *y)
{
	return strcmp(x->s->meta.loom, y->s->meta.loom) == 0;
}

static bool
same_proc(const struct item *x, const struct item *y)
{
	return x->s->meta.pid == y->s->meta.pid && same_loom(x, y);
}

/* Returns the end of the process, or of the loom, that begins at items[first]. */
static size_t
find_end(const struct build *b, size_t first, bool (*same)(const struct item *x, const struct item *y))
{
	size_t end = first + 1;
	while (end < b->n && same(&b->items[end], &b->items[first]))
		end++;
	return end;
}

/* Merges the facts in the streams of a process, items [first, end). */
static int
merge_proc(struct build *b, size_t first, size_t end, struct proc *p)
{
	*p = (struct proc){ .pid = b->items[first].s->meta.pid, .rank = -1 };
	for (size_t i = first; i < end; i++) {
		const struct thread_meta *m = &b->items[i].s->meta;
		struct place at = place_of(&b->items[i]);
		if (i > first && m->tid == b->items[i - 1].s->meta.tid)
			return diag_error(b->diag, ERR_DUPLICATE_THREAD, &at,
				"thread %d of process %d is already in %s", m->tid, m->pid, b->items[i - 1].s->relpath);
		if (m->app_id && p->app_id && m->app_id != p->app_id)
			return diag_error(b->diag, ERR_METADATA_CONFLICT, &at,
				"app_id %d, but other threads of process %d say %d", m->app_id, m->pid, p->app_id);
		if (m->rank >= 0 && p->rank >= 0 && (m->rank != p->rank || m->nranks != p->nranks))
			return diag_error(b->diag, ERR_METADATA_CONFLICT, &at,
				"rank %d of %d, but other threads of process %d say %d of %d",
				m->rank, m->nranks, m->pid, p->rank, p->nranks);
		if (m->app_id)
			p->app_id = m->app_id;
		if (m->rank >= 0) {
			p->rank = m->rank;
			p->nranks = m->nranks;
		}
	}
	if (p->app_id == 0 && b->trace->metadata_version == 3) {
		struct place at = place_of(&b->items[first]);
		return diag_error(b->diag, ERR_METADATA, &at, "no thread of process %d tells its ovni.app_id", p->pid);
	}
	return 0;
}

/* Forms the processes and looms of the items, which are in identity order. */
static int
find_units(struct build *b)
{
	size_t nranked = 0;
	size_t nlooms = 0;
	struct unit *unit = arena_new(b->arena, struct unit, 2 * b->n);
	if (!unit)
		return diag_no_memory(b->diag);
	for (size_t i = 0; i < b->n; nlooms++) {
		struct unit *loom = unit++;
		const struct item *without = NULL;
		*loom = (struct unit){ .rank = -1, .first = NO_INDEX };
		for (size_t next = find_end(b, i, same_loom); i < next;) {
			size_t end = find_end(b, i, same_proc);
			struct unit *proc = unit++;
			int rc = merge_proc(b, i, end, &proc->proc);
			if (rc < 0)
				return rc;
			proc->rank = proc->proc.rank;
			proc->first = NO_INDEX;
			if (proc->rank < 0)
				without = &b->items[i];
			else if (loom->rank < 0 || proc->rank < loom->rank)
				loom->rank = proc->rank;
			for (; i < end; i++) {
				struct item *it = &b->items[i];
				it->loom = loom;
				it->proc = proc;
				proc->first = it->rank_of_stream < proc->first ? it->rank_of_stream : proc->first;
			}
			loom->first = proc->first < loom->first ? proc->first : loom->first;
		}
		if (loom->rank >= 0 && without) {
			struct place at = place_of(without);
			return diag_error(b->diag, ERR_METADATA_CONFLICT, &at,
				"process %d has no rank, but other processes of loom %s have one",
				without->s->meta.pid, without->s->meta.loom);
		}
		nranked += loom->rank >= 0;
	}
	b->sys->by_rank = nranked == nlooms;
	if (nranked && nranked < nlooms)
		diag_warn(b->diag, NULL, "%zu of %zu looms have no rank: looms are sorted by name", nlooms - nranked, nlooms);
	return 0;
}

/* Builds a process and its threads from items [first, end). */
static int
build_proc(struct build *b, size_t first, size_t end)
{
	struct system *sys = b->sys;
	struct proc *p = &sys->procs[sys->nprocs];
	*p = b->items[first].proc->proc;
	p->loom = sys->nlooms - 1;
	p->first_thread = sys->nthreads;
	p->nthreads = (uint32_t)(end - first);
	for (const struct item *it = &b->items[first]; it < &b->items[end]; it++) {
		struct thread *th = &sys->threads[sys->nthreads];
		th->proc = sys->nprocs;
		th->stream = it->rank_of_stream;
		th->tid = it->s->meta.tid;
		th->virtual_cpu = it->virtual_cpu;
		th->label = arena_printf(b->arena, "TH %d.%d", p->app_id, th->tid);
		if (!th->label)
			return diag_no_memory(b->diag);
		sys->thread_of_stream[th->stream] = sys->nthreads++;
	}
	sys->nprocs++;
	return 0;
}

/* Builds a loom from items [first, end), in identity order. */
static int
build_loom(struct build *b, size_t first, size_t end)
{
	struct system *sys = b->sys;
	uint32_t index = sys->nlooms++;
	struct loom *l = &sys->looms[index];
	struct item *items = &b->items[first];
	size_t n = end - first;
	*l = (struct loom){ .name = items->s->meta.loom, .rank = items->loom->rank, .first_proc = sys->nprocs };
	const struct stream **streams = arena_new(b->arena, const struct stream *, n);
	if (!streams)
		return diag_no_memory(b->diag);
	for (size_t i = 0; i < n; i++)
		streams[i] = items[i].s;
	int rc = cpus_build(sys, b->arena, b->trace, index, streams, n);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		items[i].virtual_cpu = l->first_cpu + l->ncpus + (l->all_virtual ? i : 0);
	if (rc == 0 && l->rank >= 0)
		qsort(items, n, sizeof(*items), by_proc_rank);
	for (size_t next; rc == 0 && first < end; first = next) {
		next = find_end(b, first, same_proc);
		rc = build_proc(b, first, next);
	}
	l->nprocs = sys->nprocs - l->first_proc;
	return rc;
}

/* Returns the process of a pid, adding it if it is new. */
static uint32_t
get_proc(struct build *b, struct idmap *pids, int pid)
{
	struct system *sys = b->sys;
	const struct proc *known = idmap_find(pids, (uint32_t)pid);
	if (known)
		return (uint32_t)(known - sys->procs);
	struct proc *p = &sys->procs[sys->nprocs];
	*p = (struct proc){ .pid = pid, .rank = -1 };
	return idmap_add(pids, b->arena, (uint32_t)pid, p) < 0 ? NO_INDEX : sys->nprocs++;
}

/* Builds the threads that the input lists, all in the loom of stream 0. Their processes have
 * no lists of threads: tids may repeat. */
static int
build_told(struct build *b)
{
	struct system *sys = b->sys;
	const struct trace *t = b->trace;
	struct idmap pids = { 0 };
	sys->looms = arena_new(b->arena, struct loom, 1);
	sys->procs = arena_new(b->arena, struct proc, t->nthreads + t->npids);
	sys->threads = arena_new(b->arena, struct thread, t->nthreads + t->nreserved);
	if (!sys->looms || !sys->procs || !sys->threads)
		return diag_no_memory(b->diag);
	sys->nlooms = 1;
	sys->looms[0] = (struct loom){ .name = t->streams[0].meta.loom, .rank = -1 };
	const struct stream *first = &t->streams[0];
	int rc = cpus_build(sys, b->arena, t, 0, &first, 1);
	for (; rc == 0 && sys->nthreads < t->nthreads; sys->nthreads++) {
		const struct trace_thread *told = &t->threads[sys->nthreads];
		uint32_t proc = get_proc(b, &pids, told->pid);
		if (proc == NO_INDEX)
			return diag_no_memory(b->diag);
		sys->threads[sys->nthreads] = (struct thread){
			.proc = proc,
			.tid = told->tid,
			.label = told->label,
			.pseudo = told->pseudo,
		};
	}
	sys->nknown = sys->nthreads;
	sys->nthreads += (uint32_t)t->nreserved;
	for (size_t i = 0; i < t->npids; i++)
		if (get_proc(b, &pids, t->pids[i]) == NO_INDEX)
			return diag_no_memory(b->diag);
	sys->looms[0].nprocs = sys->nprocs;
	for (uint32_t i = 0; i < t->nstreams; i++)
		sys->thread_of_stream[i] = 0;
	return rc;
}

void
system_take_late(struct system *sys, const struct trace *t, uint32_t row)
{
	const struct trace_thread *told = &t->threads[row];
	uint32_t proc = 0;
	while (proc + 1 < sys->nprocs && sys->procs[proc].pid != told->pid)
		proc++;
	sys->threads[row] = (struct thread){ .proc = proc, .tid = told->tid, .label = told->label };
	sys->nknown = row + 1;
}

int
system_build(struct system *sys, struct arena *a, const struct trace *t)
{
	*sys = (struct system){ 0 };
	struct build b = { .sys = sys, .arena = a, .trace = t, .diag = t->diag };
	b.items = arena_new(a, struct item, t->nstreams);
	sys->thread_of_stream = arena_new(a, uint32_t, t->nstreams);
	if (!b.items || !sys->thread_of_stream)
		return diag_no_memory(t->diag);
	if (t->threads)
		return build_told(&b);
	for (uint32_t i = 0; i < t->nstreams; i++) {
		sys->thread_of_stream[i] = NO_INDEX;
		if (!t->streams[i].meta.loom)
			continue;
		b.items[b.n++] = (struct item){ .s = &t->streams[i], .rank_of_stream = i };
	}
	/* Upper bounds: no loom, process or thread without a stream. */
	sys->looms = arena_new(a, struct loom, b.n);
	sys->procs = arena_new(a, struct proc, b.n);
	sys->threads = arena_new(a, struct thread, b.n);
	if (!sys->looms || !sys->procs || !sys->threads)
		return diag_no_memory(t->diag);

	if (b.n)
		qsort(b.items, b.n, sizeof(*b.items), by_identity);
	int rc = find_units(&b);
	if (rc == 0 && b.n && sys->by_rank)
		qsort(b.items, b.n, sizeof(*b.items), by_loom_rank);
	for (size_t i = 0, end; i < b.n && rc == 0; i = end) {
		end = find_end(&b, i, same_loom);
		rc = build_loom(&b, i, end);
	}
	sys->nknown = sys->nthreads;
	return rc;
}

int
system_distinguish(struct system *sys, struct arena *a, struct diag *d)
{
	struct arena scratch = { 0 };
	struct idmap seen = { 0 };
	bool good = true;
	for (uint32_t i = 0; i < sys->nthreads && sys->nlooms > 1 && good; i++) {
		struct thread *th = &sys->threads[i];
		const struct proc *p = &sys->procs[th->proc];
		struct idmap_slot *slot = idmap_slot(&seen, &scratch, (uint64_t)(uint32_t)p->app_id << 32 | (uint32_t)th->tid);
		if (slot && slot->value)
			th->label = arena_printf(a, "%s of %s", th->label, sys->looms[p->loom].name);
		else if (slot)
			slot->value = th;
		good = slot && th->label;
	}
	arena_finish(&scratch);
	return good ? 0 : diag_no_memory(d);
}

uint32_t
system_cpu(const struct system *sys, uint32_t loom, int32_t index)
{
	const struct loom *l = &sys->looms[loom];
	if (index == -1)
		return l->first_cpu + l->ncpus;
	return index >= 0 && (uint32_t)index < l->ncpus ? l->cpu_of_index[index] : NO_INDEX;
}

/* Threads of a process are sorted by tid. */
static uint32_t
find_tid(const struct system *sys, const struct proc *p, int32_t tid)
{
	uint32_t lo = p->first_thread;
	uint32_t hi = lo + p->nthreads;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (sys->threads[mid].tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->first_thread + p->nthreads && sys->threads[lo].tid == tid ? lo : NO_INDEX;
}

uint32_t
system_thread(const struct system *sys, uint32_t proc, int32_t tid)
{
	uint32_t th = find_tid(sys, &sys->procs[proc], tid);
	const struct loom *l = &sys->looms[sys->procs[proc].loom];
	for (uint32_t p = l->first_proc; th == NO_INDEX && p < l->first_proc + l->nprocs; p++)
		th = find_tid(sys, &sys->procs[p], tid);
	return th;
}
