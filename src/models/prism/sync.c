/* SPDX-License-Identifier: MIT */
/* sync: synchronization: critical sections, waits, and their objects. */
#include "parts.h"

static int
show(struct emu *emu, const struct event *ev, uint8_t waiting, uint64_t held)
{
	static const int64_t waits[PRISM_SYNCS] = { [PRISM_BARRIER] = STATE_BARRIER, [PRISM_JOIN] = STATE_JOIN };
	int64_t state = waiting ? waits[waiting] : held ? STATE_CRITICAL
							: 0;
	return state ? emu_set(emu, ev, SYNC_STATE, state) : emu_clear(emu, ev, SYNC_STATE);
}

int
prismsync_wake(struct emu *emu, const struct event *ev, const struct prismmodel *d)
{
	return show(emu, ev, 0, d->step.held);
}

static int
change(struct emu *emu, const struct event *ev, const struct prism_thread *t, unsigned type)
{
	switch (type) {
	case PRISM_CREATE: return emu_set(emu, ev, CHILDREN, (int64_t)t->children);
	case PRISM_JOIN:
	case PRISM_BARRIER:
	case PRISM_LOCK:
	case PRISM_SPIN_LOCK:
	case PRISM_UNLOCK:
	case PRISM_SPIN_UNLOCK: break;
	default: return 0;
	}
	int rc = emu_set(emu, ev, LOCKS, (int64_t)t->held);
	return rc < 0 ? rc : show(emu, ev, t->waiting, t->held);
}

/* Shows the event itself, as a punctual value, and its object. */
static int
flash(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s)
{
	int rc = emu_punctual(emu, ev, SYNC, s->type);
	if (rc < 0 || !s->nargs || s->type == PRISM_SWAP)
		return rc;
	uint32_t object;
	rc = prismcxt_index(emu, &d->objects, SYNC_OBJECT, s->arg[0], &object);
	return rc < 0 ? rc : emu_punctual(emu, ev, SYNC_OBJECT, object);
}

int
prismsync_take(struct emu *emu, const struct event *ev, struct prismmodel *d, const struct prism_sync *s)
{
	bool swap = s->type == PRISM_SWAP;
	int rc = s->has & PRISM_HAS_TYPE ? change(emu, ev, d->step.thread, s->type) : 0;
	if (rc == 0 && d->syncs && s->has & PRISM_HAS_TYPE)
		rc = flash(emu, ev, d, s);
	if (rc == 0 && !swap && d->p->options->interval == PRISM_INTERVAL_SYNC)
		rc = prismspan_close(emu, ev, d);
	return rc;
}
