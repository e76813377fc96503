/* SPDX-License-Identifier: MIT */
/* sync: synchronization: critical sections, waits, and what they are about. */
#include "parts.h"

enum {
	MUTEX,
	SPIN,
};

static const char *const lock_names[] = { "mutex", "spin lock" };

/* ---- Locks. ---- */

/* Those whose object is not shown are counted only. */
static int
lock(struct emu *emu, struct prism_thread *t, int kind, const struct prism_sync *s)
{
	t->held++;
	if (!s->nargs) {
		t->unnamed++;
		return 0;
	}
	struct idmap_slot *slot = idmap_slot(&t->locks[kind], &emu->arena, prismmodel_key(t, s->arg[0]));
	if (slot && !slot->value)
		slot->value = arena_new(&emu->arena, struct prism_lock, 1);
	if (!slot || !slot->value)
		return diag_no_memory(emu->diag);
	((struct prism_lock *)slot->value)->held++;
	return 0;
}

/* One of unknown object may be any. */
static int
unlock(struct prismmodel *d, struct prism_thread *t, int kind, const struct prism_sync *s)
{
	struct prism_lock *l = s->nargs ? idmap_find(&t->locks[kind], prismmodel_key(t, s->arg[0])) : NULL;
	if (l && l->held)
		l->held--;
	else if (t->unnamed)
		t->unnamed--;
	else if (s->nargs)
		return prismmodel_issue(d, PRISM_PM03, "unlock of the %s %#llx, which it does not hold", lock_names[kind], (unsigned long long)s->arg[0]);
	else if (!t->held)
		return prismmodel_issue(d, PRISM_PM03, "unlock, but it holds none");
	t->held -= t->held != 0;
	return 0;
}

/* ---- State. ---- */

static int
show(struct emu *emu, const struct event *ev, const struct prism_thread *t)
{
	int64_t state = t->waiting ? t->waiting : t->held ? STATE_CRITICAL
							  : 0;
	return state ? emu_set(emu, ev, SYNC_STATE, state) : emu_clear(emu, ev, SYNC_STATE);
}

int
prismsync_wake(struct emu *emu, const struct event *ev, struct prism_thread *t)
{
	if (!t->waiting)
		return 0;
	t->waiting = 0;
	return show(emu, ev, t);
}

static int
change(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s)
{
	struct prism_thread *t = d->thread;
	int rc = 0;
	switch (s->type) {
	case PRISM_CREATE: return emu_set(emu, ev, CHILDREN, ++t->nchildren);
	case PRISM_JOIN: t->waiting = STATE_JOIN; break;
	case PRISM_BARRIER: t->waiting = STATE_BARRIER; break;
	case PRISM_LOCK: rc = lock(emu, t, MUTEX, s); break;
	case PRISM_SPIN_LOCK: rc = lock(emu, t, SPIN, s); break;
	case PRISM_UNLOCK: rc = unlock(d, t, MUTEX, s); break;
	case PRISM_SPIN_UNLOCK: rc = unlock(d, t, SPIN, s); break;
	default: return 0;
	}
	if (rc == 0)
		rc = emu_set(emu, ev, LOCKS, (int64_t)t->held);
	return rc < 0 ? rc : show(emu, ev, t);
}

/* The event itself, and its object. */
static int
flash(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s)
{
	int rc = emu_punctual(emu, ev, SYNC, s->type);
	if (rc < 0 || !s->nargs || s->type == PRISM_SWAP)
		return rc;
	uint32_t object = prismmodel_index(emu, &d->objects, s->arg[0]);
	return object ? emu_punctual(emu, ev, SYNC_OBJECT, object) : -ERR_MEMORY;
}

int
prismsync_take(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s)
{
	bool swap = s->type == PRISM_SWAP;
	int rc = s->has & PRISM_HAS_TYPE ? change(emu, ev, d, s) : 0;
	if (rc == 0 && d->syncs && s->has & PRISM_HAS_TYPE)
		rc = flash(emu, ev, d, s);
	d->thread->total.n[PRISMTOTAL_SYNCS] += !swap;
	d->core->total.n[PRISMTOTAL_SYNCS] += !swap;
	if (rc == 0 && !swap && d->p->options->interval == PRISM_INTERVAL_SYNC)
		rc = prismspan_close(emu, ev, d);
	return rc;
}
