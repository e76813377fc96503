/* SPDX-License-Identifier: MIT */
/* head: the lines in front of the events. */
#include "untext.h"

#include "ovni/jsonvalue.h"
#include "puttext.h"
#include "trace.h"

#include <stdlib.h>

/* A word, between quotes where it has to be. */
static void
put_word(struct wbuf *w, const char *word)
{
	bool bare = *word && !word[strcspn(word, " \t'#")];
	wbuf_printf(w, bare ? " %s" : " \"%s\"", word);
}

/* Bytes as a line of their own: what a text cannot hold has a backslash. */
static void
put_file(struct wbuf *w, const char *path, const char *bytes, size_t n)
{
	put_str(w, "file");
	put_word(w, path);
	put_str(w, " \"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c == '\n' || c == '\\')
			put_str(w, c == '\n' ? "\\n" : "\\\\");
		else if (c < 0x20 || c >= 0x7f || c == '"')
			wbuf_printf(w, "\\x%02x", c);
		else
			wbuf_put(w, &bytes[i], 1);
	}
	put_str(w, "\"\n");
}

static void
put_cpus(struct wbuf *w, const struct text_cpus *cpus)
{
	put_str(w, " cpus");
	for (size_t i = 0; i < cpus->n; i++)
		wbuf_printf(w, " %d:%d", cpus->items[i].index, cpus->items[i].phyid);
}

/* ---- Edits: what makes the metadata of the lines that of the file. ---- */

struct diff {
	struct untext *u;
	struct text_edit *first;
	struct text_edit **last;
	bool ok;
};

static void
add_edit(struct diff *d, const char *key, const struct json *value)
{
	struct arena *a = &d->u->trace->arena;
	struct text_edit *e = arena_new(a, struct text_edit, 1);
	char *text = NULL;
	size_t n;
	FILE *f = value ? open_memstream(&text, &n) : NULL;
	if (f) {
		rt_json_print(f, value, -1);
		d->ok = fclose(f) == 0 && d->ok;
	}
	d->ok = d->ok && e && (!value || text);
	if (d->ok) {
		e->key = arena_strndup(a, key, strlen(key));
		e->value = value ? arena_strndup(a, text, n) : NULL;
		d->ok = e->key && (!value || e->value);
		*d->last = e;
		d->last = &e->next;
	}
	free(text);
}

static bool
is_same(const struct json *a, const struct json *b)
{
	if (a->kind != b->kind || (a->kind == JSON_NUMBER && a->number < b->number) || (a->kind == JSON_NUMBER && a->number > b->number))
		return false;
	if (a->kind == JSON_STRING)
		return strcmp(a->text, b->text) == 0;
	const struct json *p = a->first;
	const struct json *q = b->first;
	for (; p && q; p = p->next, q = q->next)
		if ((p->name && strcmp(p->name, q->name) != 0) || !is_same(p, q))
			return false;
	return p == q;
}

/* What has to be done below `key` to `have` to make it `want`. Both are objects. */
static void
compare(struct diff *d, const char *key, const struct json *have, const struct json *want)
{
	char path[512];
	for (const struct json *v = have->first; v; v = v->next) {
		(void)snprintf(path, sizeof(path), "%s%s%s", key, *key ? "." : "", v->name);
		if (!rt_json_member(want, v->name, strlen(v->name)))
			add_edit(d, path, NULL);
	}
	for (const struct json *v = want->first; v; v = v->next) {
		const struct json *old = rt_json_member(have, v->name, strlen(v->name));
		(void)snprintf(path, sizeof(path), "%s%s%s", key, *key ? "." : "", v->name);
		if (old && old->kind == JSON_OBJECT && v->kind == JSON_OBJECT && v->first)
			compare(d, path, old, v);
		else if (!old || !is_same(old, v))
			add_edit(d, path, v);
	}
}

/* Whether the metadata of the text, which is freed, has the bytes of the file. */
static bool
is_file(struct text *x, struct json *meta, const struct found_meta *file)
{
	size_t n = 0;
	char *bytes = meta ? text_print_meta(x, meta, &n) : NULL;
	bool same = bytes && n == file->size && memcmp(bytes, file->bytes, n) == 0;
	free(bytes);
	rt_json_free(meta);
	return same;
}

static bool
is_edit(const struct text_edit *e)
{
	return !e->key[strcspn(e->key, " \t\"'#")] && text_is_plain(e->key, strlen(e->key));
}

/* Prints the edits of the thread, or of the process if that is NULL; or all of the file. */
static int
put_edits(struct untext *u, struct wbuf *w, struct text_thread *t, struct text_proc *p, const struct found_meta *file)
{
	struct text *x = &u->text;
	struct text_edit **edits = t ? &t->edits : &p->edits;
	struct diff d = { .u = u, .last = &d.first, .ok = true };
	if (!file->bytes)
		return 0;
	struct json *have = t ? text_thread_meta(x, t) : text_proc_meta(x, p);
	bool good = have && file->json && file->json->kind == JSON_OBJECT;
	if (good)
		compare(&d, "", have, file->json);
	rt_json_free(have);
	if (!have || !d.ok)
		return diag_no_memory(u->trace->diag);
	for (const struct text_edit *e = d.first; e && good; e = e->next)
		good = is_edit(e);
	*edits = d.first;
	good = good && is_file(x, t ? text_thread_meta(x, t) : text_proc_meta(x, p), file);
	if (!good)
		put_file(w, file->path, file->bytes, file->size);
	for (const struct text_edit *e = d.first; e && good; e = e->next)
		wbuf_printf(w, e->value ? "set %s %s\n" : "unset %s\n", e->key, e->value);
	return 0;
}

/* ---- Lines. ---- */

static bool
has_same(const struct text_cpus *a, const struct text_cpus *b)
{
	return a->n == b->n && (a->n == 0 || memcmp(a->items, b->items, a->n * sizeof(*a->items)) == 0);
}

/* Whether the first thread of the loom is the only one with CPUs, as without any option. */
static bool
is_carried_by_first(const struct untext *u, const struct text_loom *l)
{
	size_t n = 0;
	size_t others = 0;
	for (size_t i = 0; i < u->trace->nstreams; i++) {
		const struct text_thread *t = &u->threads[i].text;
		if (t->proc->loom != l)
			continue;
		others += n++ && t->carries;
	}
	for (size_t i = 0; i < u->trace->nstreams; i++)
		if (u->threads[i].text.proc->loom == l)
			return u->threads[i].text.carries && !others;
	return false;
}

static void
put_thread(const struct untext *u, struct wbuf *w, const struct found_thread *f)
{
	const struct text_thread *t = &f->text;
	bool v1 = u->text.version == 1;
	wbuf_printf(w, "thread %d", t->tid);
	if (t->relpath) {
		put_str(w, " relpath");
		put_word(w, t->relpath);
	}
	if (f->header)
		wbuf_printf(w, " header \"%s\"", f->header);
	if (t->nometa)
		put_str(w, " nometa");
	if (t->norequire && !t->nometa)
		put_str(w, " norequire");
	else if (!v1 && !t->nometa)
		put_str(w, t->nrequire && strcmp(t->require[0].model, "ovni") == 0 ? " require" : " require none");
	for (size_t i = 0; i < t->nrequire; i++)
		wbuf_printf(w, " %s=%s", t->require[i].model, t->require[i].version);
	if (t->unfinished && !t->nometa)
		put_str(w, " unfinished");
	if (t->carries && !is_carried_by_first(u, t->proc->loom)) {
		if (has_same(&t->cpus, &t->proc->loom->cpus))
			put_str(w, " cpus");
		else
			put_cpus(w, &t->cpus);
	}
	put_str(w, "\n");
	for (size_t i = 0; i < t->nmarks; i++) {
		const struct text_mark *m = &t->marks[i];
		wbuf_printf(w, "mark %s %s \"%s\"", m->type, m->kind, m->title);
		for (size_t k = 0; k < m->n; k++)
			wbuf_printf(w, " %s=\"%s\"", m->labels[k].value, m->labels[k].text);
		put_str(w, "\n");
	}
}

static int
put_proc(struct untext *u, struct wbuf *w, struct found_proc *f)
{
	struct text_proc *p = &f->text;
	wbuf_printf(w, "proc %d", p->pid);
	if (p->app)
		wbuf_printf(w, " app %d", p->app);
	else
		put_str(w, " app none");
	if (p->rank >= 0)
		wbuf_printf(w, " rank %d/%d", p->rank, p->nranks);
	if (p->nometa)
		put_str(w, " nometa");
	put_str(w, "\n");
	return put_edits(u, w, NULL, p, &f->meta);
}

/* clock-offsets.txt, if it is there. */
static int
put_offsets(const struct untext *u, struct wbuf *w)
{
	static const char name[] = "clock-offsets.txt";
	struct found_meta m = { .path = name };
	int rc = untext_load(u, &m);
	if (rc == 0 && m.bytes)
		put_file(w, name, m.bytes, m.size);
	rt_json_free(m.json);
	free(m.bytes);
	return rc;
}

int
untext_put_head(struct untext *u, struct wbuf *w)
{
	int rc = 0;
	wbuf_printf(w, "trace v%d%s\n", u->text.version, u->text.bare ? " bare" : "");
	for (size_t i = 0; i < u->trace->nstreams && rc == 0; i++) {
		struct found_thread *t = &u->threads[i];
		struct text_proc *p = t->text.proc;
		const struct text_proc *before = i ? u->threads[i - 1].text.proc : NULL;
		if (!before || p->loom != before->loom) {
			const struct text_loom *loom = p->loom;
			put_str(w, "loom");
			put_word(w, loom->name);
			if (loom->cpus.n)
				put_cpus(w, &loom->cpus);
			put_str(w, "\n");
		}
		if (p != before)
			rc = put_proc(u, w, (struct found_proc *)p);
		put_thread(u, w, t);
		if (rc == 0)
			rc = put_edits(u, w, &t->text, p, &t->meta);
	}
	return rc == 0 ? put_offsets(u, w) : rc;
}
