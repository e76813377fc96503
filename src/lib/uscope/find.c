/* SPDX-License-Identifier: MIT */
/* find: ids by the paths and names of a schema. */
#include "schema.h"

#include <string.h>

static bool
is_separator(char c)
{
	return c == '/' || c == '.';
}

/* Whether the path up to *n ends with the name, as a whole part of it; *n is then where that begins. */
static bool
ends_with(const char *path, size_t *n, const char *name)
{
	size_t len = strlen(name);
	if (len > *n || memcmp(path + *n - len, name, len) != 0)
		return false;
	if (len < *n && !is_separator(path[*n - len - 1]))
		return false;
	*n -= len;
	return true;
}

enum match {
	NO_MATCH,
	END_MATCH, /* the path is the end of that of the item */
	WHOLE_MATCH,
};

/* Compares the path with that of an item of this name in a scope. */
static enum match
compare(const uscope_schema_t *s, const char *path, uint16_t scope, const char *name)
{
	size_t n = strlen(path);
	bool rooted = path[0] == '/';
	uint32_t depth = 0; /* ends also where the scopes of a damaged schema go in circles */
	while (ends_with(path, &n, name)) {
		bool root = scope == 0 || scope >= s->num_scopes || depth++ > s->num_scopes;
		if (n <= rooted)
			return root ? WHOLE_MATCH : rooted ? NO_MATCH
							   : END_MATCH;
		if (root)
			return NO_MATCH;
		n--; /* the separator */
		name = s->scopes[scope].name;
		scope = s->scopes[scope].parent;
	}
	return NO_MATCH;
}

/* The best match of those seen so far. */
struct best {
	enum match match;
	int id;
};

static void
consider(struct best *b, enum match match, uint32_t id)
{
	if (match == NO_MATCH || match < b->match)
		return;
	b->id = match > b->match ? (int)id : USCOPE_E_ARG;
	b->match = match;
}

int
uscope_find_scope(const uscope_schema_t *schema, const char *path)
{
	struct best b = { .id = USCOPE_E_RANGE };
	if (!schema || !path)
		return USCOPE_E_ARG;
	if (strcmp(path, "/") == 0)
		return schema->num_scopes ? 0 : USCOPE_E_RANGE;
	for (uint32_t i = 1; i < schema->num_scopes; i++)
		consider(&b, compare(schema, path, schema->scopes[i].parent, schema->scopes[i].name), i);
	return b.id;
}

int
uscope_find_storage(const uscope_schema_t *schema, const char *path)
{
	struct best b = { .id = USCOPE_E_RANGE };
	if (!schema || !path)
		return USCOPE_E_ARG;
	for (uint32_t i = 0; i < schema->num_storages; i++)
		consider(&b, compare(schema, path, schema->storages[i].scope, schema->storages[i].name), i);
	return b.id;
}

int
uscope_find_event(const uscope_schema_t *schema, const char *path)
{
	struct best b = { .id = USCOPE_E_RANGE };
	if (!schema || !path)
		return USCOPE_E_ARG;
	for (uint32_t i = 0; i < schema->num_events; i++)
		consider(&b, compare(schema, path, schema->events[i].scope, schema->events[i].name), i);
	return b.id;
}

static int
find_name(const uscope_field_t *fields, uint32_t n, const char *name)
{
	struct best b = { .id = USCOPE_E_RANGE };
	if (!name)
		return USCOPE_E_ARG;
	for (uint32_t i = 0; i < n; i++)
		consider(&b, strcmp(fields[i].name, name) == 0 ? WHOLE_MATCH : NO_MATCH, i);
	return b.id;
}

static const uscope_storage_t *
storage_of(const uscope_schema_t *schema, int id)
{
	return schema && id >= 0 && (uint32_t)id < schema->num_storages ? &schema->storages[id] : NULL;
}

int
uscope_find_field(const uscope_schema_t *schema, int storage, const char *name)
{
	const uscope_storage_t *st = storage_of(schema, storage);
	return st ? find_name(st->fields, st->num_fields, name) : USCOPE_E_RANGE;
}

int
uscope_find_property(const uscope_schema_t *schema, int storage, const char *name)
{
	const uscope_storage_t *st = storage_of(schema, storage);
	return st ? find_name(st->properties, st->num_properties, name) : USCOPE_E_RANGE;
}

int
uscope_find_event_field(const uscope_schema_t *schema, int event, const char *name)
{
	if (!schema || event < 0 || (uint32_t)event >= schema->num_events)
		return USCOPE_E_RANGE;
	return find_name(schema->events[event].fields, schema->events[event].num_fields, name);
}
