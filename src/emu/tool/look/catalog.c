/* SPDX-License-Identifier: MIT */
#include "catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	MEANING_MAX = 512,
	MODELS_MAX = 256, /* as many as there are first letters */
};

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
catalog_each(const struct model *m, int (*fn)(const struct catalog_item *item, void *arg), void *arg,
	const char **bad, const char **why)
{
	int rc = 0;
	for (size_t i = 0; i < m->nstates * 2 && rc == 0; i++) {
		const struct state_decl *s = &m->states[i / 2];
		char meaning[MEANING_MAX];
		struct catalog_item item = { .model = m, .meaning = meaning };
		*bad = i % 2 ? s->leave : s->enter;
		if (!*bad)
			continue;
		if (sig_parse(*bad, &item.sig, why) < 0)
			return -1;
		state_text(meaning, sizeof(meaning), s->text, i % 2);
		rc = fn(&item, arg);
	}
	for (size_t i = 0; i < m->nevents && rc == 0; i++) {
		const struct event_decl *e = &m->events[i];
		struct catalog_item item = { .model = m, .meaning = e->text, .any_value = e->any_value, .unlisted = e->unlisted };
		*bad = e->sig;
		if (sig_parse(e->sig, &item.sig, why) < 0)
			return -1;
		rc = fn(&item, arg);
	}
	return rc;
}

struct builder {
	struct catalog *catalog;
	struct arena *arena;
	struct diag *diag;
};

static int
add(const struct catalog_item *item, void *arg)
{
	struct builder *b = arg;
	struct kind *k = (struct kind *)catalog_find(b->catalog, (const uint8_t *)item->sig.mcv);
	struct sig *sig = arena_new(b->arena, struct sig, 1);
	const char *text = arena_strndup(b->arena, item->meaning, strlen(item->meaning));
	if (!sig || !text)
		return diag_no_memory(b->diag);
	*sig = item->sig;
	*k = (struct kind){ .model = item->model, .sig = sig, .any_value = item->any_value };
	const char *why;
	if (phrase_compile(&k->phrase, b->arena, text, sig, &why) == 0)
		return 0;
	return diag_error(b->diag, ERR_UNKNOWN_EVENT, NULL, "model %s says of %s \"%s\": %s", item->model->name, sig->mcv, text, why);
}

int
catalog_init(struct catalog *c, struct arena *a, struct diag *d)
{
	struct model_run *runs = arena_new(a, struct model_run, MODELS_MAX);
	if (!runs)
		return diag_no_memory(d);
	size_t n = 0;
	for (; model_list[n] && n < MODELS_MAX; n++)
		runs[n] = (struct model_run){ .model = model_list[n], .enabled = true };
	int rc = dispatch_init(&c->dispatch, a, d, runs, n);
	if (rc < 0)
		return rc;
	c->kinds = arena_new(a, struct kind, c->dispatch.nops);
	if (!c->kinds)
		return diag_no_memory(d);
	struct builder b = { c, a, d };
	for (size_t i = 0; i < n && rc == 0; i++) {
		const char *bad;
		const char *why;
		rc = catalog_each(model_list[i], add, &b, &bad, &why);
		if (rc == -1) /* dispatch_init() has parsed them all */
			rc = diag_error(d, ERR_UNKNOWN_EVENT, NULL, "model %s declares \"%s\": %s", model_list[i]->name, bad, why);
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
	if (!op->takes[ev->jumbo])
		return ev->jumbo ? "it must not be a jumbo event" : "it must be a jumbo event";
	if (ev->size < op->min_size || ev->size > op->max_size) {
		(void)snprintf(buf, size, "%" PRIu32 " bytes instead of %s%" PRIu32, ev->size,
			ev->size < op->min_size && op->max_size != op->min_size ? "at least " : "",
			ev->size < op->min_size ? op->min_size : op->max_size);
		return buf;
	}
	return is_open(k->sig, ev) ? "the text at its end is not terminated" : NULL;
}
