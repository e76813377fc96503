/* SPDX-License-Identifier: MIT */
#include "clash.h"

#include "sig.h"

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

/* The check of one model. */
struct check {
	const struct model *m;
	char *text;
	size_t size;
	uint8_t seen[256][32]; /* a bit for each category and value */
};

/* Says what is wrong with a part of the model. Returns true. */
static bool
refuse(struct check *c, const char *what, const char *part)
{
	return snprintf(c->text, c->size, "the model %s: %s: %s", c->m->name, what, part) > 0;
}

static bool
is_bad_mcv(struct check *c, const char *mcv)
{
	if (strlen(mcv) < 3 || mcv[0] != c->m->id)
		return refuse(c, "the event does not begin with the letter of the model", mcv);
	uint8_t *byte = &c->seen[(uint8_t)mcv[1]][(uint8_t)mcv[2] / 8];
	uint8_t bit = (uint8_t)(1u << ((uint8_t)mcv[2] % 8));
	bool twice = *byte & bit;
	*byte |= bit;
	return twice && refuse(c, "the event is declared twice", mcv);
}

static bool
is_bad_state(struct check *c, const struct state_decl *s)
{
	const struct model *m = c->m;
	if (s->chan < 0 || (size_t)s->chan >= m->nchans)
		return refuse(c, "the channel of the state does not exist", s->label);
	if (m->chans[s->chan].kind == CHAN_PUNCTUAL)
		return refuse(c, "the channel takes punctual values only", s->label);
	for (const struct state_decl *o = m->states; o < s; o++)
		if (o->chan == s->chan && o->value == s->value && strcmp(o->label, s->label) != 0)
			return refuse(c, "two states have the same value", s->label);
	return (s->enter && is_bad_mcv(c, s->enter)) || (s->leave && is_bad_mcv(c, s->leave));
}

static bool
is_bad_event(struct check *c, const struct event_decl *e)
{
	const struct model *m = c->m;
	struct sig sig;
	const char *why;
	if (sig_parse(e->sig, &sig, &why) < 0)
		return refuse(c, why, e->sig);
	if ((e->op == OP_HOOK) != (e->hook != NULL))
		return refuse(c, "the event needs either an operation or a hook", e->sig);
	if (e->op > OP_IGNORE && (e->chan < 0 || (size_t)e->chan >= m->nchans))
		return refuse(c, "the channel of the event does not exist", e->sig);
	if (e->op > OP_IGNORE && e->op != OP_PUNCTUAL && m->chans[e->chan].kind == CHAN_PUNCTUAL)
		return refuse(c, "the channel takes punctual values only", e->sig);
	return is_bad_mcv(c, sig.mcv);
}

static bool
is_bad(const struct model *m, char *text, size_t size)
{
	struct check c = { .m = m, .text = text, .size = size };
	bool bad = false;
	for (size_t i = 0; i < m->nchans && !bad; i++)
		bad = (!m->chans[i].name || !m->chans[i].title) && refuse(&c, "a channel needs a name and a title", m->name);
	for (size_t i = 0; i < m->nstates && !bad; i++)
		bad = is_bad_state(&c, &m->states[i]);
	for (size_t i = 0; i < m->nevents && !bad; i++)
		bad = is_bad_event(&c, &m->events[i]);
	return bad;
}

bool
clash_find(const struct model *const *list, char *text, size_t size)
{
	for (size_t i = 0; list[i]; i++) {
		if (is_bad(list[i], text, size))
			return true;
		for (size_t k = 0; k <= i; k++)
			if (clashes(list[k], list[i], text, size))
				return true;
	}
	return false;
}
