/* SPDX-License-Identifier: MIT */
/* event: what a JSON file says about events, and whether channels can show their values. */
#include "decl/shape.h"
#include "sig.h"

#include <inttypes.h>
#include <string.h>

/* ---- Values. ---- */

int
decl_check_nonzero(const struct decl_in *in, const cJSON *item, int64_t value)
{
	return value ? 0 : decl_bad(in, json_find(item, "value", NULL), "expected a number other than 0, which stands for nothing");
}

int
decl_check_room(const struct decl_in *in, const cJSON *item, const struct chan_decl *k, int64_t value)
{
	return (value >= 0 && value <= UINT32_MAX) || k->values != VALUES_DECLARED
		? 0
		: decl_bad(in, item, "expected a number from 0 to %" PRIu32 ", not %" PRId64 ", unless the channel has \"values\": \"any\"", UINT32_MAX, value);
}

/* Whether a channel has states or labels. */
static bool
declares(const struct model *m, int chan)
{
	bool is = m->chans[chan].nlabels;
	for (size_t i = 0; i < m->nstates; i++)
		is = is || m->states[i].chan == chan;
	return is;
}

int
decl_check_declared(const struct decl_in *in, const cJSON *item, int chan, int64_t value)
{
	const struct model *m = in->model;
	const struct chan_decl *k = &m->chans[chan];
	bool is = false;
	for (size_t i = 0; i < k->nlabels; i++)
		is = is || k->labels[i].value == value;
	for (size_t i = 0; i < m->nstates; i++)
		is = is || (m->states[i].chan == chan && m->states[i].value == value);
	if (!is && k->of == OF_THREAD && k->values == VALUES_DECLARED && declares(m, chan))
		return decl_bad(in, item, "the channel \"%.60s\" has no state and no label of %" PRId64 ", and not \"values\": \"any\"", k->name, value);
	return decl_check_room(in, item, k, value);
}

/* ---- Events. ---- */

const char *const decl_needs[DECL_NEEDS] = { "running", "active", "in_cpu" };

/* What a word of "op" means. */
static const struct operation {
	enum op_kind op;     /* OP_HOOK: it needs an argument */
	enum op_kind arg_op; /* with an argument; OP_HOOK: it takes none */
	bool chan;
	bool value; /* to be added, with an argument */
	bool text;  /* a second argument */
} operations[] = {
	{ .op = OP_IGNORE },
	{ .op = OP_CLEAR, .chan = true },
	{ .op = OP_SET, .arg_op = OP_SET_ARG, .chan = true, .value = true },
	{ .op = OP_PUSH, .arg_op = OP_PUSH_ARG, .chan = true, .value = true },
	{ .op = OP_POP, .arg_op = OP_POP_ARG, .chan = true, .value = true },
	{ .op = OP_PUNCTUAL, .arg_op = OP_PUNCTUAL_ARG, .chan = true, .value = true },
	{ .op = OP_ADD, .arg_op = OP_ADD_ARG, .chan = true, .value = true },
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
	{ "need", KEY_FLAGS, AT(need), WORDS(decl_needs), .none = NEED_NONE },
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
	bool shown = e->op != OP_LABEL && k->values == VALUES_DECLARED && k->of == OF_THREAD && arg->type != SIG_STR;
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
	if (rc < 0 || !value || arg)
		return rc;
	/* Only threads have nothing; what a sum comes to is seen when it is made. */
	const struct chan_decl *k = &in->model->chans[e->chan];
	bool of_thread = k->of == OF_THREAD;
	if ((of_thread || e->op != OP_SET) && decl_check_nonzero(in, item, e->value) < 0)
		return -ERR_MODEL;
	if (e->op == OP_ADD && of_thread && k->values != VALUES_ANY)
		return decl_bad(in, value, "the sum can be a number that the channel \"%.60s\" has no room for, unless it has \"values\": \"any\"", k->name);
	if (e->op == OP_ADD)
		return 0;
	return decl_check_declared(in, value, e->chan, e->value);
}

const struct decl_shape decl_events = { TABLE(event_keys), .size = sizeof(struct event_decl), .check = check_event };
