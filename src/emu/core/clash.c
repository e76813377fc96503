/* SPDX-License-Identifier: MIT */
#include "clash.h"

#include <stdio.h>

static bool
is_reserved(int type)
{
	return (type > 0 && type < CLASH_BASE && type != 5) || (type >= CLASH_MARKS && type < CLASH_MARKS_END);
}

static const struct chan_decl *
find_type(const struct model *m, int type)
{
	for (size_t i = 0; i < m->nchans; i++)
		if (m->chans[i].prv_type == type)
			return &m->chans[i];
	return NULL;
}

static bool
is_breakdown(const struct model *m, int type)
{
	return m->breakdown && m->breakdown->prv_type == type;
}

/* Compares letter, name and types of a model with one before it, or its types among
 * themselves. */
static bool
clashes(const struct model *a, const struct model *m, char *text, size_t size)
{
	if (a != m && a->id == m->id)
		return snprintf(text, size, "the models %s and %s have the same letter '%c'", a->name, m->name, m->id) > 0;
	if (a != m && strcmp(a->name, m->name) == 0)
		return snprintf(text, size, "two models have the name %s (letters '%c' and '%c')", m->name, a->id, m->id) > 0;
	if (a != m && m->breakdown && (find_type(a, m->breakdown->prv_type) || is_breakdown(a, m->breakdown->prv_type)))
		return snprintf(text, size, "the models %s and %s have the same PRV type %d (breakdown)", a->name, m->name, m->breakdown->prv_type) > 0;
	for (size_t i = 0; i < m->nchans; i++) {
		int type = m->chans[i].prv_type;
		const struct chan_decl *other = find_type(a, type);
		if (a != m && (other || is_breakdown(a, type)))
			return snprintf(text, size, "the models %s and %s have the same PRV type %d (channel %s)", a->name, m->name, type, m->chans[i].name) > 0;
		if (a == m && other != &m->chans[i])
			return snprintf(text, size, "two channels of the model %s have the PRV type %d: %s and %s", m->name, type, other->name, m->chans[i].name) > 0;
		if (a == m && is_reserved(type))
			return snprintf(text, size, "the model %s uses the PRV type %d (channel %s), which is reserved: 1 to %d show threads and CPUs, %d to %d marks",
				       m->name, type, m->chans[i].name, CLASH_BASE - 1, CLASH_MARKS, CLASH_MARKS_END - 1) > 0;
	}
	return false;
}

bool
clash_find(const struct model *const *list, char *text, size_t size)
{
	for (size_t i = 0; list[i]; i++)
		for (size_t k = 0; k <= i; k++)
			if (clashes(list[k], list[i], text, size))
				return true;
	return false;
}
