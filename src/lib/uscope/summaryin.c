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
	char *name;
	size_t name_cap;
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
	free(s->name);
	free(s->data);
	free(s);
}

/* ---- Structure. 1: good, 0: not, <0: cannot be read. ---- */

static int
get32(struct window *w, uint32_t *v, uscope_error_t *error)
{
	const uint8_t *p;
	int status = window_next(w, 4, &p, error);
	if (status)
		return status;
	if (!p)
		return 0;
	*v = load32(p);
	return 1;
}

static int
walk_levels(struct window *w, unsigned size, struct level *levels, uint32_t *n, uscope_error_t *error)
{
	int rc = get32(w, n, error);
	if (rc <= 0)
		return rc;
	if (*n > SUMMARY_LEVELS_MAX)
		return 0;
	for (uint32_t i = 0; i < *n; i++) {
		if ((rc = get32(w, &levels[i].n, error)) <= 0)
			return rc;
		levels[i].offset = w->end - window_left(w);
		uint64_t bytes = (uint64_t)levels[i].n * size;
		if (bytes > window_left(w))
			return 0;
		window_skip(w, bytes);
	}
	return 1;
}

static int
walk_counter(struct window *w, struct counter *c, uscope_error_t *error)
{
	const uint8_t *p;
	int rc = get32(w, &c->name_length, error);
	if (rc <= 0)
		return rc;
	c->name = w->end - window_left(w);
	if (c->name_length > window_left(w))
		return 0;
	window_skip(w, c->name_length);
	if ((rc = window_next(w, 2, &p, error)))
		return rc;
	if (!p)
		return 0;
	c->storage = load16(p);
	return walk_levels(w, MIPMAP_SIZE, c->levels, &c->num_levels, error);
}

static int
walk_head(struct summary *s, uscope_error_t *error)
{
	struct window *w = &s->w;
	const uint8_t *p;
	int rc = window_next(w, HEAD_SIZE, &p, error);
	if (rc)
		return rc;
	if (!p || (memcmp(p, "TSUM", 4) != 0 && memcmp(p, "CSUM", 4) != 0))
		return 0;
	s->info.legacy = *p == 'C';
	s->info.base_interval_cycles = load32(p + 4);
	s->info.fan_out = load32(p + 8);
	if (s->info.base_interval_cycles == 0 || s->info.fan_out < 2)
		return 0;
	if (!s->info.legacy) {
		if ((rc = window_next(w, 8, &p, error)))
			return rc;
		if (!p)
			return 0;
		s->info.total_instructions = load64(p);
		if ((rc = walk_levels(w, DENSITY_SIZE, s->density, &s->info.num_density_levels, error)) <= 0)
			return rc;
	}
	return get32(w, &s->info.num_counters, error);
}

static int
walk(struct summary *s, uscope_error_t *error)
{
	struct window *w = &s->w;
	int rc = walk_head(s, error);
	if (rc <= 0)
		return rc;
	uint32_t n = s->info.num_counters;
	if (n > window_left(w) / COUNTER_MIN)
		return 0;
	s->stride = n / MAX_INDEX + 1;
	s->index = malloc((n / s->stride + 1) * sizeof(*s->index));
	if (!s->index)
		return status_set(error, USCOPE_E_NOMEM, NO_SEGMENT, w->end, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		if (i % s->stride == 0)
			s->index[i / s->stride] = w->end - window_left(w);
		if ((rc = walk_counter(w, &s->counter, error)) <= 0)
			return rc;
	}
	s->current = UINT32_MAX;
	return 1;
}

int
summary_open(struct uscope_reader *r, uscope_error_t *error)
{
	const uscope_section_t *section = &r->summary_section;
	struct summary *s = calloc(1, sizeof(*s));
	if (!s)
		return status_set(error, USCOPE_E_NOMEM, NO_SEGMENT, section->offset, "out of memory");
	s->r = r;
	s->end = section->offset + section->size;
	window_open(&s->w, r, section->offset, section->size);
	int rc = walk(s, error);
	if (rc <= 0) {
		summary_close(s);
		r->diag[USCOPE_V_SUMMARY] += rc == 0;
		return rc;
	}
	r->summary = s;
	return 0;
}

/* ---- Content. ---- */

/* s->counter becomes that of a number. */
static int
find_counter(struct summary *s, uint32_t counter, uscope_error_t *error)
{
	if (counter >= s->info.num_counters)
		return status_set(error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no counter %u", counter);
	if (counter == s->current)
		return 0;
	s->current = UINT32_MAX;
	uint64_t at = s->index[counter / s->stride];
	window_open(&s->w, s->r, at, s->end - at);
	for (uint32_t i = counter / s->stride * s->stride; i <= counter; i++) {
		int rc = walk_counter(&s->w, &s->counter, error);
		if (rc == 0)
			return status_set(error, USCOPE_E_SECTION, NO_SEGMENT, at, "the summary has changed");
		if (rc < 0)
			return rc;
	}
	s->current = counter;
	return 0;
}

int
summary_levels(struct uscope_reader *r, int64_t counter, struct level *levels, uint32_t *n, uscope_error_t *error)
{
	struct summary *s = r->summary;
	const struct level *from = s->density;
	*n = s->info.num_density_levels;
	if (counter >= 0) {
		int status = find_counter(s, (uint32_t)counter, error);
		if (status)
			return status;
		from = s->counter.levels;
		*n = s->counter.num_levels;
	}
	memcpy(levels, from, *n * sizeof(*levels));
	return 0;
}

static int
load_level(struct summary *s, const struct level *l, unsigned size, uscope_error_t *error)
{
	uint64_t bytes = (uint64_t)l->n * size;
	if (bytes > LEVEL_MAX)
		return status_set(error, USCOPE_E_LIMIT, NO_SEGMENT, l->offset, "a level of %u entries", l->n);
	if (!reader_room(&s->data, &s->data_cap, (size_t)bytes + 1))
		return status_set(error, USCOPE_E_NOMEM, NO_SEGMENT, l->offset, "out of memory");
	return reader_read(s->r, l->offset, s->data, (size_t)bytes, error);
}

/* Functions of summaries take a const reader, but set its last error. */
static int
finish(struct summary *s, const uscope_error_t *error)
{
	s->r->error = *error;
	return error->status;
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
	uscope_error_t error = { .segment = NO_SEGMENT };
	*count = 0;
	if (!s || level >= s->info.num_density_levels)
		return NULL;
	(void)load_level(s, &s->density[level], DENSITY_SIZE, &error);
	if (finish(s, &error))
		return NULL;
	uint32_t *v = s->data;
	for (uint32_t i = 0; i < s->density[level].n; i++)
		v[i] = LE32(v[i]);
	*count = s->density[level].n;
	return v;
}

static int
load_name(struct summary *s, uint32_t counter, uscope_error_t *error)
{
	int status = find_counter(s, counter, error);
	if (status)
		return status;
	uint32_t n = s->counter.name_length;
	if (n > TEXT_MAX)
		return status_set(error, USCOPE_E_LIMIT, NO_SEGMENT, s->counter.name, "a name of %u bytes", n);
	if (!reader_room(&s->name, &s->name_cap, (size_t)n + 1))
		return status_set(error, USCOPE_E_NOMEM, NO_SEGMENT, s->counter.name, "out of memory");
	s->name[n] = '\0';
	return reader_read(s->r, s->counter.name, s->name, n, error);
}

bool
uscope_summary_counter_info(const uscope_reader_t *r, uint32_t counter, const char **name,
	uint32_t *name_length, uint16_t *storage, uint32_t *num_levels)
{
	struct summary *s = r->summary;
	uscope_error_t error = { .segment = NO_SEGMENT };
	if (!s)
		return false;
	(void)load_name(s, counter, &error);
	if (finish(s, &error))
		return false;
	if (name)
		*name = s->name;
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
	uscope_error_t error = { .segment = NO_SEGMENT };
	*count = 0;
	if (!s)
		return NULL;
	if (!find_counter(s, counter, &error)) {
		if (level >= s->counter.num_levels)
			(void)status_set(&error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no level %u", level);
		else
			(void)load_level(s, &s->counter.levels[level], MIPMAP_SIZE, &error);
	}
	if (finish(s, &error))
		return NULL;
	uscope_mipmap_t *v = s->data;
	for (uint32_t i = 0; i < s->counter.levels[level].n; i++)
		v[i] = (uscope_mipmap_t){ LE64(v[i].min), LE64(v[i].max), LE64(v[i].sum) };
	*count = s->counter.levels[level].n;
	return v;
}
