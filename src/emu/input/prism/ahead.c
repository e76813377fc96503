/* SPDX-License-Identifier: MIT */
/* ahead: finds calls of functions that return too soon to be shown (--prism-min-time).
 *
 * Each stream is read a second time, ahead of its current event and in the same window, so pipes work as files do. In front
 * of the enter of a function this goes on until the call has returned, or the time has passed, or the window holds
 * AHEAD_HELD bytes of the call. */
#include "parts.h"

#include "arena.h"

#include <string.h>

enum {
	AHEAD_HELD = 1024 * 1024,
	AHEAD_CALLS = 64, /* at first; a power of two */
};

/* A call whose enter is ahead of the current event. */
struct call {
	uint64_t seq;    /* of its enter in the stream, */
	uint64_t offset; /* where that ends, */
	uint64_t clock;  /* and when it is */
	const struct prism_stack *stack;
	uint32_t depth; /* its frame in the stack */
	bool pending;   /* it is not known how long it takes */
	bool brief;
};

/* Calls have numbers that wrap; that of a call is in its frame. */
struct prismahead {
	struct prismread in;
	struct prismclock time;
	struct prism_event ev;
	struct prism_machine machine; /* of one stream; the calls of its frames */
	uint64_t min;                 /* ns */
	bool ended;
	struct call *calls; /* a ring */
	uint32_t cap;
	uint32_t first;     /* the oldest that is ahead, */
	uint32_t undecided; /* and that may be pending */
	uint32_t end;
};

/* ---- Calls. ---- */

static struct call *
get(const struct prismahead *a, uint32_t number)
{
	return &a->calls[number & (a->cap - 1)];
}

static int
add(struct prismahead *a, struct diag *d, struct prism_stack *k)
{
	if (a->end - a->first == a->cap) {
		uint32_t cap = a->cap ? a->cap * 2 : AHEAD_CALLS;
		struct call *calls = block_alloc(cap * sizeof(*calls));
		if (!calls)
			return diag_no_memory(d);
		for (uint32_t i = a->first; i != a->end; i++)
			calls[i & (cap - 1)] = *get(a, i);
		block_free(a->calls);
		a->calls = calls;
		a->cap = cap;
	}
	*get(a, a->end) = (struct call){ .seq = a->in.seq - 1, .offset = a->in.offset, .clock = a->time.now, .stack = k, .depth = k->n - 1, .pending = true };
	k->frames[k->n - 1].user = a->end++;
	return 0;
}

/* The call of a frame that was left is brief, if it is still pending. Numbers of frames may be those of newer calls, too, but
 * only one pending call has that place in that stack. */
static void
leave(struct prismahead *a, const struct prism_stack *k, uint32_t depth)
{
	uint32_t number = k->frames[depth].user;
	struct call *c = number - a->undecided < a->end - a->undecided ? get(a, number) : NULL;
	if (!c || !c->pending || c->stack != k || c->depth != depth)
		return;
	c->pending = false;
	c->brief = true;
}

/* Decides which calls have lasted long enough: all of them at the end. */
static void
judge(struct prismahead *a)
{
	for (; a->undecided != a->end; a->undecided++) {
		struct call *c = get(a, a->undecided);
		if (c->pending && !a->ended && a->time.now - c->clock < a->min && a->in.offset - c->offset <= AHEAD_HELD)
			return;
		c->pending = false;
	}
}

/* ---- Events. ---- */

static int
take(struct prismahead *a, const struct prism_file *f)
{
	struct diag *d = f->bytes->pool->diag;
	char name[PRISM_NAME_MAX];
	struct prism_step step;
	int timed = prismclock_take(&a->time, &a->ev);
	if (timed < 0)
		return timed;
	int named = prismfile_name(f, &a->ev, name);
	if (named < 0)
		return named;
	a->ended = !named || timed == PRISM_PT01 || timed == PRISM_E_VALUE;
	judge(a);
	if (a->ended)
		return 0;
	if (prism_machine_step(&a->machine, 0, &a->ev, &step) < 0)
		return diag_no_memory(d);
	if (!step.stack || step.stack != &step.thread->stacks[PRISM_FUNCTIONS])
		return 0;
	for (uint32_t i = 0; i < step.popped; i++)
		leave(a, step.stack, step.stack->n + i);
	return step.pushed ? add(a, d, step.stack) : 0;
}

/* Reads an event ahead, or more bytes. What is wrong is told when it is the current event. */
static int
go_on(struct prism_stream *s, struct prismahead *a)
{
	const struct reader *r = s->file.bytes;
	uint64_t far = a->in.offset - s->file.in.offset;
	size_t used;
	int rc = prismread_next(&a->in, r->p + far, (size_t)(r->end - r->p - (ptrdiff_t)far), r->eof, &used, &a->ev);
	if (rc > 0)
		return take(a, &s->file);
	a->ended = rc < 0 || a->in.ended;
	judge(a);
	if (a->ended)
		return 0;
	/* The window need not keep what lies between two buffers when no event is ahead. */
	struct prism_got got;
	if (a->in.seq == s->file.in.seq)
		prismfile_try(&s->file, &got);
	return prismfile_more(&s->file);
}

int
prismahead_look(struct prism_stream *s)
{
	struct prismahead *a = s->ahead;
	uint64_t seq = s->file.in.seq;
	while (!a->ended && (a->in.seq <= seq || (a->first != a->end && get(a, a->first)->pending && get(a, a->first)->seq == seq))) {
		int rc = go_on(s, a);
		if (rc < 0)
			return rc;
	}
	bool mine = a->first != a->end && get(a, a->first)->seq == seq;
	s->file.rec.brief = mine && get(a, a->first)->brief;
	a->first += mine;
	return 0;
}

/* ---- Begin and end. ---- */

int
prismahead_open(struct prism *p, uint32_t n)
{
	struct prism_stream *s = &p->streams[n];
	const struct prism_source *from = s->source;
	struct prismahead *a = s->ahead = arena_new(&p->trace->arena, struct prismahead, 1);
	struct prism_step step;
	if (!a)
		return diag_no_memory(p->trace->diag);
	a->min = p->options->min_ns;
	a->in = s->file.in;
	/* Lenient: threads may come from other streams. */
	if (prism_machine_begin(&a->machine, 1, true) < 0)
		return diag_no_memory(p->trace->diag);
	a->machine.no_totals = true;
	prism_machine_stream(&a->machine, 0, (uint32_t)from->process, &from->settings);
	if (from->first_thread && prism_machine_start(&a->machine, 0, from->first_thread, &step) < 0)
		return diag_no_memory(p->trace->diag);
	return prismclock_open(&a->time, from->clock, from->start, from->tick_ns, &p->trace->readers, from->timestamps,
		from->timestamps ? prismfiles_name(p->trace->dir, from->timestamps) : NULL);
}

void
prismahead_close(struct prism_stream *s)
{
	if (!s->ahead)
		return;
	prism_machine_finish(&s->ahead->machine);
	prismclock_close(&s->ahead->time);
	block_free(s->ahead->calls);
	s->ahead->calls = NULL;
}
