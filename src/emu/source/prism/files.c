/* SPDX-License-Identifier: MIT */
/* files: finds the streams: descriptions and bare files of a directory, in the order of the
 * names of their events, or the files that the command line names. */
#include "arena.h"
#include "codec.h"
#include "diag.h"
#include "heap.h"
#include "prism/prism_ipc.h"
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
ends_with(const char *name, const char *end)
{
	size_t n = strlen(name);
	size_t k = strlen(end);
	return n >= k && strcmp(name + n - k, end) == 0;
}

bool
prismfiles_is_events(const char *name)
{
	static const char ours[] = ".prism";
	size_t n = codec_stem(name);
	size_t k = strlen(ours);
	return n >= k && memcmp(name + n - k, ours, k) == 0;
}

bool
prismfiles_is_json(const char *name)
{
	return ends_with(name, ".json");
}

/* ---- Live buffers. ---- */

const char *
prismfiles_ipc(const char *path)
{
	static const char prefix[] = "ipc:";
	return strncmp(path, prefix, strlen(prefix)) == 0 ? path + strlen(prefix) : NULL;
}

int
prismfiles_take_ipc(struct prism_sources *p, const char *path, struct prism_source *s, const struct prism_source *before, size_t n, size_t stride)
{
	struct stat st;
	s->events = s->name = path;
	s->ipc = prismfiles_ipc(path);
	s->live = true;
	for (size_t i = 0; i < n; i++) {
		const struct prism_source *b = (const struct prism_source *)((const char *)before + i * stride);
		s->number += b->ipc && strcmp(b->ipc, s->ipc) == 0;
	}
	if (s->number && !(s->name = arena_printf(p->arena, "%s-%u", path, s->number)))
		return diag_no_memory(p->diag);
	if (stat(s->ipc, &st) != 0)
		return diag_io(p->diag, ERR_READ, "open", s->ipc, errno);
	if (!S_ISDIR(st.st_mode))
		return diag_error(p->diag, ERR_READ, NULL, "'%s' is no directory\nhint: ipc:DIR reads live buffers, whose files it makes in DIR", s->ipc);
	return 0;
}

const char *
prismfiles_name(const char *dir, const char *path)
{
	size_t n = dir ? strlen(dir) : 0;
	return n && strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* ---- A directory. ---- */

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
only_ours(const struct dirent *e)
{
	return e->d_name[0] != '.' && (prismfiles_is_events(e->d_name) || prismfiles_is_json(e->d_name));
}

static void
free_list(struct dirent **list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

int
prismfiles_probe(const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, only_ours, by_name);
	bool found = false;
	for (int i = 0; i < n; i++)
		found = found || prismfiles_is_events(list[i]->d_name);
	struct arena a = { 0 };
	for (int i = 0; i < n && !found; i++) {
		const char *path = arena_printf(&a, "%s/%s", dir, list[i]->d_name);
		found = path && prismdesc_is(path);
	}
	arena_finish(&a);
	if (n >= 0)
		free_list(list, n);
	return found;
}

static int
by_events(const void *a, const void *b)
{
	const struct prism_source *x = a;
	const struct prism_source *y = b;
	return strcmp(x->events, y->events);
}

static void
identify(struct prism_source *s)
{
	struct stat st;
	bool there = stat(s->events, &st) == 0;
	s->dev = there ? (uint64_t)st.st_dev : 0;
	s->ino = there ? (uint64_t)st.st_ino : 0;
}

static bool
is_same(const struct prism_source *a, const struct prism_source *b)
{
	return a->ino && a->ino == b->ino && a->dev == b->dev;
}

/* The stream in front of number n that is of the same file; NULL: none. */
static const struct prism_source *
find_same(const struct prism_sources *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_same(&p->list[i], &p->list[n]))
			return &p->list[i];
	return NULL;
}

/* Descriptions come first, so that bare files are those that no description names, in whatever
 * words. */
static int
add_entry(struct prism_sources *p, const char *name, bool json)
{
	struct prism_source *s = &p->list[p->n];
	const char *path = arena_printf(p->arena, "%s/%s", p->dir, name);
	if (!path)
		return diag_no_memory(p->diag);
	prismdesc_default(s);
	s->events = path;
	int rc = json ? prismdesc_read(p, path, false, s) : 0;
	if (rc != 0)
		return rc < 0 ? rc : 0;
	identify(s);
	const struct prism_source *same = find_same(p, p->n);
	if (json && same) {
		p->counts[PRISM_PJ01]++;
		return diag_error(p->diag, ERR_PRISM, &(struct place){ .file = prismfiles_name(p->dir, s->json) },
			"PJ01: the key \"events\" names a file that %s describes too", prismfiles_name(p->dir, same->json));
	}
	p->n += !same;
	return 0;
}

static int
find_in_dir(struct prism_sources *p)
{
	struct dirent **list;
	int n = scandir(p->dir, &list, only_ours, by_name);
	if (n < 0)
		return diag_io(p->diag, ERR_READ, "read the directory", p->dir, errno);
	p->list = arena_new(p->arena, struct prism_source, (size_t)n);
	int rc = p->list ? 0 : diag_no_memory(p->diag);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n && rc == 0; i++)
			if (prismfiles_is_json(list[i]->d_name) == (pass == 0))
				rc = add_entry(p, list[i]->d_name, pass == 0);
	free_list(list, n);
	if (rc == 0 && p->n)
		qsort(p->list, p->n, sizeof(*p->list), by_events);
	return rc;
}

/* ---- The command line. ---- */

/* The directory of a file. */
static const char *
dir_of(struct arena *a, const char *path)
{
	size_t n = strlen(path);
	while (n && path[n - 1] != '/')
		n--;
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n ? arena_strndup(a, path, n) : ".";
}

static int
find_named(struct prism_sources *p, const char *const *paths, size_t n)
{
	p->dir = dir_of(p->arena, paths[0]);
	p->list = arena_new(p->arena, struct prism_source, n);
	if (!p->dir || !p->list)
		return diag_no_memory(p->diag);
	for (; p->n < n; p->n++) {
		struct prism_source *s = &p->list[p->n];
		const char *path = paths[p->n];
		prismdesc_default(s);
		s->events = path;
		int rc = prismfiles_is_json(path) ? prismdesc_read(p, path, true, s) : 0;
		if (prismfiles_ipc(path))
			rc = prismfiles_take_ipc(p, path, s, p->list, p->n, sizeof(*s));
		if (rc < 0)
			return rc;
		for (uint32_t i = 0; i < p->n && strcmp(s->events, "-") == 0; i++)
			if (strcmp(p->list[i].events, "-") == 0)
				return diag_error(p->diag, ERR_USAGE, NULL, "the standard input is one stream, not two");
	}
	return 0;
}

/* Whether the bytes can be read twice. */
static int
look_at(struct prism_sources *p, struct prism_source *s)
{
	struct diag *d = p->diag;
	struct stat st;
	if (s->ipc)
		return 0;
	s->name = prismfiles_name(p->dir, s->events);
	if (strcmp(s->events, "-") == 0) {
		s->name = "standard input";
		s->live = true;
		/* A closed stdin is refused: an output would get its number. */
		return fcntl(STDIN_FILENO, F_GETFD) < 0 ? diag_io(d, ERR_READ, "read", s->name, errno) : 0;
	}
	if (stat(s->events, &st) != 0)
		return diag_io(d, ERR_READ, "open", s->events, errno);
	if (S_ISDIR(st.st_mode))
		return diag_error(d, ERR_READ, NULL, "'%s' is a directory\nhint: give a directory of streams as TRACEDIR", s->events);
	s->live = !S_ISREG(st.st_mode);
	return 0;
}

int
prismfiles_find(struct prism_sources *p, const char *const *paths, size_t n)
{
	int rc = p->dir ? find_in_dir(p) : find_named(p, paths, n);
	struct often lost = { 0 };
	for (uint32_t i = 0; i < p->n && rc == 0; i++) {
		struct prism_source *s = &p->list[i];
		for (size_t k = 0; k < p->keys->nset && rc == 0; k++)
			rc = prismdesc_set(p, &p->keys->set[k], NULL, s);
		if (rc == 0)
			rc = look_at(p, s);
		if (rc == 0)
			rc = prismdesc_check(p, s);
		if (s->lost)
			often_add(&lost, &(struct place){ .file = prismfiles_name(p->dir, s->json) }, "the stream lacks %" PRIu64 " events that its writer lost", s->lost);
	}
	often_report(p->diag, &lost, "streams");
	return rc;
}

void
prismfiles_finish(struct prism_sources *p)
{
	prismheap_finish(&p->heaps);
}
