/* SPDX-License-Identifier: MIT */
/* span: ends intervals and shows their totals. */
#include "parts.h"

void
prismspan_note(struct prismmodel *d)
{
	uint32_t row = d->step.thread->number;
	if (!d->threads[row].listed)
		d->listed[d->nlisted++] = row;
	d->threads[row].listed = true;
}

static struct prism_total *
total_of(const struct prismmodel *d, uint32_t row)
{
	return &prism_machine_thread(&d->machine, row)->total;
}

static int
close_row(struct emu *emu, const struct prismmodel *d, uint32_t row)
{
	struct prism_total *t = total_of(d, row);
	int rc = 0;
	emu_choose(emu, row);
	for (int i = 0; i < PRISM_TOTALS && rc == 0; i++)
		rc = emu_set(emu, WIN + i, (int64_t)(t->n[i] & INT64_MAX));
	prism_total_clear(t);
	d->threads[row].nticks = 0;
	return rc;
}

static void
close_core(struct emu *emu, const struct prismmodel *d, uint32_t stream)
{
	struct prismmodel_core *c = &d->cores[stream];
	struct prism_total *t = &d->machine.cores[stream].total;
	uint32_t cpu = system_cpu(&emu->plan->sys, 0, (int32_t)stream);
	for (int i = 0; i < PRISM_TOTALS; i++)
		emu_set_cpu(emu, cpu, WIN + i, (int64_t)(t->n[i] & INT64_MAX));
	emu_set_cpu(emu, cpu, SWAPS, (int64_t)c->nswaps);
	prism_total_clear(t);
	c->nswaps = 0;
	c->nticks = 0;
}

int
prismspan_close(struct emu *emu, struct prismmodel *d)
{
	return close_row(emu, d, d->step.thread->number);
}

int
prismspan_tick(struct emu *emu, struct prismmodel *d)
{
	if (!d->every)
		return 0;
	if (++d->core->nticks == d->every)
		close_core(emu, d, d->stream);
	return ++d->threads[d->step.thread->number].nticks == d->every ? close_row(emu, d, d->step.thread->number) : 0;
}

/* A row with totals in the interval before shows 0 in an empty one, unless the interval has
 * no length: the last may end with the one before. */
int
prismspan_rotate(struct emu *emu, struct prismmodel *d)
{
	bool empty = emu->time == d->ticked;
	uint32_t kept = 0;
	int rc = 0;
	for (uint32_t i = 0; i < d->nlisted && rc == 0; i++) {
		uint32_t row = d->listed[i];
		bool active = total_of(d, row)->active;
		d->threads[row].listed = active || empty;
		if (active || empty)
			d->listed[kept++] = row;
		if (active || !empty)
			rc = close_row(emu, d, row);
	}
	d->nlisted = kept;
	for (uint32_t i = 0; i < d->p->nstreams; i++) {
		struct prismmodel_core *c = &d->cores[i];
		bool active = d->machine.cores[i].total.active;
		if (active || (c->stale && !empty))
			close_core(emu, d, i);
		c->stale = active || (c->stale && empty);
	}
	d->ticked = emu->time;
	return rc;
}

/* Intervals of time end with a tick of their own. CPUs have no intervals of sync and func. */
int
prismspan_end(struct emu *emu, struct prismmodel *d)
{
	int rc = 0;
	if (d->p->options->interval == PRISM_INTERVAL_TIME)
		return 0;
	for (uint32_t i = 0; i < d->nlisted && rc == 0; i++)
		if (total_of(d, d->listed[i])->active)
			rc = close_row(emu, d, d->listed[i]);
	for (uint32_t i = 0; i < d->p->nstreams && d->every; i++)
		if (d->machine.cores[i].total.active)
			close_core(emu, d, i);
	return rc;
}
