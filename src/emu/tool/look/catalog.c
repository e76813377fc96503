/* SPDX-License-Identifier: MIT */
#include "catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "does|undoes something": the words of one of the two events of a state. */
static void
state_text(char *buf, size_t size, const char *text, bool leave)
{
	const char *bar = strchr(text, '|');
	if (!bar) {
		(void)snprintf(buf, size, "%s", text);
		return;
	}
	const char *verb = bar;
	while (verb > text && verb[-1] != ' ')
		verb--;
	size_t n = strcspn(bar, " ");
	const char *rest = bar + n;
	if (leave)
		(void)snprintf(buf, size, "%.*s%.*s%s", (int)(verb - text), text, (int)n - 1, bar + 1, rest);
	else
		(void)snprintf(buf, size, "%.*s%s", (int)(bar - text), text, rest);
}

int
catalog_next(const struct model *m, size_t *at, struct catalog_item *item, struct diag *d)
{
	const char *sig = NULL;
	const char *why;
	*item = (struct catalog_item){ 0 };
	while (!sig && *at < m->nstates * 2 + m->nevents) {
		size_t i = (*at)++;
		if (i < m->nstates * 2) {
			const struct state_decl *s = &m->states[i / 2];
			sig = i % 2 ? s->leave : s->enter;
			if (sig)
				state_text(item->meaning, sizeof(item->meaning), s->text, i % 2);
			continue;
		}
		const struct event_decl *e = &m->events[i - m->nstates * 2];
		sig = e->sig;
		item->any_value = e->any_value;
		item->unlisted = e->unlisted;
		(void)snprintf(item->meaning, sizeof(item->meaning), "%s", e->text);
	}
	if (!sig)
		return 0;
	if (sig_parse(sig, &item->sig, &why) < 0)
		return diag_error(d, ERR_UNKNOWN_EVENT, NULL, "model %s declares \"%s\": %s", m->name, sig, why);
	return 1;
}

static int
add(struct catalog *c, struct arena *a, struct diag *d, const struct owned_model *o, const struct catalog_item *item)
{
	const struct model *m = o->model;
	struct kind *k = (struct kind *)catalog_find(c, (const uint8_t *)item->sig.mcv);
	struct sig *sig = arena_new(a, struct sig, 1);
	const char *text = arena_strndup(a, item->meaning, strlen(item->meaning));
	if (!sig || !text)
		return diag_no_memory(d);
	*sig = item->sig;
	*k = (struct kind){ .model = m, .sig = sig, .any_value = item->any_value };
	const char *why;
	if (phrase_compile(&k->phrase, a, text, sig, &why) == 0)
		return 0;
	return diag_error(d, ERR_UNKNOWN_EVENT, &(struct place){ .file = o->owner }, "model %s says of %s \"%s\": %s", m->name, sig->mcv, text, why);
}

int
catalog_init(struct catalog *c, struct arena *a, struct diag *d, const struct model_set *set)
{
	struct model_run *runs = arena_new(a, struct model_run, set->n);
	if (!runs)
		return diag_no_memory(d);
	for (size_t i = 0; i < set->n; i++)
		runs[i] = (struct model_run){ .model = set->items[i].model, .enabled = true };
	c->models = set;
	int rc = dispatch_init(&c->dispatch, a, d, runs, set->n);
	if (rc < 0)
		return rc;
	c->kinds = arena_new(a, struct kind, c->dispatch.nops);
	if (!c->kinds)
		return diag_no_memory(d);
	for (size_t i = 0; i < set->n && rc == 0; i++) {
		const struct model *m = set->items[i].model;
		struct catalog_item item;
		for (size_t at = 0; rc == 0 && (rc = catalog_next(m, &at, &item, d)) > 0;)
			rc = add(c, a, d, &set->items[i], &item);
	}
	return rc;
}

/* Whether a text that is there has no end. */
static bool
is_open(const struct sig *sig, const struct event *ev)
{
	const struct sig_arg *last = sig->nargs ? &sig->args[sig->nargs - 1] : NULL;
	return last && last->type == SIG_STR && last->at < ev->size && !phrase_has(last, ev->payload, ev->size);
}

const char *
catalog_check(const struct catalog *c, const struct kind *k, const struct event *ev, char *buf, size_t size)
{
	const struct op *op = &c->dispatch.ops[k - c->kinds];
	const struct op_size *fits = &op->sizes[ev->jumbo];
	if (fits->min == OP_SIZE_NONE)
		return ev->jumbo ? "it must not be a jumbo event" : "it must be a jumbo event";
	if (!op_fits(op, ev->jumbo, ev->size)) {
		(void)snprintf(buf, size, "%" PRIu32 " bytes instead of %s%" PRIu32, ev->size, fits->more ? "at least " : "", fits->min);
		return buf;
	}
	return is_open(k->sig, ev) ? "the text at its end is not terminated" : NULL;
}
