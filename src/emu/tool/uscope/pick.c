/* SPDX-License-Identifier: MIT */
#include "pick.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool
pick_add(struct pick *p, enum pick_kind kind, const char *pattern)
{
	if (p->n[kind] == PICK_MAX)
		return false;
	p->patterns[kind][p->n[kind]++] = pattern;
	return true;
}

/* A storage or event that patterns are compared with, by name or by path. */
struct candidate {
	const char *scope;
	const char *name;
};

static bool
fits(const char *pattern, const struct candidate *c)
{
	if (!strchr(pattern, '/'))
		return fnmatch(pattern, c->name, 0) == 0;
	char path[2 * PATH_CUT + 8];
	int n = snprintf(path, sizeof(path), "%s/%s", c->scope, c->name);
	return n < (int)sizeof(path) && fnmatch(pattern, path, 0) == 0;
}

/* Whether the scope, or one above it, is the one named: by path, or by the last part. */
static bool
is_below(const char *pattern, const char *scope)
{
	if (strcmp(pattern, "/") == 0)
		return true;
	char path[PATH_CUT + 1];
	(void)snprintf(path, sizeof(path), "%s", scope);
	for (; *path; *strrchr(path, '/') = 0) {
		const char *name = strrchr(path, '/');
		if (!name)
			return false;
		if (fnmatch(pattern, strchr(pattern, '/') ? path : name + 1, 0) == 0)
			return true;
	}
	return false;
}

/* Marks in `used` the patterns that chose something. */
static bool
choose(const struct pick *p, enum pick_kind kind, const struct candidate *c, bool used[PICK_KINDS][PICK_MAX])
{
	bool inside = p->n[PICK_SCOPE] == 0;
	for (size_t i = 0; i < p->n[PICK_SCOPE]; i++) {
		if (is_below(p->patterns[PICK_SCOPE][i], c->scope)) {
			used[PICK_SCOPE][i] = true;
			inside = true;
		}
	}
	enum pick_kind other = kind == PICK_STORAGE ? PICK_EVENT : PICK_STORAGE;
	bool named = p->n[kind] == 0 && p->n[other] == 0;
	for (size_t i = 0; i < p->n[kind]; i++) {
		if (fits(p->patterns[kind][i], c)) {
			used[kind][i] = true;
			named = true;
		}
	}
	return inside && named;
}

int
pick_from(const struct pick *p, const struct pathlist *paths, struct arena *a, struct picked *out, const char **unmatched)
{
	const uscope_schema_t *s = paths->schema;
	bool used[PICK_KINDS][PICK_MAX] = { 0 };
	*unmatched = NULL;
	*out = (struct picked){
		.storages = arena_new(a, bool, s->num_storages),
		.events = arena_new(a, bool, s->num_events),
	};
	if (!out->storages || !out->events)
		return -1;
	for (uint32_t i = 0; i < s->num_storages; i++) {
		struct candidate c = { pathlist_scope(paths, s->storages[i].scope), s->storages[i].name };
		out->storages[i] = choose(p, PICK_STORAGE, &c, used);
		out->nstorages += out->storages[i];
	}
	for (uint32_t i = 0; i < s->num_events; i++) {
		struct candidate c = { pathlist_scope(paths, s->events[i].scope), s->events[i].name };
		out->events[i] = choose(p, PICK_EVENT, &c, used);
		out->nevents += out->events[i];
	}
	for (int kind = 0; kind < PICK_KINDS; kind++)
		for (size_t i = 0; i < p->n[kind]; i++)
			if (!used[kind][i]) {
				*unmatched = p->patterns[kind][i];
				return -1;
			}
	return 0;
}
