/* SPDX-License-Identifier: MIT */
#include "pathlist.h"

#include <stdlib.h>
#include <string.h>

/* parent + "/" + name, at most PATH_CUT bytes of its end. */
static char *
join(const char *parent, const char *name)
{
	size_t np = strlen(parent);
	size_t nn = strlen(name);
	size_t n = np + 1 + nn;
	char *path = malloc(n + 1);
	if (!path)
		return NULL;
	memcpy(path, parent, np);
	path[np] = '/';
	memcpy(path + np + 1, name, nn);
	path[n] = 0;
	if (n > PATH_CUT) {
		memmove(path, path + n - PATH_CUT, PATH_CUT);
		path[PATH_CUT] = 0;
		path[0] = path[1] = path[2] = '.';
		char *less = realloc(path, PATH_CUT + 1);
		path = less ? less : path;
	}
	return path;
}

/* Parents may stand behind their children: go up to the first that is known, then down
 * again. chain: room for all scopes. */
static int
fill_scope(struct pathlist *p, uint16_t scope, uint16_t *chain)
{
	uint32_t n = 0;
	for (uint16_t s = scope; s != 0 && s < p->schema->num_scopes && !p->scopes[s] && n < p->schema->num_scopes;
		s = p->schema->scopes[s].parent)
		chain[n++] = s;
	while (n--) {
		uint16_t s = chain[n];
		uint16_t up = p->schema->scopes[s].parent;
		p->scopes[s] = join(up && p->scopes[up] ? p->scopes[up] : "", p->schema->scopes[s].name);
		if (!p->scopes[s])
			return -1;
	}
	return 0;
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

/* Adds those of one owner. `found` has room for n more. */
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
pathlist_init(struct pathlist *p, const schema_t *schema)
{
	*p = (struct pathlist){ .schema = schema };
	size_t nfields = 1;
	for (uint32_t i = 0; i < schema->num_storages; i++)
		nfields += (size_t)schema->storages[i].num_fields + schema->storages[i].num_properties;
	for (uint32_t i = 0; i < schema->num_events; i++)
		nfields += schema->events[i].num_fields;
	p->scopes = calloc(schema->num_scopes + 1, sizeof(*p->scopes));
	p->repeated = calloc(nfields, sizeof(uscope_field_t *));
	uint16_t *chain = calloc(schema->num_scopes + 1, sizeof(*chain));
	int rc = p->scopes && p->repeated && chain ? 0 : -1;
	for (uint32_t s = 1; s < schema->num_scopes && rc == 0; s++)
		rc = fill_scope(p, (uint16_t)s, chain);
	free(chain);
	if (rc < 0)
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

void
pathlist_finish(struct pathlist *p)
{
	for (uint32_t i = 0; p->scopes && i < p->schema->num_scopes; i++)
		free(p->scopes[i]);
	free(p->scopes);
	free(p->repeated);
	*p = (struct pathlist){ 0 };
}

const char *
pathlist_scope(const struct pathlist *p, uint16_t scope)
{
	return scope < p->schema->num_scopes && p->scopes[scope] ? p->scopes[scope] : "";
}

bool
pathlist_is_repeated(const struct pathlist *p, const uscope_field_t *field)
{
	return p->nrepeated && bsearch(&field, p->repeated, p->nrepeated, sizeof(uscope_field_t *), by_address);
}
