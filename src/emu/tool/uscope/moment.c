/* SPDX-License-Identifier: MIT */
#include "moment.h"

#include "when.h"

#include <string.h>

static const char too_large[] = "the time is too large";

/* Reads "120cy" and "120cy@NAME". false: it is another kind of time. */
static bool
parse_cycles(const char *text, struct moment *m, const char **why)
{
	const char *unit = text + strspn(text, "0123456789");
	if (unit == text || strncmp(unit, "cy", 2) != 0 || (unit[2] && unit[2] != '@'))
		return false;
	m->unit = MOMENT_CYCLES;
	m->clock = unit[2] ? unit + 3 : NULL;
	for (const char *p = text; p < unit; p++)
		if (__builtin_mul_overflow(m->n, 10, &m->n) || __builtin_add_overflow(m->n, (unsigned)(*p - '0'), &m->n))
			*why = too_large;
	return true;
}

bool
moment_parse(const char *text, struct moment *m, const char **why)
{
	bool less = false;
	*m = (struct moment){ 0 };
	*why = NULL;
	m->from_end = when_skip_end(&text, &less);
	if (m->from_end && !less)
		return true;
	if (parse_cycles(text, m, why))
		return !*why;
	if (!when_parse_percent(text, &m->percent, why))
		return when_parse_ps(text, &m->n, why);
	m->unit = MOMENT_PERCENT;
	return !*why;
}

static uint64_t
begin_of(uscope_reader_t *r)
{
	uscope_segment_t first;
	bool known = uscope_num_segments(r) && uscope_segment_info(r, 0, &first) == 0;
	return known ? first.time_start_ps : 0;
}

uint64_t
moment_end(uscope_reader_t *r)
{
	if (uscope_is_complete(r) && uscope_header(r)->total_time_ps)
		return uscope_header(r)->total_time_ps;
	uscope_segment_t last;
	uint32_t n = uscope_num_segments(r);
	if (!n || uscope_segment_info(r, n - 1, &last) < 0 || last.time_end_ps == 0)
		return 0;
	return last.time_end_ps - 1;
}

/* The period of a clock, or of the clock of a scope, by name; NULL is the first clock. 0: there is none. */
static uint64_t
find_period(const struct pathlist *paths, const char *name)
{
	const uscope_schema_t *s = paths->schema;
	const uscope_clock_t *clock = name ? NULL : s->clocks;
	for (uint32_t i = 0; name && i < s->num_clocks && !clock; i++)
		if (strcmp(s->clocks[i].name, name) == 0)
			clock = &s->clocks[i];
	for (uint32_t i = 0; name && i < s->num_scopes && !clock; i++) {
		const char *path = pathlist_scope(paths, (uint16_t)i);
		if (strcmp(s->scopes[i].name, name) == 0 || strcmp(*path ? path : "/", name) == 0)
			clock = &s->clocks[uscope_scope_clock(s, (uint16_t)i)];
	}
	return !clock ? 0 : clock->period_ps ? clock->period_ps
					     : 1;
}

bool
moment_find(const struct moment *m, uscope_reader_t *r, const struct pathlist *paths, uint64_t *ps, const char **why)
{
	uint64_t begin = begin_of(r);
	uint64_t end = moment_end(r);
	uint64_t period = find_period(paths, m->clock);
	begin = begin < end ? begin : end;
	*ps = m->n;
	if (period == 0 || (m->unit == MOMENT_CYCLES && __builtin_mul_overflow(m->n, period, ps))) {
		*why = period ? too_large : "no clock and no scope of the file has that name";
		return false;
	}
	bool part = m->unit == MOMENT_PERCENT && m->percent < 100;
	if (m->unit == MOMENT_PERCENT)
		*ps = part ? (uint64_t)((double)(end - begin) * (m->percent / 100)) : end - begin;
	if (m->from_end)
		*ps = *ps < end ? end - *ps : 0;
	else if (m->unit == MOMENT_PERCENT)
		*ps += begin;
	if (part)
		*ps -= *ps - begin < *ps % period ? *ps - begin : *ps % period;
	return true;
}
