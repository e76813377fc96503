/* SPDX-License-Identifier: MIT */
/* directive: lines that say what the trace is: its threads, and what their metadata has. */
#include "text.h"

#include "ovni/jsonvalue.h"

#include <stdlib.h>

/* Arguments of a directive: the words behind it. */
struct args {
	struct text *x;
	char **items;
	size_t n;
	const char *line;
};

/* The next one. NULL: there is none (reported). */
static const char *
take(struct args *a, const char *what)
{
	if (a->n == 0) {
		(void)text_error(a->x, "%s is missing", what);
		return NULL;
	}
	a->n--;
	return *a->items++;
}

static bool
take_if(struct args *a, const char *word)
{
	if (a->n == 0 || strcmp(*a->items, word) != 0)
		return false;
	a->n--;
	a->items++;
	return true;
}

static int
take_int(struct args *a, const char *what, int *to)
{
	const char *word = take(a, what);
	return word ? text_int(a->x, what, word, to) : -1;
}

static char *
copy(struct text *x, const char *text, size_t n)
{
	char *s = arena_strndup(&x->tool->arena, text, n);
	if (!s)
		(void)diag_no_memory(&x->tool->conv.diag);
	return s;
}

#define NEW(x, T) ((T *)checked((x), arena_new(&(x)->tool->arena, T, 1)))

static void *
checked(struct text *x, void *p)
{
	if (!p)
		(void)diag_no_memory(&x->tool->conv.diag);
	return p;
}

/* Makes room for one more. */
#define GROW(x, items, n, cap) (arena_grow(&(x)->tool->arena, &(items), (n), &(cap), sizeof(*(items))) || diag_no_memory(&(x)->tool->conv.diag) == 0)

/* Puts an item behind the last one of a list. */
#define APPEND(first, last, item)              \
	do {                                   \
		if (first)                     \
			(last)->next = (item); \
		else                           \
			(first) = (item);      \
		(last) = (item);               \
	} while (0)

/* A name that becomes a part of a path. */
static bool
is_inside(const char *path)
{
	if (*path == '/' || !*path)
		return false;
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (strncmp(p, "..", 2) == 0 && (!p[2] || p[2] == '/'))
			return false;
	}
	return true;
}

static int
do_trace(struct args *a)
{
	static const char *const versions[] = { "v1", "v2", "v3" };
	const char *word = take(a, "the version");
	for (int i = 0; word && i < 3; i++) {
		if (strcmp(word, versions[i]) == 0) {
			a->x->version = i + 1;
			a->x->bare = take_if(a, "bare");
			return 0;
		}
	}
	return word ? text_error(a->x, "a trace is v1, v2 or v3, not '%s'", word) : -1;
}

/* "INDEX:NUMBER" as long as there are some. */
static int
take_cpus(struct args *a, struct text_cpus *cpus)
{
	for (; a->n; a->n--, a->items++) {
		struct text_cpu cpu;
		char junk;
		if (sscanf(*a->items, "%d:%d%c", &cpu.index, &cpu.phyid, &junk) != 2)
			return 0;
		if (!GROW(a->x, cpus->items, cpus->n, cpus->cap))
			return -1;
		cpus->items[cpus->n++] = cpu;
	}
	return 0;
}

static int
do_loom(struct args *a)
{
	struct text *x = a->x;
	const char *name = take(a, "the name of the loom");
	struct text_loom *loom = name ? NEW(x, struct text_loom) : NULL;
	if (!loom || !(loom->name = copy(x, name, strlen(name))))
		return -1;
	if (!is_inside(name))
		return text_error(x, "'%s' is no name of a folder", name);
	APPEND(x->looms, x->last_loom, loom);
	return take_if(a, "cpus") ? take_cpus(a, &loom->cpus) : 0;
}

static int
proc_rank(struct args *a, struct text_proc *p)
{
	char junk;
	const char *word = take(a, "the rank");
	if (word && (sscanf(word, "%d/%d%c", &p->rank, &p->nranks, &junk) != 2 || p->rank < 0))
		return text_error(a->x, "a rank is as 0/2, not '%s'", word);
	return word ? 0 : -1;
}

static int
do_proc(struct args *a)
{
	struct text *x = a->x;
	struct text_proc *p = NEW(x, struct text_proc);
	if (!p || take_int(a, "the number of the process", &p->pid) < 0)
		return -1;
	if (!x->looms)
		return text_error(x, "a process needs a loom, in a line before");
	p->loom = x->last_loom;
	p->app = 1;
	p->rank = -1;
	APPEND(x->procs, x->last_proc, p);
	int rc = 0;
	while (a->n && rc == 0) {
		if (take_if(a, "nometa"))
			p->nometa = true;
		else if (take_if(a, "app"))
			rc = take_if(a, "none") ? (p->app = 0) : take_int(a, "the number of the application", &p->app);
		else if (take_if(a, "rank"))
			rc = proc_rank(a, p);
		else
			return 0;
	}
	return rc;
}

/* Adds a model with its version to what the thread requires. */
static int
require(struct args *a, struct text_thread *t, const char *word)
{
	struct text *x = a->x;
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct model *m = modelset_named(x->tool->catalog.models, word, n);
	const char *version = eq ? copy(x, eq + 1, strlen(eq + 1)) : m->version;
	if (!version)
		return -1;
	size_t i = 0;
	while (i < t->nrequire && (strlen(t->require[i].model) != n || memcmp(t->require[i].model, word, n) != 0))
		i++;
	if (i == t->nrequire) {
		if (!GROW(x, t->require, t->nrequire, t->cap_require) || !(t->require[i].model = copy(x, word, n)))
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
		if (take_if(a, "none")) {
			t->nrequire = 0;
			continue;
		}
		if (!strchr(word, '=') && !modelset_named(a->x->tool->catalog.models, word, strlen(word)))
			return 0;
		rc = require(a, t, take(a, ""));
	}
	return rc;
}

/* Appends the bytes of hexadecimal digits. */
static int
take_header(struct args *a, struct text_thread *t)
{
	t->size = 0;
	const struct words w = { .items = a->items, .n = a->n };
	const char *word = take(a, "the header");
	return word ? text_add_hex(a->x, t, &w, 0, 1) : -1;
}

static int
thread_option(struct args *a, struct text_thread *t)
{
	if (take_if(a, "require"))
		return take_require(a, t);
	if (take_if(a, "header"))
		return take_header(a, t);
	if (take_if(a, "cpus")) {
		t->carries = true;
		return take_cpus(a, &t->cpus);
	}
	if (take_if(a, "relpath")) {
		const char *path = take(a, "the path");
		if (path && !is_inside(path))
			return text_error(a->x, "a path is in the trace, not '%s'", path);
		return path && (t->relpath = copy(a->x, path, strlen(path))) ? 0 : -1;
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
		if (take_if(a, flags[i].name))
			return *flags[i].to = true, 0;
	return text_error(a->x, "a thread has no option '%s'", *a->items);
}

static int
do_thread(struct args *a)
{
	static const uint8_t header[] = { 'o', 'v', 'n', 'i', 1, 0, 0, 0 };
	struct text *x = a->x;
	struct text_thread *t = NEW(x, struct text_thread);
	if (!t || take_int(a, "the number of the thread", &t->tid) < 0)
		return -1;
	if (!x->procs || x->last_proc->loom != x->last_loom)
		return text_error(x, "a thread needs a process, in a line before");
	t->proc = x->last_proc;
	APPEND(x->threads, x->last_thread, t);
	uint8_t *to = text_room(x, t, sizeof(header));
	struct idmap_slot *slot = idmap_slot(&x->by_tid, &x->tool->arena, (uint32_t)t->tid);
	if (!to || !checked(x, slot))
		return -1;
	memcpy(to, header, sizeof(header));
	t->alike = slot->value;
	slot->value = t;
	int rc = require(a, t, x->version == 2 ? "ovni=1.0.0" : "ovni=1.1.0");
	while (a->n && rc == 0)
		rc = thread_option(a, t);
	return rc;
}

static int
do_mark(struct args *a)
{
	struct text *x = a->x;
	struct text_thread *t = x->last_thread;
	int type;
	const char *number = a->n ? *a->items : "";
	if (take_int(a, "the type of the mark", &type) < 0)
		return -1;
	const char *kind = take(a, "single or stack");
	const char *title = kind ? take(a, "the title") : NULL;
	if (!title)
		return -1;
	if (!t)
		return text_error(x, "a mark needs a thread, in a line before");
	if (strcmp(kind, "single") != 0 && strcmp(kind, "stack") != 0)
		return text_error(x, "a mark is single or stack, not '%s'", kind);
	if (!GROW(x, t->marks, t->nmarks, t->cap_marks))
		return -1;
	struct text_mark *m = &t->marks[t->nmarks++];
	*m = (struct text_mark){ .type = copy(x, number, strlen(number)), .kind = copy(x, kind, strlen(kind)), .title = copy(x, title, strlen(title)) };
	if (!m->type || !m->kind || !m->title)
		return -1;
	while (a->n) {
		const char *word = take(a, "");
		const char *eq = strchr(word, '=');
		if (!eq)
			return text_error(x, "a label is VALUE=\"TEXT\", not '%s'", word);
		if (!GROW(x, m->labels, m->n, m->cap))
			return -1;
		struct text_label *l = &m->labels[m->n++];
		*l = (struct text_label){ copy(x, word, (size_t)(eq - word)), copy(x, eq + 1, strlen(eq + 1)) };
		if (!l->value || !l->text)
			return -1;
	}
	return 0;
}

/* The part of the line behind its first n words. */
static const char *
behind(const char *line, int n)
{
	while (n--) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	return line;
}

/* Adds an edit to the thread above, or to its process. */
static int
edit(struct args *a, bool remove)
{
	struct text *x = a->x;
	const char *key = take(a, "the key");
	const char *value = remove ? NULL : behind(a->line, 2);
	struct text_edit *e = key ? NEW(x, struct text_edit) : NULL;
	if (!e || !(e->key = copy(x, key, strlen(key))))
		return -1;
	if (!x->procs)
		return text_error(x, "metadata needs a process or a thread, in a line before");
	a->n = remove ? a->n : 0;
	struct json *v = remove ? NULL : rt_json_parse(value);
	bool null = v && v->kind == JSON_NULL;
	rt_json_free(v);
	if (!remove && !v)
		return text_error(x, "the value is no JSON: %s", value);
	if (v && !null && !(e->value = copy(x, value, strlen(value))))
		return -1;
	struct text_edit **at = x->last_thread && x->last_thread->proc == x->last_proc ? &x->last_thread->edits : &x->last_proc->edits;
	while (*at)
		at = &(*at)->next;
	*at = e;
	return 0;
}

static int
do_set(struct args *a)
{
	return edit(a, false);
}

static int
do_unset(struct args *a)
{
	return edit(a, true);
}

static int
do_offset(struct args *a)
{
	struct text *x = a->x;
	struct text_file *f = NEW(x, struct text_file);
	const char *host = f ? take(a, "the host") : NULL;
	const char *median = host ? take(a, "the offset") : NULL;
	if (!median || !(f->path = copy(x, host, strlen(host))) || !(f->bytes = copy(x, median, strlen(median))))
		return -1;
	APPEND(x->offsets, x->last_offset, f);
	return 0;
}

/* Puts the bytes of \n, \t, \r, \\ and \xNN in place. Returns how many bytes are left, or <0 (reported). */
static ptrdiff_t
unescape(struct text *x, char *s)
{
	static const char names[] = "ntr\\";
	static const char bytes[] = "\n\t\r\\";
	char *to = s;
	for (const char *p = s; *p; p++) {
		unsigned v;
		int used = 0;
		const char *name = *p == '\\' && p[1] ? strchr(names, p[1]) : NULL;
		if (*p != '\\') {
			*to++ = *p;
		} else if (name) {
			*to++ = bytes[name - names];
			p++;
		} else if (p[1] == 'x' && sscanf(p + 2, "%2x%n", &v, &used) == 1 && used == 2) {
			*to++ = (char)v;
			p += 3;
		} else {
			return text_error(x, "behind a backslash there is n, t, r, x and two hexadecimal digits, or another backslash");
		}
	}
	return to - s;
}

static int
do_file(struct args *a)
{
	struct text *x = a->x;
	struct text_file *f = NEW(x, struct text_file);
	const char *path = f ? take(a, "the path") : NULL;
	const char *bytes = path ? take(a, "the text") : NULL;
	char *to = bytes ? copy(x, bytes, strlen(bytes)) : NULL;
	if (!to || !(f->path = copy(x, path, strlen(path))))
		return -1;
	if (!is_inside(path))
		return text_error(x, "a path is in the trace, not '%s'", path);
	ptrdiff_t n = unescape(x, to);
	if (n < 0)
		return -1;
	f->bytes = to;
	f->size = (size_t)n;
	APPEND(x->files, x->last_file, f);
	return 0;
}

int
text_directive(struct text *x, const struct words *w, const char *line)
{
	static const struct {
		const char *name;
		int (*take)(struct args *a);
	} all[] = {
		{ "trace", do_trace },
		{ "loom", do_loom },
		{ "proc", do_proc },
		{ "thread", do_thread },
		{ "mark", do_mark },
		{ "set", do_set },
		{ "attr", do_set },
		{ "unset", do_unset },
		{ "offset", do_offset },
		{ "file", do_file },
	};
	struct args a = { .x = x, .items = w->items + 1, .n = w->n - 1, .line = line };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(w->items[0], all[i].name) != 0)
			continue;
		int rc = all[i].take(&a);
		return rc == 0 && a.n ? text_error(x, "'%s' is one word too many", *a.items) : rc;
	}
	return text_error(x, "'%s' is no directive, and an event begins with the number of its thread", w->items[0]);
}
