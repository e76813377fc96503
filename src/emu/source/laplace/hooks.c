/* SPDX-License-Identifier: MIT */
#include "source/laplace/hooks.h"

#include "laplace/kernel.h"
#include "object.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct object_kind kind = {
	.code = ERR_HOOKS,
	.symbol = "laplace_tool",
	.type = "struct laplace_hooks",
	.header = "laplace_hooks.h",
	.page = "doc/laplace.md",
	.version = LAPLACE_HOOKS_VERSION,
	.size = sizeof(struct laplace_hooks),
};

/* ---- Messages. ---- */

/* Reports why a tool fails, at the record if there is one. The first reason only: others follow from it. */
static __attribute__((format(printf, 2, 3))) int
fail(struct laphook *k, const char *format, ...)
{
	struct laphooks *hooks = k->of;
	char text[512];
	va_list ap;
	if (hooks->failed)
		return -ERR_HOOKS;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	struct place at = { .file = k->arguments.file };
	if (hooks->at)
		at = (struct place){ .file = hooks->at->file, .line = hooks->at->line, .has_offset = true, .offset = hooks->at->offset };
	hooks->failed = true;
	return diag_error(hooks->diag, ERR_HOOKS, &at, "tool \"%s\": %s", k->name, text);
}

/* Takes what a function returned: 0, 1 (those that may), or <0. */
static int
returned(struct laphook *k, const char *function, int rc, int most)
{
	if (!k->of->failed && rc >= 0 && rc <= most)
		return rc;
	k->on = false;
	if (k->of->failed)
		return -ERR_HOOKS;
	return rc < 0 ? fail(k, "it stops the run: %s returned %d", function, rc)
		      : fail(k, "%s returned %d, which is none of 0%s and negative numbers (stop)", function, rc, most ? ", 1" : "");
}

/* ---- Functions for tools. ---- */

static __attribute__((format(printf, 2, 3))) int
tool_fail(struct laplace_run *r, const char *format, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return fail((struct laphook *)r, "%s", text);
}

/* The arguments, which are for begin() only. */
static struct arguments *
arguments_of(struct laplace_run *r)
{
	struct laphook *k = (struct laphook *)r;
	if (!k->begins)
		(void)fail(k, "it asks for arguments, which only begin may");
	return k->begins ? &k->arguments : NULL;
}

static const char *
tool_argument(struct laplace_run *r, const char *key)
{
	struct arguments *a = arguments_of(r);
	return a ? arguments_get(a, key) : NULL;
}

static int
tool_number(struct laplace_run *r, const char *key, uint64_t min, uint64_t max, uint64_t *to)
{
	char why[ARGUMENTS_WHY];
	struct arguments *a = arguments_of(r);
	int rc = a ? arguments_number(a, key, min, max, to, why) : -ERR_HOOKS;
	return a && rc < 0 ? fail((struct laphook *)r, "%s", why) : rc;
}

static int
tool_word(struct laplace_run *r, const char *key, const char *const *words, int *to)
{
	char why[ARGUMENTS_WHY];
	struct arguments *a = arguments_of(r);
	int rc = a ? arguments_word(a, key, words, to, why) : -ERR_HOOKS;
	return a && rc < 0 ? fail((struct laphook *)r, "%s", why) : rc;
}

/* ---- Records. ---- */

/* What a filter has done that it may not: NULL: nothing. */
static const char *
fault_of(enum lap_dialect dialect, uint64_t least, const struct lap_record *old, const struct lap_record *rec, uint8_t tag, uint8_t code)
{
	const struct lap_event *ev = old->event;
	if (rec->ts < least)
		return "it goes back in time";
	if (rec->type != old->type || rec->event != ev || (ev && (ev->tag != tag || ev->code != code)))
		return "it becomes another kind of record";
	if (ev)
		return lapkernel_fault(dialect, ev);
	if (!lap_kinds[rec->kind])
		return "its kind is none of r w i R W I";
	return (uint64_t)rec->length - 1 > UINT32_MAX - rec->addr ? "it is empty, or goes beyond ffffffff" : NULL;
}

static int
filter(struct laphook *k, enum lap_dialect dialect, uint64_t least, struct lap_record *rec, struct lap_event *ev)
{
	const struct lap_record old = *rec;
	uint8_t tag = ev ? ev->tag : 0, code = ev ? ev->code : 0;
	int rc = ev ? k->h.filter_event(&k->run, k->of->at, ev) : k->h.filter_ref(&k->run, k->of->at, rec);
	rc = returned(k, ev ? "filter_event" : "filter_ref", rc, LAPLACE_DROP);
	if (ev)
		rec->ts = ev->ts;
	const char *fault = rc == LAPLACE_KEEP ? fault_of(dialect, least, &old, rec, tag, code) : NULL;
	if (!fault)
		return rc;
	k->on = false;
	return rec->ts < least ? fail(k, "a record that it changes goes back in time: from %" PRIx64 " to %" PRIx64 ", below %" PRIx64 " before it", old.ts, rec->ts, least)
			       : fail(k, "a record that it changes is no record: %s", fault);
}

static int
take(void *self, const struct lap_place *at, enum lap_dialect dialect, uint64_t least, struct lap_record *rec, struct lap_event *ev)
{
	struct laphooks *hooks = self;
	hooks->at = at;
	int rc = LAPLACE_KEEP;
	for (size_t i = 0; i < hooks->n && rc == LAPLACE_KEEP; i++) {
		struct laphook *k = &hooks->tools[i];
		if (k->on && (ev ? k->h.filter_event != NULL : k->h.filter_ref != NULL))
			rc = filter(k, dialect, least, rec, ev);
		if (!k->on || rc != LAPLACE_KEEP || k->run.ahead || !(ev ? k->h.event != NULL : k->h.ref != NULL))
			continue;
		rc = returned(k, ev ? "event" : "ref", ev ? k->h.event(&k->run, at, ev) : k->h.ref(&k->run, at, rec), 1);
		k->on = rc == 0;
		rc = rc < 0 ? rc : LAPLACE_KEEP;
	}
	hooks->at = NULL;
	return rc < 0 ? -LAP_E_FILTER : rc == LAPLACE_KEEP;
}

/* ---- Begin and end. ---- */

static int
load(struct laphooks *hooks, const char *item)
{
	char why[ARGUMENTS_WHY];
	struct object o = { 0 };
	struct laphook *k = &hooks->tools[hooks->n++];
	*k = (struct laphook){ .run = { .fail = tool_fail, .argument = tool_argument, .number = tool_number, .word = tool_word }, .of = hooks };
	if (arguments_read(&k->arguments, item, why) < 0)
		return diag_error(hooks->diag, ERR_HOOKS, &(struct place){ .file = item }, "%s", why);
	const char *file = k->arguments.file;
	int rc = object_open(&o, &kind, hooks->diag, file);
	k->handle = o.handle;
	if (rc == 0)
		rc = object_copy(&k->h, o.data, o.size, &kind, hooks->diag, file);
	const char *slash = strrchr(file, '/');
	k->name = k->h.name && *k->h.name ? k->h.name : slash ? slash + 1
							      : file;
	for (size_t i = 0; rc == 0 && i + 1 < hooks->n; i++)
		if (hooks->tools[i].handle == k->handle)
			rc = fail(k, "the shared object is given twice: it has one set of variables only");
	return rc;
}

int
laphooks_open(struct laphooks *hooks, struct diag *d, const char *const *items, size_t n)
{
	int rc = 0;
	hooks->diag = d;
	hooks->filter = (struct lap_filter){ take, hooks };
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = load(hooks, items[i]);
	hooks->failed = rc < 0;
	return rc;
}

int
laphooks_begin(struct laphooks *hooks, bool ahead, const struct lap_filter **filter)
{
	char why[ARGUMENTS_WHY];
	int rc = 0;
	*filter = NULL;
	for (size_t i = 0; i < hooks->n && rc == 0; i++) {
		struct laphook *k = &hooks->tools[i];
		if (ahead && !k->h.filter_ref && !k->h.filter_event)
			continue;
		*filter = &hooks->filter;
		k->run.ahead = ahead;
		k->begins = true;
		k->on = true;
		rc = k->h.begin ? returned(k, "begin", k->h.begin(&k->run), 0) : 0;
		k->begins = false;
		if (rc == 0 && arguments_check(&k->arguments, why) < 0)
			rc = fail(k, "%s", why);
	}
	return rc;
}

int
laphooks_finish(struct laphooks *hooks)
{
	bool failed = hooks->failed;
	for (size_t i = 0; i < hooks->n; i++) {
		struct laphook *k = &hooks->tools[i];
		if (!k->on)
			continue;
		k->on = false;
		hooks->failed = false; /* what it says now has another reason */
		if (k->h.finish && returned(k, "finish", k->h.finish(&k->run), 0) < 0)
			failed = true;
	}
	hooks->failed = failed;
	return failed ? -ERR_HOOKS : 0;
}

void
laphooks_close(struct laphooks *hooks)
{
	(void)laphooks_finish(hooks);
	while (hooks->n) {
		struct laphook *k = &hooks->tools[--hooks->n];
		arguments_finish(&k->arguments);
		if (k->handle)
			(void)dlclose(k->handle);
	}
}

int
laphooks_check(const char *item, char *why)
{
	struct arguments a = { 0 };
	int rc = arguments_read(&a, item, why);
	arguments_finish(&a);
	return rc;
}
