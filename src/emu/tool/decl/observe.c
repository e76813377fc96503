/* SPDX-License-Identifier: MIT */
#include "decl/observe.h"

#include "decl/shape.h"
#include "emu.h"
#include "nearest.h"

#include <string.h>

enum {
	OBSERVERS_MAX = 32, /* far more than a person writes */
};

/* ---- What the file says. ---- */

#define THIS observer
static const struct decl_key keys[] = {
	{ "channel", KEY_CHAN, true, AT(chan) },
	{ "mirror", KEY_TEXT, AT(mirror) },
	{ "count", KEY_TEXT, AT(count) },
	{ "count_events", KEY_TEXTS, AT(events), .count = offsetof(struct observer, nevents) },
};
#undef THIS

/* Whether nobody else writes the channel of the observer. */
static int
check_chan(const struct decl_in *in, const cJSON *item, const struct observer *all, size_t n)
{
	const struct model *m = in->model;
	int chan = all[n].chan;
	const struct chan_decl *k = &m->chans[chan];
	const cJSON *at = json_find(item, "channel", NULL);
	bool taken = k->nlabels && k->values == VALUES_DECLARED;
	if (k->kind != CHAN_SINGLE || taken || (all[n].mirror && k->values != VALUES_ANY))
		return decl_bad(in, at, "expected a channel of \"kind\": \"single\" and \"values\": \"any\"");
	for (size_t i = 0; i < m->nstates; i++)
		taken = taken || m->states[i].chan == chan;
	for (size_t i = 0; i < m->nevents; i++)
		taken = taken || (m->events[i].op > OP_IGNORE && m->events[i].op != OP_LABEL && m->events[i].chan == chan);
	for (size_t i = 0; i < n; i++)
		taken = taken || all[i].chan == chan;
	return taken ? decl_bad(in, at, "the channel is written by a state, an event or another observer, too") : 0;
}

static int
check_observer(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	struct observer *o = (struct observer *)rows + i;
	const char *key = o->mirror ? "mirror" : o->count ? "count"
							  : "count_events";
	const char *source = o->mirror ? o->mirror : o->count;
	const cJSON *at = json_find(item, key, NULL);
	if (!!o->mirror + !!o->count + !!o->events != 1)
		return decl_bad(in, item, "expected one of the keys mirror, count, count_events");
	if (i >= OBSERVERS_MAX)
		return decl_bad(in, item, "a model has at most %d observers", OBSERVERS_MAX);
	if (source && (!strchr(source, '.') || *source == '.'))
		return decl_bad(in, at, "expected MODEL.CHANNEL, such as \"mpi.function\", not \"%.60s\"", source);
	for (size_t k = 0; o->events && k < o->nevents; k++)
		if (strlen(o->events[k]) != 3)
			return decl_bad(in, cJSON_GetArrayItem(at, (int)k), "expected the three letters of an event, not \"%.60s\"", o->events[k]);
	char path[200];
	size_t line = json_where(&in->json, at, path, sizeof(path));
	o->where = arena_printf(in->arena, "%s:%zu: %s", in->file, line, path);
	return o->where ? check_chan(in, item, rows, i) : diag_no_memory(in->diag);
}

const struct decl_shape decl_observers = { TABLE(keys), .size = sizeof(struct observer), .check = check_observer };

/* ---- In a run. ---- */

static const struct declared *
self(const struct emu *emu)
{
	return (const struct declared *)emu->plan->models[emu->cur - emu->models].model;
}

static void
add_one(struct emu *emu, int chan)
{
	(void)emu_set(emu, chan, emu_value(emu, chan) + 1);
}

static void
on_change(struct emu *emu, const struct chan_change *c)
{
	const struct observer *o = c->arg;
	if (o->count && c->now)
		add_one(emu, o->chan);
	else if (o->mirror && c->now)
		(void)emu_set(emu, o->chan, c->now);
	else if (o->mirror)
		(void)emu_clear(emu, o->chan);
}

static void
on_event(struct emu *emu, const struct event *ev)
{
	const struct declared *d = self(emu);
	for (size_t i = 0; i < d->nobservers; i++)
		for (size_t k = 0; k < d->observers[i].nevents; k++)
			if (memcmp(d->observers[i].events[k], ev->mcv, 3) == 0)
				add_one(emu, d->observers[i].chan);
}

/* Whether the channel is one of a model that this run does without. If it is none at all, that is an error. */
static bool
is_away(struct emu *emu, const struct observer *o, const char *source)
{
	const struct plan *plan = emu->plan;
	struct nearest best = { 0 };
	for (size_t i = 0; i < plan->nmodels; i++) {
		const struct model *m = plan->models[i].model;
		for (size_t k = 0; k < m->nchans; k++) {
			const char *name = emu_printf(emu, "%s.%s", m->name, m->chans[k].name);
			if (!name || strcmp(name, source) == 0)
				return name;
			nearest_try(&best, source, strlen(source), name);
		}
	}
	(void)emu_error(emu, "model", "%s: no model has the channel \"%.60s\"%s%s%s", o->where, source, best.word ? ": is \"" : "", best.word ? best.word : "",
		best.word ? "\" meant?" : "");
	return false;
}

static void
connect(struct emu *emu)
{
	const struct declared *d = self(emu);
	for (size_t i = 0; i < d->nobservers; i++) {
		struct observer *o = &d->observers[i];
		const char *source = o->mirror ? o->mirror : o->count;
		int found = source ? emu_find_chan(emu, source) : -1;
		if (source && found < 0 && !is_away(emu, o, source))
			return;
		if (found >= 0 && emu_watch(emu, found, on_change, o) < 0)
			return;
	}
}

/* No thread requires a model that has no events of its own. */
static bool
probe(struct emu *emu)
{
	(void)emu;
	return true;
}

int
observe_prepare(const struct decl_in *in, struct declared *d)
{
	char *letters = arena_alloc(in->arena, 257, 1);
	size_t n = 0;
	if (!letters)
		return diag_no_memory(in->diag);
	for (size_t i = 0; i < d->nobservers; i++) {
		((struct chan_decl *)d->model.chans)[d->observers[i].chan].dup = DUP_SKIP;
		for (size_t k = 0; k < d->observers[i].nevents; k++) {
			char letter = d->observers[i].events[k][0];
			d->model.pre = on_event;
			if (letter != d->model.id && !strchr(letters, letter))
				letters[n++] = letter;
		}
	}
	d->model.observes = n ? letters : NULL;
	d->model.connect = d->nobservers ? connect : NULL;
	d->model.probe = d->nobservers ? probe : NULL;
	return 0;
}
