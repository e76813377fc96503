/* SPDX-License-Identifier: MIT */
/* find: which files of a directory tree belong to a runtime trace. */
#include "codec.h"
#include "parts.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "thread.N" and, behind, nothing or the extension of a stream. */
static bool
is_old_stream(const char *name)
{
	if (strncmp(name, "thread.", 7) != 0 || !isdigit((unsigned char)name[7]))
		return false;
	const char *p = name + 7;
	while (isdigit((unsigned char)*p))
		p++;
	return !*p || codec_names(p, ".obs");
}

static int
add(struct trace *t, struct found_list *list, const FTSENT *e, const char *rel)
{
	if (!arena_grow(&t->arena, &list->files, list->n, &list->cap, sizeof(*list->files)))
		return diag_no_memory(t->diag);
	struct stream_file *f = &list->files[list->n];
	*f = (struct stream_file){ .dev = e->fts_statp->st_dev, .ino = e->fts_statp->st_ino };
	f->path = arena_strndup(&t->arena, e->fts_path, e->fts_pathlen);
	f->relpath = arena_strndup(&t->arena, rel, strlen(rel));
	if (!f->path || !f->relpath)
		return diag_no_memory(t->diag);
	list->n++;
	return 0;
}

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Brings the names of one file together (links may give it several), in path order. */
static int
by_inode(const void *a, const void *b)
{
	const struct stream_file *x = *(const struct stream_file *const *)a;
	const struct stream_file *y = *(const struct stream_file *const *)b;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return (x > y) - (x < y);
}

static int
by_relpath(const void *a, const void *b)
{
	return strcmp(((const struct stream_file *)a)->relpath, ((const struct stream_file *)b)->relpath);
}

/* Puts a list in path order, and keeps the first name of each file. */
static int
drop_twins(struct trace *t, struct found_list *list)
{
	size_t n = list->n;
	if (n < 2)
		return 0;
	qsort(list->files, n, sizeof(*list->files), by_relpath);
	struct stream_file **s = block_alloc(n * sizeof(struct stream_file *));
	if (!s)
		return diag_no_memory(t->diag);
	for (size_t i = 0; i < n; i++)
		s[i] = &list->files[i];
	qsort(s, n, sizeof(struct stream_file *), by_inode);
	for (size_t i = 1; i < n; i++)
		if (s[i]->dev == s[i - 1]->dev && s[i]->ino == s[i - 1]->ino)
			s[i]->path = NULL;
	block_free(s);
	list->n = 0;
	for (size_t i = 0; i < n; i++)
		if (list->files[i].path)
			list->files[list->n++] = list->files[i];
	return 0;
}

static int
visit(struct trace *t, struct found *f, const FTSENT *e)
{
	size_t root = strlen(t->dir);
	const char *rel = e->fts_path + (e->fts_pathlen > root ? root : e->fts_pathlen);
	while (*rel == '/')
		rel++;
	switch (e->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
		if (e->fts_level == FTS_ROOTLEVEL)
			return diag_io(t->diag, ERR_READ, "read the trace directory", t->dir, e->fts_errno);
		diag_warn(t->diag, NULL, "cannot look into '%s': %s", e->fts_path, strerror(e->fts_errno));
		return 0;
	case FTS_F:
		if (strcmp(e->fts_name, "stream.json") == 0)
			return add(t, &f->json, e, rel);
		if (is_old_stream(e->fts_name))
			return add(t, &f->old, e, rel);
		if (t->options.events_only && codec_names(e->fts_name, "stream.obs"))
			return add(t, &f->obs, e, rel);
		return 0;
	default:
		return 0;
	}
}

int
find_streams(struct trace *t, struct found *f)
{
	*f = (struct found){ 0 };
	char *dirs[2] = { (char *)t->dir, NULL };
	FTS *fts = fts_open(dirs, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	if (!fts)
		return diag_io(t->diag, ERR_READ, "walk", t->dir, errno);
	int rc = 0;
	FTSENT *e;
	errno = 0;
	while (rc == 0 && (e = fts_read(fts)))
		rc = visit(t, f, e);
	if (rc == 0 && errno != 0)
		rc = diag_io(t->diag, ERR_READ, "walk", t->dir, errno);
	(void)fts_close(fts);
	if (rc == 0)
		rc = drop_twins(t, &f->json);
	if (rc == 0)
		rc = drop_twins(t, &f->old);
	return rc < 0 ? rc : drop_twins(t, &f->obs);
}
