/* SPDX-License-Identifier: MIT */
#include "overlap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct overlap {
	struct span *spans;
	uint32_t n;
};

/* When the streams of a process begin and end, in corrected clocks. */
struct span {
	const char *loom;
	int pid;
	int64_t first, last;
	bool any; /* it has events */
};

int
overlap_begin(struct plan *plan)
{
	struct overlap *o = arena_new(&plan->arena, struct overlap, 1);
	if (!o || !(o->spans = arena_new(&plan->arena, struct span, plan->sys.nprocs)))
		return -ERR_MEMORY;
	o->n = plan->sys.nprocs;
	for (uint32_t th = 0; th < plan->sys.nthreads; th++) {
		const struct thread *t = &plan->sys.threads[th];
		int64_t clock = plan->trace.streams[t->stream].last_clock; /* of its first event, by now */
		struct span *s = &o->spans[t->proc];
		s->loom = plan->sys.looms[plan->sys.procs[t->proc].loom].name;
		s->pid = plan->sys.procs[t->proc].pid;
		if (clock && (!s->any || clock < s->first))
			s->first = clock;
		s->any = s->any || clock;
	}
	plan->overlap = o;
	return 0;
}

static int
compare_hosts(const struct span *a, const struct span *b)
{
	size_t n = strcspn(a->loom, "."), k = strcspn(b->loom, ".");
	int c = strncmp(a->loom, b->loom, n < k ? n : k);
	return c ? c : (n > k) - (n < k);
}

static int
by_host_and_time(const void *x, const void *y)
{
	const struct span *a = x;
	const struct span *b = y;
	if (a->any != b->any)
		return a->any ? -1 : 1;
	if (!a->any)
		return 0;
	int c = compare_hosts(a, b);
	return c ? c : (a->first > b->first) - (a->first < b->first);
}

void
overlap_report(const struct plan *plan, struct diag *d)
{
	struct overlap *o = plan->overlap;
	if (!o)
		return;
	for (uint32_t th = 0; th < plan->sys.nthreads; th++) {
		struct span *s = &o->spans[plan->sys.threads[th].proc];
		int64_t clock = plan->trace.streams[plan->sys.threads[th].stream].last_clock;
		s->last = clock > s->last ? clock : s->last;
	}
	qsort(o->spans, o->n, sizeof(*o->spans), by_host_and_time);
	const struct span *latest = NULL; /* the process that ends last, so far, of the host */
	const struct span *before = NULL, *behind = NULL;
	uint32_t gaps = 0;
	for (uint32_t i = 0; i < o->n && o->spans[i].any; i++) {
		const struct span *s = &o->spans[i];
		if (latest && compare_hosts(latest, s) != 0)
			latest = NULL;
		if (latest && latest->last < s->first && gaps++ == 0) {
			before = latest;
			behind = s;
		}
		if (!latest || s->last > latest->last)
			latest = s;
	}
	if (before && behind)
		diag_warn(d, NULL, "processes do not overlap in time: %d of %s ends %.6f s before %d begins%s\n"
				   "hint: if they are several runs of a program, each needs a directory of its own (OVNI_TRACEDIR)",
			before->pid, before->loom, (double)(behind->first - before->last) / 1e9, behind->pid,
			gaps > 1 ? ", and there are more such gaps" : "");
}
