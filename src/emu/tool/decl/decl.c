/* SPDX-License-Identifier: MIT */
#include "decl/decl.h"

#include "decl/read.h"
#include "clash.h"
#include "sig.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Larger numbers of JSON are not whole. */
#define WHOLE (INT64_C(1) << 53)

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS(a) .words = (a), .nwords = COUNT(a)
#define TABLE(a) .keys = (a), .nkeys = COUNT(a)
#define AT(member) .at = offsetof(struct THIS, member)
#define TYPE .kind = KEY_INT, .min = 1, .max = INT_MAX
#define VALUE .kind = KEY_VALUE, .min = -WHOLE, .max = WHOLE

static const char *const needs[] = { "running", "active", "in_cpu" };

/* ---- Channels. ---- */

static const char *const kinds[] = { [CHAN_SINGLE] = "single", [CHAN_STACK] = "stack", [CHAN_PUNCTUAL] = "punctual" };
static const char *const dups[] = { [DUP_ERROR] = "error", [DUP_SKIP] = "skip", [DUP_ALLOW] = "allow" };
static const char *const repeats[] = { [REPEAT_SKIP] = "skip", [REPEAT_VALUES] = "values", [REPEAT_ALL] = "all" };
static const char *const values[] = { [VALUES_DECLARED] = "declared", [VALUES_TEXT] = "text", [VALUES_ANY] = "any" };
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
	{ "labels", KEY_LABELS, AT(labels), .count = offsetof(struct chan_decl, nlabels) },
	{ "view", KEY_OBJECT, AT(view), .of = &view_shape },
};
#undef THIS

/* Whether the outputs have room for a value of a channel. */
static int
check_room(const struct decl_in *in, const cJSON *item, const struct chan_decl *k, int64_t value)
{
	return (value >= 0 && value <= UINT32_MAX) || k->values != VALUES_DECLARED
		? 0
		: decl_bad(in, item, "expected a number from 0 to %" PRIu32 ", not %" PRId64 ", unless the channel has \"values\": \"any\"", UINT32_MAX, value);
}

/* Others are told by clash.h; names are told apart here only, as models in C need none. */
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
		int rc = check_room(in, it, k, k->labels[n++].value);
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
};
#undef THIS

static int
check_nonzero(const struct decl_in *in, const cJSON *item, int64_t value)
{
	return value ? 0 : decl_bad(in, json_find(item, "value", NULL), "expected a number other than 0, which stands for nothing");
}

static int
check_state(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	const struct state_decl *s = (const struct state_decl *)rows + i;
	const char *const events[] = { s->enter, s->leave };
	for (size_t k = 0; k < COUNT(events); k++)
		if (events[k] && strlen(events[k]) != 3)
			return decl_bad(in, json_find(item, k ? "leave" : "enter", NULL), "expected the three letters of an event, not \"%.60s\"", events[k]);
	int rc = check_nonzero(in, item, s->value);
	return rc < 0 ? rc : check_room(in, json_find(item, "value", NULL), &in->model->chans[s->chan], s->value);
}

static const struct decl_shape state_shape = { TABLE(state_keys), .size = sizeof(struct state_decl), .check = check_state };

/* Whether a channel has states or labels. */
static bool
declares(const struct model *m, int chan)
{
	bool is = m->chans[chan].nlabels;
	for (size_t i = 0; i < m->nstates; i++)
		is = is || m->states[i].chan == chan;
	return is;
}

/* Whether the channel can show a value: if it declares some, the outputs have room for no others. */
static int
check_declared(const struct decl_in *in, const cJSON *item, int chan, int64_t value)
{
	const struct model *m = in->model;
	const struct chan_decl *k = &m->chans[chan];
	bool is = false;
	for (size_t i = 0; i < k->nlabels; i++)
		is = is || k->labels[i].value == value;
	for (size_t i = 0; i < m->nstates; i++)
		is = is || (m->states[i].chan == chan && m->states[i].value == value);
	if (!is && k->values == VALUES_DECLARED && declares(m, chan))
		return decl_bad(in, item, "the channel \"%.60s\" has no state and no label of %" PRId64 ", and not \"values\": \"any\"", k->name, value);
	return check_room(in, item, k, value);
}

/* ---- Events. ---- */

/* What a word of "op" means. */
static const struct operation {
	enum op_kind op;     /* OP_HOOK: it needs an argument */
	enum op_kind arg_op; /* with an argument; OP_HOOK: it takes none */
	bool chan;
	bool value; /* with an argument: to be added */
	bool text;  /* a second argument */
} operations[] = {
	{ .op = OP_IGNORE },
	{ .op = OP_CLEAR, .chan = true },
	{ .op = OP_SET, .arg_op = OP_SET_ARG, .chan = true, .value = true },
	{ .op = OP_PUSH, .arg_op = OP_PUSH_ARG, .chan = true, .value = true },
	{ .op = OP_POP, .arg_op = OP_POP_ARG, .chan = true, .value = true },
	{ .op = OP_PUNCTUAL, .arg_op = OP_PUNCTUAL_ARG, .chan = true, .value = true },
	{ .arg_op = OP_ADD_ARG, .chan = true, .value = true },
	{ .arg_op = OP_LABEL, .chan = true, .value = true, .text = true },
};

static const char *const words_of_op[] = { "ignore", "clear", "set", "push", "pop", "punctual", "add", "label" };
static const char *const payloads[] = { [PAYLOAD_AT_LEAST] = "at_least", [PAYLOAD_EXACT] = "exact", [PAYLOAD_FIRST] = "first", [PAYLOAD_ANY] = "any" };

#define THIS event_decl
static const struct decl_key event_keys[] = {
	{ "event", KEY_TEXT, true, AT(sig) },
	{ "text", KEY_TEXT, true, AT(text) },
	{ "op", KEY_WORD, true, AT(op), WORDS(words_of_op) },
	{ "channel", KEY_CHAN, AT(chan) },
	{ "value", VALUE, AT(value) },
	{ "arg", KEY_TEXT, AT(arg) },
	{ "text_arg", KEY_TEXT, AT(text_arg) },
	{ "need", KEY_FLAGS, AT(need), WORDS(needs), .none = NEED_NONE },
	{ "payload", KEY_WORD, AT(payload), WORDS(payloads) },
	{ "any_value", KEY_BOOL, AT(any_value) },
	{ "unlisted", KEY_BOOL, AT(unlisted) },
};
#undef THIS

static const char *
name_of_arg(const void *of, size_t i)
{
	const struct sig *s = of;
	return i < s->nargs ? s->args[i].name : NULL;
}

/* The argument that an item names. NULL: there is none (reported). */
static const struct sig_arg *
find_arg(const struct decl_in *in, const cJSON *item, const struct sig *sig, bool text)
{
	for (size_t i = 0; i < sig->nargs; i++)
		if (strcmp(sig->args[i].name, item->valuestring) == 0 && (!text || sig->args[i].type == SIG_STR))
			return &sig->args[i];
	(void)decl_bad_word(in, item, text ? "a str argument of the event:" : "an argument of the event:", name_of_arg, sig);
	return NULL;
}

/* Whether the outputs have room for all numbers that the argument can be. */
static int
check_arg(const struct decl_in *in, const cJSON *item, const struct event_decl *e, const struct sig_arg *arg)
{
	const struct chan_decl *k = &in->model->chans[e->chan];
	bool shown = e->op != OP_LABEL && k->values == VALUES_DECLARED && arg->type != SIG_STR;
	bool small = arg->type <= SIG_U32 && !e->value && e->op != OP_ADD_ARG && !declares(in->model, e->chan);
	return !shown || small ? 0 : decl_bad(in, item, "the argument can be a number that the channel \"%.60s\" has no room for, unless it has \"values\": \"any\"", k->name);
}

/* Whether the key is there if it has to be, and is not there if it may not. */
static int
check_key(const struct decl_in *in, const cJSON *item, const char *op, const char *key, bool may, bool must)
{
	const cJSON *has = json_find(item, key, NULL);
	if (has && !may)
		return decl_bad(in, has, "the operation \"%s\" has no use for it", op);
	return has || !must ? 0 : decl_bad(in, item, "the key \"%s\" is missing: the operation \"%s\" needs it", key, op);
}

static int
check_event(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	struct event_decl *e = (struct event_decl *)rows + i;
	const struct operation *o = &operations[e->op];
	const char *op = words_of_op[e->op];
	const cJSON *value = json_find(item, "value", NULL);
	const cJSON *arg = json_find(item, "arg", NULL);
	const cJSON *text_arg = json_find(item, "text_arg", NULL);
	struct sig sig;
	const char *why;
	if (sig_parse(e->sig, &sig, &why) < 0)
		return decl_bad(in, json_find(item, "event", NULL), "%s, as in \"XLs(u32 level)\", not \"%.60s\"", why, e->sig);
	int rc = check_key(in, item, op, "channel", o->chan, o->chan);
	if (rc == 0)
		rc = check_key(in, item, op, "arg", o->arg_op, o->chan && o->op == OP_HOOK);
	if (rc == 0)
		rc = check_key(in, item, op, "value", o->value, o->value && !arg);
	if (rc == 0)
		rc = check_key(in, item, op, "text_arg", o->text, o->text);
	e->op = arg ? o->arg_op : o->op;
	const struct sig_arg *a = rc == 0 && arg ? find_arg(in, arg, &sig, false) : NULL;
	if (rc == 0 && arg)
		rc = a ? check_arg(in, arg, e, a) : -ERR_MODEL;
	if (rc == 0 && text_arg && !find_arg(in, text_arg, &sig, true))
		rc = -ERR_MODEL;
	if (rc == 0 && value && !arg)
		rc = check_nonzero(in, item, e->value);
	return rc == 0 && value && !arg ? check_declared(in, value, e->chan, e->value) : rc;
}

static const struct decl_shape event_shape = { TABLE(event_keys), .size = sizeof(struct event_decl), .check = check_event };

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
	{ "need", KEY_FLAGS, AT(need), WORDS(needs) },
	{ "always", KEY_BOOL, AT(always) },
	{ "foreign", KEY_BOOL, AT(foreign) },
	{ "channels", ROWS(chans, nchans, chan_shape) },
	{ "states", ROWS(states, nstates, state_shape) },
	{ "events", ROWS(events, nevents, event_shape) },
	{ "breakdown", KEY_NEW, AT(breakdown), .of = &breakdown_shape },
};
#undef THIS

static const struct model blank = {
	MODEL_ABI,
	.chan_size = sizeof(struct chan_decl),
	.state_size = sizeof(struct state_decl),
	.event_size = sizeof(struct event_decl),
	.breakdown_size = sizeof(struct breakdown_decl),
};

/* When the states are known, too. */
static int
check_model(const struct decl_in *in, const cJSON *item, void *rows, size_t i)
{
	const struct model *m = (const struct model *)rows + i;
	const cJSON *it;
	int chan = 0;
	cJSON_ArrayForEach(it, json_find(item, "channels", NULL))
	{
		const struct chan_decl *k = &m->chans[chan];
		int rc = k->idle ? check_declared(in, json_find(it, "idle", NULL), chan, k->idle) : 0;
		if (rc == 0 && k->initial)
			rc = check_declared(in, json_find(it, "initial", NULL), chan, k->initial);
		if (rc < 0)
			return rc;
		chan++;
	}
	return 0;
}

static const struct decl_shape model_shape = { TABLE(model_keys), .size = sizeof(struct model), .blank = &blank, .check = check_model };

/* The item that a declaration was made of. */
static const cJSON *
item_of(const struct decl_in *in, const void *decl)
{
	const struct model *m = in->model;
	const struct {
		const char *key;
		const void *rows;
		size_t n, size;
	} tables[] = {
		{ "channels", m->chans, m->nchans, sizeof(*m->chans) },
		{ "states", m->states, m->nstates, sizeof(*m->states) },
		{ "events", m->events, m->nevents, sizeof(*m->events) },
	};
	for (size_t t = 0; t < COUNT(tables); t++)
		for (size_t i = 0; i < tables[t].n; i++)
			if (decl == (const char *)tables[t].rows + i * tables[t].size)
				return cJSON_GetArrayItem(json_find(in->json.root, tables[t].key, NULL), (int)i);
	return decl && decl == m->breakdown ? json_find(in->json.root, "breakdown", NULL) : in->json.root;
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

int
decl_load(struct arena *a, struct diag *d, const char *file, const struct model **m)
{
	struct model *to = arena_new(a, struct model, 1);
	struct decl_in in = { .diag = d, .arena = a, .file = file, .model = to };
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
	if (rc == 0 && clash_within(to, text, sizeof(text), &decl))
		rc = decl_bad(&in, item_of(&in, decl), "%s", text);
	json_text_finish(&in.json);
	*m = to;
	return rc;
}
