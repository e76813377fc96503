/* SPDX-License-Identifier: MIT */
/* cpus: the CPUs of a loom, collected from its streams. Rules in doc/format/trace.md, "Parts". */
#include "system.h"
#include "window.h"

#include <stdlib.h>
#include <string.h>

enum {
	GUESS_MAX = 4096, /* an index from here on is damage, not a machine */
};

/* The CPUs of one loom on their way to rows. */
struct cpus {
	struct system *sys;
	struct arena *arena;
	const struct trace *trace;
	struct diag *diag;
	uint32_t loom;    /* its number */
	struct cpu *cpus; /* in the arena */
	size_t n;
	size_t cap;
};

static int
by_phyid(const void *a, const void *b)
{
	const struct cpu *x = a;
	const struct cpu *y = b;
	return (x->phyid > y->phyid) - (x->phyid < y->phyid);
}

static int
add_cpu(struct cpus *b, int index, int phyid)
{
	if (!arena_grow(b->arena, &b->cpus, b->n, &b->cap, sizeof(*b->cpus)))
		return diag_no_memory(b->diag);
	b->cpus[b->n++] = (struct cpu){ .loom = b->loom, .index = index, .phyid = phyid };
	return 0;
}

/* Adds the CPUs in the metadata of one stream. */
static int
add_told(struct cpus *b, const struct stream *s)
{
	const struct thread_meta *m = &s->meta;
	struct place at = { .file = s->relpath };
	if (b->trace->metadata_version < 3 && m->ncpus && b->n)
		return diag_error(b->diag, ERR_METADATA_CONFLICT, &at,
			"process %d tells the CPUs of loom %s again, which only one process may", m->pid, m->loom);
	int rc = 0;
	for (size_t k = 0; k < m->ncpus && rc == 0; k++)
		rc = add_cpu(b, m->cpus[k].index, m->cpus[k].phyid);
	return rc;
}

/* Sorts by phyid and keeps each CPU once. */
static int
drop_repeated(struct cpus *b, const struct place *at, const char *loom)
{
	if (b->n)
		qsort(b->cpus, b->n, sizeof(*b->cpus), by_phyid);
	size_t k = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct cpu *c = &b->cpus[i];
		if (!k || b->cpus[k - 1].phyid != c->phyid) {
			b->cpus[k++] = *c;
			continue;
		}
		if (b->cpus[k - 1].index != c->index)
			return diag_error(b->diag, ERR_METADATA_CONFLICT, at,
				"CPU with phyid %d of loom %s has two indices, %d and %d",
				c->phyid, loom, b->cpus[k - 1].index, c->index);
		if (b->trace->metadata_version < 3)
			return diag_error(b->diag, ERR_METADATA_CONFLICT, at, "CPU with phyid %d is repeated", c->phyid);
	}
	b->n = k;
	return 0;
}

/* The CPU that an event names in its first argument, or -1. */
static int
cpu_of(const struct event *ev)
{
	static const char *const mcvs[] = { "OHx", "OAs", "OAr" };
	int32_t index = -1;
	for (int i = 0; i < 3; i++)
		if (memcmp(ev->mcv, mcvs[i], 3) == 0 && ev->size >= sizeof(index))
			memcpy(&index, ev->payload, sizeof(index));
	return index < GUESS_MAX ? index : -1;
}

/* Returns how many CPUs the events of a stream imply, one more than the highest logical index that it
 * executes in or moves to (0: it names none), or <0 when memory is exhausted (reported). Reads the
 * stream to its end, apart from the reader of the trace, and says nothing of what is wrong with it. */
static int
guess_cpus(const struct stream *s)
{
	struct diag mute = { .level = DIAG_MUTE };
	struct trace trace = *s->trace;
	trace.diag = &mute;
	trace.readers.diag = &mute;
	trace.readers.spare_fds = 1;
	struct stream copy = *s;
	copy.trace = &trace;
	copy.in = (struct reader){ 0 };

	struct event ev;
	int n = 0;
	int rc = reader_open_again(&copy.in, &trace.readers, &s->in);
	/* The copy begins where the stream does: behind its header. */
	if (rc == 0 && (rc = reader_fill(&copy.in, reader_offset(&s->in))) > 0) {
		copy.in.p += reader_offset(&s->in);
		while ((rc = trace.base->next(&copy, &ev)) > 0)
			if (cpu_of(&ev) >= n)
				n = cpu_of(&ev) + 1;
	}
	reader_close(&copy.in);
	return rc == -ERR_MEMORY ? diag_no_memory(s->trace->diag) : n;
}

static bool
has_cpu(const struct cpus *b, int index, int phyid)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->cpus[i].index == index || b->cpus[i].phyid == phyid)
			return true;
	return false;
}

/* Whether CPUs may be missing in the metadata of a loom, as some thread never finished. */
static bool
may_lack(const struct cpus *b, const struct stream *const *streams, size_t n)
{
	size_t i = 0;
	while (i < n && streams[i]->meta.finished != FINISHED_NO && !streams[i]->meta.ring)
		i++;
	return i < n && !b->trace->options.strict;
}

/* In a loom where some thread never finished, adds the CPUs missing in the metadata, from
 * the events. */
static int
add_guessed(struct cpus *b, const struct stream *const *streams, size_t n)
{
	if (!may_lack(b, streams, n))
		return 0;
	int need = 0;
	for (size_t i = 0; i < n; i++) {
		int k = guess_cpus(streams[i]);
		if (k < 0)
			return k;
		need = k > need ? k : need;
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->cpus[i].index >= need && b->cpus[i].index < GUESS_MAX)
			need = b->cpus[i].index + 1;
	int added = 0;
	for (int index = 0; index < need; index++) {
		int phyid = index;
		if (has_cpu(b, index, -1))
			continue;
		while (has_cpu(b, -1, phyid))
			phyid++;
		int rc = add_cpu(b, index, phyid);
		if (rc < 0)
			return rc;
		b->cpus[b->n - 1].made_up = true;
		added++;
	}
	if (added) {
		struct place at = { .file = streams[0]->relpath };
		diag_warn(b->diag, &at, "%d CPUs of loom %s are not in the metadata, as its program did not end: their physical numbers are guessed",
			added, streams[0]->meta.loom);
		qsort(b->cpus, b->n, sizeof(*b->cpus), by_phyid);
	}
	return 0;
}

/* The logical indices must be 0..n-1, each once. */
static int
check_indices(struct cpus *b, const struct place *at, struct loom *loom)
{
	loom->cpu_of_index = arena_new(b->arena, uint32_t, b->n);
	if (!loom->cpu_of_index)
		return diag_no_memory(b->diag);
	for (size_t i = 0; i < b->n; i++)
		loom->cpu_of_index[i] = NO_INDEX;
	for (size_t i = 0; i < b->n; i++) {
		const struct cpu *c = &b->cpus[i];
		if ((size_t)c->index >= b->n)
			return diag_error(b->diag, ERR_CPU_INDEX, at,
				"cpu index out of bounds: phyid %d of loom %s has index %d, but the loom has %zu CPUs",
				c->phyid, loom->name, c->index, b->n);
		uint32_t *slot = &loom->cpu_of_index[c->index];
		if (*slot != NO_INDEX)
			return diag_error(b->diag, ERR_CPU_INDEX, at,
				"cpu with index %d already taken in loom %s: phyids %d and %d claim it",
				c->index, loom->name, b->cpus[*slot - loom->first_cpu].phyid, c->phyid);
		*slot = loom->first_cpu + (uint32_t)i;
	}
	return 0;
}

/* Takes the next event of a window, the last ones of a short stream too, which window_next() leaves. Returns whether there is one. */
static bool
next_in_window(struct stream *s, struct event *ev)
{
	uint64_t have = (uint64_t)(s->in.end - s->in.p);
	uint64_t size = wire_event_size(s->in.p, have);
	return size && size <= have && window_take(s, ev, size);
}

/* Whether all threads of a loom that execute do it in the virtual CPU, as far as the windows of their
 * streams show: one row for all of them would show nothing but that they are many. */
static bool
is_all_virtual(const struct cpus *b, const struct stream *const *streams, size_t n)
{
	const struct stream_format *f = b->trace->base;
	bool any = false;
	for (size_t i = 0; f && f->wire && i < n; i++) {
		struct stream s = *streams[i];
		for (struct event ev; next_in_window(&s, &ev);) {
			if (cpu_of(&ev) >= 0)
				return false;
			any = any || memcmp(ev.mcv, "OHx", 3) == 0;
		}
	}
	return any && !b->trace->options.strict;
}

/* Gives the CPUs of a loom their rows, the virtual ones last: one, or one for each stream. */
static int
place_cpus(struct cpus *b, const struct stream *const *own, size_t n)
{
	struct system *sys = b->sys;
	for (size_t i = 0; i < b->n + (own ? n : 1); i++) {
		bool real = i < b->n;
		if (!arena_grow(b->arena, &sys->cpus, sys->ncpus, &sys->cpus_cap, sizeof(*sys->cpus)))
			return diag_no_memory(b->diag);
		struct cpu *c = &sys->cpus[sys->ncpus++];
		*c = real ? b->cpus[i] : (struct cpu){ .loom = b->loom, .index = -1, .phyid = -1 };
		const struct thread_meta *m = own && !real ? &own[i - b->n]->meta : NULL;
		if (m)
			c->label = arena_printf(b->arena, "vCPU %u.%d.%d", b->loom, m->pid, m->tid);
		else
			c->label = real ? arena_printf(b->arena, " CPU %u.%d", b->loom, c->phyid) : arena_printf(b->arena, "vCPU %u.*", b->loom);
		if (!c->label)
			return diag_no_memory(b->diag);
	}
	return 0;
}

int
cpus_build(struct system *sys, struct arena *a, const struct trace *t, uint32_t index,
	const struct stream *const *streams, size_t n)
{
	struct cpus b = { .sys = sys, .arena = a, .trace = t, .diag = t->diag, .loom = index };
	struct loom *loom = &sys->looms[index];
	struct place at = { .file = streams[0]->relpath };
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_told(&b, streams[i]);
	if (rc == 0)
		rc = drop_repeated(&b, &at, loom->name);
	if (rc == 0)
		rc = add_guessed(&b, streams, n);
	if (rc < 0)
		return rc;
	if (b.n == 0 && may_lack(&b, streams, n))
		diag_warn(t->diag, &at, "the CPUs of loom %s are not known: no thread lived to tell them, and no event names one", loom->name);
	else if (b.n == 0)
		return diag_error(t->diag, ERR_NO_CPUS, &at,
			"loom %s has no physical CPUs\n"
			"hint: some thread of the loom must call ovni_add_cpu()",
			loom->name);
	loom->first_cpu = sys->ncpus;
	loom->ncpus = (uint32_t)b.n;
	sys->nphysical += loom->ncpus;
	loom->all_virtual = is_all_virtual(&b, streams, n);
	rc = check_indices(&b, &at, loom);
	return rc < 0 ? rc : place_cpus(&b, loom->all_virtual ? streams : NULL, n);
}
