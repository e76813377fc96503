/* SPDX-License-Identifier: MIT */
/* write: the files of a trace that a text describes. */
#include "text.h"

#include "kit/outdir.h"
#include "ovni/jsonvalue.h"

#include <inttypes.h>
#include <stdlib.h>

/* Writes a file at a path in the folder. Returns 0, or <0 (reported). */
static int
write_file(struct text *x, const char *dir, const char *path, const void *bytes, size_t n)
{
	struct diag *d = &x->tool->conv.diag;
	char *whole = arena_printf(&x->tool->arena, "%s/%s", dir, path);
	if (!whole)
		return diag_no_memory(d);
	char *slash = strrchr(whole, '/');
	*slash = 0;
	int rc = outdir_make(d, whole);
	*slash = '/';
	if (rc < 0)
		return rc;
	struct wbuf w = { 0 };
	int err = wbuf_open(&w, whole);
	if (err == 0) {
		wbuf_put(&w, bytes, n);
		err = wbuf_close(&w);
	}
	return err < 0 ? diag_io(d, ERR_WRITE, "write", whole, -err) : 0;
}

/* Writes metadata, which is freed. */
static int
write_meta(struct text *x, const char *dir, const char *path, struct json *meta)
{
	size_t n;
	char *bytes = meta ? text_print_meta(x, meta, &n) : NULL;
	int rc = bytes ? write_file(x, dir, path, bytes, n) : -1;
	rt_json_free(meta);
	free(bytes);
	return rc;
}

const char *
text_relpath(const struct text_thread *t, char *buf, size_t size)
{
	if (t->relpath)
		return t->relpath;
	(void)snprintf(buf, size, "loom.%s/proc.%d/thread.%d", t->proc->loom->name, t->proc->pid, t->tid);
	return buf;
}

static int
write_thread(struct text *x, const char *dir, const struct text_thread *t)
{
	char rel[4096];
	char path[4200];
	bool v3 = x->version == 3;
	const char *base = text_relpath(t, rel, sizeof(rel));
	int rc = 0;
	(void)snprintf(path, sizeof(path), "%s%s", base, v3 ? "/stream.json" : ".json");
	if (!t->nometa && x->version > 1)
		rc = write_meta(x, dir, path, text_thread_meta(x, t));
	(void)snprintf(path, sizeof(path), "%s%s", base, v3 ? "/stream.obs" : x->bare ? ""
										      : ".obs");
	return rc < 0 || t->nofile ? rc : write_file(x, dir, path, t->data, t->size);
}

/* The metadata of a process in old traces. */
static int
write_proc(struct text *x, const char *dir, const struct text_proc *p)
{
	char path[4200];
	if (x->version == 3 || p->nometa)
		return 0;
	(void)snprintf(path, sizeof(path), "loom.%s/proc.%d/metadata.json", p->loom->name, p->pid);
	return write_meta(x, dir, path, text_proc_meta(x, p));
}

static int
write_offsets(struct text *x, const char *dir)
{
	char *bytes = NULL;
	size_t size;
	FILE *f = open_memstream(&bytes, &size);
	if (!f)
		return diag_no_memory(&x->tool->conv.diag);
	(void)fputs("rank       hostname             offset_median        offset_mean          offset_std\n", f);
	int i = 0;
	for (const struct text_file *o = x->offsets; o; o = o->next)
		(void)fprintf(f, "%-10d %-20s %-20s %-20s 0.0\n", i++, o->path, o->bytes, o->bytes);
	int rc = fclose(f) == 0 ? write_file(x, dir, "clock-offsets.txt", bytes, size) : diag_no_memory(&x->tool->conv.diag);
	free(bytes);
	return rc;
}

int
text_write(struct text *x, const char *dir)
{
	int rc = 0;
	text_give_cpus(x);
	for (const struct text_proc *p = x->procs; p && rc == 0; p = p->next)
		rc = write_proc(x, dir, p);
	for (const struct text_thread *t = x->threads; t && rc == 0; t = t->next)
		rc = write_thread(x, dir, t);
	if (rc == 0 && x->offsets)
		rc = write_offsets(x, dir);
	for (const struct text_file *f = x->files; f && rc == 0; f = f->next)
		rc = write_file(x, dir, f->path, f->bytes, f->size);
	return rc;
}
