/* SPDX-License-Identifier: MIT */
#include "schema.h"

#include "layout.h"
#include "textset.h"
#include "utf8.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* All memory of a schema is in blocks that live as long as it does: an array that grows
 * leaves its old place behind, at most as much again. */
struct block {
	struct block *next;
	size_t size; /* of data */
	size_t used;
	_Alignas(max_align_t) uint8_t data[];
};

enum {
	BLOCK_SIZE = 4096,
	FIRST_ITEMS = 4,
	MAX_TEXT = SCHEMA_MAX_BYTES - 1,
};

struct uscope_schema_private {
	atomic_uint refs;
	atomic_bool frozen;
	struct block *blocks;
	uint32_t size; /* of the header and the definitions in a file */
};

/* ---- Life. ---- */

uscope_schema_t *
uscope_schema_new(void)
{
	struct {
		uscope_schema_t schema;
		struct uscope_schema_private priv;
	} *both = calloc(1, sizeof(*both));
	if (!both)
		return NULL;
	both->schema.priv = &both->priv;
	both->priv.size = SCHEMA_HEADER_SIZE;
	atomic_init(&both->priv.refs, 1);
	atomic_init(&both->priv.frozen, false);
	return &both->schema;
}

const uscope_schema_t *
schema_ref(const uscope_schema_t *schema)
{
	atomic_store(&schema->priv->frozen, true);
	atomic_fetch_add(&schema->priv->refs, 1);
	return schema;
}

void
uscope_schema_free(uscope_schema_t *schema)
{
	if (!schema || atomic_fetch_sub(&schema->priv->refs, 1) != 1)
		return;
	struct block *b = schema->priv->blocks;
	while (b) {
		struct block *next = b->next;
		free(b);
		b = next;
	}
	free(schema);
}

void *
schema_alloc(uscope_schema_t *schema, size_t n)
{
	struct uscope_schema_private *priv = schema->priv;
	struct block *b = priv->blocks;
	if (n > SIZE_MAX / 2)
		return NULL;
	n = (n + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
	if (!b || n > b->size - b->used) {
		size_t size = n > BLOCK_SIZE ? n : BLOCK_SIZE;
		b = calloc(1, sizeof(*b) + size);
		if (!b)
			return NULL;
		b->size = size;
		b->next = priv->blocks;
		priv->blocks = b;
	}
	void *p = b->data + b->used;
	b->used += n;
	return p;
}

/* ---- Building. ---- */

/* A copy of a text. 0 or a status. */
static int
copy_text(uscope_schema_t *schema, const char *text, const char **copy)
{
	if (!text || !utf8_is_text(text))
		return USCOPE_E_ARG;
	size_t n = strlen(text);
	if (n > MAX_TEXT)
		return USCOPE_E_LIMIT;
	char *p = schema_alloc(schema, n + 1);
	if (!p)
		return USCOPE_E_NOMEM;
	memcpy(p, text, n + 1);
	*copy = p;
	return 0;
}

static bool
is_open(const uscope_schema_t *schema)
{
	return schema && !atomic_load(&schema->priv->frozen);
}

/* Appends an item to *items, which have *n, at most `most`, unless its arguments gave a status. Items begin
 * with their name, which is copied. They move when n is a power of two, and have room for as many again
 * then. bytes: of the definition in a file. Returns the id. */
static int
add(uscope_schema_t *schema, void *items, uint32_t *n, uint32_t most, void *item, size_t size, uint32_t bytes, int args)
{
	uint8_t *p;
	const char *name;
	if (!is_open(schema))
		return USCOPE_E_STATE;
	if (*n >= most || bytes > SCHEMA_MAX_BYTES - schema->priv->size)
		return USCOPE_E_LIMIT;
	memcpy(&name, item, sizeof(name));
	int status = copy_text(schema, name, &name);
	if (status || args)
		return status ? status : args;
	memcpy(item, &name, sizeof(name));
	memcpy(&p, items, sizeof(p));
	if (*n == 0 || (*n >= FIRST_ITEMS && (*n & (*n - 1)) == 0)) {
		uint8_t *more = schema_alloc(schema, (*n ? (size_t)*n * 2 : FIRST_ITEMS) * size);
		if (!more)
			return USCOPE_E_NOMEM;
		if (*n)
			memcpy(more, p, *n * size);
		p = more;
		memcpy(items, &p, sizeof(p));
	}
	memcpy(p + *n * size, item, size);
	schema->priv->size += bytes;
	return (int)(*n)++;
}

/* Adds to one of the lists of a schema. */
#define ADD(list, item, most, bytes, args) \
	(schema ? add(schema, &schema->list, &schema->num_##list, most, &(item), sizeof(item), bytes, args) : USCOPE_E_STATE)

static int
scope_arg(const uscope_schema_t *schema, int scope, uint16_t *id)
{
	*id = scope < 0 ? USCOPE_NONE : (uint16_t)scope;
	return scope < -1 || (scope >= 0 && schema && (uint32_t)scope >= schema->num_scopes) ? USCOPE_E_RANGE : 0;
}

int
uscope_schema_add_clock(uscope_schema_t *schema, const char *name, uint32_t period_ps)
{
	uscope_clock_t clock = { .name = name, .period_ps = period_ps };
	return ADD(clocks, clock, MAX_CLOCKS, CLOCK_SIZE, 0);
}

int
uscope_schema_add_scope(uscope_schema_t *schema, const char *name, int parent, const char *protocol, int clock)
{
	uscope_scope_t scope = { .name = name, .clock = clock < 0 ? USCOPE_INHERIT : (uint8_t)clock };
	if (!is_open(schema))
		return USCOPE_E_STATE;
	int args = scope_arg(schema, parent, &scope.parent);
	/* Scope 0 is the root, and the only one without a parent. */
	if ((parent == -1) != (schema->num_scopes == 0) || clock < -1 || (clock >= 0 && (uint32_t)clock >= schema->num_clocks))
		args = USCOPE_E_RANGE;
	if (protocol && !args)
		args = copy_text(schema, protocol, &scope.protocol);
	return ADD(scopes, scope, MAX_SCOPES, SCOPE_SIZE, args);
}

int
uscope_schema_add_enum(uscope_schema_t *schema, const char *name)
{
	uscope_enum_t e = { .name = name };
	return ADD(enums, e, MAX_ENUMS, ENUM_SIZE, 0);
}

int
uscope_schema_add_enum_value(uscope_schema_t *schema, int enum_id, uint8_t value, const char *name)
{
	if (!schema)
		return USCOPE_E_STATE;
	if (enum_id < 0 || (uint32_t)enum_id >= schema->num_enums)
		return USCOPE_E_RANGE;
	uscope_enum_t *e = &schema->enums[enum_id];
	uscope_enum_value_t v = { .name = name, .value = value };
	return add(schema, &e->values, &e->num_values, MAX_ENUM_VALUES, &v, sizeof(v), ENUM_VALUE_SIZE, 0);
}

int
uscope_schema_add_storage(uscope_schema_t *schema, const char *name, int scope, uint16_t num_slots, uint16_t flags)
{
	uscope_storage_t storage = { .name = name, .num_slots = num_slots, .flags = flags };
	int args = scope_arg(schema, scope, &storage.scope);
	if (flags & ~(USCOPE_SPARSE | USCOPE_BUFFER))
		args = USCOPE_E_ARG;
	return ADD(storages, storage, MAX_DEFS, STORAGE_SIZE, args);
}

/* Adds to *fields, *n of them, which take *size bytes together. */
static int
add_field(uscope_schema_t *schema, uscope_field_t **fields, uint16_t *n, uint32_t *size,
	const char *name, uint8_t type, int enum_id)
{
	uscope_field_t f = { .name = name, .type = type, .size = (uint8_t)uscope_type_size(type), .offset = *size };
	int args = f.size ? 0 : USCOPE_E_ARG;
	if (type == USCOPE_ENUM) {
		f.enum_id = (uint8_t)enum_id;
		if (enum_id < 0 || (uint32_t)enum_id >= schema->num_enums)
			args = USCOPE_E_RANGE;
	}
	uint32_t count = *n;
	int id = add(schema, fields, &count, MAX_DEFS, &f, sizeof(f), FIELD_SIZE, args);
	*n = (uint16_t)count;
	*size += id < 0 ? 0 : f.size;
	return id;
}

static uscope_storage_t *
find_storage(uscope_schema_t *schema, int storage)
{
	return schema && storage >= 0 && (uint32_t)storage < schema->num_storages ? &schema->storages[storage] : NULL;
}

int
uscope_schema_add_field(uscope_schema_t *schema, int storage, const char *name, uint8_t type, int enum_id)
{
	uscope_storage_t *st = find_storage(schema, storage);
	return st ? add_field(schema, &st->fields, &st->num_fields, &st->slot_size, name, type, enum_id) : USCOPE_E_RANGE;
}

int
uscope_schema_add_property(uscope_schema_t *schema, int storage, const char *name, uint8_t type, int enum_id)
{
	uscope_storage_t *st = find_storage(schema, storage);
	return st ? add_field(schema, &st->properties, &st->num_properties, &st->prop_size, name, type, enum_id) : USCOPE_E_RANGE;
}

int
uscope_schema_add_event(uscope_schema_t *schema, const char *name, int scope)
{
	uscope_event_type_t event = { .name = name };
	int args = scope_arg(schema, scope, &event.scope);
	return ADD(events, event, MAX_DEFS, EVENT_SIZE, args);
}

int
uscope_schema_add_event_field(uscope_schema_t *schema, int event, const char *name, uint8_t type, int enum_id)
{
	if (!schema || event < 0 || (uint32_t)event >= schema->num_events)
		return USCOPE_E_RANGE;
	uscope_event_type_t *e = &schema->events[event];
	return add_field(schema, &e->fields, &e->num_fields, &e->payload_size, name, type, enum_id);
}

int
uscope_schema_add_summary_field(uscope_schema_t *schema, const char *name, uint8_t type, int scope)
{
	uscope_summary_field_t f = { .name = name, .type = type };
	int args = scope_arg(schema, scope, &f.scope);
	if (!uscope_type_size(type))
		args = USCOPE_E_ARG;
	return ADD(summary_fields, f, MAX_DEFS, SUMMARY_FIELD_SIZE, args);
}

int
uscope_schema_set_ext(uscope_schema_t *schema, int which, int owner, int field, const uint8_t ext[4])
{
	if (!is_open(schema))
		return USCOPE_E_STATE;
	uscope_field_t *fields = NULL;
	int n = 0;
	if (owner < 0 || field < 0)
		return USCOPE_E_RANGE;
	if ((which == 0 || which == 1) && (uint32_t)owner < schema->num_storages) {
		const uscope_storage_t *st = &schema->storages[owner];
		fields = which ? st->properties : st->fields;
		n = which ? st->num_properties : st->num_fields;
	} else if (which == 2 && (uint32_t)owner < schema->num_events) {
		fields = schema->events[owner].fields;
		n = schema->events[owner].num_fields;
	}
	if (field >= n)
		return USCOPE_E_RANGE;
	memcpy(fields[field].ext, ext, 4);
	return 0;
}

/* ---- What it says. ---- */

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
uscope_enum_label(const uscope_schema_t *schema, uint8_t enum_id, uint8_t value)
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
uscope_scope_clock(const uscope_schema_t *schema, uint16_t scope)
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
uscope_scope_path(const uscope_schema_t *schema, uint16_t scope, char *buf, size_t size)
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
