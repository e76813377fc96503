/* SPDX-License-Identifier: MIT */
#include "clash.h"

#include "sig.h"
#include "version.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	NAME_MOST = 64, /* letters of a name */
};

#define NEEDS (unsigned)(NEED_RUNNING | NEED_ACTIVE | NEED_IN_CPU)

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

/* ---- Two models. ---- */

/* Says what they share. Returns true. */
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
clash_between(const struct owned_model *a, const struct owned_model *b, char *text, size_t size, const void **member)
{
	const struct model *x = a->model;
	const struct model *y = b->model;
	*member = &y->id;
	if (x->id == y->id)
		return share(a, b, text, size, "letter '%c'", y->id);
	*member = &y->name;
	if (strcmp(x->name, y->name) == 0)
		return share(a, b, text, size, "name (letters '%c' and '%c')", x->id, y->id);
	if (y->breakdown)
		*member = &y->breakdown->prv_type;
	if (y->breakdown && (find_type(x, y->breakdown->prv_type) || is_breakdown(x, y->breakdown->prv_type)))
		return share(a, b, text, size, "PRV type %d (breakdown)", y->breakdown->prv_type);
	if (y->breakdown)
		*member = &y->breakdown->file;
	if (x->breakdown && y->breakdown && strcmp(x->breakdown->file, y->breakdown->file) == 0)
		return share(a, b, text, size, "file %s.prv (breakdown)", y->breakdown->file);
	for (size_t i = 0; i < y->nchans; i++) {
		int type = y->chans[i].prv_type;
		*member = &y->chans[i].prv_type;
		if (find_type(x, type) || is_breakdown(x, type))
			return share(a, b, text, size, "PRV type %d (channel %s)", type, y->chans[i].name);
	}
	return false;
}

/* ---- One model. ---- */

/* The check of one model. */
struct check {
	const struct model *m;
	char *text;
	size_t size;
	const void *decl;      /* that is being looked at; NULL: the head of the model */
	uint8_t seen[256][32]; /* a bit for each category and value */
};

/* Says what is wrong with the model. Returns true. */
static bool __attribute__((format(printf, 2, 3)))
refuse(struct check *c, const char *fmt, ...)
{
	int n = snprintf(c->text, c->size, "the model %s: ", c->m->name);
	va_list ap;
	va_start(ap, fmt);
	if (n > 0 && (size_t)n < c->size)
		(void)vsnprintf(c->text + n, c->size - (size_t)n, fmt, ap);
	va_end(ap);
	return true;
}

static bool
is_plain(const char *text, const char *more, size_t most)
{
	static const char *const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	size_t n = 0;
	while (text && text[n] && n <= most && (strchr(letters, text[n]) || (n && strchr(more, text[n]))))
		n++;
	return n > 0 && n <= most && !text[n];
}

/* Names are parts of paths and of lists with commas. */
static bool
is_bad_head(struct check *c)
{
	const struct model *m = c->m;
	struct version v;
	if (!is_plain(m->name, "_-", NAME_MOST))
		return snprintf(c->text, c->size, "the name of a model has 1 to %d letters, digits, '_' and '-', not \"%.100s\"", NAME_MOST, m->name ? m->name : "") > 0;
	if (m->id <= ' ' || m->id > '~')
		return refuse(c, "its letter is not one that can be printed: 0x%02x", (uint8_t)m->id);
	if (version_parse(m->version, &v) < 0)
		return refuse(c, "its version is not three numbers split by dots: \"%.100s\"", m->version ? m->version : "");
	if (m->need & ~NEEDS)
		return refuse(c, "it needs what is not in enum need: 0x%x", m->need);
	if (m->nchans && !m->chans)
		return refuse(c, "%zu channels, but no table", m->nchans);
	if (m->nstates && !m->states)
		return refuse(c, "%zu states, but no table", m->nstates);
	if (m->nevents && !m->events)
		return refuse(c, "%zu events, but no table", m->nevents);
	return false;
}

static bool
is_bad_type(struct check *c, int type, const char *chan)
{
	if (type <= 0)
		return refuse(c, "a PRV type is a number above 0, not %d: %s", type, chan);
	return is_reserved(type) &&
		snprintf(c->text, c->size, "the model %s uses the PRV type %d (channel %s), which is reserved: 1 to %d show threads and CPUs, %d to %d marks",
			c->m->name, type, chan, CLASH_BASE - 1, CLASH_MARKS, CLASH_MARKS_END - 1) > 0;
}

bool
clash_in_rows(const struct chan_decl *k, char *text, size_t size)
{
	const struct {
		bool bad;
		const char *what;
	} checks[] = {
		{ k->of > OF_SYSTEM, "a member of the channel is not a constant of its type" },
		{ k->sum && (k->of == OF_THREAD || k->of == OF_SYSTEM), "sums are those of processes or looms" },
		{ k->sum && (k->values == VALUES_TEXT || k->kind == CHAN_PUNCTUAL), "sums are those of numbers that last" },
		{ k->sum && (k->initial < -(int64_t)UINT32_MAX || k->initial > UINT32_MAX), "the initial value leaves no room for the sums" },
		{ k->of && k->kind == CHAN_STACK, "only channels of threads can be stacks" },
		{ k->of && (k->thread_track || k->cpu_track), "only channels of threads are tracked" },
		{ k->of && (k->drained || k->idle || k->role || k->repeat || k->dup == DUP_ALLOW || k->view.thread_title || k->view.cpu_title),
			"the members dup, repeat, drained, idle, role and the titles of views are for channels of threads" },
		{ k->of && k->values != VALUES_ANY && (k->initial < 0 || k->initial > UINT32_MAX), "the initial value is none from 0 to 4294967295, and .values not VALUES_ANY" },
	};
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].bad)
			return snprintf(text, size, "%s", checks[i].what) > 0;
	return false;
}

static bool
has_reserved(const struct view_decl *v)
{
	bool has = false;
	for (size_t i = 0; i < sizeof(v->reserved) / sizeof(v->reserved[0]); i++)
		has = has || v->reserved[i];
	return has;
}

static bool
is_bad_chan(struct check *c, const struct chan_decl *k)
{
	if (!k->name || !k->title)
		return refuse(c, "a channel needs a name and a title: %s", k->name ? k->name : k->title ? k->title
													: "the first is 0");
	if (k->kind > CHAN_PUNCTUAL || k->dup > DUP_ALLOW || k->repeat > REPEAT_ALL || k->values > VALUES_ANY || k->thread_track > TRACK_OWN || k->cpu_track > TRACK_OWN || k->role >= ROLES)
		return refuse(c, "a member of the channel is not a constant of its type: %s", k->name);
	char why[200];
	if (clash_in_rows(k, why, sizeof(why)))
		return refuse(c, "%s: %s", why, k->name);
	if (has_reserved(&k->view))
		return refuse(c, "the view has members that are not known here: %s", k->name);
	if (k->nlabels && !k->labels)
		return refuse(c, "%zu labels, but no table: %s", k->nlabels, k->name);
	for (size_t i = 0; i < k->nlabels; i++)
		if (!k->labels[i].text)
			return refuse(c, "a label needs a text: %s", k->name);
	if (k->view.file && !is_plain(k->view.file, "_-.", NAME_MOST))
		return refuse(c, "a view needs a plain file name, not \"%.100s\": %s", k->view.file, k->name);
	const struct chan_decl *first = find_type(c->m, k->prv_type);
	if (first != k)
		return snprintf(c->text, c->size, "two channels of the model %s have the PRV type %d: %s and %s", c->m->name, k->prv_type, first->name, k->name) > 0;
	return is_bad_type(c, k->prv_type, k->name);
}

static bool
is_bad_mcv(struct check *c, const char *mcv)
{
	if (strlen(mcv) != 3)
		return refuse(c, "an event has three letters, not \"%.100s\"", mcv);
	if (mcv[0] != c->m->id)
		return refuse(c, "the event does not begin with the letter of the model: %s", mcv);
	uint8_t *byte = &c->seen[(uint8_t)mcv[1]][(uint8_t)mcv[2] / 8];
	uint8_t bit = (uint8_t)(1u << ((uint8_t)mcv[2] % 8));
	bool twice = *byte & bit;
	*byte |= bit;
	return twice && refuse(c, "the event is declared twice: %s", mcv);
}

/* Whether the outputs have no room for a value, or it stands for nothing. */
static bool
is_out_of_range(const struct chan_decl *k, int64_t value)
{
	return value == NO_VALUE || (k->values == VALUES_DECLARED && (value < 0 || value > UINT32_MAX));
}

#define OUT_OF_RANGE "the value %" PRId64 " is none from 0 to %" PRIu32 ", for which the channel %s has room unless it is one of VALUES_ANY"

static bool
is_bad_state(struct check *c, const struct state_decl *s)
{
	const struct model *m = c->m;
	if (!s->label || (!s->text && (s->enter || s->leave)))
		return refuse(c, "the state needs a label and a text: %s", s->enter ? s->enter : "");
	if (s->chan < 0 || (size_t)s->chan >= m->nchans)
		return refuse(c, "the channel of the state does not exist: %s", s->label);
	if (m->chans[s->chan].of != OF_THREAD)
		return refuse(c, "only channels of threads have states, others have labels: %s", s->label);
	if (m->chans[s->chan].kind == CHAN_PUNCTUAL)
		return refuse(c, "the channel takes punctual values only: %s", s->label);
	if (s->role >= ROLES)
		return refuse(c, "a member of the state is not a constant of its type: %s", s->label);
	if (is_out_of_range(&m->chans[s->chan], s->value))
		return refuse(c, OUT_OF_RANGE ": %s", s->value, UINT32_MAX, m->chans[s->chan].name, s->label);
	for (const struct state_decl *o = m->states; o < s; o++)
		if (o->chan == s->chan && o->value == s->value && strcmp(o->label, s->label) != 0)
			return refuse(c, "two states have the same value: %s", s->label);
	return (s->enter && is_bad_mcv(c, s->enter)) || (s->leave && is_bad_mcv(c, s->leave));
}

static bool
is_bad_arg(struct check *c, const struct event_decl *e, const struct sig *sig, const char *name, bool text)
{
	size_t i = 0;
	while (i < sig->nargs && strcmp(sig->args[i].name, name) != 0)
		i++;
	if (i == sig->nargs)
		return refuse(c, "the event has no argument %.100s: %s", name, e->sig);
	if (text != (sig->args[i].type == SIG_STR))
		return refuse(c, "the argument %.100s must be a %s: %s", name, text ? "str" : "number", e->sig);
	if (e->payload > PAYLOAD_EXACT)
		return refuse(c, "the argument %.100s need not be in the payload: %s", name, e->sig);
	return false;
}

/* Checks the arguments and the kind of channel of an operation. */
static bool
is_bad_op(struct check *c, const struct event_decl *e, const struct sig *sig)
{
	bool wants = e->op >= OP_SET_ARG && e->op != OP_ADD;
	bool stack = e->op == OP_PUSH || e->op == OP_POP || e->op == OP_PUSH_ARG || e->op == OP_POP_ARG;
	bool single = e->op == OP_SET || e->op == OP_CLEAR || e->op == OP_SET_ARG || e->op == OP_ADD_ARG || e->op == OP_ADD;
	if (wants != (e->arg != NULL) || (e->op == OP_LABEL) != (e->text_arg != NULL))
		return refuse(c, "%s: %s", wants ? "the operation needs an argument" : "the operation takes no argument", e->sig);
	if (e->op <= OP_IGNORE)
		return false;
	const struct chan_decl *k = &c->m->chans[e->chan];
	if (k->of != OF_THREAD && (stack || e->op == OP_CLEAR))
		return refuse(c, "the operation is one of channels of threads, %s is of others: %s", k->name, e->sig);
	if ((stack && k->kind == CHAN_SINGLE) || (single && k->kind == CHAN_STACK))
		return refuse(c, "the operation is one of %s channel, %s is another: %s", stack ? "a stack" : "a single", k->name, e->sig);
	bool constant = e->op == OP_SET || e->op == OP_PUSH || e->op == OP_POP || e->op == OP_PUNCTUAL;
	if (constant && is_out_of_range(k, e->value))
		return refuse(c, OUT_OF_RANGE ": %s", e->value, UINT32_MAX, k->name, e->sig);
	/* Only what is shown may be text: numbers are added and labelled. */
	bool text = wants && e->op != OP_ADD_ARG && e->op != OP_LABEL && k->values == VALUES_TEXT;
	return (wants && is_bad_arg(c, e, sig, e->arg, text)) || (e->text_arg && is_bad_arg(c, e, sig, e->text_arg, true));
}

static bool
is_bad_event(struct check *c, const struct event_decl *e)
{
	const struct model *m = c->m;
	struct sig sig;
	const char *why;
	if (!e->sig || !e->text)
		return refuse(c, "the event needs a signature and a text: %s", e->sig ? e->sig : "");
	if (sig_parse(e->sig, &sig, &why) < 0)
		return refuse(c, "%s: %s", why, e->sig);
	if (e->op >= OP_KINDS || e->payload > PAYLOAD_ANY || (e->need & ~NEEDS && e->need != NEED_NONE))
		return refuse(c, "a member of the event is not a constant of its type: %s", e->sig);
	if ((e->op == OP_HOOK) != (e->hook != NULL))
		return refuse(c, "the event needs either an operation or a hook: %s", e->sig);
	if (e->op > OP_IGNORE && (e->chan < 0 || (size_t)e->chan >= m->nchans))
		return refuse(c, "the channel of the event does not exist: %s", e->sig);
	if (e->op > OP_IGNORE && e->op != OP_PUNCTUAL && e->op != OP_PUNCTUAL_ARG && e->op != OP_LABEL && m->chans[e->chan].kind == CHAN_PUNCTUAL)
		return refuse(c, "the channel takes punctual values only: %s", e->sig);
	return is_bad_op(c, e, &sig) || is_bad_mcv(c, sig.mcv);
}

static bool
is_bad_breakdown(struct check *c, const struct breakdown_decl *b)
{
	const int chans[] = { b->state, b->task, b->idle };
	for (size_t i = 0; i < sizeof(chans) / sizeof(chans[0]); i++)
		if (chans[i] < -1 || chans[i] >= (int)c->m->nchans)
			return refuse(c, "a channel of the breakdown does not exist: %d", chans[i]);
		else if (chans[i] >= 0 && c->m->chans[chans[i]].of != OF_THREAD)
			return refuse(c, "a channel of the breakdown is not one of threads: %s", c->m->chans[chans[i]].name);
	if (has_reserved(&b->view))
		return refuse(c, "the view has members that are not known here: breakdown");
	bool taken = b->file && (strcmp(b->file, "thread") == 0 || strcmp(b->file, "cpu") == 0 || strcmp(b->file, "proc") == 0);
	if (!b->title || taken || !is_plain(b->file, "_-.", NAME_MOST))
		return refuse(c, "the breakdown needs a title, and a plain file name that no other output has: \"%.100s\"", b->file ? b->file : "");
	if (find_type(c->m, b->prv_type))
		return refuse(c, "the breakdown and the channel %s have the same PRV type %d", find_type(c->m, b->prv_type)->name, b->prv_type);
	return is_bad_type(c, b->prv_type, "breakdown");
}

bool
clash_within(const struct model *m, char *text, size_t size, const void **decl)
{
	struct check c = { .m = m, .text = text, .size = size };
	bool bad = is_bad_head(&c);
	for (size_t i = 0; i < m->nchans && !bad; i++)
		bad = is_bad_chan(&c, c.decl = &m->chans[i]);
	for (size_t i = 0; i < m->nstates && !bad; i++)
		bad = is_bad_state(&c, c.decl = &m->states[i]);
	for (size_t i = 0; i < m->nevents && !bad; i++)
		bad = is_bad_event(&c, c.decl = &m->events[i]);
	if (!bad && m->breakdown)
		bad = is_bad_breakdown(&c, c.decl = m->breakdown);
	if (decl)
		*decl = c.decl;
	return bad;
}
