/* SPDX-License-Identifier: MIT */
/* thread: which thread runs in each stream, in a critical section or not, and what it waits for. */
#include "parts.h"

/* ---- Who runs. ---- */

/* Counts a thread that is new in a stream. */
static void
meet(struct emu *emu, struct prismmodel *d, uint32_t row)
{
	void **slot = emu_map_slot(emu, d->met, (uint64_t)d->stream << 32 | row);
	if (!slot || *slot)
		return;
	*slot = d->core;
	emu_set_cpu(emu, d->stream, THREADS, (int64_t)++d->core->nthreads);
}

/* Runs a thread in a CPU, from any state. */
static void
run(struct emu *emu, uint32_t cpu, uint32_t row)
{
	uint32_t on = emu_cpu(emu, row);
	emu_choose(emu, row);
	if (on == NO_INDEX) {
		(void)run_execute(emu, cpu);
		return;
	}
	if (on != cpu)
		(void)run_migrate(emu, row, cpu);
	if (emu_state(emu, row) != TH_RUNNING)
		(void)run_resume(emu);
}

int
prismthread_show(struct emu *emu, struct prismmodel *d)
{
	const struct prism_step *step = &d->step;
	const struct prism_thread *t = step->thread;
	if (step->is_new && prism_row(d->p, t) < 0)
		return emu_stop(emu, "prism");
	if (!step->switched) {
		emu_choose(emu, t->number);
		return 0;
	}
	if (step->paused) {
		emu_choose(emu, step->paused->number);
		(void)run_pause(emu);
	}
	meet(emu, d, t->number);
	run(emu, d->stream, t->number);
	d->core->at.thread = t->id;
	if (d->inside)
		d->core->at.in = &d->inside[t->number];
	d->core->nswaps += step->selects;
	return 0;
}

void
prismthread_end(struct emu *emu, struct prismmodel *d)
{
	for (uint32_t row = 0; row < emu_nthreads(emu); row++) {
		if (emu_cpu(emu, row) != d->stream)
			continue;
		prism_machine_end(prism_machine_thread(&d->machine, row));
		emu_choose(emu, row);
		(void)run_kill(emu);
	}
}

/* ---- Synchronization. ---- */

static void
show(struct emu *emu, uint8_t waiting, uint64_t held)
{
	static const int64_t waits[PRISM_SYNCS] = { [PRISM_BARRIER] = STATE_BARRIER, [PRISM_JOIN] = STATE_JOIN };
	int64_t state = waiting ? waits[waiting] : held ? STATE_CRITICAL
							: 0;
	(void)(state ? emu_set(emu, SYNC_STATE, state) : emu_clear(emu, SYNC_STATE));
}

void
prismthread_wake(struct emu *emu, const struct prismmodel *d)
{
	show(emu, 0, d->step.held);
}

static void
change(struct emu *emu, const struct prism_thread *t, unsigned type)
{
	switch (type) {
	case PRISM_CREATE: (void)emu_set(emu, CHILDREN, (int64_t)t->children); return;
	case PRISM_JOIN:
	case PRISM_BARRIER:
	case PRISM_LOCK:
	case PRISM_SPIN_LOCK:
	case PRISM_UNLOCK:
	case PRISM_SPIN_UNLOCK: break;
	default: return;
	}
	(void)emu_set(emu, LOCKS, (int64_t)t->held);
	show(emu, t->waiting, t->held);
}

/* Shows the event itself, as a punctual value, and its object. */
static void
flash(struct emu *emu, struct prismmodel *d, const struct prism_sync *s)
{
	(void)emu_punctual(emu, SYNC, s->type);
	if (s->nargs && s->type != PRISM_SWAP)
		(void)emu_punctual(emu, SYNC_OBJECT, prismcxt_index(emu, &d->objects, SYNC_OBJECT, s->arg[0]));
}

void
prismthread_take(struct emu *emu, struct prismmodel *d, const struct prism_sync *s)
{
	bool has_type = s->has & PRISM_HAS_TYPE;
	if (has_type)
		change(emu, d->step.thread, s->type);
	if (has_type && d->syncs)
		flash(emu, d, s);
	if (s->type != PRISM_SWAP && d->p->options->interval == PRISM_INTERVAL_SYNC)
		prismspan_close(emu, d);
}
