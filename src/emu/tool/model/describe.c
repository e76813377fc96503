/* SPDX-License-Identifier: MIT */
/* describe: what the metadata of a trace says, as a text says it. What it says in another way is left to
 * the lines that edit metadata. */
#include "untext.h"

#include "ovni/jsonvalue.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Files. ---- */

int
untext_load(const struct untext *u, struct found_meta *m)
{
	struct diag *d = u->trace->diag;
	const char *path = m->path ? arena_printf(&u->trace->arena, "%s/%s", u->trace->dir, m->path) : NULL;
	if (!path)
		return diag_no_memory(d);
	FILE *f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 0 : diag_io(d, ERR_READ, "open", path, errno);
	size_t cap = 0;
	size_t n = 0;
	do {
		char *bytes = n + 1 < cap ? m->bytes : realloc(m->bytes, cap = cap * 2 + 4096);
		if (!bytes) {
			(void)fclose(f);
			return diag_no_memory(d);
		}
		m->bytes = bytes;
		n = fread(bytes + m->size, 1, cap - m->size - 1, f);
		m->size += n;
		m->bytes[m->size] = 0;
		n = n ? m->size : 0;
	} while (n);
	(void)fclose(f);
	m->json = rt_json_parse(m->bytes);
	return !m->json && errno == ENOMEM ? diag_no_memory(d) : 0;
}

void
untext_free(struct untext *u)
{
	for (size_t i = 0; u->threads && i < u->trace->nstreams; i++) {
		rt_json_free(u->threads[i].meta.json);
		free(u->threads[i].meta.bytes);
	}
	for (size_t i = 0; u->procs && i < u->nprocs; i++) {
		rt_json_free(u->procs[i].meta.json);
		free(u->procs[i].meta.bytes);
	}
}

/* ---- Values. ---- */

static const struct json *
member(const struct json *object, const char *name)
{
	return object ? rt_json_member(object, name, strlen(name)) : NULL;
}

/* A whole number that fits; otherwise `none`. */
static int
number(const struct json *object, const char *name, int none)
{
	const struct json *v = member(object, name);
	return v && v->kind == JSON_NUMBER && v->number > INT32_MIN && v->number < INT32_MAX ? (int)v->number : none;
}

/* A text that a word between quotes can be; NULL: it is none. */
static const char *
plain(const struct json *v)
{
	return v && v->kind == JSON_STRING && text_is_plain(v->text, strlen(v->text)) ? v->text : NULL;
}

static bool
is_word(const char *s)
{
	return *s && !s[strcspn(s, " \t\"'#=")] && text_is_plain(s, strlen(s));
}

static void
take_rank(struct text_proc *p, const struct json *object)
{
	if (p->rank >= 0)
		return;
	p->rank = number(object, "rank", -1);
	p->nranks = number(object, "nranks", 0);
}

/* CPUs, if all are as they should be. Returns 0, or <0 (reported). */
static int
take_cpus(struct untext *u, const struct json *list, struct text_cpus *to)
{
	size_t n = 0;
	for (const struct json *v = list && list->kind == JSON_ARRAY ? list->first : NULL; v; v = v->next)
		n++;
	to->items = arena_new(&u->trace->arena, struct text_cpu, n);
	if (!to->items)
		return diag_no_memory(u->trace->diag);
	for (const struct json *v = n ? list->first : NULL; v; v = v->next)
		to->items[to->n++] = (struct text_cpu){ number(v, "index", -1), number(v, "phyid", -1) };
	return 0;
}

static int
take_require(struct untext *u, const struct json *list, struct text_thread *t)
{
	t->norequire = !list || list->kind != JSON_OBJECT;
	size_t n = 0;
	for (const struct json *v = t->norequire ? NULL : list->first; v; v = v->next) {
		if (!is_word(v->name) || strcmp(v->name, "none") == 0 || !plain(v) || !is_word(v->text)) {
			t->norequire = true;
			return 0;
		}
		n++;
	}
	t->require = arena_new(&u->trace->arena, struct require_meta, n);
	if (!t->require)
		return diag_no_memory(u->trace->diag);
	for (const struct json *v = n ? list->first : NULL; v; v = v->next)
		t->require[t->nrequire++] = (struct require_meta){ v->name, v->text };
	return 0;
}

/* Returns 1, 0: it cannot be written as a mark, or <0 (reported). */
static int
take_mark(struct untext *u, const struct json *v, struct text_mark *m)
{
	const struct json *labels = member(v, "labels");
	m->type = v->name;
	m->kind = plain(member(v, "chan_type"));
	m->title = plain(member(v, "title"));
	if (!m->title || !m->kind || (strcmp(m->kind, "single") != 0 && strcmp(m->kind, "stack") != 0) || !is_word(m->type))
		return 0;
	if (m->type[strspn(m->type, "0123456789")])
		return 0;
	for (const struct json *l = labels ? labels->first : NULL; l; l = l->next) {
		if (!is_word(l->name) || !plain(l))
			return 0;
		if (!arena_grow(&u->trace->arena, &m->labels, m->n, &m->cap, sizeof(*m->labels)))
			return diag_no_memory(u->trace->diag);
		m->labels[m->n++] = (struct text_label){ l->name, l->text };
	}
	return 1;
}

static int
take_marks(struct untext *u, const struct json *list, struct text_thread *t)
{
	for (const struct json *v = list && list->kind == JSON_OBJECT ? list->first : NULL; v; v = v->next) {
		struct text_mark m = { 0 };
		int rc = take_mark(u, v, &m);
		if (rc < 0)
			return rc;
		if (rc == 0)
			continue;
		if (!arena_grow(&u->trace->arena, &t->marks, t->nmarks, &t->cap_marks, sizeof(m)))
			return diag_no_memory(u->trace->diag);
		t->marks[t->nmarks++] = m;
	}
	return 0;
}

/* ---- Threads and processes. ---- */

/* The loom and process of a stream: that of the one before, or a new one. */
static int
take_proc(struct untext *u, const struct stream *s, struct found_thread *t)
{
	struct text *x = &u->text;
	struct arena *a = &u->trace->arena;
	const char *loom = s->meta.loom ? s->meta.loom : "unknown";
	struct found_proc *p = &u->procs[u->nprocs];
	bool same = u->nprocs && strcmp(p[-1].text.loom->name, loom) == 0;
	if (same && p[-1].text.pid == s->meta.pid)
		return t->text.proc = &p[-1].text, 0;
	u->nprocs++;
	p->text = (struct text_proc){ .loom = same ? x->last_loom : arena_new(a, struct text_loom, 1), .pid = s->meta.pid, .rank = -1 };
	t->text.proc = &p->text;
	if (!p->text.loom)
		return diag_no_memory(u->trace->diag);
	x->last_loom = p->text.loom;
	x->last_loom->name = loom;
	if (x->version == 3)
		return 0;
	p->meta.path = arena_printf(a, "loom.%s/proc.%d/metadata.json", loom, s->meta.pid);
	int rc = untext_load(u, &p->meta);
	if (rc < 0)
		return rc;
	const struct json *root = p->meta.json;
	x->version = number(root, "version", x->version);
	p->text.nometa = !root;
	p->text.app = number(root, "app_id", 0);
	take_rank(&p->text, root);
	rc = take_cpus(u, member(root, "cpus"), &t->text.cpus);
	t->text.carries = t->text.cpus.n > 0;
	return rc;
}

/* Its path, without what ends it, and where its metadata is. */
static int
take_path(struct untext *u, const struct stream *s, struct found_thread *t)
{
	struct text *x = &u->text;
	char buf[4096];
	size_t n = strlen(s->relpath);
	bool obs = x->version < 3 && n > 4 && strcmp(s->relpath + n - 4, ".obs") == 0;
	const char *base = arena_strndup(&u->trace->arena, s->relpath, n - (obs ? 4 : 0));
	t->text.proc = t->text.proc ? t->text.proc : &u->procs[0].text;
	if (!base)
		return diag_no_memory(u->trace->diag);
	if (strcmp(base, text_relpath(&t->text, buf, sizeof(buf))) != 0)
		t->text.relpath = base;
	t->meta.path = arena_printf(&u->trace->arena, "%s%s", base, x->version == 3 ? "/stream.json" : ".json");
	return untext_load(u, &t->meta);
}

/* The first bytes of a stream that ends in its header. */
static int
take_header(struct untext *u, const struct stream *s, struct found_thread *t)
{
	static const char good[] = "6f766e6901000000";
	if (!s->was_cut || s->in.file_size >= 8)
		return 0;
	t->header = arena_strndup(&u->trace->arena, good, s->in.file_size * 2);
	return t->header ? 0 : diag_no_memory(u->trace->diag);
}

static int
take_thread(struct untext *u, const struct stream *s, struct found_thread *t)
{
	struct text *x = &u->text;
	t->text.tid = s->meta.tid;
	int rc = take_proc(u, s, t);
	if (rc == 0)
		rc = take_path(u, s, t);
	if (rc == 0)
		rc = take_header(u, s, t);
	t->text.nometa = !t->meta.bytes && x->version > 1;
	if (rc < 0 || x->version == 1)
		return rc;
	const struct json *ovni = member(t->meta.json, "ovni");
	struct text_proc *p = t->text.proc;
	t->text.told = true;
	t->text.unfinished = !member(ovni, "finished");
	if (x->version == 3 && !p->app)
		p->app = number(ovni, "app_id", 0);
	if (x->version == 3)
		take_rank(p, ovni);
	rc = take_require(u, member(ovni, "require"), &t->text);
	if (rc == 0)
		rc = take_marks(u, member(ovni, "mark"), &t->text);
	if (rc == 0 && x->version == 3 && member(ovni, "loom_cpus")) {
		rc = take_cpus(u, member(ovni, "loom_cpus"), &t->text.cpus);
		t->text.carries = t->text.cpus.n > 0;
	}
	return rc;
}

/* The CPUs of a loom are those that the first of its threads tells. */
static void
take_loom_cpus(struct untext *u)
{
	for (size_t i = 0; i < u->trace->nstreams; i++) {
		const struct text_thread *t = &u->threads[i].text;
		if (t->carries && !t->proc->loom->cpus.n)
			t->proc->loom->cpus = t->cpus;
	}
}

/* The shortest name of each thread that no other one has. */
static void
name_threads(struct untext *u)
{
	for (size_t i = 0; i < u->trace->nstreams; i++) {
		struct found_thread *t = &u->threads[i];
		size_t tids = 0;
		size_t pids = 0;
		for (const struct text_thread *o = idmap_find(&u->text.by_tid, (uint32_t)t->text.tid); o; o = o->alike) {
			tids++;
			pids += o->proc->pid == t->text.proc->pid;
		}
		if (tids == 1)
			(void)snprintf(t->who, sizeof(t->who), "%d", t->text.tid);
		else if (pids == 1)
			(void)snprintf(t->who, sizeof(t->who), "%d/%d", t->text.proc->pid, t->text.tid);
		else
			(void)snprintf(t->who, sizeof(t->who), "%s:%d/%d", t->text.proc->loom->name, t->text.proc->pid, t->text.tid);
	}
}

int
untext_describe(struct untext *u)
{
	struct trace *t = u->trace;
	struct text *x = &u->text;
	size_t n = t->nstreams;
	const char *name = n ? strrchr(t->streams[0].in.path, '/') : NULL;
	bool old = name && strncmp(name, "/thread.", 8) == 0;
	x->version = old ? 1 : 3;
	x->bare = old && !strchr(name + 8, '.');
	u->threads = arena_new(&t->arena, struct found_thread, n);
	u->procs = arena_new(&t->arena, struct found_proc, n);
	if (!u->threads || !u->procs)
		return diag_no_memory(t->diag);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct found_thread *f = &u->threads[i];
		rc = take_thread(u, &t->streams[i], f);
		struct idmap_slot *slot = rc == 0 ? idmap_slot(&x->by_tid, &t->arena, (uint32_t)f->text.tid) : NULL;
		if (rc == 0 && !slot)
			rc = diag_no_memory(t->diag);
		if (!slot)
			break;
		f->text.alike = slot->value;
		slot->value = &f->text;
	}
	if (rc < 0)
		return rc;
	take_loom_cpus(u);
	name_threads(u);
	return 0;
}
