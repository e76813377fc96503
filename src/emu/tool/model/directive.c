/* SPDX-License-Identifier: MIT */
/* directive: lines that say what the trace is: where its threads are, and what
 * their metadata has. */
#include "directive.h"
#include "ovni/jsonvalue.h"

#include <errno.h>
#include <stdlib.h>

static int
do_trace(struct args *a)
{
	static const char *const versions[] = { "v1", "v2", "v3" };
	const char *word = args_take(a, "the version");
	for (int i = 0; word && i < 3; i++) {
		if (strcmp(word, versions[i]) == 0) {
			a->x->version = i + 1;
			a->x->bare = args_take_if(a, "bare");
			return 0;
		}
	}
	return word ? text_error(a->x, "a trace is v1, v2 or v3, not '%s'", word)
		    : -1;
}

static int
do_loom(struct args *a)
{
	struct text *x = a->x;
	const char *name = args_take(a, "the name of the loom");
	struct text_loom *loom = name ? TEXT_NEW(x, struct text_loom) : NULL;
	if (!loom || !(loom->name = text_copy(x, name, strlen(name))))
		return -1;
	if (!text_is_inside(name))
		return text_error(x, "'%s' is no name of a folder", name);
	TEXT_APPEND(x->looms, x->last_loom, loom);
	return args_take_if(a, "cpus") ? args_take_cpus(a, &loom->cpus) : 0;
}

static int
proc_rank(struct args *a, struct text_proc *p)
{
	char junk;
	const char *word = args_take(a, "the rank");
	if (word && (sscanf(word, "%d/%d%c", &p->rank, &p->nranks, &junk) != 2 || p->rank < 0))
		return text_error(a->x, "a rank is as 0/2, not '%s'", word);
	return word ? 0 : -1;
}

static int
do_proc(struct args *a)
{
	struct text *x = a->x;
	struct text_proc *p = TEXT_NEW(x, struct text_proc);
	if (!p || args_take_int(a, "the number of the process", &p->pid) < 0)
		return -1;
	if (!x->looms)
		return text_error(x, "a process needs a loom, in a line before");
	p->loom = x->last_loom;
	p->app = 1;
	p->rank = -1;
	TEXT_APPEND(x->procs, x->last_proc, p);
	int rc = 0;
	while (a->n && rc == 0) {
		if (args_take_if(a, "nometa"))
			p->nometa = true;
		else if (args_take_if(a, "app"))
			rc = args_take_if(a, "none")
				? (p->app = 0)
				: args_take_int(a, "the number of the application", &p->app);
		else if (args_take_if(a, "rank"))
			rc = proc_rank(a, p);
		else
			return 0;
	}
	return rc;
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
	const char *key = args_take(a, "the key");
	const char *value = remove ? NULL : behind(a->line, 2);
	struct text_edit *e = key ? TEXT_NEW(x, struct text_edit) : NULL;
	if (!e || !(e->key = text_copy(x, key, strlen(key))))
		return -1;
	if (!x->procs)
		return text_error(x,
			"metadata needs a process or a thread, in a line before");
	a->n = remove ? a->n : 0;
	struct json *v = remove ? NULL : rt_json_parse(value);
	bool null = v && v->kind == JSON_NULL;
	rt_json_free(v);
	if (!remove && !v && errno == ENOMEM)
		return diag_no_memory(&x->tool->conv.diag);
	if (!remove && !v)
		return text_error(x, "the value is no JSON: %s", value);
	if (v && !null && !(e->value = text_copy(x, value, strlen(value))))
		return -1;
	struct text_edit **at = x->last_thread && x->last_thread->proc == x->last_proc
		? &x->last_thread->edits
		: &x->last_proc->edits;
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
	struct text_file *f = TEXT_NEW(x, struct text_file);
	const char *host = f ? args_take(a, "the host") : NULL;
	const char *median = host ? args_take(a, "the offset") : NULL;
	if (!median || !(f->path = text_copy(x, host, strlen(host))) ||
		!(f->bytes = text_copy(x, median, strlen(median))))
		return -1;
	TEXT_APPEND(x->offsets, x->last_offset, f);
	return 0;
}

/* Puts the bytes of \n, \t, \r, \\ and \xNN in place. Returns how many bytes
 * are left, or <0 (reported). */
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
		} else if (p[1] == 'x' && sscanf(p + 2, "%2x%n", &v, &used) == 1 &&
			used == 2) {
			*to++ = (char)v;
			p += 3;
		} else {
			return text_error(x, "behind a backslash there is n, t, r, x and two "
					     "hexadecimal digits, or another backslash");
		}
	}
	return to - s;
}

static int
do_file(struct args *a)
{
	struct text *x = a->x;
	struct text_file *f = TEXT_NEW(x, struct text_file);
	const char *path = f ? args_take(a, "the path") : NULL;
	const char *bytes = path ? args_take(a, "the text") : NULL;
	char *to = bytes ? text_copy(x, bytes, strlen(bytes)) : NULL;
	if (!to || !(f->path = text_copy(x, path, strlen(path))))
		return -1;
	if (!text_is_inside(path))
		return text_error(x, "a path is in the trace, not '%s'", path);
	ptrdiff_t n = unescape(x, to);
	if (n < 0)
		return -1;
	f->bytes = to;
	f->size = (size_t)n;
	TEXT_APPEND(x->files, x->last_file, f);
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
		{ "thread", text_do_thread },
		{ "mark", text_do_mark },
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
		return rc == 0 && a.n ? text_error(x, "'%s' is one word too many", *a.items)
				      : rc;
	}
	return text_error(
		x,
		"'%s' is no directive, and an event begins with the number of its thread",
		w->items[0]);
}
