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

schema_t *
uscope_schema_new(void)
{
	struct {
		schema_t schema;
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

const schema_t *
schema_ref(const schema_t *schema)
{
	atomic_store(&schema->priv->frozen, true);
	atomic_fetch_add(&schema->priv->refs, 1);
	return schema;
}

void
uscope_schema_free(schema_t *schema)
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
schema_alloc(schema_t *schema, size_t n)
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
copy_text(schema_t *schema, const char *text, const char **copy)
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

/* Begins an addition: checks that the schema can change and that the file has room for size bytes more
 * and for an id after n others, and copies the name. */
static int
begin(schema_t *schema, const char *name, uint32_t n, uint32_t most, uint32_t size, const char **copy)
{
	if (!schema || atomic_load(&schema->priv->frozen))
		return USCOPE_E_STATE;
	if (n >= most || size > SCHEMA_MAX_BYTES - schema->priv->size)
		return USCOPE_E_LIMIT;
	return copy_text(schema, name, copy);
}

/* Appends an item of a size to *items, which have n. They move when n is a power of two, and have room for
 * as many again then. Counts the bytes of the definition in the file. Returns the id, or E_NOMEM. */
static int
append(schema_t *schema, void *items, uint32_t *n, const void *item, size_t size, uint32_t bytes)
{
	uint8_t *p;
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

static int
scope_arg(const schema_t *schema, int scope, uint16_t *id)
{
	*id = scope < 0 ? USCOPE_NONE : (uint16_t)scope;
	return scope < -1 || (scope >= 0 && (uint32_t)scope >= schema->num_scopes) ? USCOPE_E_RANGE : 0;
}

int
uscope_schema_add_clock(schema_t *schema, const char *name, uint32_t period_ps)
{
	uscope_clock_t clock = { .period_ps = period_ps };
	int status = begin(schema, name, schema ? schema->num_clocks : 0, MAX_CLOCKS, CLOCK_SIZE, &clock.name);
	if (status)
		return status;
	return append(schema, &schema->clocks, &schema->num_clocks, &clock, sizeof(clock), CLOCK_SIZE);
}

int
uscope_schema_add_scope(schema_t *schema, const char *name, int parent, const char *protocol, int clock)
{
	uscope_scope_t scope = { 0 };
	int status = begin(schema, name, schema ? schema->num_scopes : 0, MAX_SCOPES, SCOPE_SIZE, &scope.name);
	if (status)
		return status;
	/* Scope 0 is the root, and the only one without a parent. */
	if ((parent == -1) != (schema->num_scopes == 0) || scope_arg(schema, parent, &scope.parent))
		return USCOPE_E_RANGE;
	if (clock < -1 || (clock >= 0 && (uint32_t)clock >= schema->num_clocks))
		return USCOPE_E_RANGE;
	scope.clock = clock < 0 ? USCOPE_INHERIT : (uint8_t)clock;
	if (protocol && (status = copy_text(schema, protocol, &scope.protocol)))
		return status;
	return append(schema, &schema->scopes, &schema->num_scopes, &scope, sizeof(scope), SCOPE_SIZE);
}

int
uscope_schema_add_enum(schema_t *schema, const char *name)
{
	uscope_enum_t e = { 0 };
	int status = begin(schema, name, schema ? schema->num_enums : 0, MAX_ENUMS, ENUM_SIZE, &e.name);
	if (status)
		return status;
	return append(schema, &schema->enums, &schema->num_enums, &e, sizeof(e), ENUM_SIZE);
}

int
uscope_schema_add_enum_value(schema_t *schema, int enum_id, uint8_t value, const char *name)
{
	if (!schema)
		return USCOPE_E_STATE;
	if (enum_id < 0 || (uint32_t)enum_id >= schema->num_enums)
		return USCOPE_E_RANGE;
	uscope_enum_t *e = &schema->enums[enum_id];
	uscope_enum_value_t v = { .value = value };
	int status = begin(schema, name, e->num_values, MAX_ENUM_VALUES, ENUM_VALUE_SIZE, &v.name);
	if (status)
		return status;
	return append(schema, &e->values, &e->num_values, &v, sizeof(v), ENUM_VALUE_SIZE);
}

int
uscope_schema_add_storage(schema_t *schema, const char *name, int scope, uint16_t num_slots, uint16_t flags)
{
	uscope_storage_t storage = { .num_slots = num_slots, .flags = flags };
	int status = begin(schema, name, schema ? schema->num_storages : 0, MAX_DEFS, STORAGE_SIZE, &storage.name);
	if (status)
		return status;
	if (flags & ~(USCOPE_SPARSE | USCOPE_BUFFER))
		return USCOPE_E_ARG;
	if ((status = scope_arg(schema, scope, &storage.scope)))
		return status;
	return append(schema, &schema->storages, &schema->num_storages, &storage, sizeof(storage), STORAGE_SIZE);
}

/* Fields are kept in *fields, *n of them, which take *size bytes together. */
static int
add_field(schema_t *schema, uscope_field_t **fields, uint16_t *n, uint32_t *size,
	const char *name, uint8_t type, int enum_id)
{
	uscope_field_t f = { .type = type, .size = (uint8_t)uscope_type_size(type), .offset = *size };
	int status = begin(schema, name, *n, MAX_DEFS, FIELD_SIZE, &f.name);
	if (status)
		return status;
	if (!f.size)
		return USCOPE_E_ARG;
	if (type == USCOPE_ENUM) {
		if (enum_id < 0 || (uint32_t)enum_id >= schema->num_enums)
			return USCOPE_E_RANGE;
		f.enum_id = (uint8_t)enum_id;
	}
	uint32_t count = *n;
	int id = append(schema, fields, &count, &f, sizeof(f), FIELD_SIZE);
	*n = (uint16_t)count;
	*size += id < 0 ? 0 : f.size;
	return id;
}

static uscope_storage_t *
find_storage(schema_t *schema, int storage)
{
	return schema && storage >= 0 && (uint32_t)storage < schema->num_storages ? &schema->storages[storage] : NULL;
}

int
uscope_schema_add_field(schema_t *schema, int storage, const char *name, uint8_t type, int enum_id)
{
	uscope_storage_t *st = find_storage(schema, storage);
	return st ? add_field(schema, &st->fields, &st->num_fields, &st->slot_size, name, type, enum_id) : USCOPE_E_RANGE;
}

int
uscope_schema_add_property(schema_t *schema, int storage, const char *name, uint8_t type, int enum_id)
{
	uscope_storage_t *st = find_storage(schema, storage);
	return st ? add_field(schema, &st->properties, &st->num_properties, &st->prop_size, name, type, enum_id) : USCOPE_E_RANGE;
}

int
uscope_schema_add_event(schema_t *schema, const char *name, int scope)
{
	uscope_event_type_t event = { 0 };
	int status = begin(schema, name, schema ? schema->num_events : 0, MAX_DEFS, EVENT_SIZE, &event.name);
	if (status)
		return status;
	if ((status = scope_arg(schema, scope, &event.scope)))
		return status;
	return append(schema, &schema->events, &schema->num_events, &event, sizeof(event), EVENT_SIZE);
}

int
uscope_schema_add_event_field(schema_t *schema, int event, const char *name, uint8_t type, int enum_id)
{
	if (!schema || event < 0 || (uint32_t)event >= schema->num_events)
		return USCOPE_E_RANGE;
	uscope_event_type_t *e = &schema->events[event];
	return add_field(schema, &e->fields, &e->num_fields, &e->payload_size, name, type, enum_id);
}

int
uscope_schema_add_summary_field(schema_t *schema, const char *name, uint8_t type, int scope)
{
	uscope_summary_field_t f = { .type = type };
	int status = begin(schema, name, schema ? schema->num_summary_fields : 0, MAX_DEFS, SUMMARY_FIELD_SIZE, &f.name);
	if (status)
		return status;
	if (!uscope_type_size(type))
		return USCOPE_E_ARG;
	if ((status = scope_arg(schema, scope, &f.scope)))
		return status;
	return append(schema, &schema->summary_fields, &schema->num_summary_fields, &f, sizeof(f), SUMMARY_FIELD_SIZE);
}

int
uscope_schema_set_ext(schema_t *schema, int which, int owner, int field, const uint8_t ext[4])
{
	if (!schema || atomic_load(&schema->priv->frozen))
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
