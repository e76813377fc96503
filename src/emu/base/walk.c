/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST_SIZE = 4096,                               /* of the list of a directory */
	ENTRY_SIZE = sizeof(struct dirent64) + NAME_MAX, /* at most, of one in it */
	ALL_SEARCH = S_IXUSR | S_IXGRP | S_IXOTH,
};

/* A directory on the way to the newest entry. Those below are kept: their memory serves the next ones. */
struct level {
	struct walk_entry dir;
	int fd;     /* before it is listed; -1 */
	char *list; /* what getdents64(2) gives */
	size_t size;
	size_t cap;
	struct dirent64 **entries; /* in the list, sorted */
	size_t n;
	size_t room;
	size_t next;
};

struct walk {
	struct level **levels; /* levels[0] holds what the walk began with */
	size_t depth;          /* of the one whose entries are given: its index */
	size_t nlevels;
	size_t cap;
	struct walk_entry entry; /* the newest one, if it is no directory */
	bool begun;
	bool entered;                     /* the newest entry is levels[depth], which is to be listed */
	char path[PATH_MAX + ENTRY_SIZE]; /* a directory that could be opened, and a name */
};

/* Puts directories in path order: a slash follows their names. */
static int
by_name(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)(*(struct dirent64 *const *)a)->d_name;
	const unsigned char *y = (const unsigned char *)(*(struct dirent64 *const *)b)->d_name;
	while (*x && *x == *y)
		x++, y++;
	return (*x ? *x : '/') - (*y ? *y : '/');
}

/* Makes room for one more item in an array of n, at an address that may move. */
static bool
grow(void *items, size_t *cap, size_t size, size_t first)
{
	void *p;
	memcpy(&p, items, sizeof(p));
	size_t n = *cap ? 2 * *cap : first;
	p = reallocarray(p, n, size);
	if (!p)
		return false;
	memcpy(items, &p, sizeof(p));
	*cap = n;
	return true;
}

/* The level at `depth`, made if it is the first so deep. NULL: memory is exhausted. */
static struct level *
level_at(struct walk *w, size_t depth)
{
	if (depth < w->nlevels)
		return w->levels[depth];
	if (w->nlevels == w->cap && !grow(&w->levels, &w->cap, sizeof(struct level *), 8))
		return NULL;
	struct level *l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->fd = -1;
	return w->levels[w->nlevels++] = l;
}

/* Points to the entries of a list that is complete. */
static int
sort_list(struct level *l)
{
	for (size_t at = 0; at < l->size;) {
		struct dirent64 *d = (struct dirent64 *)(void *)(l->list + at);
		at += d->d_reclen;
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (l->n == l->room && !grow(&l->entries, &l->room, sizeof(struct dirent64 *), 16))
			return ENOMEM;
		l->entries[l->n++] = d;
	}
	if (l->n > 1)
		qsort(l->entries, l->n, sizeof(struct dirent64 *), by_name);
	return 0;
}

/* Reads what a directory holds. Returns 0, or errno. */
static int
list(struct level *l)
{
	if (l->fd < 0)
		return l->dir.err;
	ssize_t n;
	do {
		if (l->cap - l->size < ENTRY_SIZE && !grow(&l->list, &l->cap, 1, FIRST_SIZE))
			return ENOMEM;
		n = getdents64(l->fd, l->list + l->size, l->cap - l->size);
		if (n < 0)
			return errno;
		l->size += (size_t)n;
	} while (n > 0);
	return sort_list(l);
}

static void
shut(struct level *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

static void
fill(struct walk_entry *e, const struct stat *st)
{
	e->inspected = true;
	e->mode = st->st_mode;
	e->dev = st->st_dev;
	e->ino = st->st_ino;
}

int
walk_inspect(struct walk_entry *e)
{
	struct stat st;
	if (e->inspected)
		return 0;
	if (stat(e->path, &st) != 0)
		return errno;
	fill(e, &st);
	return 0;
}

/* Opens a directory and inspects it. Returns -1 and sets err where that fails. */
static int
open_dir(struct walk_entry *e)
{
	struct stat st;
	int fd = open(e->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		fill(e, &st);
		return fd;
	}
	e->err = errno;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/* A directory: what it holds comes next. -1: it could not be opened. */
static struct walk_entry *
enter(struct walk *w, struct walk_entry *e, int fd)
{
	struct level *l = level_at(w, e->level + 1);
	if (!l) {
		if (fd >= 0)
			(void)close(fd);
		e->kind = WALK_UNLISTED;
		e->err = ENOMEM;
		return e;
	}
	l->dir = *e;
	l->dir.kind = WALK_ENTER;
	l->fd = fd;
	l->size = l->n = l->next = 0;
	w->depth = e->level + 1;
	w->entered = true;
	return &l->dir;
}

/* Finds out what an entry is; `type`: what the list of its directory says. */
static struct walk_entry *
classify(struct walk *w, struct walk_entry *e, unsigned char type)
{
	struct stat st;
	if (type == DT_REG && (e->parent->mode & ALL_SEARCH) == ALL_SEARCH) {
		e->kind = WALK_FILE;
		return e;
	}
	int fd = type == DT_DIR ? open_dir(e) : -1;
	if (fd >= 0)
		return enter(w, e, fd);
	e->err = walk_inspect(e);
	if (e->err == 0 && S_ISDIR(e->mode))
		return enter(w, e, open_dir(e));
	if (e->err == 0)
		e->kind = S_ISREG(e->mode) ? WALK_FILE : WALK_OTHER;
	else
		e->kind = lstat(e->path, &st) == 0 ? WALK_NOWHERE : WALK_UNKNOWN;
	return e;
}

static struct walk_entry *
leave(struct walk *w, int err)
{
	struct walk_entry *e = &w->levels[w->depth--]->dir;
	w->path[e->length] = '\0';
	e->kind = err ? WALK_UNLISTED : WALK_LEAVE;
	e->err = err;
	return e;
}

struct walk_entry *
walk_next(struct walk *w)
{
	struct level *l = w->levels[w->depth];
	if (!w->begun) {
		w->begun = true;
		return classify(w, &w->entry, DT_UNKNOWN);
	}
	if (w->entered) {
		w->entered = false;
		int err = l->dir.skip ? 0 : list(l);
		shut(l);
		if (err)
			return leave(w, err);
	}
	if (l->next == l->n)
		return w->depth ? leave(w, 0) : NULL;
	const struct dirent64 *d = l->entries[l->next++];
	size_t at = l->dir.length;
	if (at && w->path[at - 1] != '/')
		w->path[at++] = '/';
	size_t n = strlen(d->d_name);
	memcpy(w->path + at, d->d_name, n + 1);
	w->entry = (struct walk_entry){ .level = w->depth, .path = w->path, .length = at + n, .name = w->path + at, .parent = &l->dir };
	return classify(w, &w->entry, d->d_type);
}

struct walk *
walk_begin(const char *path)
{
	struct walk *w = calloc(1, sizeof(*w));
	struct level *l = w ? level_at(w, 0) : NULL;
	if (!l) {
		walk_end(w);
		return NULL;
	}
	l->dir.path = w->path;
	(void)snprintf(w->path, PATH_MAX + 1, "%s", path); /* a longer one is too long all the same */
	const char *slash = strrchr(w->path, '/');
	w->entry = (struct walk_entry){ .path = w->path, .length = strlen(w->path), .name = slash ? slash + 1 : w->path, .parent = &l->dir };
	return w;
}

void
walk_end(struct walk *w)
{
	for (size_t i = 0; w && i < w->nlevels; i++) {
		shut(w->levels[i]);
		free(w->levels[i]->entries);
		free(w->levels[i]->list);
		free(w->levels[i]);
	}
	if (w)
		free(w->levels);
	free(w);
}
