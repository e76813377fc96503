/* SPDX-License-Identifier: MIT */
/* pyramidout: the section of a summary: how large it is, what is left out of it, and its bytes. */
#include "layout.h"
#include "pyramid.h"

#include <string.h>

enum {
	LEAST_SIZE = 16 * 1024, /* bytes that it may have in any file, */
	DELTAS_SHARE = 8,       /* or this part of the deltas */
	HEAD_SIZE = 24,         /* bytes before the levels of the density */
	COUNTER_SIZE = 10,      /* bytes of a counter without name and levels */
};

static uint64_t
entries_above(const struct pyramid *p, uint64_t n)
{
	return n / p->fan_out + (n % p->fan_out != 0);
}

/* Bytes of the levels above and at the lowest one. */
static uint64_t
levels_size(const struct pyramid *p, unsigned entry)
{
	uint64_t size = 0;
	for (uint64_t n = p->used;; n = entries_above(p, n)) {
		size += sizeof(uint32_t) + n * entry;
		if (n == 1)
			return size;
	}
}

static uint64_t
size_of(const struct pyramid *p)
{
	uint64_t size = HEAD_SIZE + levels_size(p, DENSITY_SIZE) + sizeof(uint32_t);
	uint64_t levels = levels_size(p, MIPMAP_SIZE);
	for (uint32_t i = 0; i < p->ncounters; i++)
		if (p->counters[i].written)
			size += COUNTER_SIZE + strlen(p->counters[i].name) + levels;
	return size;
}

/* Makes buckets wider; when they are as wide as they can be, leaves counters out from the last one on. false:
 * it is still too large. */
static bool
shrink(struct pyramid *p, uint64_t most)
{
	while (size_of(p) > most && p->used > 1 && p->base <= PYRAMID_MAX_BASE / 2)
		pyramid_double(p);
	for (uint32_t i = p->ncounters; i > 0 && p->used > 1 && size_of(p) > most; i--)
		p->counters[i - 1].written = false;
	return p->used == 1 || size_of(p) <= most;
}

static bool
has_value(const struct pyramid *p, const struct pyramid_counter *c)
{
	for (uint64_t i = 0; i < p->used; i++)
		if ((c->buckets && c->buckets[i].max) || (c->spans && c->spans[i]))
			return true;
	return false;
}

bool
pyramid_fit(struct pyramid *p, uint64_t deltas)
{
	for (uint32_t i = 0; i < p->ncounters; i++)
		p->counters[i].written = has_value(p, &p->counters[i]);
	return shrink(p, deltas / DELTAS_SHARE > LEAST_SIZE ? deltas / DELTAS_SHARE : LEAST_SIZE);
}

/* Writes the levels of the density (b is NULL), or those of the counter that has the buckets b. Each is
 * made in the place of the one below, which is written. */
static inline void
write_levels(const struct pyramid *p, uscope_mipmap_t *b, struct fileout *out)
{
	for (uint64_t n = p->used;; n = entries_above(p, n)) {
		fileout_number(out, 4, n);
		for (uint64_t i = 0; i < n && !b; i++)
			fileout_number(out, 4, p->density[i]);
		for (uint64_t i = 0; i < n && b; i++) {
			fileout_number(out, 8, b[i].min);
			fileout_number(out, 8, b[i].max);
			fileout_number(out, 8, b[i].sum);
		}
		if (n == 1)
			return;
		for (uint64_t i = 0; i < n; i += p->fan_out) {
			uint64_t end = n - i < p->fan_out ? n : i + p->fan_out;
			uscope_mipmap_t up = { .min = UINT64_MAX };
			for (uint64_t k = i; k < end && b; k++) {
				up.min = b[k].min < up.min ? b[k].min : up.min;
				up.max = b[k].max > up.max ? b[k].max : up.max;
				up.sum += b[k].sum;
			}
			for (uint64_t k = i; k < end && !b; k++)
				up.sum += p->density[k];
			if (b)
				b[i / p->fan_out] = up;
			else
				p->density[i / p->fan_out] = pyramid_saturate(up.sum);
		}
	}
}

/* The lowest level of a counter. */
static uscope_mipmap_t *
lowest_of(const struct pyramid *p, const struct pyramid_counter *c)
{
	for (uint64_t i = 0; i < p->used; i++) {
		uint64_t spans = c->spans ? c->spans[i] : 0;
		uscope_mipmap_t all = spans ? (uscope_mipmap_t){ 1, 1, spans } : (uscope_mipmap_t){ 0 };
		p->levels[i] = c->buckets ? pyramid_join(c->buckets[i], all) : all;
	}
	return p->levels;
}

void
pyramid_write(struct pyramid *p, struct fileout *out)
{
	uint32_t levels = 1;
	for (uint64_t n = p->used; n > 1; n = entries_above(p, n))
		levels++;
	fileout_put(out, "TSUM", 4);
	fileout_number(out, 4, p->base);
	fileout_number(out, 4, p->fan_out);
	fileout_number(out, 8, p->total);
	fileout_number(out, 4, levels);
	write_levels(p, NULL, out);
	uint32_t counters = 0;
	for (uint32_t i = 0; i < p->ncounters; i++)
		counters += p->counters[i].written;
	fileout_number(out, 4, counters);
	for (uint32_t i = 0; i < p->ncounters; i++) {
		const struct pyramid_counter *c = &p->counters[i];
		if (!c->written)
			continue;
		size_t n = strlen(c->name);
		fileout_number(out, 4, n);
		fileout_put(out, c->name, n);
		fileout_number(out, 2, c->storage);
		fileout_number(out, 4, levels);
		write_levels(p, lowest_of(p, c), out);
	}
}
