/* SPDX-License-Identifier: MIT */
/* thread: which thread runs in each stream. */
#include "parts.h"

static uint32_t
cpu_of(const struct emu *emu, const struct prismmodel *d)
{
	return system_cpu(&emu->sys, 0, (int32_t)d->stream);
}

/* Whether the thread runs in the current stream. */
static bool
is_mine(const struct prismmodel *d, const struct prism_thread *t)
{
	return t->core == d->stream + 1;
}

/* A thread that has been in the stream before is no news. */
static int
meet(struct emu *emu, struct prismmodel *d, uint32_t row)
{
	struct idmap_slot *slot = idmap_slot(&d->met, &emu->arena, (uint64_t)d->stream << 32 | row);
	if (!slot)
		return diag_no_memory(emu->diag);
	if (slot->value)
		return 0;
	slot->value = d->core;
	emu_set_cpu(emu, cpu_of(emu, d), THREADS, (int64_t)++d->core->nthreads);
	return 0;
}

/* The thread of the stream stops, if it is not elsewhere already. */
static int
leave(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	uint32_t row = d->core->row;
	if (row == NO_INDEX)
		return 0;
	struct prism_thread *t = prismmodel_thread(d, row);
	if (!is_mine(d, t))
		return 0;
	t->core = 0;
	emu_choose(emu, row);
	return run_pause(emu, ev);
}

/* The thread runs in the CPU of the stream, whatever it did before. */
static int
run(struct emu *emu, const struct event *ev, uint32_t cpu, uint32_t row)
{
	const struct thread_run *r = &emu->threads[row];
	emu_choose(emu, row);
	if (r->cpu == NO_INDEX)
		return run_execute(emu, ev, cpu);
	int rc = r->cpu == cpu ? 0 : run_migrate(emu, ev, row, cpu);
	return rc < 0 || r->state == TH_RUNNING ? rc : run_resume(emu, ev);
}

/* The stream goes on with that thread. */
static int
switch_to(struct emu *emu, const struct event *ev, struct prismmodel *d, uint32_t tid, bool counts)
{
	struct prism_core *core = d->core;
	uint32_t row = prism_row(d->p, d->p->streams[d->stream].source.process, tid);
	if (row == PRISM_NO_ROW)
		return -ERR_PRISM;
	struct prism_thread *t = prismmodel_thread(d, row);
	int rc = 0;
	d->thread = t;
	if (core->row == row && is_mine(d, t)) {
		emu_choose(emu, row);
		return 0;
	}
	if (t->core && !is_mine(d, t))
		rc = prismmodel_issue(d, PRISM_PM04, "thread %u runs in %s already", tid, d->p->streams[t->core - 1].source.name);
	if (rc == 0)
		rc = leave(emu, ev, d);
	if (rc == 0)
		rc = meet(emu, d, row);
	if (rc == 0)
		rc = run(emu, ev, cpu_of(emu, d), row);
	if (rc < 0)
		return rc;
	t->core = d->stream + 1;
	core->row = row;
	d->p->streams[d->stream].at.thread = tid;
	core->nswaps += counts;
	return 0;
}

int
prismthread_start(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	uint32_t tid = d->p->streams[d->stream].source.first_thread;
	return tid ? switch_to(emu, ev, d, tid, false) : 0;
}

int
prismthread_find(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_event *pe)
{
	struct prism *p = d->p;
	uint64_t id;
	if (prism_selects(pe, &id)) {
		if (prism_is_thread(id))
			return switch_to(emu, ev, d, (uint32_t)id, true);
		int rc = prismmodel_issue(d, PRISM_PM05, "no thread can have the id %llu", (unsigned long long)id);
		uint32_t fresh = rc < 0 ? 0 : prism_fresh(p, p->streams[d->stream].source.process, id);
		if (rc == 0 && !fresh)
			rc = -ERR_MEMORY;
		return rc < 0 ? rc : switch_to(emu, ev, d, fresh, true);
	}
	if (d->core->row == NO_INDEX)
		return switch_to(emu, ev, d, PRISM_NO_THREAD + d->stream, false);
	d->thread = prismmodel_thread(d, d->core->row);
	emu_choose(emu, d->core->row);
	return 0;
}

int
prismthread_end(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	uint32_t cpu = cpu_of(emu, d);
	int rc = 0;
	for (uint32_t row = 0; row < emu->sys.nthreads && rc == 0; row++) {
		const struct thread_run *r = &emu->threads[row];
		if (r->cpu != cpu)
			continue;
		prismmodel_thread(d, row)->core = 0;
		emu_choose(emu, row);
		rc = run_kill(emu, ev);
	}
	return rc;
}
