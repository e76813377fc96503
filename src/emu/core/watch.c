/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include "emu.h"

#include <string.h>

int
density_init(struct density *d, struct arena *a)
{
	*d = (struct density){ arena_new(a, uint32_t, DENSITY_BUCKETS), DENSITY_SHIFT };
	return d->n ? 0 : -1;
}

static uint32_t
add(uint32_t a, uint32_t b)
{
	uint32_t sum = a + b;
	return sum < a ? UINT32_MAX : sum;
}

/* Twice the time in as many buckets. */
static void
coarsen(struct density *d)
{
	for (size_t i = 0; i < DENSITY_BUCKETS / 2; i++)
		d->n[i] = add(d->n[2 * i], d->n[2 * i + 1]);
	memset(d->n + DENSITY_BUCKETS / 2, 0, DENSITY_BUCKETS / 2 * sizeof(*d->n));
	d->shift++;
}

void
density_count(struct density *d, int64_t time)
{
	while ((uint64_t)time >> d->shift >= DENSITY_BUCKETS)
		coarsen(d);
	uint32_t *n = &d->n[time >> d->shift];
	*n = add(*n, 1);
}

/* Two records: see struct batch. */
static void
put_raw(struct emu *emu, const struct event *ev)
{
	uint64_t p[2] = { 0 };
	uint32_t size = ev->jumbo ? RAW_JUMBO : ev->size;
	if (ev->jumbo)
		p[0] = ev->size;
	else
		memcpy(p, ev->payload, ev->size < sizeof(p) ? ev->size : sizeof(p));
	uint32_t letters = (uint32_t)ev->mcv[0] | (uint32_t)ev->mcv[1] << 8;
	feed_put(&emu->feed, LANE_EVENTS, emu->time, emu->thread, letters, (int64_t)p[0]);
	feed_put(&emu->feed, LANE_EVENTS, emu->time, size, ev->mcv[2], (int64_t)p[1]);
}

void
watch_event(struct emu *emu, const struct event *ev)
{
	density_count(&emu->density, emu->time);
	if (emu->options.uscope.raw_events)
		put_raw(emu, ev);
}
