/* SPDX-License-Identifier: MIT */
/* meta: the metadata of the threads of a text, as libovni writes it. */
#include "text.h"

#include "ovni/jsonvalue.h"

#include <stdlib.h>

/* All below take NULL for a value for which there was no memory, and do nothing with it. */

static void
put(struct json *object, const char *name, struct json *v, bool *ok)
{
	if (object && v)
		*ok = rt_json_put(object, name, strlen(name), v) && *ok;
	else
		*ok = false;
	if (!object)
		rt_json_free(v);
}

static void
put_number(struct json *object, const char *name, double v, bool *ok)
{
	put(object, name, rt_json_number(v), ok);
}

static void
put_string(struct json *object, const char *name, const char *text, bool *ok)
{
	put(object, name, rt_json_text(text), ok);
}

static struct json *
put_object(struct json *object, const char *name, bool *ok)
{
	struct json *v = rt_json_new(JSON_OBJECT);
	put(object, name, v, ok);
	/* Where there was one of that name, that is the one which is left. */
	return *ok ? rt_json_member(object, name, strlen(name)) : NULL;
}

static void
put_cpus(struct json *object, const char *name, const struct text_cpus *cpus, bool *ok)
{
	struct json *list = object ? rt_json_member(object, name, strlen(name)) : NULL;
	if (!list) {
		list = rt_json_new(JSON_ARRAY);
		put(object, name, list, ok);
	}
	for (size_t i = 0; i < cpus->n && *ok; i++) {
		struct json *cpu = rt_json_new(JSON_OBJECT);
		put_number(cpu, "index", cpus->items[i].index, ok);
		put_number(cpu, "phyid", cpus->items[i].phyid, ok);
		*ok = cpu && rt_json_push(list, cpu) && *ok;
	}
}

static void
put_require(struct json *ovni, const struct text_thread *t, bool *ok)
{
	struct json *require = put_object(ovni, "require", ok);
	for (size_t i = 0; i < t->nrequire && *ok; i++)
		put_string(require, t->require[i].model, t->require[i].version, ok);
}

static void
put_marks(struct json *ovni, const struct text_thread *t, bool *ok)
{
	struct json *marks = put_object(ovni, "mark", ok);
	for (size_t i = 0; i < t->nmarks && *ok; i++) {
		const struct text_mark *m = &t->marks[i];
		struct json *mark = put_object(marks, m->type, ok);
		put_string(mark, "title", m->title, ok);
		put_string(mark, "chan_type", m->kind, ok);
		struct json *labels = m->n ? put_object(mark, "labels", ok) : NULL;
		for (size_t k = 0; k < m->n && *ok; k++)
			put_string(labels, m->labels[k].value, m->labels[k].text, ok);
	}
}

static void
put_rank(struct json *object, const struct text_proc *p, bool *ok)
{
	put_number(object, "rank", p->rank, ok);
	put_number(object, "nranks", p->nranks, ok);
}

static struct json *
thread_meta(const struct text *x, const struct text_thread *t, bool *ok)
{
	const struct text_proc *p = t->proc;
	bool v3 = x->version == 3;
	struct json *root = rt_json_new(JSON_OBJECT);
	put_number(root, "version", x->version, ok);
	struct json *ovni = put_object(root, "ovni", ok);
	struct json *lib = put_object(ovni, "lib", ok);
	put_string(lib, "version", v3 ? "1.14.0" : "1.10.0", ok);
	put_string(lib, "commit", "unknown", ok);
	if (v3) {
		put_string(ovni, "part", "thread", ok);
		put_number(ovni, "tid", t->tid, ok);
		put_number(ovni, "pid", p->pid, ok);
		put_string(ovni, "loom", p->loom->name, ok);
		if (p->app)
			put_number(ovni, "app_id", p->app, ok);
	}
	if (!t->norequire && !t->crashed)
		put_require(ovni, t, ok);
	if (t->nmarks && !t->crashed)
		put_marks(ovni, t, ok);
	if (v3 && p->rank >= 0 && !t->crashed)
		put_rank(ovni, p, ok);
	if (v3 && t->cpus.n && !t->crashed)
		put_cpus(ovni, "loom_cpus", &t->cpus, ok);
	if (!t->unfinished && !t->crashed)
		put_number(ovni, "finished", 1, ok);
	return root;
}

static struct json *
proc_meta(const struct text *x, const struct text_proc *p, bool *ok)
{
	struct json *root = rt_json_new(JSON_OBJECT);
	put_number(root, "version", x->version, ok);
	if (x->version == 1)
		put_string(root, "model_version", "O1 V1 T1 M1 D1 K1 61", ok);
	if (p->app)
		put_number(root, "app_id", p->app, ok);
	if (p->rank >= 0)
		put_rank(root, p, ok);
	for (const struct text_thread *t = x->threads; t; t = t->next)
		if (t->proc == p && t->cpus.n)
			put_cpus(root, "cpus", &t->cpus, ok);
	return root;
}

/* ---- Edits. ---- */

/* Removes or sets the value below the keys. NULL: good. */
static const char *
apply(struct json *at, const struct text_edit *e)
{
	const char *key = e->key;
	bool ok = true;
	for (size_t n; (n = strcspn(key, ".")), key[n]; key += n + 1) {
		struct json *next = rt_json_member(at, key, n);
		if (!next) {
			next = rt_json_new(JSON_OBJECT);
			ok = next && rt_json_put(at, key, n, next);
		}
		if (!ok)
			return "memory is exhausted";
		if (next->kind != JSON_OBJECT)
			return "a part of it is there and is no object";
		at = next;
	}
	if (e->value)
		put(at, key, rt_json_parse(e->value), &ok);
	else
		rt_json_free(rt_json_take(at, key));
	return ok ? NULL : "memory is exhausted";
}

static bool
apply_all(struct text *x, struct json *root, const struct text_edit *e)
{
	for (; e; e = e->next) {
		const char *why = apply(root, e);
		if (why)
			return text_error(x, "the key %s cannot be set: %s", e->key, why), false;
	}
	return true;
}

/* Takes what was made. */
static struct json *
finish(struct text *x, struct json *root, bool ok, const struct text_edit *first, const struct text_edit *then)
{
	if (!ok)
		(void)diag_no_memory(&x->tool->conv.diag);
	if (ok && apply_all(x, root, first) && apply_all(x, root, then))
		return root;
	rt_json_free(root);
	return NULL;
}

struct json *
text_thread_meta(struct text *x, const struct text_thread *t)
{
	bool ok = true;
	struct json *root = thread_meta(x, t, &ok);
	return finish(x, root, ok, x->version == 3 ? t->proc->edits : NULL, t->edits);
}

struct json *
text_proc_meta(struct text *x, const struct text_proc *p)
{
	bool ok = true;
	struct json *root = proc_meta(x, p, &ok);
	return finish(x, root, ok, p->edits, NULL);
}

char *
text_print_meta(struct text *x, const struct json *meta, size_t *size)
{
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, size);
	if (f)
		rt_json_print(f, meta, 0);
	if (f && fclose(f) == 0)
		return bytes;
	free(bytes);
	(void)diag_no_memory(&x->tool->conv.diag);
	return NULL;
}

void
text_give_cpus(struct text *x)
{
	for (struct text_loom *l = x->looms; l; l = l->next) {
		struct text_thread *first = NULL;
		bool carried = false;
		for (struct text_thread *t = x->threads; t; t = t->next) {
			if (t->proc->loom != l)
				continue;
			first = first || t->crashed ? first : t;
			carried = carried || t->carries;
		}
		if (!carried && first)
			first->carries = true;
	}
	for (struct text_thread *t = x->threads; t; t = t->next)
		if (t->carries && !t->cpus.n)
			t->cpus = t->proc->loom->cpus;
}
