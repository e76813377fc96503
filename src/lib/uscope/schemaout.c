/* SPDX-License-Identifier: MIT */
/* schemaout: a schema as it is written: the rules it must meet, and its bytes. */
#include "layout.h"
#include "schema.h"
#include "status.h"
#include "textset.h"
#include "utf8.h"

#include <stdlib.h>

/* ---- Rules. ---- */

/* Refuses a definition, named by its kind and number. */
static int
wrong(uscope_error_t *error, const char *kind, uint32_t i, const char *why)
{
	return status_set(error, USCOPE_E_SCHEMA, -1, 0, "%s %u %s", kind, i, why);
}

static bool
good_text(const char *text)
{
	return text && utf8_is_text(text);
}

static bool
good_scope(const schema_t *schema, uint16_t scope)
{
	return scope == USCOPE_NONE || scope < schema->num_scopes;
}

static int
check_scopes(const schema_t *schema, uscope_error_t *error)
{
	for (uint32_t i = 0; i < schema->num_scopes; i++) {
		const uscope_scope_t *s = &schema->scopes[i];
		if (!good_text(s->name) || (s->protocol && !utf8_is_text(s->protocol)))
			return wrong(error, "scope", i, "has a name or a protocol that is not UTF-8");
		if (s->clock != USCOPE_INHERIT && s->clock >= schema->num_clocks)
			return wrong(error, "scope", i, "has a clock that does not exist");
		if (i == 0 ? s->parent != USCOPE_NONE : s->parent >= schema->num_scopes)
			return wrong(error, "scope", i, i ? "has no parent" : "has a parent");
	}
	/* Parents that come first make no cycle; others are followed to the root. */
	for (uint32_t i = 1; i < schema->num_scopes; i++) {
		uint32_t at = i;
		for (uint32_t n = 0; at != 0; n++, at = schema->scopes[at].parent) {
			if (schema->scopes[at].parent < at && at == i)
				break;
			if (n > schema->num_scopes)
				return wrong(error, "scope", i, "is its own ancestor");
		}
	}
	return 0;
}

static int
check_enums(const schema_t *schema, uscope_error_t *error)
{
	for (uint32_t i = 0; i < schema->num_enums; i++) {
		const uscope_enum_t *e = &schema->enums[i];
		if (!good_text(e->name))
			return wrong(error, "enum", i, "has a name that is not UTF-8");
		if (e->num_values > MAX_ENUM_VALUES)
			return wrong(error, "enum", i, "has too many values");
		for (uint32_t k = 0; k < e->num_values; k++)
			if (!good_text(e->values[k].name))
				return wrong(error, "enum", i, "has a label that is not UTF-8");
	}
	return 0;
}

static int
check_fields(const schema_t *schema, const uscope_field_t *fields, uint32_t n, const char *kind, uint32_t owner,
	uscope_error_t *error)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!good_text(fields[i].name))
			return wrong(error, kind, owner, "has a field with a name that is not UTF-8");
		if (!uscope_type_size(fields[i].type))
			return wrong(error, kind, owner, "has a field of an unknown type");
		if (fields[i].type == USCOPE_ENUM && fields[i].enum_id >= schema->num_enums)
			return wrong(error, kind, owner, "has a field of an enum that does not exist");
	}
	return 0;
}

static int
check_storages(const schema_t *schema, uscope_error_t *error)
{
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *s = &schema->storages[i];
		if (!good_text(s->name))
			return wrong(error, "storage", i, "has a name that is not UTF-8");
		if (!good_scope(schema, s->scope))
			return wrong(error, "storage", i, "has a scope that does not exist");
		if (s->flags & ~(USCOPE_SPARSE | USCOPE_BUFFER))
			return wrong(error, "storage", i, "has flags that are not known");
		if (check_fields(schema, s->fields, s->num_fields, "storage", i, error) ||
			check_fields(schema, s->properties, s->num_properties, "storage", i, error))
			return error->status;
	}
	return 0;
}

static int
check_events(const schema_t *schema, uscope_error_t *error)
{
	for (uint32_t i = 0; i < schema->num_events; i++) {
		const uscope_event_type_t *e = &schema->events[i];
		if (!good_text(e->name))
			return wrong(error, "event", i, "has a name that is not UTF-8");
		if (!good_scope(schema, e->scope))
			return wrong(error, "event", i, "has a scope that does not exist");
		if (check_fields(schema, e->fields, e->num_fields, "event", i, error))
			return error->status;
	}
	for (uint32_t i = 0; i < schema->num_summary_fields; i++) {
		const uscope_summary_field_t *f = &schema->summary_fields[i];
		if (!good_text(f->name))
			return wrong(error, "summary field", i, "has a name that is not UTF-8");
		if (!good_scope(schema, f->scope))
			return wrong(error, "summary field", i, "has a scope that does not exist");
		if (!uscope_type_size(f->type))
			return wrong(error, "summary field", i, "is of an unknown type");
	}
	return 0;
}

/* Bytes of the header and the definitions, without the pool. */
static uint64_t
definitions_size(const schema_t *schema)
{
	uint64_t n = SCHEMA_HEADER_SIZE + (uint64_t)CLOCK_SIZE * schema->num_clocks +
		(uint64_t)SCOPE_SIZE * schema->num_scopes + (uint64_t)SUMMARY_FIELD_SIZE * schema->num_summary_fields;
	for (uint32_t i = 0; i < schema->num_enums; i++)
		n += ENUM_SIZE + (uint64_t)ENUM_VALUE_SIZE * schema->enums[i].num_values;
	for (uint32_t i = 0; i < schema->num_storages; i++)
		n += STORAGE_SIZE + (uint64_t)FIELD_SIZE * schema->storages[i].num_fields +
			(uint64_t)FIELD_SIZE * schema->storages[i].num_properties;
	for (uint32_t i = 0; i < schema->num_events; i++)
		n += EVENT_SIZE + (uint64_t)FIELD_SIZE * schema->events[i].num_fields;
	return n;
}

int
schema_check(const schema_t *schema, uscope_error_t *error)
{
	if (schema->num_clocks == 0 || schema->num_scopes == 0)
		return status_set(error, USCOPE_E_SCHEMA, -1, 0, "a schema needs a clock and a scope");
	if (definitions_size(schema) > SCHEMA_MAX_BYTES)
		return status_set(error, USCOPE_E_LIMIT, -1, 0, "the definitions need more than %d bytes", SCHEMA_MAX_BYTES);
	if (schema->num_clocks > MAX_CLOCKS || schema->num_enums > MAX_ENUMS)
		return status_set(error, USCOPE_E_LIMIT, -1, 0, "more than %d clocks or enums", MAX_CLOCKS);
	for (uint32_t i = 0; i < schema->num_clocks; i++)
		if (!good_text(schema->clocks[i].name))
			return wrong(error, "clock", i, "has a name that is not UTF-8");
	if (check_scopes(schema, error) || check_enums(schema, error) || check_storages(schema, error) ||
		check_events(schema, error))
		return error->status;
	return USCOPE_OK;
}

/* ---- Bytes. ---- */

struct encoder {
	struct textset pool;
	uint8_t *p;
	int status; /* of the pool */
};

static void
put8(struct encoder *e, unsigned v)
{
	*e->p++ = (uint8_t)v;
}

static void
put16(struct encoder *e, uint32_t v)
{
	store16(e->p, (uint16_t)v);
	e->p += 2;
}

static void
put32(struct encoder *e, uint32_t v)
{
	store32(e->p, v);
	e->p += 4;
}

/* The offset of a text in the pool. */
static void
put_text(struct encoder *e, const char *text)
{
	uint32_t offset = 0;
	if (!e->status) {
		int64_t i = textset_add(&e->pool, text, SCHEMA_MAX_BYTES, NULL);
		if (i < 0)
			e->status = (int)i;
		else
			offset = e->pool.entries[i].offset;
	}
	put16(e, offset);
}

static void
put_fields(struct encoder *e, const uscope_field_t *fields, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		put_text(e, fields[i].name);
		put8(e, fields[i].type);
		put8(e, fields[i].type == USCOPE_ENUM ? fields[i].enum_id : 0);
		memcpy(e->p, fields[i].ext, 4);
		e->p += 4;
	}
}

static void
put_scopes(struct encoder *e, const schema_t *schema)
{
	for (uint32_t i = 0; i < schema->num_scopes; i++) {
		const uscope_scope_t *s = &schema->scopes[i];
		put_text(e, s->name);
		put16(e, i);
		put16(e, s->parent);
		if (s->protocol)
			put_text(e, s->protocol);
		else
			put16(e, USCOPE_NONE);
		put8(e, s->clock);
		put8(e, 0);
		put16(e, 0);
	}
}

static void
put_enums(struct encoder *e, const schema_t *schema)
{
	for (uint32_t i = 0; i < schema->num_enums; i++) {
		const uscope_enum_t *def = &schema->enums[i];
		put_text(e, def->name);
		put8(e, def->num_values);
		put8(e, 0);
		for (uint32_t k = 0; k < def->num_values; k++) {
			put8(e, def->values[k].value);
			put8(e, 0);
			put_text(e, def->values[k].name);
		}
	}
}

static void
put_storages(struct encoder *e, const schema_t *schema)
{
	for (uint32_t i = 0; i < schema->num_storages; i++) {
		const uscope_storage_t *s = &schema->storages[i];
		put_text(e, s->name);
		put16(e, i);
		put16(e, s->num_slots);
		put16(e, s->num_fields);
		put16(e, s->flags);
		put16(e, s->scope);
		put16(e, s->num_properties);
		put16(e, 0);
		put_fields(e, s->fields, s->num_fields);
		put_fields(e, s->properties, s->num_properties);
	}
}

static void
put_events(struct encoder *e, const schema_t *schema)
{
	for (uint32_t i = 0; i < schema->num_events; i++) {
		const uscope_event_type_t *def = &schema->events[i];
		put_text(e, def->name);
		put16(e, i);
		put16(e, def->num_fields);
		put16(e, def->scope);
		put_fields(e, def->fields, def->num_fields);
	}
	for (uint32_t i = 0; i < schema->num_summary_fields; i++) {
		const uscope_summary_field_t *f = &schema->summary_fields[i];
		put_text(e, f->name);
		put8(e, f->type);
		put8(e, 0);
		put16(e, f->scope);
		put16(e, 0);
	}
}

/* Definitions; the pool goes behind them when all texts are known. */
static void
put_schema(struct encoder *e, const schema_t *schema)
{
	put8(e, schema->num_enums);
	put8(e, schema->num_clocks);
	put16(e, schema->num_scopes);
	put16(e, schema->num_storages);
	put16(e, schema->num_events);
	put16(e, schema->num_summary_fields);
	put16(e, (uint32_t)definitions_size(schema));
	for (uint32_t i = 0; i < schema->num_clocks; i++) {
		put_text(e, schema->clocks[i].name);
		put16(e, i);
		put32(e, schema->clocks[i].period_ps);
	}
	put_scopes(e, schema);
	put_enums(e, schema);
	put_storages(e, schema);
	put_events(e, schema);
}

static int
check_dut(const dut_desc_t *dut, uscope_error_t *error)
{
	if (dut->num_properties > UINT16_MAX)
		return status_set(error, USCOPE_E_LIMIT, -1, 0, "more than 65535 properties of the DUT");
	for (uint32_t i = 0; i < dut->num_properties; i++)
		if (!good_text(dut->properties[i].key) || !good_text(dut->properties[i].value))
			return status_set(error, USCOPE_E_ARG, -1, 0, "property %u of the DUT is not UTF-8", i);
	return 0;
}

int
schema_encode(const schema_t *schema, const dut_desc_t *dut, struct schema_bytes *bytes, uscope_error_t *error)
{
	static const dut_desc_t none = { 0 };
	if (!dut)
		dut = &none;
	*bytes = (struct schema_bytes){ 0 };
	if (check_dut(dut, error))
		return error->status;
	size_t defs = (size_t)definitions_size(schema);
	struct encoder e = { 0 };
	uint8_t *out = malloc(defs + SCHEMA_MAX_BYTES);
	bytes->dut_size = 4 + (size_t)4 * dut->num_properties;
	bytes->dut = malloc(bytes->dut_size);
	if (out && bytes->dut) {
		e.p = out;
		put_schema(&e, schema);
		e.p = bytes->dut;
		put16(&e, dut->num_properties);
		put16(&e, 0);
		for (uint32_t i = 0; i < dut->num_properties; i++) {
			put_text(&e, dut->properties[i].key);
			put_text(&e, dut->properties[i].value);
		}
	} else {
		e.status = USCOPE_E_NOMEM;
	}
	if (e.status) {
		free(out);
		free(bytes->dut);
		*bytes = (struct schema_bytes){ 0 };
		(void)status_set(error, e.status, -1, 0, "%s", e.status == USCOPE_E_LIMIT ? "the texts of the schema and of the DUT need more than 65535 bytes" : "out of memory");
	} else {
		if (e.pool.size)
			memcpy(out + defs, e.pool.data, e.pool.size);
		bytes->schema = out;
		bytes->schema_size = defs + e.pool.size;
	}
	textset_finish(&e.pool);
	return e.status;
}
