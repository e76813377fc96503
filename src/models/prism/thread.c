/* SPDX-License-Identifier: MIT */
/* thread: which thread runs in each stream. */
#include "parts.h"

static uint32_t
cpu_of(const struct emu *emu, const struct prismmodel *d)
{
	return system_cpu(&emu->plan->sys, 0, (int32_t)d->stream);
}

/* Counts a thread that is new in a stream. */
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

/* Runs a thread in the CPU of the stream, from any state. */
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

int
prismthread_show(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	const struct prism_step *step = &d->step;
	const struct prism_thread *t = step->thread;
	int rc = step->is_new ? prism_row(d->p, t) : 0;
	if (rc < 0)
		return rc;
	if (!step->switched) {
		emu_choose(emu, t->number);
		return 0;
	}
	if (step->paused) {
		emu_choose(emu, step->paused->number);
		rc = run_pause(emu, ev);
	}
	if (rc == 0)
		rc = meet(emu, d, t->number);
	if (rc == 0)
		rc = run(emu, ev, cpu_of(emu, d), t->number);
	d->core->at.thread = t->id;
	d->core->nswaps += step->selects;
	return rc;
}

int
prismthread_end(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	uint32_t cpu = cpu_of(emu, d);
	int rc = 0;
	for (uint32_t row = 0; row < emu->plan->sys.nthreads && rc == 0; row++) {
		const struct thread_run *r = &emu->threads[row];
		if (r->cpu != cpu)
			continue;
		prism_machine_end(prism_machine_thread(&d->machine, row));
		emu_choose(emu, row);
		rc = run_kill(emu, ev);
	}
	return rc;
}
