/* SPDX-License-Identifier: MIT */
#include "detail.h"

#include "emu.h"

int
detail_init(struct emu *emu)
{
	if (!(emu->plan->options.outputs & OUTPUT_PERFETTO))
		return 0;
	emu->detail = arena_new(&emu->arena, struct detail, 1);
	if (!emu->detail)
		return -1;
	emu->detail->told = arena_new(&emu->arena, uint32_t, (size_t)emu->plan->sys.nthreads * emu->chans.nstacks);
	emu->detail->stack_of = arena_new(&emu->arena, uint32_t, emu->chans.ncols);
	if (!emu->detail->told || !emu->detail->stack_of)
		return -1;
	for (uint32_t col = 0; col < emu->chans.ncols; col++)
		if (emu->chans.cols[col].kind == CHAN_STACK)
			emu->detail->stack_of[col] = emu->chans.cols[col].stack + 1;
	return 0;
}

/* Counts the values of a stack, up to a depth, that differ from the one below: entering a state again shows nothing. */
static uint32_t
count_levels(const struct chan_stack *s, uint32_t depth)
{
	uint32_t n = 0;
	for (uint32_t i = 1; i <= depth; i++)
		n += s->values[i] != s->values[i - 1];
	return n;
}

/* Tells in a record how a value came to be on top. Records that stand before it are added where a row shows a stack
 * again, or several values leave it at once. Returns how many. */
static __attribute__((noinline)) size_t
tell_steps(struct emu *emu, size_t at, uint32_t *told, const struct chan_stack *s)
{
	struct feed *f = &emu->feed;
	struct record r = f->event[at];
	uint32_t levels = count_levels(s, s->depth);
	uint32_t old = *told / TOLD_LEVELS;
	*told = levels * TOLD_LEVELS + s->depth;
	r.kind = RECORD_LEVEL;
	size_t added = 0;
	for (uint32_t i = 1, n = 0; n + 1 < levels && levels > old + 1; i++) {
		bool counts = s->values[i] != s->values[i - 1];
		n += counts;
		r.value = s->values[i];
		if (counts && n > old)
			added += feed_insert(f, at + added, &r);
	}
	r.kind = RECORD_GONE;
	for (uint32_t i = levels + 1; i < old; i++)
		added += feed_insert(f, at + added, &r);
	if (f->event)
		f->event[at + added].kind = levels > old ? RECORD_ENTER : levels < old ? RECORD_LEAVE
										       : RECORD_REPLACE;
	return added;
}

/* Tells the stacks of the records of the current event from number `at` on. */
static __attribute__((noinline)) void
tell_stacks(struct emu *emu, size_t at)
{
	const struct chans *c = &emu->chans;
	struct feed *f = &emu->feed;
	for (; f->event && f->event + at < f->next; at++) {
		const struct record *r = &f->event[at];
		uint32_t stack = emu->detail->stack_of[r->col];
		if (stack == 0 || r->row >= c->nthreads || r->kind != RECORD_STATE)
			continue;
		size_t id = (size_t)r->row * c->nstacks + stack - 1;
		if (r->value == 0)
			emu->detail->told[id] = 0;
		else
			at += tell_steps(emu, at, &emu->detail->told[id], &c->stacks[id]);
	}
}

/* Fast path: the values on the stacks differ from those below, and one has come, or left. */
static void
tell_changes(struct emu *emu)
{
	const struct chans *c = &emu->chans;
	const struct feed *f = &emu->feed;
	for (struct record *r = f->event; r < f->next; r++) {
		uint32_t stack = emu->detail->stack_of[r->col];
		if (stack == 0 || r->row >= c->nthreads)
			continue;
		size_t id = (size_t)r->row * c->nstacks + stack - 1;
		uint32_t *told = &emu->detail->told[id];
		const struct chan_stack *s = &c->stacks[id];
		uint32_t now = (uint32_t)s->depth * TOLD_LEVEL;
		if (r->kind != RECORD_STATE)
			continue;
		if (r->value == 0) {
			*told = 0;
		} else if (*told == now + TOLD_LEVEL) {
			*told = now;
			r->kind = RECORD_LEAVE;
		} else if (*told == now - TOLD_LEVEL && s->values[s->depth] != s->values[s->depth - 1]) {
			*told = now;
			r->kind = RECORD_ENTER;
		} else {
			tell_stacks(emu, (size_t)(r - f->event));
			return;
		}
	}
}

static __attribute__((noinline)) void
tell_tasks(struct emu *emu)
{
	struct detail *d = emu->detail;
	for (size_t i = 0; i < d->ntasks; i++)
		feed_put_odd(&emu->feed, &d->tasks[i]);
	d->ntasks = 0;
}

void
detail_event(struct emu *emu)
{
	if (emu->feed.event)
		tell_changes(emu);
	if (emu->detail->ntasks)
		tell_tasks(emu);
}

void
detail_begin(struct emu *emu)
{
	for (uint32_t col = 0; col < emu->chans.ncols; col++)
		for (const struct late_label *l = emu->labels[col].first; l; l = l->next)
			detail_label(emu, col, &l->label);
}

void
detail_stack(struct emu *emu, uint32_t thread, uint32_t col)
{
	size_t id = (size_t)thread * emu->chans.nstacks + emu->chans.cols[col].stack;
	const struct chan_stack *s = &emu->chans.stacks[id];
	uint32_t levels = count_levels(s, s->depth);
	struct record r = { .time = emu->time, .row = thread, .col = (uint16_t)col, .kind = RECORD_LEVEL, .chan = thread * emu->feed.ncols + col };
	emu->detail->told[id] = levels * TOLD_LEVELS + s->depth;
	for (uint32_t i = 1, n = 0; n + 1 < levels; i++) {
		r.value = s->values[i];
		if (r.value != s->values[i - 1] && ++n)
			feed_put_odd(&emu->feed, &r);
	}
	feed_put(&emu->feed, emu->time, thread, col, s->values[s->depth]);
	emu->feed.next[-1].kind = RECORD_ENTER;
}

void
detail_task(struct emu *emu, uint32_t task, bool executed)
{
	struct detail *d = emu->detail;
	if (emu->time < emu->watch_at) /* nothing is told yet */
		return;
	if (!arena_grow(&emu->arena, &d->tasks, d->ntasks, &d->cap, sizeof(*d->tasks))) {
		(void)emu_no_memory(emu);
		return;
	}
	d->tasks[d->ntasks++] = (struct record){
		.time = emu->time,
		.value = task,
		.row = emu->thread,
		.col = (uint16_t)(emu->cur - emu->models),
		.kind = RECORD_TASK,
		.before = executed,
	};
}

void
detail_label(struct emu *emu, uint32_t col, const struct label *label)
{
	if (!emu->detail || !emu->feed.next)
		return;
	const struct record r = { .time = emu->time, .label = label, .col = (uint16_t)col, .kind = RECORD_LABEL };
	feed_put_odd(&emu->feed, &r);
}
