/* SPDX-License-Identifier: MIT */
/* schemainfo: what a schema says, for those who show it. */
#include "schema.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned size;
} types[] = {
	[USCOPE_U8] = { "U8", 1 },
	[USCOPE_U16] = { "U16", 2 },
	[USCOPE_U32] = { "U32", 4 },
	[USCOPE_U64] = { "U64", 8 },
	[USCOPE_I8] = { "I8", 1 },
	[USCOPE_I16] = { "I16", 2 },
	[USCOPE_I32] = { "I32", 4 },
	[USCOPE_I64] = { "I64", 8 },
	[USCOPE_BOOL] = { "BOOL", 1 },
	[USCOPE_STRING_REF] = { "STRING_REF", 4 },
	[USCOPE_ENUM] = { "ENUM", 1 },
};

const char *
uscope_type_name(uint8_t type)
{
	return type < sizeof(types) / sizeof(types[0]) ? types[type].name : NULL;
}

unsigned
uscope_type_size(uint8_t type)
{
	return type < sizeof(types) / sizeof(types[0]) ? types[type].size : 0;
}

const char *
uscope_enum_label(const schema_t *schema, uint8_t enum_id, uint8_t value)
{
	if (enum_id >= schema->num_enums)
		return NULL;
	const uscope_enum_t *e = &schema->enums[enum_id];
	for (uint32_t i = 0; i < e->num_values; i++)
		if (e->values[i].value == value)
			return e->values[i].name;
	return NULL;
}

uint8_t
uscope_scope_clock(const schema_t *schema, uint16_t scope)
{
	if (scope == USCOPE_NONE)
		scope = 0;
	/* The schema has no cycles; a count all the same, as it may be one of the caller. */
	for (uint32_t n = 0; n < schema->num_scopes && scope < schema->num_scopes; n++) {
		if (schema->scopes[scope].clock != USCOPE_INHERIT)
			return schema->scopes[scope].clock;
		scope = schema->scopes[scope].parent;
	}
	return 0;
}

/* The root is "/" whatever its name; below it, names are joined. From the end of the path
 * to its begin, twice: for the length, then to place the names. */
size_t
uscope_scope_path(const schema_t *schema, uint16_t scope, char *buf, size_t size)
{
	if (scope == USCOPE_NONE)
		scope = 0;
	size_t length = 0;
	uint32_t depth = 0;
	uint16_t s = scope;
	for (; s != 0 && s < schema->num_scopes && depth < schema->num_scopes; s = schema->scopes[s].parent, depth++)
		length += 1 + strlen(schema->scopes[s].name);
	if (depth == 0) {
		if (size > 0) {
			buf[0] = size > 1 ? '/' : '\0';
			buf[size > 1] = '\0';
		}
		return 1;
	}
	if (size == 0)
		return length;
	size_t end = length;
	for (s = scope; depth > 0; s = schema->scopes[s].parent, depth--) {
		const char *name = schema->scopes[s].name;
		size_t n = strlen(name);
		size_t at = end - n;
		if (at < size)
			memcpy(buf + at, name, n < size - at ? n : size - at);
		if (at - 1 < size)
			buf[at - 1] = '/';
		end = at - 1;
	}
	buf[length < size ? length : size - 1] = '\0';
	return length;
}
