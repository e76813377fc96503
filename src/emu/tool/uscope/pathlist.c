/* SPDX-License-Identifier: MIT */
#include "pathlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* parent + "/" + name, at most PATH_CUT bytes of its end. */
static const char *
join(struct arena *a, const char *parent, const char *name)
{
	char path[2 * PATH_CUT + 2];
	size_t nn = strlen(name);
	size_t n = (size_t)snprintf(path, sizeof(path), "%s/%s", parent, nn > PATH_CUT ? name + nn - PATH_CUT : name);
	size_t from = n > PATH_CUT ? n - PATH_CUT : 0;
	if (from)
		memset(path + from, '.', 3);
	return arena_strndup(a, path + from, n - from);
}

/* Lists the scopes from the root down, without recursion: a file can nest thousands. */
static bool
make_tree(struct pathlist *p, struct arena *a)
{
	const uscope_scope_t *scopes = p->schema->scopes;
	uint32_t n = p->schema->num_scopes;
	/* The first scope below each, and the next below the same one; 0: none, as the root is no child. */
	uint16_t *child = arena_new(a, uint16_t, n);
	uint16_t *brother = arena_new(a, uint16_t, n);
	p->tree = arena_new(a, struct branch, n);
	p->scopes = arena_new(a, const char *, n);
	if (!child || !brother || !p->tree || !p->scopes)
		return false;
	/* From the end, so that brothers come in the order of the file. */
	for (uint32_t i = n; i-- > 1;) {
		brother[i] = child[scopes[i].parent];
		child[scopes[i].parent] = (uint16_t)i;
	}
	p->scopes[0] = "";
	struct branch at = { 0 };
	for (uint32_t i = 1; i < n; i++) {
		for (; !child[at.scope]; at.depth--)
			at.scope = scopes[at.scope].parent;
		uint16_t next = child[at.scope];
		child[at.scope] = brother[next];
		p->scopes[next] = join(a, p->scopes[at.scope], scopes[next].name);
		if (!p->scopes[next])
			return false;
		p->tree[i] = at = (struct branch){ next, at.depth + 1 };
	}
	return true;
}

static int
by_name(const void *a, const void *b)
{
	const char *na = (*(const uscope_field_t *const *)a)->name;
	const char *nb = (*(const uscope_field_t *const *)b)->name;
	return na == nb ? 0 : strcmp(na, nb);
}

static int
by_address(const void *a, const void *b)
{
	uintptr_t fa = (uintptr_t) * (const uscope_field_t *const *)a;
	uintptr_t fb = (uintptr_t) * (const uscope_field_t *const *)b;
	return (fa > fb) - (fa < fb);
}

/* Adds the fields of one owner whose names repeat; there is room for all of them. */
static void
find_repeated(struct pathlist *p, const uscope_field_t *fields, size_t n)
{
	const uscope_field_t **at = p->repeated + p->nrepeated;
	for (size_t i = 0; i < n; i++)
		at[i] = &fields[i];
	if (n)
		qsort(at, n, sizeof(uscope_field_t *), by_name);
	size_t kept = 0;
	bool same_before = false;
	for (size_t i = 0; i < n; i++) {
		bool same_next = i + 1 < n && by_name(&at[i], &at[i + 1]) == 0;
		if (same_before || same_next)
			at[kept++] = at[i];
		same_before = same_next;
	}
	p->nrepeated += kept;
}

int
pathlist_init(struct pathlist *p, const uscope_schema_t *schema, struct arena *a)
{
	*p = (struct pathlist){ .schema = schema };
	size_t nfields = 0;
	for (uint32_t i = 0; i < schema->num_storages; i++)
		nfields += (size_t)schema->storages[i].num_fields + schema->storages[i].num_properties;
	for (uint32_t i = 0; i < schema->num_events; i++)
		nfields += schema->events[i].num_fields;
	p->repeated = arena_new(a, const uscope_field_t *, nfields);
	if (!p->repeated || !make_tree(p, a))
		return -1;

	for (uint32_t i = 0; i < schema->num_storages; i++) {
		find_repeated(p, schema->storages[i].fields, schema->storages[i].num_fields);
		find_repeated(p, schema->storages[i].properties, schema->storages[i].num_properties);
	}
	for (uint32_t i = 0; i < schema->num_events; i++)
		find_repeated(p, schema->events[i].fields, schema->events[i].num_fields);
	if (p->nrepeated)
		qsort(p->repeated, p->nrepeated, sizeof(uscope_field_t *), by_address);
	return 0;
}

const char *
pathlist_scope(const struct pathlist *p, uint16_t scope)
{
	return scope < p->schema->num_scopes ? p->scopes[scope] : "";
}

bool
pathlist_is_repeated(const struct pathlist *p, const uscope_field_t *field)
{
	return p->nrepeated && bsearch(&field, p->repeated, p->nrepeated, sizeof(uscope_field_t *), by_address);
}
