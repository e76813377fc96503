/* SPDX-License-Identifier: MIT */
/* locks: mutexes and spin locks, and who holds them. */
#include "scope.h"

enum {
	MUTEX,
	SPIN,
};

/* The value of a key, a new one of `size` bytes if need be; NULL: no memory (reported). */
static void *
get(struct ptscope *u, struct idmap *m, uint64_t key, size_t size, bool *is_new)
{
	struct idmap_slot *slot = idmap_slot(m, &u->arena, key);
	*is_new = slot && !slot->value;
	if (*is_new)
		slot->value = arena_alloc(&u->arena, 1, size);
	if (slot && slot->value)
		return slot->value;
	(void)conv_no_memory(&u->tool->conv);
	return NULL;
}

/* Those whose object is not shown are counted only. */
static int
lock(struct ptscope *u, struct ps_thread *t, int kind, const struct prism_sync *ev)
{
	bool is_new;
	t->held++;
	if (!ev->nargs) {
		t->unnamed++;
		return 0;
	}
	struct ps_held *h = get(u, &t->locks[kind], ev->arg[0], sizeof(*h), &is_new);
	struct ps_lock *l = h ? get(u, &u->locks[kind], ev->arg[0], sizeof(*l), &is_new) : NULL;
	if (!l)
		return -1;
	h->n++;
	if (is_new) {
		l->slot = conv_slots_take(&u->lock_slots);
		ptscope_set(u, PS_LOCKS, l->slot, PS_LOCK_OBJECT, ev->arg[0]);
	}
	l->owner = t;
	ptscope_set(u, PS_LOCKS, l->slot, PS_LOCK_OWNER, t->slot);
	ptscope_set(u, PS_LOCKS, l->slot, PS_LOCK_ACQUISITIONS, ++l->acquisitions);
	return 0;
}

/* One of unknown object may be any. */
static int
unlock(struct ptscope *u, struct ps_stream *s, int kind, const struct prism_sync *ev)
{
	struct ps_thread *t = s->thread;
	struct ps_held *h = ev->nargs ? idmap_find(&t->locks[kind], ev->arg[0]) : NULL;
	if (h && h->n) {
		struct ps_lock *l = idmap_find(&u->locks[kind], ev->arg[0]);
		h->n--;
		if (h->n == 0 && l->owner == t) {
			l->owner = NULL;
			ptscope_set(u, PS_LOCKS, l->slot, PS_LOCK_OWNER, PS_NOWHERE);
		}
	} else if (t->unnamed) {
		t->unnamed--;
	} else if (ev->nargs || !t->held) {
		return ptscope_issue(u, s, PRISM_PM03);
	}
	t->held -= t->held != 0;
	return 0;
}

int
ptlock_take(struct ptscope *u, struct ps_stream *s, const struct prism_sync *ev)
{
	struct ps_thread *t = s->thread;
	uint64_t before = t->held;
	int rc = 0;
	switch (ev->type) {
	case PRISM_LOCK: rc = lock(u, t, MUTEX, ev); break;
	case PRISM_SPIN_LOCK: rc = lock(u, t, SPIN, ev); break;
	case PRISM_UNLOCK: rc = unlock(u, s, MUTEX, ev); break;
	case PRISM_SPIN_UNLOCK: rc = unlock(u, s, SPIN, ev); break;
	default: return 0;
	}
	if (rc == 0 && t->held != before)
		ptscope_set(u, PS_THREADS, t->slot, PS_THREAD_LOCKS, t->held < UINT16_MAX ? t->held : UINT16_MAX);
	return rc;
}
