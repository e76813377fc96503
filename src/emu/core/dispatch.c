/* SPDX-License-Identifier: MIT */
#include "dispatch.h"

#include "sig.h"

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
	op->max_size = e->payload == PAYLOAD_EXACT ? sig->size : UINT32_MAX;
	op->min_size = sig->size;
	if (e->payload == PAYLOAD_ANY)
		op->min_size = 0;
	if (e->payload == PAYLOAD_FIRST && sig->nargs)
		op->min_size = sig->args[0].at + sig->args[0].size;
	/* Without arguments plain and jumbo events are accepted. */
	op->takes[false] = !sig->jumbo || op->min_size == 0;
	op->takes[true] = sig->jumbo || op->min_size == 0;
}

static int
add(struct dispatch *d, struct diag *diag, const char *mcv, bool any_value, const struct op *op)
{
	if (d->nops == DISPATCH_OPS_MAX)
		return diag_error(diag, ERR_MEMORY, NULL, "the models declare more than %d events", DISPATCH_OPS_MAX);
	uint16_t id = d->nops++;
	d->ops[id] = *op;
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
add_model(struct dispatch *d, struct diag *diag, const struct model_run *mr, uint32_t number)
{
	const struct model *m = mr->model;
	struct op op = { .need = m->need, .model = number, .max_size = UINT32_MAX, .takes = { true, true } };
	int rc = 0;
	for (size_t i = 0; i < m->nstates && rc == 0; i++) {
		const struct state_decl *s = &m->states[i];
		bool stack = m->chans[s->chan].kind == CHAN_STACK;
		op.col = mr->first_col + (uint32_t)s->chan;
		op.value = s->value;
		op.kind = stack ? OP_PUSH : OP_SET;
		rc = s->enter ? add(d, diag, s->enter, false, &op) : 0;
		op.kind = stack ? OP_POP : OP_CLEAR;
		if (rc == 0 && s->leave)
			rc = add(d, diag, s->leave, false, &op);
	}
	for (size_t i = 0; i < m->nevents && rc == 0; i++) {
		const struct event_decl *e = &m->events[i];
		struct sig sig;
		const char *why;
		if (sig_parse(e->sig, &sig, &why) < 0)
			return diag_error(diag, ERR_UNKNOWN_EVENT, NULL, "model %s declares \"%s\": %s", m->name, e->sig, why);
		op.kind = e->op;
		op.hook = e->hook;
		op.col = mr->first_col + (uint32_t)e->chan;
		op.value = e->value;
		fill_sizes(&op, e, &sig);
		rc = add(d, diag, sig.mcv, e->any_value, &op);
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
	d->pages = arena_alloc(a, 256, sizeof(*d->pages));
	if (!d->ops || !d->pages)
		return diag_no_memory(diag);
	for (size_t i = 0; i < nmodels; i++) {
		if (!models[i].enabled)
			continue;
		uint8_t *categories = arena_new(a, uint8_t, 256);
		if (!categories)
			return diag_no_memory(diag);
		d->categories[(uint8_t)models[i].model->id] = categories;
		int rc = add_model(d, diag, &models[i], (uint32_t)i);
		if (rc < 0)
			return rc;
	}
	return 0;
}
