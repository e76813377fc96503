/* SPDX-License-Identifier: MIT */
#include "pyramid.h"

#include "layout.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_BASE = 1024,
	DEFAULT_FAN_OUT = 4,
	DEFAULT_BUDGET = 32 << 20,
	LEAST_BUCKETS = 1024,
	MOST_BUCKETS = 1 << 20,
	FIRST_ROOM = 256,
	BUCKET_COST = 32, /* bytes of a mipmap entry and its share of the levels above */
	OVERDRAFT = 4,    /* budgets, when base cannot double any more */
};

int
pyramid_init(struct pyramid *p, const uscope_schema_t *schema, uint32_t base, uint32_t fan_out, uint64_t budget)
{
	*p = (struct pyramid){
		.base = base ? base : DEFAULT_BASE,
		.fan_out = fan_out ? fan_out : DEFAULT_FAN_OUT,
		.budget = budget ? budget : DEFAULT_BUDGET,
		.period = schema->clocks[0].period_ps ? schema->clocks[0].period_ps : 1,
	};
	return p->fan_out < 2 ? USCOPE_E_ARG : USCOPE_OK;
}

void
pyramid_finish(struct pyramid *p)
{
	for (uint32_t i = 0; i < p->ncounters; i++) {
		free(p->counters[i].name);
		free(p->counters[i].buckets);
		free(p->counters[i].spans);
	}
	free(p->counters);
	free(p->levels);
	free(p->density);
	*p = (struct pyramid){ 0 };
}

int
pyramid_counter(struct pyramid *p, const char *name, uint16_t storage)
{
	if (p->max_buckets)
		return USCOPE_E_STATE;
	if (p->ncounters == INT32_MAX)
		return USCOPE_E_LIMIT;
	uint32_t n = p->ncounters;
	char *copy = room_for(&p->counters, &p->counters_cap, n + (size_t)1, sizeof(*p->counters)) ? strdup(name) : NULL;
	if (!copy)
		return USCOPE_E_NOMEM;
	p->counters[n] = (struct pyramid_counter){ .name = copy, .storage = storage };
	p->ncounters++;
	return (int)n;
}

int
pyramid_auto(struct pyramid *p, const uscope_schema_t *schema, int32_t *counter_of, int32_t *density_storage,
	int32_t *density_field)
{
	*density_storage = -1;
	*density_field = -1;
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *s = &schema->storages[i];
		counter_of[i] = -1;
		if (s->flags & USCOPE_BUFFER)
			continue;
		if (!(s->flags & USCOPE_SPARSE)) {
			if (s->num_slots == 1 && s->num_fields == 1 && s->fields[0].type == USCOPE_U64) {
				counter_of[i] = pyramid_counter(p, s->name, (uint16_t)i);
				if (counter_of[i] < 0)
					return counter_of[i];
			}
			continue;
		}
		for (uint32_t k = 0; k < s->num_fields && *density_storage < 0; k++)
			if (strcmp(s->fields[k].name, "entity_id") == 0) {
				*density_storage = (int32_t)i;
				*density_field = (int32_t)k;
				p->has_density = true;
			}
	}
	return USCOPE_OK;
}

void
pyramid_begin(struct pyramid *p)
{
	if (p->max_buckets)
		return;
	uint64_t cost = BUCKET_COST * ((uint64_t)p->ncounters + 1);
	p->max_buckets = LEAST_BUCKETS;
	while (p->max_buckets < MOST_BUCKETS && p->max_buckets * 2 <= p->budget / cost)
		p->max_buckets *= 2;
	p->most = p->budget > UINT64_MAX / OVERDRAFT ? UINT64_MAX / cost : p->budget * OVERDRAFT / cost;
	if (p->most < p->max_buckets)
		p->most = p->max_buckets;
	if (p->most > UINT32_MAX) /* counts are stored in 32 bits */
		p->most = UINT32_MAX;
}

/* ---- Level 0. ---- */

/* Sums of pairs of n in place; zeros behind them. */
static void
double_spans(uint64_t *spans, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += 2)
		spans[i / 2] = spans[i] + (i + 1 < n ? spans[i + 1] : 0);
	memset(spans + (n + 1) / 2, 0, (size_t)(n / 2) * sizeof(*spans));
}

static void
double_buckets(uscope_mipmap_t *b, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += 2)
		b[i / 2] = i + 1 < n ? pyramid_join(b[i], b[i + 1]) : b[i];
	memset(b + (n + 1) / 2, 0, (size_t)(n / 2) * sizeof(*b));
}

void
pyramid_double(struct pyramid *p)
{
	uint64_t n = (p->used + 1) / 2;
	for (uint64_t i = 0; i < n; i++) {
		bool pair = 2 * i + 1 < p->used;
		p->density[i] = pyramid_saturate((uint64_t)p->density[2 * i] + (pair ? p->density[2 * i + 1] : 0));
	}
	memset(p->density + n, 0, (size_t)(p->used - n) * sizeof(p->density[0]));
	for (uint32_t c = 0; c < p->ncounters; c++) {
		if (p->counters[c].buckets)
			double_buckets(p->counters[c].buckets, p->used);
		if (p->counters[c].spans)
			double_spans(p->counters[c].spans, p->used);
	}
	p->used = n;
	p->base *= 2;
	p->bucket_end = 0;
}

/* *items has room for `from` and gets it for `to`, zeroed. */
static bool
grow(void *items, size_t size, uint64_t from, uint64_t to)
{
	void *old;
	memcpy(&old, items, sizeof(old));
	uint8_t *more = to > SIZE_MAX / size ? NULL : realloc(old, (size_t)to * size);
	if (!more)
		return false;
	memset(more + (size_t)from * size, 0, (size_t)(to - from) * size);
	memcpy(items, &more, sizeof(more));
	return true;
}

static bool
take_room(struct pyramid *p, uint64_t n)
{
	uint64_t room = p->room ? p->room : FIRST_ROOM;
	while (room < n)
		room *= 2;
	/* When a later one fails, those before it have more than `room` says. */
	if (!grow(&p->density, sizeof(p->density[0]), p->room, room))
		return false;
	for (struct pyramid_counter *c = p->counters; c < p->counters + p->ncounters; c++)
		if ((c->buckets && !grow(&c->buckets, sizeof(*c->buckets), p->room, room)) ||
			(c->spans && !grow(&c->spans, sizeof(*c->spans), p->room, room)))
			return false;
	p->room = room;
	return true;
}

static void
drop(struct pyramid *p)
{
	for (struct pyramid_counter *c = p->counters; c < p->counters + p->ncounters; c++) {
		free(c->buckets);
		free(c->spans);
		c->buckets = NULL;
		c->spans = NULL;
	}
	free(p->density);
	p->density = NULL;
	p->room = p->used = 0;
	p->bucket_end = 0;
	p->dropped = true;
}

/* 1: the bucket of a cycle is there; 0: the pyramid is dropped; E_NOMEM. */
static int
reach(struct pyramid *p, uint64_t cycle)
{
	if (p->dropped)
		return 0;
	pyramid_begin(p);
	while (cycle / p->base >= p->max_buckets && p->base <= PYRAMID_MAX_BASE / 2) {
		if (p->room)
			pyramid_double(p);
		else
			p->base *= 2;
	}
	uint64_t bucket = cycle / p->base;
	if (bucket >= p->most) {
		drop(p);
		return 0;
	}
	if (bucket >= p->room && !take_room(p, bucket + 1))
		return USCOPE_E_NOMEM;
	if (bucket >= p->used)
		p->used = bucket + 1;
	return 1;
}

/* ---- Adding. ---- */

static uint64_t
cycle_of(struct pyramid *p, uint64_t time_ps)
{
	if (time_ps >= p->cycle_start && time_ps < p->cycle_end)
		return p->cycle;
	p->cycle = time_ps / p->period;
	p->cycle_start = p->cycle * p->period;
	p->cycle_end = p->cycle_start > UINT64_MAX - p->period ? UINT64_MAX : p->cycle_start + p->period;
	return p->cycle;
}

/* Adds the value of the last cycle to its bucket. */
static int
settle(struct pyramid *p, struct pyramid_counter *c)
{
	int rc = c->value ? reach(p, c->cycle) : 0;
	if (rc <= 0)
		return rc;
	if (!c->buckets && !grow(&c->buckets, sizeof(*c->buckets), 0, p->room))
		return USCOPE_E_NOMEM;
	uscope_mipmap_t *b = &c->buckets[c->cycle / p->base];
	*b = pyramid_join(*b, (uscope_mipmap_t){ c->value, c->value, c->value });
	c->value = 0;
	return USCOPE_OK;
}

int
pyramid_add(struct pyramid *p, uint32_t counter, uint64_t time_ps, uint64_t delta)
{
	pyramid_begin(p);
	struct pyramid_counter *c = &p->counters[counter];
	uint64_t cycle = cycle_of(p, time_ps);
	if (cycle != c->cycle) {
		int status = settle(p, c);
		if (status)
			return status;
		c->cycle = cycle;
		c->value = 0;
	}
	c->value += delta;
	return USCOPE_OK;
}

int
pyramid_span(struct pyramid *p, uint32_t counter, uint64_t t0_ps, uint64_t t1_ps)
{
	/* Cycles that begin with one span and end with another belong to the second, so
	 * that spans which follow each other are as one. */
	uint64_t from = t0_ps / p->period;
	uint64_t to = t1_ps / p->period;
	pyramid_begin(p);
	int rc = from < to ? reach(p, to - 1) : 0;
	if (rc <= 0)
		return rc;
	struct pyramid_counter *c = &p->counters[counter];
	if (!c->spans && !grow(&c->spans, sizeof(*c->spans), 0, p->room))
		return USCOPE_E_NOMEM;
	for (uint64_t i = from / p->base; from < to; i++) {
		uint64_t end = (i + 1) * p->base < to ? (i + 1) * p->base : to;
		c->spans[i] += end - from;
		from = end;
	}
	return USCOPE_OK;
}

int
pyramid_density(struct pyramid *p, uint64_t time_ps, uint32_t n)
{
	p->total += n;
	p->has_density = true;
	if (time_ps < p->bucket_start || time_ps >= p->bucket_end) {
		uint64_t cycle = time_ps / p->period;
		int rc = reach(p, cycle);
		if (rc <= 0)
			return rc;
		uint64_t width; /* ps */
		p->bucket = cycle / p->base;
		if (__builtin_mul_overflow(p->base, p->period, &width) ||
			__builtin_mul_overflow(p->bucket, width, &p->bucket_start) ||
			__builtin_add_overflow(p->bucket_start, width, &p->bucket_end)) {
			p->bucket_start = time_ps;
			p->bucket_end = time_ps; /* not remembered */
		}
	}
	uint32_t *d = &p->density[p->bucket];
	*d = pyramid_saturate((uint64_t)*d + n);
	return USCOPE_OK;
}

/* ---- The end. ---- */

int
pyramid_close(struct pyramid *p, uint64_t last_ps, uint64_t deltas, bool *any)
{
	*any = false;
	for (uint32_t i = 0; i < p->ncounters; i++) {
		int status = settle(p, &p->counters[i]);
		if (status)
			return status;
	}
	uint64_t last = last_ps / p->period;
	int rc = p->ncounters || p->has_density ? reach(p, last) : 0;
	if (rc <= 0)
		return rc;
	p->used = last / p->base + 1;
	*any = pyramid_fit(p, deltas);
	if (*any && p->ncounters && !grow(&p->levels, sizeof(*p->levels), 0, p->used))
		return USCOPE_E_NOMEM;
	return USCOPE_OK;
}
