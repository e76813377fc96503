/* SPDX-License-Identifier: MIT */
#include "clash.h"

#include "sig.h"

#include <stdarg.h>
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

/* Says what two models share. Returns true. */
static bool __attribute__((format(printf, 5, 6)))
share(const struct owned_model *a, const struct owned_model *b, char *text, size_t size, const char *fmt, ...)
{
	int n = snprintf(text, size, "the models %s of %s and %s of %s have the same ", a->model->name, a->owner, b->model->name, b->owner);
	va_list ap;
	va_start(ap, fmt);
	if (n > 0 && (size_t)n < size)
		(void)vsnprintf(text + n, size - (size_t)n, fmt, ap);
	va_end(ap);
	return true;
}

bool
clash_between(const struct owned_model *a, const struct owned_model *b, char *text, size_t size)
{
	const struct model *x = a->model;
	const struct model *y = b->model;
	if (x->id == y->id)
		return share(a, b, text, size, "letter '%c'", y->id);
	if (strcmp(x->name, y->name) == 0)
		return share(a, b, text, size, "name (letters '%c' and '%c')", x->id, y->id);
	if (y->breakdown && (find_type(x, y->breakdown->prv_type) || is_breakdown(x, y->breakdown->prv_type)))
		return share(a, b, text, size, "PRV type %d (breakdown)", y->breakdown->prv_type);
	if (x->breakdown && y->breakdown && strcmp(x->breakdown->file, y->breakdown->file) == 0)
		return share(a, b, text, size, "file %s.prv (breakdown)", y->breakdown->file);
	for (size_t i = 0; i < y->nchans; i++) {
		int type = y->chans[i].prv_type;
		if (find_type(x, type) || is_breakdown(x, type))
			return share(a, b, text, size, "PRV type %d (channel %s)", type, y->chans[i].name);
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
is_bad_chan(const struct model *m, size_t i, char *text, size_t size)
{
	const struct chan_decl *c = &m->chans[i];
	const struct chan_decl *first = find_type(m, c->prv_type);
	if (first != c)
		return snprintf(text, size, "two channels of the model %s have the PRV type %d: %s and %s", m->name, c->prv_type, first->name, c->name) > 0;
	return is_reserved(c->prv_type) &&
		snprintf(text, size, "the model %s uses the PRV type %d (channel %s), which is reserved: 1 to %d show threads and CPUs, %d to %d marks",
			m->name, c->prv_type, c->name, CLASH_BASE - 1, CLASH_MARKS, CLASH_MARKS_END - 1) > 0;
}

bool
clash_within(const struct model *m, char *text, size_t size)
{
	struct check c = { .m = m, .text = text, .size = size };
	bool bad = false;
	for (size_t i = 0; i < m->nchans && !bad; i++)
		bad = (!m->chans[i].name || !m->chans[i].title) && refuse(&c, "a channel needs a name and a title", m->name);
	for (size_t i = 0; i < m->nstates && !bad; i++)
		bad = is_bad_state(&c, &m->states[i]);
	for (size_t i = 0; i < m->nevents && !bad; i++)
		bad = is_bad_event(&c, &m->events[i]);
	for (size_t i = 0; i < m->nchans && !bad; i++)
		bad = is_bad_chan(m, i, text, size);
	return bad;
}
