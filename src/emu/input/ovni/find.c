/* SPDX-License-Identifier: MIT */
/* find: which files of a directory tree belong to a runtime trace. */
#include "codec.h"
#include "idmap.h"
#include "parts.h"
#include "tail.h"
#include "walk.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALL_READ (S_IRUSR | S_IRGRP | S_IROTH)

enum {
	SHOWN = 5, /* parts that are left out: how many are named */
};

/* Marks of a directory, in its number. */
enum {
	HAS_STREAM = 1, /* a file of it was taken */
	SEEN = 2,       /* it was walked before, under another name */
	WARNED = 4,     /* it may be listed and not entered: that was said */
	BESIDE = 8,     /* from here on what is beside its stream.json, */
	JSON = 1 << 8,  /* and from here on its number, from 1 */
};

/* A file system that has this directory's inode number: it was walked. */
struct seen {
	dev_t dev;
	struct seen *next;
};

/* What belongs to the trace and cannot be read. */
struct missing {
	const char *path;
	const char *why;
};

struct search {
	struct trace *trace;
	struct found *found;
	struct idmap seen; /* by inode number */
	struct missing *missing;
	size_t nmissing;
	size_t cap;
	bool refused; /* one of them is an error */
	bool moved;   /* one of them is a link to nowhere */
};

/* What is behind "thread.N"; NULL: the name does not begin so. */
static const char *
behind_thread(const char *name)
{
	if (strncmp(name, "thread.", 7) != 0 || !isdigit((unsigned char)name[7]))
		return NULL;
	const char *p = name + 7;
	while (isdigit((unsigned char)*p))
		p++;
	return p;
}

/* "thread.N" and, behind, nothing or the extension of a stream. */
static bool
is_old_stream(const char *name)
{
	const char *p = behind_thread(name);
	return p && (!*p || codec_names(p, ".obs"));
}

/* A copy, "" for the trace directory. The entry may be a parent: the path goes on then. */
static char *
relpath(struct trace *t, const struct walk_entry *e)
{
	size_t at = strlen(t->dir);
	while (at < e->length && e->path[at] == '/')
		at++;
	return arena_strndup(&t->arena, e->path + at, at < e->length ? e->length - at : 0);
}

static int
add(struct trace *t, struct found_list *list, const struct walk_entry *e)
{
	if (!arena_grow(&t->arena, &list->files, list->n, &list->cap, sizeof(*list->files)))
		return diag_no_memory(t->diag);
	struct stream_file *f = &list->files[list->n];
	*f = (struct stream_file){ .dev = e->dev, .ino = e->ino };
	f->path = arena_strndup(&t->arena, e->path, e->length);
	f->relpath = relpath(t, e);
	if (!f->path || !f->relpath)
		return diag_no_memory(t->diag);
	list->n++;
	return 0;
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

/* ---- What cannot be read. ---- */

bool
is_grave(int err)
{
	return err == ENOMEM || err == EIO || err == EMFILE || err == ENFILE;
}

/* Notes that an entry is left out; `grave` makes it an error of a strict run. */
static int
miss(struct search *w, const struct walk_entry *e, bool grave, const char *why)
{
	struct trace *t = w->trace;
	if (!arena_grow(&t->arena, &w->missing, w->nmissing, &w->cap, sizeof(*w->missing)))
		return diag_no_memory(t->diag);
	char *path = relpath(t, e);
	if (!path || !why)
		return diag_no_memory(t->diag);
	for (char *p = path; (p = strchr(p, '\n'));)
		*p = '?';
	w->missing[w->nmissing++] = (struct missing){ *path ? path : ".", why };
	w->refused = w->refused || t->options.lint || (grave && t->options.strict);
	return 0;
}

/* A link that leads to nothing that can be read. */
static int
miss_link(struct search *w, const struct walk_entry *e)
{
	struct arena *a = &w->trace->arena;
	if (is_grave(e->err))
		return diag_io(w->trace->diag, ERR_READ, "inspect", e->path, e->err);
	char to[PATH_MAX];
	ssize_t n = readlink(e->path, to, sizeof(to));
	for (ssize_t i = 0; i < n; i++)
		to[i] = to[i] == '\n' ? '?' : to[i];
	if (n < 0 || e->err != ENOENT)
		return miss(w, e, true, arena_printf(a, "%s", strerror(e->err)));
	w->moved = true;
	return miss(w, e, true, arena_printf(a, "it points to '%.*s', which is not there", (int)n, to));
}

/* Whether the stream of a directory cannot be read without the file of that name. */
static bool
is_needed(const struct search *w, const char *name)
{
	return w->trace->options.events_only ? codec_names(name, "stream.obs") : strcmp(name, "stream.json") == 0;
}

/* An entry of which the system tells nothing. */
static int
not_inspected(struct search *w, const struct walk_entry *e)
{
	if (is_grave(e->err))
		return diag_io(w->trace->diag, ERR_READ, "inspect", e->path, e->err);
	if (e->err != EACCES || e->parent->number & WARNED)
		return 0;
	e->parent->number |= WARNED;
	return miss(w, e->parent, true, "it may not be entered: Permission denied");
}

/* A directory that cannot be listed. */
static int
not_listed(struct search *w, const struct walk_entry *e)
{
	struct trace *t = w->trace;
	if (e->level == 0)
		return diag_io(t->diag, ERR_READ, "read the trace directory", t->dir, e->err);
	if (is_grave(e->err))
		return diag_io(t->diag, ERR_READ, "look into", e->path, e->err);
	if (behind_thread(e->name))
		return miss(w, e, false, arena_printf(&t->arena, "%s", strerror(e->err)));
	diag_warn(t->diag, NULL, "cannot look into '%s': %s", e->path, strerror(e->err));
	return 0;
}

/* Says what is left out, or refuses it. Returns 0, or <0 (reported). */
static int
report(const struct search *w)
{
	char list[3000] = "";
	size_t n = 0;
	for (size_t i = 0; i < w->nmissing && i < SHOWN && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "\n%.250s: %.250s", w->missing[i].path, w->missing[i].why);
	if (w->nmissing > SHOWN && n < sizeof(list))
		n += (size_t)snprintf(list + n, sizeof(list) - n, "\nand %zu more", w->nmissing - SHOWN);
	if (w->moved && n < sizeof(list))
		(void)snprintf(list + n, sizeof(list) - n,
			"\nhint: a process that is killed does not move its files from its temporary directory (OVNI_TMPDIR)"
			"\nhint: where it ran, and if they still are there: cp -r --remove-destination \"$OVNI_TMPDIR\"/. '%.500s'",
			w->trace->dir);
	const char *s = w->nmissing == 1 ? "" : "s";
	if (w->refused)
		return diag_error(w->trace->diag, ERR_READ, NULL, "%zu part%s of the trace cannot be read%s", w->nmissing, s, list);
	if (w->nmissing)
		diag_warn(w->trace->diag, NULL, "%zu part%s of the trace cannot be read and %s left out%s", w->nmissing, s,
			*s ? "are" : "is", list);
	return 0;
}

/* ---- The walk. ---- */

/* Directories that link to each other have as many paths as there are orders of them: each is walked once. */
static int
enter(struct search *w, struct walk_entry *e)
{
	struct trace *t = w->trace;
	struct idmap_slot *slot = idmap_slot(&w->seen, &t->arena, e->ino);
	if (!slot)
		return diag_no_memory(t->diag);
	for (const struct seen *s = slot->value; s; s = s->next) {
		if (s->dev == e->dev) {
			e->number |= SEEN;
			e->skip = true;
			return 0;
		}
	}
	struct seen *s = arena_new(&t->arena, struct seen, 1);
	if (!s)
		return diag_no_memory(t->diag);
	*s = (struct seen){ e->dev, slot->value };
	slot->value = s;
	return 0;
}

/* Tells the stream.json of a directory what is beside it; one of a thread has to have it. */
static int
leave(struct search *w, const struct walk_entry *e)
{
	long json = e->number / JSON;
	if (json)
		w->found->json.files[json - 1].beside = BESIDE_LISTED | (unsigned)(e->number % JSON / BESIDE);
	const char *behind = behind_thread(e->name);
	if (!behind || *behind || e->number & (HAS_STREAM | SEEN | WARNED))
		return 0;
	const char *why = "there is no stream.obs";
	if (!w->trace->options.events_only)
		why = tail_has_begun(e->path) ? "there is no stream.json" : "there is no stream.json, and nothing is lost: the thread has written no event";
	return miss(w, e, false, why);
}

static int
take_file(struct search *w, struct walk_entry *e)
{
	struct trace *t = w->trace;
	struct found *f = w->found;
	bool json = strcmp(e->name, "stream.json") == 0;
	bool obs = (t->options.events_only || t->options.mend) && codec_names(e->name, "stream.obs");
	if (!json && !obs && !is_old_stream(e->name))
		return 0;
	e->parent->number |= HAS_STREAM;
	e->err = walk_inspect(e);
	if (e->err)
		return not_inspected(w, e);
	bool open_to_all = (e->mode & ALL_READ) == ALL_READ; /* as nearly each is: need not be asked */
	if (json && !open_to_all && !t->options.events_only && access(e->path, R_OK) != 0)
		return is_grave(errno) ? diag_io(t->diag, ERR_READ, "inspect", e->path, errno)
				       : miss(w, e, true, arena_printf(&t->arena, "%s", strerror(errno)));
	int rc = add(t, json ? &f->json : obs ? &f->obs
					      : &f->old,
		e);
	if (json)
		e->parent->number += (long)f->json.n * JSON;
	return rc;
}

static int
visit(struct search *w, struct walk_entry *e)
{
	bool needed = is_needed(w, e->name);
	bool part = needed || is_old_stream(e->name);
	if (needed)
		e->parent->number |= HAS_STREAM; /* or what should be it: that is told */
	if (strcmp(e->name, TAIL_NAME) == 0 || strcmp(e->name, RING_NAME) == 0)
		e->parent->number |= BESIDE * BESIDE_BUFFER;
	if (e->kind == WALK_FILE && strcmp(e->name, "stream.obs") == 0)
		e->parent->number |= BESIDE * BESIDE_OBS;
	switch (e->kind) {
	case WALK_ENTER:
		if (needed && miss(w, e, false, "it is a directory") < 0)
			return -ERR_MEMORY;
		return enter(w, e);
	case WALK_LEAVE: return leave(w, e);
	case WALK_FILE: return take_file(w, e);
	case WALK_OTHER: return part ? miss(w, e, true, "it is not a regular file") : 0;
	case WALK_NOWHERE:
		part = part || strncmp(e->name, "loom.", 5) == 0 || strncmp(e->name, "proc.", 5) == 0;
		return part ? miss_link(w, e) : 0;
	case WALK_UNKNOWN: return not_inspected(w, e);
	case WALK_UNLISTED: return not_listed(w, e);
	}
	return 0;
}

int
find_streams(struct trace *t, struct found *f)
{
	*f = (struct found){ 0 };
	struct search w = { .trace = t, .found = f };
	struct walk *walk = walk_begin(t->dir);
	if (!walk)
		return diag_no_memory(t->diag);
	int rc = 0;
	struct walk_entry *e;
	while (rc == 0 && (e = walk_next(walk)))
		rc = visit(&w, e);
	walk_end(walk);
	if (rc == 0)
		rc = report(&w);
	if (rc == 0)
		rc = drop_twins(t, &f->json);
	if (rc == 0)
		rc = drop_twins(t, &f->old);
	return rc < 0 ? rc : drop_twins(t, &f->obs);
}
