/* SPDX-License-Identifier: MIT */
#include "dispatch.h"

#include "chan.h"

#include <string.h>

/* Returns the operation slot of an event, adding its page if it is new. NULL: no room. */
static uint16_t *
slot_of(struct dispatch *d, const char *mcv)
{
	uint8_t *category = &d->categories[(uint8_t)mcv[0]][(uint8_t)mcv[1]];
	if (*category == 0) {
		if (d->npages == 256)
			return NULL;
		*category = (uint8_t)d->npages++;
	}
	return &d->pages[*category][(uint8_t)mcv[2]];
}

static void
fill_sizes(struct op *op, const struct event_decl *e, const struct sig *sig)
{
	static const struct op_size none = { OP_SIZE_NONE, 0 };
	struct op_size size = { .min = sig->size };
	if (e->payload == PAYLOAD_ANY)
		size.min = 0;
	if (e->payload == PAYLOAD_FIRST && sig->nargs)
		size.min = sig->args[0].at + sig->args[0].size;
	size.more = e->payload == PAYLOAD_EXACT ? 0 : UINT32_MAX - size.min;
	/* Without arguments plain and jumbo events are accepted. */
	op->sizes[false] = !sig->jumbo || size.min == 0 ? size : none;
	op->sizes[true] = sig->jumbo || size.min == 0 ? size : none;
}

/* Finds an argument, which the declaration has: the models were checked. */
static const struct sig_arg *
find_arg(const struct sig *sig, const char *name)
{
	size_t i = 0;
	while (i + 1 < sig->nargs && strcmp(sig->args[i].name, name) != 0)
		i++;
	return &sig->args[i];
}

static int
add(struct dispatch *d, struct diag *diag, const char *mcv, const struct event_decl *e, const struct op *op)
{
	bool any_value = e && e->any_value;
	if (d->nops == DISPATCH_OPS_MAX)
		return diag_error(diag, ERR_MEMORY, NULL, "the models declare more than %d events", DISPATCH_OPS_MAX);
	uint16_t id = d->nops++;
	d->ops[id] = *op;
	d->ops[id].need |= NEED_THREAD;
	d->decls[id] = e;
	uint16_t *slot = slot_of(d, mcv);
	if (!slot)
		return diag_error(diag, ERR_MEMORY, NULL, "the models declare more than %d categories", UINT8_MAX);
	if (any_value)
		for (int v = 0; v < 256; v++)
			slot[v - (uint8_t)mcv[2]] = id;
	else
		*slot = id;
	return 0;
}

static int
add_model(struct dispatch *d, struct diag *diag, const struct model_run *mr, uint16_t number)
{
	const struct model *m = mr->model;
	struct op op = { .need = (uint8_t)m->need, .model = number, .step = OP_NO_STEP, .sizes = { { 0, UINT32_MAX }, { 0, UINT32_MAX } } };
	int rc = 0;
	for (size_t i = 0; i < m->nstates && rc == 0; i++) {
		const struct state_decl *s = &m->states[i];
		bool stack = m->chans[s->chan].kind == CHAN_STACK;
		op.col = (uint16_t)(mr->first_col + (uint32_t)s->chan);
		op.value = s->value;
		op.kind = stack ? OP_PUSH : OP_SET;
		rc = s->enter ? add(d, diag, s->enter, NULL, &op) : 0;
		op.kind = stack ? OP_POP : OP_CLEAR;
		if (rc == 0 && s->leave)
			rc = add(d, diag, s->leave, NULL, &op);
	}
	for (size_t i = 0; i < m->nevents && rc == 0; i++) {
		const struct event_decl *e = &m->events[i];
		struct sig sig;
		const char *why;
		if (sig_parse(e->sig, &sig, &why) < 0)
			return diag_error(diag, ERR_UNKNOWN_EVENT, NULL, "model %s declares \"%s\": %s", m->name, e->sig, why);
		op.kind = (uint8_t)e->op;
		op.col = (uint16_t)(mr->first_col + (uint32_t)e->chan);
		op.value = e->value;
		if (e->op > OP_IGNORE && e->op != OP_LABEL && m->chans[e->chan].of != OF_THREAD)
			op.kind = (uint8_t)(op.kind + OP_ROW);
		op.need = (uint8_t)(e->need ? e->need & ~(unsigned)NEED_NONE : m->need);
		op.hook = e->hook;
		fill_sizes(&op, e, &sig);
		if (e->arg) {
			const struct sig_arg *arg = find_arg(&sig, e->arg);
			op.arg.type = arg->type;
			op.arg.at = (uint16_t)arg->at;
		}
		if (e->text_arg)
			op.arg.text_at = (uint16_t)find_arg(&sig, e->text_arg)->at;
		rc = add(d, diag, sig.mcv, e, &op);
	}
	return rc;
}

int
dispatch_init(struct dispatch *d, struct arena *a, struct diag *diag, const struct model_run *models, size_t nmodels)
{
	size_t nops = 1;
	for (size_t i = 0; i < nmodels; i++)
		nops += models[i].enabled ? models[i].model->nstates * 2 + models[i].model->nevents : 0;
	/* Page 0 stays empty: no category leads to an operation by mistake. */
	*d = (struct dispatch){ .nops = 1, .npages = 1 };
	d->ops = arena_new(a, struct op, nops);
	d->decls = arena_new(a, const struct event_decl *, nops);
	d->pages = arena_alloc(a, 256, sizeof(*d->pages));
	uint8_t *none = arena_new(a, uint8_t, 256);
	if (!d->ops || !d->decls || !d->pages || !none)
		return diag_no_memory(diag);
	d->ops[0].need = NEED_NEVER;
	d->ops[0].sizes[false] = d->ops[0].sizes[true] = (struct op_size){ OP_SIZE_NONE, 0 };
	for (int i = 0; i < 256; i++)
		d->categories[i] = none;
	for (size_t i = 0; i < nmodels; i++) {
		if (!models[i].enabled)
			continue;
		uint8_t *categories = arena_new(a, uint8_t, 256);
		if (!categories)
			return diag_no_memory(diag);
		d->categories[(uint8_t)models[i].model->id] = categories;
		int rc = add_model(d, diag, &models[i], (uint16_t)i);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- Phases. ---- */

enum phase {
	PRE,
	EMIT,
	POST,
	PHASES,
};

bool
dispatch_observes(const struct model *m, const struct model *other)
{
	if (!m->observes || other == m)
		return false;
	return strchr(m->observes, other->id) || (strcmp(m->observes, "*") == 0 && !other->observes);
}

static event_hook *
hook_of(const struct model *m, enum phase phase)
{
	return phase == PRE ? m->pre : phase == EMIT ? m->emit
						     : m->post;
}

/* Lists the hooks of a phase of an event: its own, that of its model, and those of observers. Returns the end of the list. */
static struct phase_hook *
list_hooks(const struct model_run *models, size_t nmodels, uint32_t owner, event_hook *own, enum phase phase, struct phase_hook *to)
{
	const struct model *m = models[owner].model;
	if (own)
		*to++ = (struct phase_hook){ own, owner };
	if (hook_of(m, phase))
		*to++ = (struct phase_hook){ hook_of(m, phase), owner };
	for (uint32_t i = 0; i < nmodels; i++)
		if (models[i].enabled && dispatch_observes(models[i].model, m) && hook_of(models[i].model, phase))
			*to++ = (struct phase_hook){ hook_of(models[i].model, phase), i };
	return to;
}

/* Whether a hook of a model may change what is watched: all channels of the model, and the states of threads. */
static bool
may_change(const struct model_run *mr, const bool *watched)
{
	bool may = false;
	for (uint32_t i = 0; i < NBASE; i++)
		may = may || watched[i];
	for (uint32_t i = 0; i < mr->nchans; i++)
		may = may || watched[mr->first_col + i];
	return may;
}

int
dispatch_add_phases(struct dispatch *d, struct arena *a, struct diag *diag, const struct model_run *models, size_t nmodels,
	const bool *watched)
{
	struct phase_hook *list = arena_new(a, struct phase_hook, PHASES * (2 + nmodels));
	if (!list)
		return diag_no_memory(diag);
	for (uint16_t id = 1; id < d->nops; id++) {
		struct op *op = &d->ops[id];
		const struct event_decl *e = d->decls[id];
		const struct phase_hook *emit = list_hooks(models, nmodels, op->model, NULL, PRE, list);
		const struct phase_hook *post = list_hooks(models, nmodels, op->model, e ? e->emit : NULL, EMIT, list + (emit - list));
		const struct phase_hook *end = list_hooks(models, nmodels, op->model, e ? e->post : NULL, POST, list + (post - list));
		bool is_seen = op->kind == OP_HOOK ? may_change(&models[op->model], watched) : op->kind != OP_IGNORE && watched[op->col];
		for (const struct phase_hook *h = list; h < emit; h++)
			is_seen = is_seen || may_change(&models[h->model], watched);
		if (end == list && !is_seen)
			continue;
		struct phases *p = arena_new(a, struct phases, 1);
		struct phase_hook *hooks = arena_new(a, struct phase_hook, (size_t)(end - list));
		if (!p || !hooks)
			return diag_no_memory(diag);
		memcpy(hooks, list, (size_t)(end - list) * sizeof(*list));
		*p = (struct phases){ hooks, hooks + (emit - list), hooks + (post - list), hooks + (end - list), is_seen };
		op->phases = p;
	}
	return 0;
}
