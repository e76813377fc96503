/* SPDX-License-Identifier: MIT */
#include "decl/observe.h"

#include "decl/shape.h"

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
	if (k->of != OF_THREAD && all[n].mirror)
		return decl_bad(in, at, "only channels of threads mirror others");
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
	return (const struct declared *)emu_model(emu);
}

/* Adds one to the channel of the event's thread, or of its process, its loom or the system. */
static void
add_one(struct emu *emu, int chan)
{
	enum chan_of of = self(emu)->model.chans[chan].of;
	if (of == OF_THREAD) {
		(void)emu_set(emu, chan, emu_value(emu, chan) + 1);
		return;
	}
	uint32_t proc = emu_proc(emu, emu_thread(emu));
	uint32_t loom = emu_loom(emu, proc);
	(void)emu_add_row(emu, of == OF_PROC ? proc : of == OF_LOOM ? loom
								    : 0,
		chan, 1);
}

static void
on_mirror(struct emu *emu, const struct chan_change *c)
{
	const struct observer *o = c->arg;
	if (c->now)
		(void)emu_set(emu, o->chan, c->now);
	else
		(void)emu_clear(emu, o->chan);
}

static void
on_count(struct emu *emu, const struct chan_change *c)
{
	const struct observer *o = c->arg;
	if (c->now)
		add_one(emu, o->chan);
}

/* The slot of an event in the table of those that are counted, or the empty one where it belongs. */
static struct counted *
slot_of(const struct declared *d, const uint8_t *mcv)
{
	uint32_t name = (uint32_t)mcv[0] | (uint32_t)mcv[1] << 8 | (uint32_t)mcv[2] << 16;
	struct counted *c = &d->counted[name * UINT32_C(2654435761) >> d->counted_shift];
	while (c->name && c->name != name)
		c = c == d->counted_end ? d->counted : c + 1;
	return c;
}

/* Not inlined: an event that is not counted would save registers for it. */
static __attribute__((noinline)) void
count_event(struct emu *emu, uint32_t observers)
{
	const struct declared *d = self(emu);
	for (uint32_t left = observers; left; left &= left - 1)
		add_one(emu, d->observers[__builtin_ctz(left)].chan);
}

static void
on_event(struct emu *emu, const struct event *ev)
{
	uint32_t observers = slot_of(self(emu), ev->mcv)->observers;
	if (observers)
		count_event(emu, observers);
}

/* Refuses the name of a channel that no model has; it may be one of a model that this run does without. */
static void
check_source(struct emu *emu, const struct observer *o, const char *source)
{
	const char *meant = emu_nearest_chan(emu, source);
	if (!meant || strcmp(meant, source) != 0)
		(void)emu_error(emu, "model", "%s: no model has the channel \"%.60s\"%s%s%s", o->where, source, meant ? ": is \"" : "", meant ? meant : "", meant ? "\" meant?" : "");
}

static void
connect(struct emu *emu)
{
	const struct declared *d = self(emu);
	for (size_t i = 0; i < d->nobservers && !emu_has_failed(emu); i++) {
		struct observer *o = &d->observers[i];
		const char *source = o->mirror ? o->mirror : o->count;
		int found = source ? emu_find_chan(emu, source) : -1;
		if (found >= 0)
			(void)emu_watch(emu, found, o->mirror ? on_mirror : on_count, o);
		else if (source)
			check_source(emu, o, source);
	}
}

/* No thread requires a model that has no events of its own. */
static bool
probe(struct emu *emu)
{
	(void)emu;
	return true;
}

/* Makes the table of the events that are counted, and the letters of their models. */
static int
list_counted(const struct decl_in *in, struct declared *d)
{
	char *letters = arena_alloc(in->arena, 257, 1);
	size_t nletters = 0;
	size_t n = 0;
	for (size_t i = 0; i < d->nobservers; i++)
		n += d->observers[i].nevents;
	d->counted_shift = 31;
	while (UINT32_C(1) << (32 - d->counted_shift) < 4 * n) /* most events are found at once, or not at all */
		d->counted_shift--;
	size_t size = (size_t)1 << (32 - d->counted_shift);
	d->counted = arena_new(in->arena, struct counted, size);
	if (!letters || !d->counted)
		return diag_no_memory(in->diag);
	d->counted_end = d->counted + size - 1;
	for (size_t i = 0; i < d->nobservers; i++) {
		for (size_t k = 0; k < d->observers[i].nevents; k++) {
			const char *mcv = d->observers[i].events[k];
			struct counted *c = slot_of(d, (const uint8_t *)mcv);
			c->name = (uint32_t)(uint8_t)mcv[0] | (uint32_t)(uint8_t)mcv[1] << 8 | (uint32_t)(uint8_t)mcv[2] << 16;
			c->observers |= UINT32_C(1) << i;
			if (*mcv != d->model.id && !strchr(letters, *mcv))
				letters[nletters++] = *mcv;
		}
	}
	d->model.pre = n ? on_event : NULL;
	d->model.observes = nletters ? letters : NULL;
	return 0;
}

int
observe_prepare(const struct decl_in *in, struct declared *d)
{
	for (size_t i = 0; i < d->nobservers; i++)
		((struct chan_decl *)d->model.chans)[d->observers[i].chan].dup = DUP_SKIP;
	d->model.connect = d->nobservers ? connect : NULL;
	d->model.probe = d->nobservers ? probe : NULL;
	return list_counted(in, d);
}
