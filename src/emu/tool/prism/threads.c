/* SPDX-License-Identifier: MIT */
/* threads: which thread runs in each stream. */
#include "scope.h"

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

/* A new thread; it will run at once. */
static void
set_thread(struct ptscope *u, struct ps_thread *t, uint32_t process, uint32_t parent)
{
	t->slot = conv_slots_take(&u->thread_slots);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_TID, t->tid);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_PROCESS, process);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_DEPTH, 0);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_FUNCTION, 0);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_LOCKS, 0);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_PARENT, parent);
}

static uint64_t
key_of(uint32_t process, uint32_t tid)
{
	return (uint64_t)process << 32 | tid;
}

/* The thread of an id in the process of the stream, a new one if need be; NULL: no memory
 * (reported). created: it may be a child of another. */
static struct ps_thread *
get_thread(struct ptscope *u, const struct ps_stream *s, uint32_t tid, bool created)
{
	uint32_t process = (uint32_t)s->in->source.process;
	struct idmap_slot *slot = idmap_slot(&u->threads, &u->arena, key_of(process, tid));
	if (slot && slot->value)
		return slot->value;
	struct ps_thread *t = slot ? arena_new(&u->arena, struct ps_thread, 1) : NULL;
	if (!t) {
		(void)conv_no_memory(&u->tool->conv);
		return NULL;
	}
	slot->value = t;
	t->tid = tid;
	t->next = u->all;
	u->all = t;
	set_thread(u, t, process, created ? take_parent(u) : 0);
	return t;
}

static void
set_state(struct ptscope *u, struct ps_thread *t, enum ps_state state, const struct ps_stream *s)
{
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_STATE, state);
	ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_CPU, s ? s->number : PS_NOWHERE);
}

/* The stream goes on with that thread. */
static int
switch_to(struct ptscope *u, struct ps_stream *s, struct ps_thread *t)
{
	struct ps_thread *old = s->thread;
	if (!t)
		return -1;
	if (old == t && t->stream == s)
		return 0;
	if (t->stream && t->stream != s) {
		int rc = ptscope_issue(u, s, PRISM_PM04);
		if (rc < 0)
			return rc;
	}
	if (old && old->stream == s) {
		old->stream = NULL;
		set_state(u, old, PS_PAUSED, NULL);
	}
	s->thread = t;
	t->stream = s;
	t->last = s;
	set_state(u, t, PS_RUNNING, s);
	return 0;
}

/* In the place of an id that no thread can have, the same for the same one of a process. 0: no
 * memory (reported). */
static uint32_t
fresh_id(struct ptscope *u, uint32_t process, uint64_t id)
{
	struct idmap_slot *of = idmap_slot(&u->fresh, &u->arena, process);
	if (of && !of->value)
		of->value = arena_new(&u->arena, struct ps_fresh, 1);
	struct ps_fresh *f = of ? of->value : NULL;
	struct idmap_slot *slot = f ? idmap_slot(&f->ids, &u->arena, id) : NULL;
	if (slot && !slot->value) {
		uint32_t *tid = arena_new(&u->arena, uint32_t, 1);
		slot->value = tid;
		if (tid) {
			while (idmap_find(&u->threads, key_of(process, PRISM_FRESH + f->n)))
				f->n++;
			*tid = PRISM_FRESH + f->n++;
		}
	}
	if (slot && slot->value)
		return *(uint32_t *)slot->value;
	(void)conv_no_memory(&u->tool->conv);
	return 0;
}

static int
switch_to_fresh(struct ptscope *u, struct ps_stream *s, uint64_t id)
{
	int rc = ptscope_issue(u, s, PRISM_PM05);
	uint32_t tid = rc < 0 ? 0 : fresh_id(u, (uint32_t)s->in->source.process, id);
	return tid ? switch_to(u, s, get_thread(u, s, tid, true)) : -1;
}

int
ptthread_begin(struct ptscope *u, struct ps_stream *s)
{
	uint32_t tid = s->in->source.first_thread;
	return tid ? switch_to(u, s, get_thread(u, s, tid, false)) : 0;
}

int
ptthread_find(struct ptscope *u, struct ps_stream *s, const struct prism_event *ev)
{
	uint64_t id;
	if (ev->kind == PRISM_CFG || ev->kind == PRISM_END)
		return 0;
	if (!prism_selects(ev, &id))
		return s->thread ? 0 : switch_to(u, s, get_thread(u, s, PRISM_NO_THREAD + s->number, false));
	if (!prism_is_thread(id))
		return switch_to_fresh(u, s, id);
	return switch_to(u, s, get_thread(u, s, (uint32_t)id, true));
}

int
ptthread_create(struct ptscope *u, struct ps_stream *s)
{
	struct ps_child *c = arena_new(&u->arena, struct ps_child, 1);
	if (!c)
		return conv_no_memory(&u->tool->conv);
	c->parent = s->thread->tid;
	if (u->children)
		u->last_child->next = c;
	else
		u->children = c;
	u->last_child = c;
	return 0;
}

void
ptthread_end(struct ptscope *u, struct ps_stream *s)
{
	for (struct ps_thread *t = u->all; t; t = t->next) {
		if (t->last != s || (t->stream && t->stream != s))
			continue;
		t->stream = NULL;
		t->last = NULL;
		set_state(u, t, PS_DEAD, NULL);
	}
}
