/* SPDX-License-Identifier: MIT */
/* runs: whether the streams below a directory are of one trace directory, which holds the looms. */
#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	SHOWN = 8, /* trace directories that are named */
};

/* Bytes of a path in front of its loom; -1: it names none. */
static int
before_loom(const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
		if (strncmp(p, "loom.", 5) == 0)
			return p == path ? 0 : (int)(p - path) - 1;
	return -1;
}

/* The trace directories, each as long as `n` says, in path order. */
struct dirs {
	const char *path[SHOWN];
	int length[SHOWN];
	size_t n; /* all, also those beyond SHOWN */
	const char *last;
	int last_length;
	bool unknown; /* a stream is in no loom */
};

static void
take(struct dirs *d, const struct found_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *path = list->files[i].relpath;
		int n = before_loom(path);
		d->unknown = d->unknown || n < 0;
		if (n < 0 || (d->last && n == d->last_length && memcmp(path, d->last, (size_t)n) == 0))
			continue;
		bool known = false; /* "a.b" is between "a" and what is in it */
		for (size_t k = 0; k < d->n && k < SHOWN; k++)
			known = known || (n == d->length[k] && strncmp(path, d->path[k] ? d->path[k] : "", (size_t)n) == 0);
		d->last = path;
		d->last_length = n;
		if (!known && d->n < SHOWN) {
			d->path[d->n] = path;
			d->length[d->n] = n;
		}
		d->n += !known;
	}
}

static void
strip(struct found_list *list, int n)
{
	for (size_t i = 0; i < list->n; i++)
		list->files[i].relpath += n + 1;
}

/* The only trace directory that is below the one that was given takes its place. */
static int
descend(struct trace *t, struct found *f, const struct dirs *d)
{
	const char *table = arena_printf(&t->arena, "%s/clock-offsets.txt", t->dir);
	const char *dir = arena_printf(&t->arena, "%s/%.*s", t->dir, d->length[0], d->path[0]);
	if (!table || !dir)
		return diag_no_memory(t->diag);
	if (access(table, F_OK) == 0)
		return 0; /* it is meant as it is */
	int n = d->length[0];
	t->dir = dir;
	strip(&f->json, n);
	strip(&f->old, n);
	diag_info(t->diag, "the trace directory is %s", dir);
	return 0;
}

int
runs_look(struct trace *t, struct found *f)
{
	struct dirs d = { 0 };
	take(&d, &f->json);
	take(&d, &f->old);
	if (d.unknown || d.n == 0)
		return 0;
	if (d.n == 1)
		return d.length[0] ? descend(t, f, &d) : 0;
	char list[1200] = "";
	size_t n = 0;
	for (size_t i = 0; i < d.n && i < SHOWN && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "\n%s/%.*s", t->dir, d.length[i] < 100 ? d.length[i] : 100, d.path[i]);
	if (d.n > SHOWN && n < sizeof(list))
		(void)snprintf(list + n, sizeof(list) - n, "\nand %zu more", d.n - SHOWN);
	diag_warn(t->diag, NULL, "'%s' holds %zu trace directories, which are shown in one timeline%s\n"
				 "hint: if they are of different runs, give one of them",
		t->dir, d.n, list);
	return 0;
}
