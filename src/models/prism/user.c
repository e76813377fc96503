/* SPDX-License-Identifier: MIT */
/* user: the functions that tools call: hooks, channels, and their values. */
#include "tools.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

int
prismrun_error(struct prism_run *run, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	const struct prism_hook *k = &run->hooks[run->hook];
	if (run->phase == PRISMRUN_EVENT)
		return emu_error(run->emu, "hooks", "tool \"%s\" (%s): %s", k->name, k->file, text);
	return emu_file_error(run->emu, k->file, "hooks", "tool \"%s\": %s", k->name, text);
}

/* Reports, and stops the run when the hook returns. */
static int
fail(struct prism_run *run, int rc)
{
	run->failed = run->failed ? run->failed : rc;
	return -1;
}

static int __attribute__((format(printf, 3, 4)))
refuse(struct prism_run *run, const char *call, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fail(run, prismrun_error(run, "prism_%s: %s", call, text));
}

int
prism_hooks_add(struct prism_run *r, const struct prism_hooks *h, void *u)
{
	if (r->phase != PRISMRUN_BEGIN)
		return refuse(r, "hooks_add", "only begin may add hooks");
	struct arguments *arguments = r->hooks[r->hook].arguments;
	struct prism_hooks copy;
	int rc = prism_copy(r->prism, arguments->file, h, &copy) < 0 ? emu_stop(r->emu, "hooks") : prismrun_add(r, &copy, u, arguments);
	return rc < 0 ? fail(r, rc) : 0;
}

int
prism_fail(struct prism_run *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return r->failed ? -1 : fail(r, prismrun_error(r, "%s", text));
}

/* ---- Arguments. ---- */

/* Those of the file of the current hook. NULL: they cannot be asked for now (reported). */
static struct arguments *
arguments_of(struct prism_run *r, const char *call)
{
	if (r->phase == PRISMRUN_BEGIN)
		return r->hooks[r->hook].arguments;
	(void)refuse(r, call, "only begin may ask for arguments");
	return NULL;
}

const char *
prism_argument(struct prism_run *r, const char *key)
{
	struct arguments *a = arguments_of(r, "argument");
	return a ? arguments_get(a, key) : NULL;
}

const char *
prism_argument_key(struct prism_run *r, uint32_t i)
{
	struct arguments *a = arguments_of(r, "argument_key");
	return a ? arguments_key(a, i) : NULL;
}

int
prism_argument_number(struct prism_run *r, const char *key, uint64_t min, uint64_t max, uint64_t *to)
{
	char why[ARGUMENTS_WHY];
	struct arguments *a = arguments_of(r, "argument_number");
	return !a ? -1 : arguments_number(a, key, min, max, to, why) < 0 ? prism_fail(r, "%s", why)
									 : 0;
}

int
prism_argument_word(struct prism_run *r, const char *key, const char *const *words, int *to)
{
	char why[ARGUMENTS_WHY];
	struct arguments *a = arguments_of(r, "argument_word");
	return !a ? -1 : arguments_word(a, key, words, to, why) < 0 ? prism_fail(r, "%s", why)
								    : 0;
}

/* ---- Channels. ---- */

static const char *
what_is_wrong(const struct prism_run *r, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	if (n == 0 || n > PRISM_USER_NAME_MAX || strspn(name, NAME_CHARS) != n || name[0] == '.')
		return "a name has 1 to 48 letters, digits, '.', '_' and '-', and does not begin with '.'";
	for (uint32_t i = 0; i < r->nchannels; i++)
		if (strcasecmp(r->channels[i]->decl.name + strlen("user."), name) == 0)
			return "another channel has that name";
	return NULL;
}

static int
declare(struct prism_run *r, struct prism_channel *c, const char *name)
{
	static const enum chan_kind kinds[] = {
		[PRISM_USER_SET] = CHAN_SINGLE,
		[PRISM_USER_STACK] = CHAN_STACK,
		[PRISM_USER_PUNCTUAL] = CHAN_PUNCTUAL,
	};
	static const enum track threads[] = {
		[PRISM_USER_RUNNING] = TRACK_RUNNING,
		[PRISM_USER_ALWAYS] = TRACK_ANY,
		[PRISM_USER_STREAM] = TRACK_HIDDEN,
	};
	c->decl = (struct chan_decl){
		.name = emu_printf(r->emu, "user.%s", name),
		.title = emu_printf(r->emu, "Prism user: %s", name),
		.prv_type = PRISM_USER_FIRST + (int)r->nchannels,
		.kind = kinds[c->mode],
		.dup = c->mode == PRISM_USER_STACK ? DUP_ALLOW : DUP_SKIP,
		.values = VALUES_ANY,
		.thread_track = threads[c->track],
		.cpu_track = c->track == PRISM_USER_STREAM ? TRACK_OWN : TRACK_RUNNING,
		.bare_title = c->track != PRISM_USER_RUNNING,
		.view.file = emu_printf(r->emu, "user-%s", name),
	};
	return c->chan = emu_add_chan(r->emu, &c->decl);
}

int
prism_user_channel(struct prism_run *r, const char *name, enum prism_user_mode mode, enum prism_user_track track)
{
	static const char call[] = "user_channel";
	if (r->phase != PRISMRUN_BEGIN)
		return refuse(r, call, "only begin may add channels");
	const char *wrong = what_is_wrong(r, name);
	if (wrong)
		return refuse(r, call, "'%.100s': %s", name ? name : "", wrong);
	if (mode > PRISM_USER_PUNCTUAL || track > PRISM_USER_STREAM)
		return refuse(r, call, "'%s': there is no mode %d with tracking %d", name, (int)mode, (int)track);
	if (mode == PRISM_USER_STACK && track == PRISM_USER_STREAM)
		return refuse(r, call, "'%s': the channel of a stream is no stack", name);
	if (r->nchannels == PRISMRUN_CHANNELS)
		return refuse(r, call, "'%s': all %d channels for tools are taken", name, PRISMRUN_CHANNELS);
	struct prism_channel *c = emu_alloc(r->emu, sizeof(*c));
	if (!c)
		return fail(r, emu_no_memory(r->emu));
	c->mode = mode;
	c->track = track;
	int rc = declare(r, c, name);
	if (rc < 0)
		return fail(r, rc);
	r->channels[r->nchannels++] = c;
	return c->decl.prv_type;
}

static const struct prism_channel *
find(struct prism_run *r, const char *call, int type)
{
	if (type >= PRISM_USER_FIRST && (uint32_t)(type - PRISM_USER_FIRST) < r->nchannels)
		return r->channels[type - PRISM_USER_FIRST];
	(void)refuse(r, call, "there is no channel %d", type);
	return NULL;
}

/* ---- Values. ---- */

enum change {
	CHANGE_SET,
	CHANGE_CLEAR,
	CHANGE_PUSH,
	CHANGE_POP,
	CHANGE_PUNCTUAL,
};

static int
change_thread(struct prism_run *r, int chan, enum change change, int64_t value)
{
	struct emu *emu = r->emu;
	if (r->row == NO_INDEX)
		return 0;
	emu_choose(emu, r->row);
	switch (change) {
	case CHANGE_SET: return emu_set(emu, chan, value);
	case CHANGE_CLEAR: return emu_clear(emu, chan);
	case CHANGE_PUSH: return emu_push(emu, chan, value);
	case CHANGE_POP: return emu_pop(emu, chan, value);
	case CHANGE_PUNCTUAL: return emu_punctual(emu, chan, value);
	}
	return 0;
}

static int
change_stream(struct prism_run *r, int chan, enum change change, int64_t value)
{
	if (change == CHANGE_PUNCTUAL)
		return emu_punctual_cpu(r->emu, r->at->stream, chan, value);
	emu_set_cpu(r->emu, r->at->stream, chan, change == CHANGE_CLEAR ? NO_VALUE : value);
	return 0;
}

static int
apply(struct prism_run *r, int type, enum change change, int64_t value)
{
	static const char *const names[] = { "user_set", "user_clear", "user_push", "user_pop", "user_punctual" };
	static const enum prism_user_mode modes[] = {
		[CHANGE_SET] = PRISM_USER_SET,
		[CHANGE_CLEAR] = PRISM_USER_SET,
		[CHANGE_PUSH] = PRISM_USER_STACK,
		[CHANGE_POP] = PRISM_USER_STACK,
		[CHANGE_PUNCTUAL] = PRISM_USER_PUNCTUAL,
	};
	static const char *const what[] = { "is set and cleared", "is pushed and popped", "is punctual" };
	const char *call = names[change];
	if (r->phase != PRISMRUN_EVENT)
		return refuse(r, call, "only the functions of events may change channels");
	const struct prism_channel *c = find(r, call, type);
	if (!c)
		return -1;
	if (c->mode != modes[change])
		return refuse(r, call, "channel %d (%s) %s", type, c->decl.name, what[c->mode]);
	if (value == NO_VALUE && change != CHANGE_CLEAR)
		return refuse(r, call, "channel %d (%s) cannot hold %" PRId64, type, c->decl.name, value);
	int rc = c->track == PRISM_USER_STREAM ? change_stream(r, c->chan, change, value) : change_thread(r, c->chan, change, value);
	return rc < 0 ? fail(r, rc) : 0;
}

int
prism_user_set(struct prism_run *r, int type, int64_t value)
{
	return apply(r, type, CHANGE_SET, value);
}

int
prism_user_clear(struct prism_run *r, int type)
{
	return apply(r, type, CHANGE_CLEAR, NO_VALUE);
}

int
prism_user_push(struct prism_run *r, int type, int64_t value)
{
	return apply(r, type, CHANGE_PUSH, value);
}

int
prism_user_pop(struct prism_run *r, int type, int64_t value)
{
	return apply(r, type, CHANGE_POP, value);
}

int
prism_user_punctual(struct prism_run *r, int type, int64_t value)
{
	return apply(r, type, CHANGE_PUNCTUAL, value);
}

int
prism_user_label(struct prism_run *r, int type, int64_t value, const char *text)
{
	const struct prism_channel *c = find(r, "user_label", type);
	if (!c)
		return -1;
	if (!text)
		return refuse(r, "user_label", "channel %d (%s): the label of %" PRId64 " is NULL", type, c->decl.name, value);
	int rc = emu_add_label(r->emu, c->chan, value, text);
	return rc < 0 ? fail(r, rc) : 0;
}
