/* SPDX-License-Identifier: MIT */
/* ends: events that a thread would have emitted to end well. */
#include "fix.h"

#include "task.h"
#include "wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Streams must begin within an hour of each other. */
#define BEGIN_WITHIN_NS (INT64_C(59) * 60 * 1000000000)

struct ending {
	struct fix *fix;
	struct emu *emu;
	uint32_t thread;
	const struct stream *stream;
	struct fix_stream *fs;
	int64_t clock; /* of the stream */
};

static int
append(struct ending *e, const void *bytes, size_t n)
{
	struct fix_stream *fs = e->fs;
	while (fs->cap - fs->nends < n)
		if (!arena_grow(&e->fix->arena, &fs->ends, fs->cap, &fs->cap, 1))
			return diag_no_memory(e->fix->diag);
	if (n)
		memcpy(fs->ends + fs->nends, bytes, n);
	fs->nends += n;
	return 0;
}

/* Lets the thread emit an event. Returns 1, 0 when the emulator does not take it, <0 (reported). */
static int
emit(struct ending *e, const char *mcv, const void *payload, uint32_t n)
{
	struct diag *d = e->emu->diag;
	enum diag_level level = d->level;
	unsigned errors = d->errors;
	struct event ev = {
		.clock = e->emu->plan->start + e->emu->time,
		.payload = payload,
		.size = n,
		.length = WIRE_EVENT_HEADER + n,
		.stream = e->stream->rank,
	};
	memcpy(ev.mcv, mcv, sizeof(ev.mcv));
	d->level = DIAG_MUTE;
	int rc = emu_apply(e->emu, &ev);
	d->level = level;
	if (rc < 0) {
		d->errors = errors;
		return rc == -ERR_MEMORY ? diag_no_memory(d) : 0;
	}
	const uint8_t flags = (uint8_t)(n ? n - 1 : 0);
	rc = append(e, &flags, 1);
	if (rc == 0)
		rc = append(e, mcv, 3);
	if (rc == 0)
		rc = append(e, &e->clock, sizeof(e->clock));
	if (rc == 0)
		rc = append(e, payload, n);
	e->fs->letters[(uint8_t)mcv[0] / 64] |= UINT64_C(1) << mcv[0] % 64;
	return rc < 0 ? rc : 1;
}

/* The event that leaves a state; NULL: none does. */
static const char *
leaves(const struct ending *e, uint32_t col, int64_t value)
{
	const struct col *k = &e->emu->plan->cols[col];
	for (size_t i = 0; i < k->model->nstates; i++) {
		const struct state_decl *st = &k->model->states[i];
		if (&k->model->chans[st->chan] == k->decl && st->value == value && st->leave)
			return st->leave;
	}
	return NULL;
}

/* Ends the task on top of the stack of the thread. */
static int
end_task(struct ending *e, const struct model_part *part)
{
	const struct model *m = part->model;
	const struct body *b = m->tasks ? part->task_stacks[e->thread].top : NULL;
	const char end[] = { m->id, 'T', 'e', 0 };
	const char resume[] = { m->id, 'T', 'r', 0 };
	const struct op *op = dispatch_find(&e->emu->plan->dispatch, (const uint8_t *)end);
	if (!b || !op)
		return 0;
	const uint32_t args[2] = { b->task->id, b->task->flags & TASK_PARALLEL ? b->face.id : 0 };
	uint32_t n = op->sizes[false].min < sizeof(args) ? op->sizes[false].min : sizeof(args);
	int rc = b->state == BODY_PAUSED ? emit(e, resume, args, n) : 1;
	return rc <= 0 ? rc : emit(e, end, args, n);
}

/* Leaves all states of a stack that has to be empty. */
static int
drain(struct ending *e, uint32_t col)
{
	const struct plan *plan = e->emu->plan;
	size_t i = 0;
	while (i < plan->nmodels && plan->models[i].model != plan->cols[col].model)
		i++;
	int rc = 1;
	for (uint32_t depth; rc > 0 && (depth = chan_depth(&e->emu->chans, e->thread, col)) > 0;) {
		const char *leave = leaves(e, col, e->emu->chans.value[chan_id(&e->emu->chans, e->thread, col)]);
		rc = leave ? emit(e, leave, NULL, 0) : end_task(e, &e->emu->models[i]);
		if (rc > 0 && chan_depth(&e->emu->chans, e->thread, col) >= depth)
			rc = 0;
	}
	return rc;
}

/* A thread that waits is resumed in the virtual CPU: another one may run in its own. */
static int
wake(struct ending *e)
{
	static const int32_t nowhere = -1;
	const struct thread_run *t = &e->emu->threads[e->thread];
	int rc = 1;
	if (!(t->has & NEED_IN_CPU))
		rc = emit(e, "KCI", NULL, 0);
	if (rc >= 0 && t->state == TH_COOLING)
		rc = emit(e, "OHp", NULL, 0);
	if (rc >= 0 && t->state == TH_PAUSED)
		rc = emit(e, "OHw", NULL, 0);
	if (rc >= 0 && t->state == TH_WARMING && t->cpu != e->emu->plan->sys.threads[e->thread].virtual_cpu)
		rc = emit(e, "OAs", &nowhere, sizeof(nowhere));
	return rc >= 0 && t->state == TH_WARMING ? emit(e, "OHr", NULL, 0) : rc;
}

/* The clock of the ends of a thread: behind all events of its loom, whatever their order is when clocks are equal. */
static int64_t
end_of(const struct fix *f, const struct fix_loom *l, const struct stream *s, bool alone)
{
	const struct emu *emu = &f->emu;
	if (l->last < 0)
		return emu->plan->start + emu->time - s->clock_offset;
	if (alone && emu->time > BEGIN_WITHIN_NS)
		return l->first;
	return l->last < INT64_MAX ? l->last + 1 : l->last;
}

int
fix_end_thread(struct fix *f, uint32_t thread)
{
	struct emu *emu = &f->emu;
	const struct thread *th = &emu->plan->sys.threads[thread];
	const struct stream *s = &emu->plan->trace.streams[th->stream];
	struct ending e = { f, emu, thread, s, &f->streams[th->stream], 0 };
	static const struct {
		int32_t cpu, creator;
		uint64_t tag;
	} nowhere = { -1, -1, 0 };
	enum thread_state was = emu->threads[thread].state;
	if (was == TH_DEAD || (was == TH_UNKNOWN && f->stays_open)) /* it may be moved, which nobody may be who has ended */
		return 0;
	e.clock = end_of(f, &f->looms[emu->plan->sys.procs[th->proc].loom], s, was == TH_UNKNOWN);
	int rc = wake(&e);
	if (rc >= 0 && was == TH_UNKNOWN)
		rc = emit(&e, "OHx", &nowhere, sizeof(nowhere));
	for (uint32_t col = NBASE; col < emu->plan->ncols && rc >= 0; col++)
		if (emu->plan->cols[col].decl->drained && emu->plan->cols[col].kind == CHAN_STACK)
			rc = drain(&e, col);
	if (rc >= 0 && e.fs->in_region)
		rc = emit(&e, "OU]", NULL, 0);
	if (rc >= 0)
		rc = emit(&e, "OHe", NULL, 0);
	if (rc < 0 || !e.fs->nends)
		return rc < 0 ? rc : 0;
	if (e.fs->in_region)
		fix_note(f, REPAIR_REGION, s, "the region of late events that thread %d has begun ends, too: ovnisort takes it then", th->tid);
	if (was == TH_UNKNOWN)
		fix_note(f, REPAIR_NEVER, s, "thread %d never executed: it does in the virtual CPU for an instant, at clock %" PRId64, th->tid, e.clock);
	else
		fix_note(f, REPAIR_END, s, "thread %d does not end: it does at clock %" PRId64 ", behind the last event", th->tid, e.clock);
	e.fs->stream = true;
	return 0;
}
