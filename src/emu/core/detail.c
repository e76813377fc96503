/* SPDX-License-Identifier: MIT */
#include "detail.h"

#include "emu.h"

int
detail_init(struct emu *emu)
{
	if (!(emu->plan->options.outputs & OUTPUT_PERFETTO))
		return 0;
	emu->detail = arena_new(&emu->arena, struct detail, 1);
	if (emu->detail)
		emu->detail->told = arena_new(&emu->arena, struct told, (size_t)emu->plan->sys.nthreads * emu->chans.nstacks);
	return emu->detail && emu->detail->told ? 0 : -1;
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
tell_steps(struct emu *emu, size_t at, struct told *told, const struct chan_stack *s)
{
	struct feed *f = &emu->feed;
	struct record r = f->event[at];
	uint32_t levels = count_levels(s, s->depth);
	uint32_t old = told->levels;
	*told = (struct told){ s->depth, (uint16_t)levels };
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

static void
tell_stacks(struct emu *emu)
{
	const struct chans *c = &emu->chans;
	struct feed *f = &emu->feed;
	for (size_t i = 0; f->event && f->event + i < f->next; i++) {
		const struct record *r = &f->event[i];
		if (r->kind != RECORD_STATE || r->row >= c->nthreads || c->cols[r->col].kind != CHAN_STACK)
			continue;
		size_t id = (size_t)r->row * c->nstacks + c->cols[r->col].stack;
		struct told *told = &emu->detail->told[id];
		const struct chan_stack *s = &c->stacks[id];
		uint16_t depth = s->depth;
		bool enters = depth == told->depth + 1 && s->values[depth] != s->values[depth - 1];
		bool plain = told->levels == told->depth && (enters || depth + 1 == told->depth);
		if (r->value == 0) {
			*told = (struct told){ 0 };
		} else if (!plain) {
			i += tell_steps(emu, i, told, s);
		} else { /* fast path: all values differed from those below, so one has come, or left */
			f->event[i].kind = enters ? RECORD_ENTER : RECORD_LEAVE;
			*told = (struct told){ depth, depth };
		}
	}
}

void
detail_event(struct emu *emu)
{
	struct detail *d = emu->detail;
	if (emu->chans.nstacks)
		tell_stacks(emu);
	for (size_t i = 0; i < d->ntasks; i++)
		feed_put_odd(&emu->feed, &d->tasks[i]);
	d->ntasks = 0;
}

void
detail_task(struct emu *emu, uint32_t task, bool executed)
{
	struct detail *d = emu->detail;
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
