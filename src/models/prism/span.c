/* SPDX-License-Identifier: MIT */
/* span: intervals: when they end, and what they show then. */
#include "parts.h"

void
prismspan_note(struct prismmodel *d)
{
	struct prism_thread *t = d->thread;
	if (!t->listed)
		d->listed[d->nlisted++] = d->core->row;
	t->listed = true;
	t->active = true;
	d->core->active = true;
}

static int
close_row(struct emu *emu, const struct event *ev, const struct prismmodel *d, uint32_t row)
{
	struct prism_thread *t = prismmodel_thread(d, row);
	int rc = 0;
	emu_choose(emu, row);
	for (int i = 0; i < PRISMTOTAL_KINDS && rc == 0; i++)
		rc = emu_set(emu, ev, WIN + i, (int64_t)(t->total.n[i] & INT64_MAX));
	prismtotal_clear(&t->total);
	t->nticks = 0;
	t->active = false;
	return rc;
}

static void
close_core(struct emu *emu, uint32_t stream, struct prism_core *c)
{
	uint32_t cpu = system_cpu(&emu->sys, 0, (int32_t)stream);
	for (int i = 0; i < PRISMTOTAL_KINDS; i++)
		emu_set_cpu(emu, cpu, WIN + i, (int64_t)(c->total.n[i] & INT64_MAX));
	emu_set_cpu(emu, cpu, SWAPS, (int64_t)c->nswaps);
	prismtotal_clear(&c->total);
	c->nswaps = 0;
	c->nticks = 0;
	c->active = false;
}

int
prismspan_close(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	return close_row(emu, ev, d, d->core->row);
}

int
prismspan_tick(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	if (!d->every)
		return 0;
	if (++d->core->nticks == d->every)
		close_core(emu, d->stream, d->core);
	return ++d->thread->nticks == d->every ? close_row(emu, ev, d, d->core->row) : 0;
}

/* Whoever had something in the interval before shows that it has nothing now, but for one of
 * no length: the last may end when the one before does. */
int
prismspan_rotate(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	bool empty = emu->time == d->ticked;
	uint32_t kept = 0;
	int rc = 0;
	for (uint32_t i = 0; i < d->nlisted && rc == 0; i++) {
		uint32_t row = d->listed[i];
		struct prism_thread *t = prismmodel_thread(d, row);
		t->listed = t->active || empty;
		if (t->listed)
			d->listed[kept++] = row;
		if (t->active || !empty)
			rc = close_row(emu, ev, d, row);
	}
	d->nlisted = kept;
	for (uint32_t i = 0; i < d->p->nstreams; i++) {
		struct prism_core *c = &d->cores[i];
		bool active = c->active;
		if (active || (c->stale && !empty))
			close_core(emu, i, c);
		c->stale = active || (c->stale && empty);
	}
	d->ticked = emu->time;
	return rc;
}

/* Those of time end with a tick of their own. CPUs have no intervals of sync and func. */
int
prismspan_end(struct emu *emu, const struct event *ev, struct prismmodel *d)
{
	int rc = 0;
	if (d->p->options->interval == PRISM_INTERVAL_TIME)
		return 0;
	for (uint32_t i = 0; i < d->nlisted && rc == 0; i++)
		if (prismmodel_thread(d, d->listed[i])->active)
			rc = close_row(emu, ev, d, d->listed[i]);
	for (uint32_t i = 0; i < d->p->nstreams && d->every; i++)
		if (d->cores[i].active)
			close_core(emu, i, &d->cores[i]);
	return rc;
}
