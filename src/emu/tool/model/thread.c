/* SPDX-License-Identifier: MIT */
/* thread: the lines of a thread, and of its marks. */
#include "directive.h"

/* Adds a model with its version to what the thread requires. */
static int
require(struct args *a, struct text_thread *t, const char *word)
{
	struct text *x = a->x;
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct model *m = modelset_named(x->tool->catalog.models, word, n);
	const char *version = eq ? text_copy(x, eq + 1, strlen(eq + 1)) : m->version;
	if (!version)
		return -1;
	size_t i = 0;
	while (i < t->nrequire && (strlen(t->require[i].model) != n || memcmp(t->require[i].model, word, n) != 0))
		i++;
	if (i == t->nrequire) {
		if (!TEXT_GROW(x, t->require, t->nrequire, t->cap_require) ||
			!(t->require[i].model = text_copy(x, word, n)))
			return -1;
		t->nrequire++;
	}
	t->require[i].version = version;
	return 0;
}

static int
take_require(struct args *a, struct text_thread *t)
{
	int rc = 0;
	t->told = true;
	while (a->n && rc == 0) {
		const char *word = *a->items;
		if (args_take_if(a, "none")) {
			t->nrequire = 0;
			continue;
		}
		if (!strchr(word, '=') &&
			!modelset_named(a->x->tool->catalog.models, word, strlen(word)))
			return 0;
		rc = require(a, t, args_take(a, ""));
	}
	return rc;
}

/* Appends the bytes of hexadecimal digits. */
static int
take_header(struct args *a, struct text_thread *t)
{
	t->size = 0;
	const struct words w = { .items = a->items, .n = a->n };
	const char *word = args_take(a, "the header");
	return word ? text_add_hex(a->x, t, &w, 0, 1) : -1;
}

static int
thread_option(struct args *a, struct text_thread *t)
{
	if (args_take_if(a, "require"))
		return take_require(a, t);
	if (args_take_if(a, "header"))
		return take_header(a, t);
	if (args_take_if(a, "cpus")) {
		t->carries = true;
		return args_take_cpus(a, &t->cpus);
	}
	if (args_take_if(a, "relpath")) {
		const char *path = args_take(a, "the path");
		if (path && !text_is_inside(path))
			return text_error(a->x, "a path is in the trace, not '%s'", path);
		return path && (t->relpath = text_copy(a->x, path, strlen(path))) ? 0 : -1;
	}
	const struct {
		const char *name;
		bool *to;
	} flags[] = {
		{ "norequire", &t->norequire },
		{ "unfinished", &t->unfinished },
		{ "crashed", &t->crashed },
		{ "nofile", &t->nofile },
		{ "nometa", &t->nometa },
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (args_take_if(a, flags[i].name))
			return *flags[i].to = true, 0;
	return text_error(a->x, "a thread has no option '%s'", *a->items);
}

int
text_do_thread(struct args *a)
{
	static const uint8_t header[] = { 'o', 'v', 'n', 'i', 1, 0, 0, 0 };
	struct text *x = a->x;
	struct text_thread *t = TEXT_NEW(x, struct text_thread);
	if (!t || args_take_int(a, "the number of the thread", &t->tid) < 0)
		return -1;
	if (!x->procs || x->last_proc->loom != x->last_loom)
		return text_error(x, "a thread needs a process, in a line before");
	t->proc = x->last_proc;
	TEXT_APPEND(x->threads, x->last_thread, t);
	uint8_t *to = text_room(x, t, sizeof(header));
	struct idmap_slot *slot =
		idmap_slot(&x->by_tid, &x->tool->arena, (uint32_t)t->tid);
	if (!to || !text_checked(x, slot))
		return -1;
	memcpy(to, header, sizeof(header));
	t->alike = slot->value;
	slot->value = t;
	int rc = require(a, t, x->version == 2 ? "ovni=1.0.0" : "ovni=1.1.0");
	while (a->n && rc == 0)
		rc = thread_option(a, t);
	return rc;
}

int
text_do_mark(struct args *a)
{
	struct text *x = a->x;
	struct text_thread *t = x->last_thread;
	int type;
	const char *number = a->n ? *a->items : "";
	if (args_take_int(a, "the type of the mark", &type) < 0)
		return -1;
	const char *kind = args_take(a, "single or stack");
	const char *title = kind ? args_take(a, "the title") : NULL;
	if (!title)
		return -1;
	if (!t)
		return text_error(x, "a mark needs a thread, in a line before");
	if (strcmp(kind, "single") != 0 && strcmp(kind, "stack") != 0)
		return text_error(x, "a mark is single or stack, not '%s'", kind);
	if (!TEXT_GROW(x, t->marks, t->nmarks, t->cap_marks))
		return -1;
	struct text_mark *m = &t->marks[t->nmarks++];
	*m = (struct text_mark){ .type = text_copy(x, number, strlen(number)),
		.kind = text_copy(x, kind, strlen(kind)),
		.title = text_copy(x, title, strlen(title)) };
	if (!m->type || !m->kind || !m->title)
		return -1;
	while (a->n) {
		const char *word = args_take(a, "");
		const char *eq = strchr(word, '=');
		if (!eq)
			return text_error(x, "a label is VALUE=\"TEXT\", not '%s'", word);
		if (!TEXT_GROW(x, m->labels, m->n, m->cap))
			return -1;
		struct text_label *l = &m->labels[m->n++];
		*l = (struct text_label){ text_copy(x, word, (size_t)(eq - word)),
			text_copy(x, eq + 1, strlen(eq + 1)) };
		if (!l->value || !l->text)
			return -1;
	}
	return 0;
}
