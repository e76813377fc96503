/* SPDX-License-Identifier: MIT */
/* thread: which thread runs in each stream, in a critical section or not, and what it waits for. */
#include "parts.h"

/* ---- Who runs. ---- */

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
run(struct emu *emu, uint32_t cpu, uint32_t row)
{
	const struct thread_run *r = &emu->threads[row];
	emu_choose(emu, row);
	if (r->cpu == NO_INDEX)
		return run_execute(emu, cpu);
	int rc = r->cpu == cpu ? 0 : run_migrate(emu, row, cpu);
	return rc < 0 || r->state == TH_RUNNING ? rc : run_resume(emu);
}

int
prismthread_show(struct emu *emu, struct prismmodel *d)
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
		rc = run_pause(emu);
	}
	if (rc == 0)
		rc = meet(emu, d, t->number);
	if (rc == 0)
		rc = run(emu, cpu_of(emu, d), t->number);
	d->core->at.thread = t->id;
	d->core->nswaps += step->selects;
	return rc;
}

int
prismthread_end(struct emu *emu, struct prismmodel *d)
{
	uint32_t cpu = cpu_of(emu, d);
	int rc = 0;
	for (uint32_t row = 0; row < emu->plan->sys.nthreads && rc == 0; row++) {
		const struct thread_run *r = &emu->threads[row];
		if (r->cpu != cpu)
			continue;
		prism_machine_end(prism_machine_thread(&d->machine, row));
		emu_choose(emu, row);
		rc = run_kill(emu);
	}
	return rc;
}

/* ---- Synchronization. ---- */

static int
show(struct emu *emu, uint8_t waiting, uint64_t held)
{
	static const int64_t waits[PRISM_SYNCS] = { [PRISM_BARRIER] = STATE_BARRIER, [PRISM_JOIN] = STATE_JOIN };
	int64_t state = waiting ? waits[waiting] : held ? STATE_CRITICAL
							: 0;
	return state ? emu_set(emu, SYNC_STATE, state) : emu_clear(emu, SYNC_STATE);
}

int
prismthread_wake(struct emu *emu, const struct prismmodel *d)
{
	return show(emu, 0, d->step.held);
}

static int
change(struct emu *emu, const struct prism_thread *t, unsigned type)
{
	switch (type) {
	case PRISM_CREATE: return emu_set(emu, CHILDREN, (int64_t)t->children);
	case PRISM_JOIN:
	case PRISM_BARRIER:
	case PRISM_LOCK:
	case PRISM_SPIN_LOCK:
	case PRISM_UNLOCK:
	case PRISM_SPIN_UNLOCK: break;
	default: return 0;
	}
	int rc = emu_set(emu, LOCKS, (int64_t)t->held);
	return rc < 0 ? rc : show(emu, t->waiting, t->held);
}

/* Shows the event itself, as a punctual value, and its object. */
static int
flash(struct emu *emu, struct prismmodel *d, const struct prism_sync *s)
{
	int rc = emu_punctual(emu, SYNC, s->type);
	if (rc < 0 || !s->nargs || s->type == PRISM_SWAP)
		return rc;
	uint32_t object;
	rc = prismcxt_index(emu, &d->objects, SYNC_OBJECT, s->arg[0], &object);
	return rc < 0 ? rc : emu_punctual(emu, SYNC_OBJECT, object);
}

int
prismthread_take(struct emu *emu, struct prismmodel *d, const struct prism_sync *s)
{
	bool swap = s->type == PRISM_SWAP;
	int rc = s->has & PRISM_HAS_TYPE ? change(emu, d->step.thread, s->type) : 0;
	if (rc == 0 && d->syncs && s->has & PRISM_HAS_TYPE)
		rc = flash(emu, d, s);
	if (rc == 0 && !swap && d->p->options->interval == PRISM_INTERVAL_SYNC)
		rc = prismspan_close(emu, d);
	return rc;
}
