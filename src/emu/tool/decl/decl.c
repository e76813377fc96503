/* SPDX-License-Identifier: MIT */
#include "decl/decl.h"

#include "decl/observe.h"
#include "decl/shape.h"
#include "clash.h"

#include <stdio.h>
#include <string.h>

static const char *const roles[] = {
	[ROLE_NONE] = "none",
	[ROLE_USEFUL] = "useful",
	[ROLE_RUNTIME] = "runtime",
	[ROLE_COMMUNICATION] = "communication",
	[ROLE_WAITING] = "waiting",
	[ROLE_TRACING] = "tracing",
	[ROLE_PREEMPTED] = "preempted",
};

/* ---- Channels. ---- */

static const char *const kinds[] = { [CHAN_SINGLE] = "single", [CHAN_STACK] = "stack", [CHAN_PUNCTUAL] = "punctual" };
static const char *const dups[] = { [DUP_ERROR] = "error", [DUP_SKIP] = "skip", [DUP_ALLOW] = "allow" };
static const char *const repeats[] = { [REPEAT_SKIP] = "skip", [REPEAT_VALUES] = "values", [REPEAT_ALL] = "all" };
static const char *const values[] = { [VALUES_DECLARED] = "declared", [VALUES_TEXT] = "text", [VALUES_ANY] = "any" };
static const char *const ofs[] = { [OF_THREAD] = "thread", [OF_PROC] = "process", [OF_LOOM] = "loom", [OF_SYSTEM] = "system" };
static const char *const tracks[] = { [TRACK_RUNNING] = "running", [TRACK_ACTIVE] = "active", [TRACK_ANY] = "any", [TRACK_HIDDEN] = "hidden" };

#define THIS view_decl
static const struct decl_key view_keys[] = {
	{ "file", KEY_TEXT, true, AT(file) },
	{ "thread_title", KEY_TEXT, AT(thread_title) },
	{ "cpu_title", KEY_TEXT, AT(cpu_title) },
	{ "palette", KEY_PALETTE, AT(palette) },
	{ "gradient", KEY_BOOL, AT(gradient) },
	{ "draw_random", KEY_BOOL, AT(draw_random) },
	{ "next_value", KEY_BOOL, AT(next_value) },
};
#undef THIS

static const struct decl_shape view_shape = { TABLE(view_keys), .size = sizeof(struct view_decl) };

#define THIS chan_decl
static const struct decl_key chan_keys[] = {
	{ "name", KEY_TEXT, true, AT(name) },
	{ "title", KEY_TEXT, true, AT(title) },
	{ "type", .needed = true, TYPE, AT(prv_type) },
	{ "kind", KEY_WORD, AT(kind), WORDS(kinds) },
	{ "dup", KEY_WORD, AT(dup), WORDS(dups) },
	{ "repeat", KEY_WORD, AT(repeat), WORDS(repeats) },
	{ "values", KEY_WORD, AT(values), WORDS(values) },
	{ "thread", KEY_WORD, AT(thread_track), WORDS(tracks) },
	{ "cpu", KEY_WORD, AT(cpu_track), WORDS(tracks) },
	{ "drained", KEY_BOOL, AT(drained) },
	{ "bare_title", KEY_BOOL, AT(bare_title) },
	{ "idle", VALUE, AT(idle) },
	{ "initial", VALUE, AT(initial) },
	{ "role", KEY_WORD, AT(role), WORDS(roles) },
	{ "labels", KEY_LABELS, AT(labels), .count = offsetof(struct chan_decl, nlabels) },
	{ "view", KEY_OBJECT, AT(view), .of = &view_shape },
	{ "of", KEY_WORD, AT(of), WORDS(ofs) },
	{ "sum", KEY_BOOL, AT(sum) },
};
#undef THIS

/* Channels are told apart by their names, which models in C need not; clash.h looks at all else. */
static int
check_chan(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	const struct chan_decl *k = (const struct chan_decl *)rows + i;
	const cJSON *it;
	size_t n = 0;
	for (const struct chan_decl *o = rows; o < k; o++)
		if (strcmp(o->name, k->name) == 0)
			return decl_bad(in, json_find(item, "name", NULL), "another channel has the name \"%.60s\"", k->name);
	cJSON_ArrayForEach(it, json_find(item, "labels", NULL))
	{
		int rc = decl_check_room(in, it, k, k->labels[n++].value);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static const struct decl_shape chan_shape = { TABLE(chan_keys), .size = sizeof(struct chan_decl), .check = check_chan };

/* ---- States. ---- */

#define THIS state_decl
static const struct decl_key state_keys[] = {
	{ "channel", KEY_CHAN, true, AT(chan) },
	{ "value", .needed = true, VALUE, AT(value) },
	{ "enter", KEY_TEXT, AT(enter) },
	{ "leave", KEY_TEXT, AT(leave) },
	{ "label", KEY_TEXT, true, AT(label) },
	{ "text", KEY_TEXT, AT(text) },
	{ "role", KEY_WORD, AT(role), WORDS(roles) },
};
#undef THIS

static int
check_state(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	const struct state_decl *s = (const struct state_decl *)rows + i;
	const char *const events[] = { s->enter, s->leave };
	for (size_t k = 0; k < COUNT(events); k++)
		if (events[k] && strlen(events[k]) != 3)
			return decl_bad(in, json_find(item, k ? "leave" : "enter", NULL), "expected the three letters of an event, not \"%.60s\"", events[k]);
	int rc = decl_check_nonzero(in, item, s->value);
	return rc < 0 ? rc : decl_check_room(in, json_find(item, "value", NULL), &in->model->chans[s->chan], s->value);
}

static const struct decl_shape state_shape = { TABLE(state_keys), .size = sizeof(struct state_decl), .check = check_state };

/* ---- The model. ---- */

#define THIS breakdown_decl
static const struct decl_key breakdown_keys[] = {
	{ "file", KEY_TEXT, true, AT(file) },
	{ "title", KEY_TEXT, true, AT(title) },
	{ "type", .needed = true, TYPE, AT(prv_type) },
	{ "state", KEY_CHAN, AT(state) },
	{ "task", KEY_CHAN, AT(task) },
	{ "idle", KEY_CHAN, AT(idle) },
	{ "progressing", VALUE, AT(progressing) },
	{ "in_body", VALUE, AT(in_body) },
	{ "unknown", VALUE, AT(unknown) },
	{ "view", KEY_OBJECT, AT(view), .of = &view_shape },
};
#undef THIS

static const struct breakdown_decl no_chans = { .state = -1, .task = -1, .idle = -1 };
static const struct decl_shape breakdown_shape = { TABLE(breakdown_keys), .size = sizeof(struct breakdown_decl), .blank = &no_chans };

#define THIS model
#define ROWS(table, n, shape) KEY_ROWS, AT(table), .count = offsetof(struct model, n), .of = &(shape)
static const struct decl_key model_keys[] = {
	{ "$schema", KEY_IGNORED },
	{ "name", KEY_TEXT, true, AT(name) },
	{ "version", KEY_TEXT, true, AT(version) },
	{ "letter", KEY_LETTER, true, AT(id) },
	{ "need", KEY_FLAGS, AT(need), WORDS(decl_needs) },
	{ "always", KEY_BOOL, AT(always) },
	{ "foreign", KEY_BOOL, AT(foreign) },
	{ "channels", ROWS(chans, nchans, chan_shape) },
	{ "states", ROWS(states, nstates, state_shape) },
	{ "events", ROWS(events, nevents, decl_events) },
	{ "observers", KEY_ROWS, .at = offsetof(struct declared, observers), .count = offsetof(struct declared, nobservers), .of = &decl_observers },
	{ "breakdown", KEY_NEW, AT(breakdown), .of = &breakdown_shape },
};
#undef THIS

static const struct declared blank = { .model = {
					       MODEL_ABI,
					       .chan_size = sizeof(struct chan_decl),
					       .state_size = sizeof(struct state_decl),
					       .event_size = sizeof(struct event_decl),
					       .breakdown_size = sizeof(struct breakdown_decl),
				       } };

/* When the states are known, too. */
static int
check_model(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	struct declared *d = (struct declared *)rows + i;
	const struct model *m = &d->model;
	const cJSON *it;
	int chan = 0;
	cJSON_ArrayForEach(it, json_find(item, "channels", NULL))
	{
		const struct chan_decl *k = &m->chans[chan];
		int rc = k->idle ? decl_check_declared(in, json_find(it, "idle", NULL), chan, k->idle) : 0;
		if (rc == 0 && k->initial)
			rc = decl_check_declared(in, json_find(it, "initial", NULL), chan, k->initial);
		if (rc < 0)
			return rc;
		chan++;
	}
	return observe_prepare(in, d);
}

static const struct decl_shape model_shape = { TABLE(model_keys), .size = sizeof(struct declared), .blank = &blank, .check = check_model };

const cJSON *
decl_item(const struct json_text *t, const struct model *m, const void *decl)
{
	const struct {
		const char *key;
		const void *rows;
		size_t n, size;
	} tables[] = {
		{ "channels", m->chans, m->nchans, sizeof(*m->chans) },
		{ "states", m->states, m->nstates, sizeof(*m->states) },
		{ "events", m->events, m->nevents, sizeof(*m->events) },
	};
	for (size_t k = 0; k < COUNT(tables); k++)
		for (size_t i = 0; i < tables[k].n; i++)
			if (decl == (const char *)tables[k].rows + i * tables[k].size)
				return cJSON_GetArrayItem(json_find(t->root, tables[k].key, NULL), (int)i);
	return decl && decl == m->breakdown ? json_find(t->root, "breakdown", NULL) : t->root;
}

/* Says what is wrong with the text at p. Returns <0. */
static int
bad_text(const struct decl_in *in, const char *p, const char *what)
{
	size_t line = 1;
	char place[1024];
	for (const char *at = in->json.text; at < p; at++)
		line += *at == '\n';
	(void)snprintf(place, sizeof(place), "%s:%zu", in->file, line);
	return diag_error(in->diag, ERR_MODEL, &(struct place){ .file = place }, "%s", what);
}

/* cJSON ends a text at a NUL, and the file at the end of the object: what is behind would be lost in silence. */
static int
check_lost(const struct decl_in *in)
{
	const char *end = in->json.end;
	for (const char *p = in->json.text; p < end; p++)
		if (*p == '\\' && strncmp(++p, "u0000", 5) == 0)
			return bad_text(in, p, "a text has a control character: U+0000");
	end += strspn(end, " \t\r\n");
	return end < in->json.text + in->json.size ? bad_text(in, end, "there is text behind the object") : 0;
}

/* The item that a member was made of which clashes with that of another model. */
static const cJSON *
member_item(const cJSON *root, const struct model *m, const void *member)
{
	const cJSON *chans = json_find(root, "channels", NULL);
	for (size_t i = 0; i < m->nchans; i++)
		if (member == &m->chans[i].prv_type)
			return json_find(cJSON_GetArrayItem(chans, (int)i), "type", NULL);
	if (member == &m->id || member == &m->name)
		return json_find(root, member == &m->id ? "letter" : "name", NULL);
	return json_find(root, "breakdown", member == &m->breakdown->prv_type ? "type" : "file", NULL);
}

/* Adds the model to those that are there. Returns 0, or <0 (reported). */
static int
add(const struct decl_in *in, const struct model *m, struct model_set *set)
{
	const struct owned_model added = { .model = m, .owner = in->file };
	const void *member;
	char text[640];
	if (modelset_clashes(set, &added, text, sizeof(text), &member))
		return decl_refuse(in, ERR_MODEL_CLASH, member_item(in->json.root, m, member), text);
	return modelset_add(set, in->diag, m, in->file);
}

int
decl_load(struct arena *a, struct diag *d, const char *file, struct model_set *set)
{
	struct declared *to = arena_new(a, struct declared, 1);
	struct decl_in in = { .diag = d, .arena = a, .file = file, .model = to ? &to->model : NULL };
	char text[512];
	const void *decl;
	if (!to)
		return diag_no_memory(d);
	int rc = json_text_load(d, file, DECL_FILE_MAX, "a model", &in.json);
	if (rc < 0)
		return rc;
	rc = check_lost(&in);
	if (rc == 0)
		rc = decl_read(&in, in.json.root, &model_shape, to, 0);
	if (rc == 0 && clash_within(&to->model, text, sizeof(text), &decl))
		rc = decl_bad(&in, decl_item(&in.json, in.model, decl), "%s", text);
	if (rc == 0)
		rc = add(&in, &to->model, set);
	json_text_finish(&in.json);
	return rc;
}
