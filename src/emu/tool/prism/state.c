/* SPDX-License-Identifier: MIT */
/* state: threads, frames and locks, as the machine has them. */
#include "scope.h"
#include "prism/names.h"

/* ---- Threads. ---- */

/* The oldest child that has not come; 0: there is none. */
static uint32_t
take_parent(struct ptscope *u)
{
	struct ps_child *c = u->children;
	if (!c)
		return 0;
	u->children = c->next;
	return c->parent;
}

/* parent: id of the thread that has created it; 0: not known. */
static int
add_thread(struct ptscope *u, struct prism_thread *t, uint32_t parent)
{
	struct ps_thread *mine = t->user = arena_new(&u->arena, struct ps_thread, 1);
	if (!mine)
		return conv_no_memory(&u->tool->conv);
	mine->slot = conv_slots_take(&u->thread_slots);
	ptscope_set(u, PS_THREADS, mine->slot, PS_THREAD_TID, t->id);
	ptscope_set(u, PS_THREADS, mine->slot, PS_THREAD_PROCESS, t->process);
	ptscope_set(u, PS_THREADS, mine->slot, PS_THREAD_DEPTH, 0);
	ptscope_set(u, PS_THREADS, mine->slot, PS_THREAD_FUNCTION, 0);
	ptscope_set(u, PS_THREADS, mine->slot, PS_THREAD_LOCKS, 0);
	ptscope_set(u, PS_THREADS, mine->slot, PS_THREAD_PARENT, parent);
	return 0;
}

static void
set_state(struct ptscope *u, const struct prism_thread *t, enum ps_state state)
{
	ptscope_set(u, PS_THREADS, ptscope_slot(t), PS_THREAD_STATE, state);
	ptscope_set(u, PS_THREADS, ptscope_slot(t), PS_THREAD_CPU, t->on ? t->on->number : PS_NOWHERE);
}

/* The highest first: an id that cannot be (PM05) is found before where its thread runs (PM04). */
static int
tell_issues(struct ptscope *u, const struct ps_stream *s)
{
	int rc = 0;
	for (int code = PRISM_PM06; code >= PRISM_PM01 && rc == 0; code--)
		if (u->step.issues & 1U << code)
			rc = ptool_issue(u->tool, s->in->source.name, s->in->file.in.at, code);
	return rc;
}

int
ptstate_take(struct ptscope *u, struct ps_stream *s, const struct prism_event *ev)
{
	struct prism_step *step = &u->step;
	int rc = ev ? prism_machine_step(&u->machine, s->number, ev, step)
		    : prism_machine_start(&u->machine, s->number, s->in->source.first_thread, step);
	if (rc == -PRISM_E_MEMORY)
		return conv_no_memory(&u->tool->conv);
	rc = step->issues ? tell_issues(u, s) : 0;
	if (rc == 0 && step->is_new)
		rc = add_thread(u, step->thread, step->selects ? take_parent(u) : 0);
	if (rc < 0)
		return rc;
	if (step->paused)
		set_state(u, step->paused, PS_PAUSED);
	if (step->switched)
		set_state(u, step->thread, PS_RUNNING);
	return 0;
}

void
ptstate_end(struct ptscope *u, const struct ps_stream *s)
{
	for (uint32_t i = prism_machine_nthreads(&u->machine); i-- > 0;) {
		struct prism_thread *t = prism_machine_thread(&u->machine, i);
		if (t->last != s->core)
			continue;
		prism_machine_end(t);
		set_state(u, t, PS_DEAD);
	}
}

/* ---- Frames. ---- */

static void
show_function(struct ptscope *u)
{
	uint16_t slot = ptscope_slot(u->step.thread);
	const struct prism_stack *k = u->step.stack;
	uint64_t depth = k->n + k->deeper;
	struct prism_name *top = k->n ? k->frames[k->n - 1].name : NULL;
	ptscope_set(u, PS_THREADS, slot, PS_THREAD_DEPTH, depth < UINT16_MAX ? depth : UINT16_MAX);
	ptscope_set(u, PS_THREADS, slot, PS_THREAD_FUNCTION, top ? ptscope_string(u, top) : 0);
}

void
ptstate_cxt(struct ptscope *u, const struct ps_stream *s, const struct prism_cxt *c)
{
	struct prism_step *step = &u->step;
	struct prism_stack *k = step->stack;
	if (!k)
		return;
	if (step->pushed) {
		uint16_t slot = conv_slots_take(&u->frame_slots);
		k->frames[k->n - 1].user = slot;
		ptscope_set(u, PS_FRAMES, slot, PS_FRAME_THREAD, ptscope_slot(step->thread));
		ptscope_set(u, PS_FRAMES, slot, PS_FRAME_DEPTH, k->n);
		ptscope_set(u, PS_FRAMES, slot, PS_FRAME_KIND, c->type);
		ptscope_set(u, PS_FRAMES, slot, PS_FRAME_NAME, step->name ? ptscope_string(u, step->name) : 0);
		ptscope_set(u, PS_FRAMES, slot, PS_FRAME_SEQ, s->in->file.in.seq - 1);
	}
	for (uint32_t i = step->popped; i-- > 0;) {
		uint16_t slot = (uint16_t)k->frames[k->n + i].user;
		if (slot == CONV_NO_SLOT)
			continue;
		uscope_slot_clear(u->file.w, PS_FRAMES, slot);
		conv_slots_give(&u->frame_slots, slot);
	}
	if (prism_stack_of(c->type) == PRISM_FUNCTIONS)
		show_function(u);
}

/* ---- Locks. ---- */

static void
show_lock(struct ptscope *u, struct prism_lock *l)
{
	if (u->step.released) {
		ptscope_set(u, PS_LOCKS, (uint16_t)l->user, PS_LOCK_OWNER, PS_NOWHERE);
		return;
	}
	if (l->acquisitions == 1) {
		l->user = conv_slots_take(&u->lock_slots);
		ptscope_set(u, PS_LOCKS, (uint16_t)l->user, PS_LOCK_OBJECT, l->object);
	}
	ptscope_set(u, PS_LOCKS, (uint16_t)l->user, PS_LOCK_OWNER, ptscope_slot(l->owner));
	ptscope_set(u, PS_LOCKS, (uint16_t)l->user, PS_LOCK_ACQUISITIONS, l->acquisitions);
}

static int
add_child(struct ptscope *u, uint32_t parent)
{
	struct ps_child *c = arena_new(&u->arena, struct ps_child, 1);
	if (!c)
		return conv_no_memory(&u->tool->conv);
	c->parent = parent;
	if (u->children)
		u->last_child->next = c;
	else
		u->children = c;
	u->last_child = c;
	return 0;
}

int
ptstate_sync(struct ptscope *u, const struct prism_sync *e)
{
	const struct prism_thread *t = u->step.thread;
	bool locks = e->type == PRISM_LOCK || e->type == PRISM_SPIN_LOCK;
	if (u->step.lock && (locks || u->step.released))
		show_lock(u, u->step.lock);
	if (t->held != u->step.held)
		ptscope_set(u, PS_THREADS, ptscope_slot(t), PS_THREAD_LOCKS, t->held < UINT16_MAX ? t->held : UINT16_MAX);
	return e->type == PRISM_CREATE ? add_child(u, t->id) : 0;
}
