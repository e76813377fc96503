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

static void
close_row(struct emu *emu, const struct prismmodel *d, uint32_t row)
{
	struct prism_total *t = total_of(d, row);
	emu_choose(emu, row);
	for (int i = 0; i < PRISM_TOTALS; i++)
		(void)emu_set(emu, WIN + i, (int64_t)(t->n[i] & INT64_MAX));
	prism_total_clear(t);
	d->threads[row].nticks = 0;
}

static void
close_core(struct emu *emu, const struct prismmodel *d, uint32_t stream)
{
	struct prismmodel_core *c = &d->cores[stream];
	struct prism_total *t = &d->machine.cores[stream].total;
	for (int i = 0; i < PRISM_TOTALS; i++)
		emu_set_cpu(emu, stream, WIN + i, (int64_t)(t->n[i] & INT64_MAX));
	emu_set_cpu(emu, stream, SWAPS, (int64_t)c->nswaps);
	prism_total_clear(t);
	c->nswaps = 0;
	c->nticks = 0;
}

void
prismspan_close(struct emu *emu, struct prismmodel *d)
{
	close_row(emu, d, d->step.thread->number);
}

void
prismspan_tick(struct emu *emu, struct prismmodel *d)
{
	if (!d->every)
		return;
	uint32_t row = d->step.thread->number;
	if (++d->core->nticks == d->every)
		close_core(emu, d, d->stream);
	if (++d->threads[row].nticks == d->every)
		close_row(emu, d, row);
}

/* A row with totals in the interval before shows 0 in an empty one, unless the interval has
 * no length: the last may end with the one before. */
void
prismspan_rotate(struct emu *emu, struct prismmodel *d)
{
	bool empty = emu_time(emu) == d->ticked;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < d->nlisted; i++) {
		uint32_t row = d->listed[i];
		bool active = total_of(d, row)->active;
		d->threads[row].listed = active || empty;
		if (active || empty)
			d->listed[kept++] = row;
		if (active || !empty)
			close_row(emu, d, row);
	}
	d->nlisted = kept;
	for (uint32_t i = 0; i < d->p->nstreams; i++) {
		struct prismmodel_core *c = &d->cores[i];
		bool active = d->machine.cores[i].total.active;
		if (active || (c->stale && !empty))
			close_core(emu, d, i);
		c->stale = active || (c->stale && empty);
	}
	d->ticked = emu_time(emu);
}

/* Intervals of time end with a tick of their own. CPUs have no intervals of sync and func. */
void
prismspan_end(struct emu *emu, struct prismmodel *d)
{
	if (d->p->options->interval == PRISM_INTERVAL_TIME)
		return;
	for (uint32_t i = 0; i < d->nlisted; i++)
		if (total_of(d, d->listed[i])->active)
			close_row(emu, d, d->listed[i]);
	for (uint32_t i = 0; i < d->p->nstreams && d->every; i++)
		if (d->machine.cores[i].total.active)
			close_core(emu, d, i);
}
