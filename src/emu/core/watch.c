/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include "emu.h"

#include <string.h>

int
density_init(struct density *d, struct arena *a)
{
	*d = (struct density){ .n = arena_alloc_sparse(a, DENSITY_BUCKETS, sizeof(*d->n)), .shift = DENSITY_SHIFT };
	return d->n ? 0 : -1;
}

static uint32_t
add(uint32_t a, uint64_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* Joins buckets in pairs: each then has twice the time. */
static void
coarsen(struct density *d)
{
	for (size_t i = 0; i < DENSITY_BUCKETS / 2; i++)
		d->n[i] = add(d->n[2 * i], d->n[2 * i + 1]);
	memset(d->n + DENSITY_BUCKETS / 2, 0, DENSITY_BUCKETS / 2 * sizeof(*d->n));
	d->shift++;
}

void
density_add(struct density *d, unsigned shift, size_t bucket, uint32_t n)
{
	while (d->shift < shift)
		coarsen(d);
	bucket >>= d->shift - shift;
	d->n[bucket] = add(d->n[bucket], n);
}

void
density_end(struct density *d, uint64_t n)
{
	d->n[d->bucket] = add(d->n[d->bucket], n - d->counted);
	d->counted = n;
}

int64_t
density_next(struct density *d, int64_t time, uint64_t before)
{
	density_end(d, before);
	while ((uint64_t)time >> d->shift >= DENSITY_BUCKETS)
		coarsen(d);
	d->bucket = (size_t)(time >> d->shift);
	uint64_t end = (uint64_t)(d->bucket + 1) << d->shift;
	return end < INT64_MAX ? (int64_t)end : INT64_MAX;
}

void
density_count(struct density *d, const int64_t *times, size_t n, int64_t zero)
{
	for (size_t i = 0; i < n;) {
		size_t first = i;
		int64_t end = density_next(d, times[i] - zero, d->counted);
		while (i < n && times[i] - zero < end)
			i++;
		density_end(d, d->counted + (i - first));
	}
}

static void
put_raw(struct emu *emu, struct event event)
{
	struct event *ev = &event;
	stream_describe(&emu->plan->trace.streams[ev->stream], ev);
	uint64_t p[2] = { 0 };
	if (ev->jumbo)
		p[0] = ev->size;
	else
		memcpy(p, ev->payload, ev->size < sizeof(p) ? ev->size : sizeof(p));
	feed_put_event(&emu->feed, emu->time, emu->thread, ev->mcv, ev->jumbo ? RAW_JUMBO : ev->size, p);
}

int
watch_init(struct emu *emu)
{
	emu->detail = emu->plan->options.outputs & OUTPUT_PERFETTO;
	if (emu->plan->options.outputs & OUTPUTS_OF_USCOPE && density_init(&emu->density, &emu->arena) < 0)
		return -1;
	emu->watch_at = emu->density.n ? 0 : INT64_MAX;
	emu->raw = emu->density.n && emu->plan->options.uscope.raw_events;
	return 0;
}

void
watch_begin(struct emu *emu)
{
	emu->watch_at = emu->density.n ? 0 : INT64_MAX;
	emu->density.counted = emu->nevents;
	detail_begin(emu);
}

static void
count_event(struct emu *emu)
{
	int64_t zero = emu->plan->window.zero;
	if (emu->time >= emu->next_bucket) {
		int64_t end = density_next(&emu->density, emu->time - zero, emu->nevents - 1);
		emu->next_bucket = end < INT64_MAX - zero ? end + zero : INT64_MAX;
	}
	emu->watch_at = emu->raw ? 0 : emu->next_bucket;
}

void
watch_event(struct emu *emu, const struct event *ev)
{
	if (emu->density.n)
		count_event(emu);
	if (emu->raw)
		put_raw(emu, *ev);
}
