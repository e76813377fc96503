/* SPDX-License-Identifier: MIT */
/* summaryin: summaries of a file. Opening walks over the structure; levels and names are
 * read when they are asked for. */
#include "reader.h"

#include <stdlib.h>

enum {
	HEAD_SIZE = 12,        /* magic, base, fan-out */
	COUNTER_MIN = 10,      /* bytes of a counter without name and levels */
	MAX_INDEX = 64 * 1024, /* places of counters that are kept */
};

struct counter {
	uint64_t name; /* offset */
	uint32_t name_length;
	uint32_t num_levels;
	uint16_t storage;
	struct level levels[SUMMARY_LEVELS_MAX];
};

struct summary {
	struct uscope_reader *r;
	uscope_summary_t info;
	struct level density[SUMMARY_LEVELS_MAX];
	uint64_t end;    /* of the section */
	uint64_t *index; /* where every stride-th counter begins */
	uint32_t stride;
	uint32_t current; /* the counter in `counter`, UINT32_MAX: none */
	struct counter counter;
	struct text name;
	void *data;
	size_t data_cap;
	struct window w;
};

void
summary_close(struct summary *s)
{
	if (!s)
		return;
	free(s->index);
	free(s->name.text);
	free(s->data);
	free(s);
}

/* ---- Structure. false: damaged, or the status of the window says why it cannot be read. ---- */

static bool
get32(struct window *w, uint32_t *v)
{
	const uint8_t *p = window_next(w, 4);
	if (p)
		*v = load32(p);
	return p;
}

/* Skips n bytes, which begin at *offset. */
static bool
pass(struct window *w, uint64_t n, uint64_t *offset)
{
	*offset = w->end - window_left(w);
	if (n > window_left(w))
		return false;
	window_skip(w, n);
	return true;
}

static bool
walk_levels(struct window *w, unsigned size, struct level *levels, uint32_t *n)
{
	if (!get32(w, n) || *n > SUMMARY_LEVELS_MAX)
		return false;
	for (uint32_t i = 0; i < *n; i++)
		if (!get32(w, &levels[i].n) || !pass(w, (uint64_t)levels[i].n * size, &levels[i].offset))
			return false;
	return true;
}

static bool
walk_counter(struct window *w, struct counter *c)
{
	if (!get32(w, &c->name_length) || !pass(w, c->name_length, &c->name))
		return false;
	const uint8_t *p = window_next(w, 2);
	if (p)
		c->storage = load16(p);
	return p && walk_levels(w, MIPMAP_SIZE, c->levels, &c->num_levels);
}

static bool
walk_head(struct summary *s)
{
	struct window *w = &s->w;
	const uint8_t *p = window_next(w, HEAD_SIZE);
	if (!p || (memcmp(p, "TSUM", 4) != 0 && memcmp(p, "CSUM", 4) != 0))
		return false;
	s->info.legacy = *p == 'C';
	s->info.base_interval_cycles = load32(p + 4);
	s->info.fan_out = load32(p + 8);
	if (s->info.base_interval_cycles == 0 || s->info.fan_out < 2)
		return false;
	if (!s->info.legacy) {
		if (!(p = window_next(w, 8)))
			return false;
		s->info.total_instructions = load64(p);
		if (!walk_levels(w, DENSITY_SIZE, s->density, &s->info.num_density_levels))
			return false;
	}
	return get32(w, &s->info.num_counters);
}

static bool
walk(struct summary *s)
{
	struct window *w = &s->w;
	uint32_t n;
	if (!walk_head(s) || (n = s->info.num_counters) > window_left(w) / COUNTER_MIN)
		return false;
	s->stride = n / MAX_INDEX + 1;
	s->index = malloc((n / s->stride + 1) * sizeof(*s->index));
	if (!s->index) {
		w->status = status_set(&s->r->error, USCOPE_E_NOMEM, NO_SEGMENT, w->end, "out of memory");
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i % s->stride == 0)
			s->index[i / s->stride] = w->end - window_left(w);
		if (!walk_counter(w, &s->counter))
			return false;
	}
	s->current = UINT32_MAX;
	return true;
}

int
summary_open(struct uscope_reader *r)
{
	const uscope_section_t *section = &r->summary_section;
	struct summary *s = calloc(1, sizeof(*s));
	if (!s)
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, section->offset, "out of memory");
	s->r = r;
	s->end = section->offset + section->size;
	window_open(&s->w, r, section->offset, section->size);
	if (walk(s)) {
		r->summary = s;
		return 0;
	}
	int status = s->w.status;
	r->diag[USCOPE_V_SUMMARY] += status == 0;
	summary_close(s);
	return status;
}

/* ---- Content. Functions of summaries take a const reader, but set its last error. ---- */

/* s->counter becomes that of a number. */
static int
find_counter(struct summary *s, uint32_t counter)
{
	if (counter >= s->info.num_counters)
		return status_set(&s->r->error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no counter %u", counter);
	if (counter == s->current)
		return 0;
	s->current = UINT32_MAX;
	uint64_t at = s->index[counter / s->stride];
	window_open(&s->w, s->r, at, s->end - at);
	for (uint32_t i = counter / s->stride * s->stride; i <= counter; i++) {
		if (!walk_counter(&s->w, &s->counter))
			return s->w.status ? s->w.status : status_set(&s->r->error, USCOPE_E_SECTION, NO_SEGMENT, at, "the summary has changed");
	}
	s->current = counter;
	return 0;
}

int
summary_levels(struct uscope_reader *r, int64_t counter, struct level *levels, uint32_t *n)
{
	struct summary *s = r->summary;
	const struct level *from = s->density;
	*n = s->info.num_density_levels;
	if (counter >= 0) {
		int status = find_counter(s, (uint32_t)counter);
		if (status)
			return status;
		from = s->counter.levels;
		*n = s->counter.num_levels;
	}
	memcpy(levels, from, *n * sizeof(*levels));
	return 0;
}

static int
load_level(struct summary *s, const struct level *l, unsigned size)
{
	uint64_t bytes = (uint64_t)l->n * size;
	if (bytes > LEVEL_MAX)
		return status_set(&s->r->error, USCOPE_E_LIMIT, NO_SEGMENT, l->offset, "a level of %u entries", l->n);
	if (!reader_room(&s->data, &s->data_cap, (size_t)bytes + 1))
		return status_set(&s->r->error, USCOPE_E_NOMEM, NO_SEGMENT, l->offset, "out of memory");
	return reader_read(s->r, l->offset, s->data, (size_t)bytes);
}

bool
uscope_summary_info(const uscope_reader_t *r, uscope_summary_t *summary)
{
	if (r->summary)
		*summary = r->summary->info;
	return r->summary != NULL;
}

uint32_t
uscope_summary_levels(const uscope_reader_t *r)
{
	return r->summary ? r->summary->info.num_density_levels : 0;
}

const void *
uscope_summary_data(const uscope_reader_t *r, uint32_t level, uint32_t *count)
{
	struct summary *s = r->summary;
	*count = 0;
	if (!s || level >= s->info.num_density_levels)
		return NULL;
	reader_clear(s->r);
	if (load_level(s, &s->density[level], DENSITY_SIZE))
		return NULL;
	*count = s->density[level].n;
	return s->data;
}

static int
load_name(struct summary *s, uint32_t counter)
{
	int status = find_counter(s, counter);
	if (status)
		return status;
	return reader_text(s->r, &s->name, s->counter.name, s->counter.name_length, "name", s->counter.name);
}

bool
uscope_summary_counter_info(const uscope_reader_t *r, uint32_t counter, const char **name,
	uint32_t *name_length, uint16_t *storage, uint32_t *num_levels)
{
	struct summary *s = r->summary;
	if (!s)
		return false;
	reader_clear(s->r);
	if (load_name(s, counter))
		return false;
	if (name)
		*name = s->name.text;
	if (name_length)
		*name_length = s->counter.name_length;
	if (storage)
		*storage = s->counter.storage;
	if (num_levels)
		*num_levels = s->counter.num_levels;
	return true;
}

const uscope_mipmap_t *
uscope_summary_counter_data(const uscope_reader_t *r, uint32_t counter, uint32_t level, uint32_t *count)
{
	struct summary *s = r->summary;
	*count = 0;
	if (!s)
		return NULL;
	reader_clear(s->r);
	if (find_counter(s, counter))
		return NULL;
	if (level >= s->counter.num_levels) {
		(void)status_set(&s->r->error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no level %u", level);
		return NULL;
	}
	if (load_level(s, &s->counter.levels[level], MIPMAP_SIZE))
		return NULL;
	*count = s->counter.levels[level].n;
	return s->data;
}
