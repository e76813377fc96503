/* SPDX-License-Identifier: MIT */
/* schemacode: a schema as bytes of a file. One walk over the definitions reads them, writes them and
 * checks them; the first error ends it. */
#include "layout.h"
#include "schema.h"
#include "status.h"
#include "textset.h"
#include "utf8.h"

#include <stdlib.h>

enum pass {
	READ,
	CHECK,
	WRITE,
};

struct codec {
	enum pass pass;
	uscope_schema_t *schema; /* changed by READ only */
	size_t pos;              /* of the definition in work */
	const char *kind;        /* of it, and its number */
	uint32_t id;
	size_t storage; /* bytes of the definition of a storage */
	int status;
	uscope_error_t *error;

	/* READ: all definitions are inside of `in`. */
	const uint8_t *in;
	uint64_t at;      /* offset of `in` in the file */
	const char *pool; /* a copy that belongs to the schema */
	size_t pool_size; /* up to the last NUL */
	uint64_t *diag;

	/* WRITE. */
	uint8_t *out;
	struct textset texts;
};

static void
refuse(struct codec *c, int status, size_t pos, const char *why)
{
	if (!c->status)
		c->status = status_set(c->error, status, -1, c->pass == READ ? c->at + pos : 0, "%s", why);
}

static void
no_memory(struct codec *c)
{
	refuse(c, USCOPE_E_NOMEM, 0, "out of memory");
}

/* The definition in work breaks a rule: as it is told of a file, by its place `at` in the definition, and
 * of a schema in memory. */
static void
wrong(struct codec *c, size_t at, const char *of_file, const char *of_memory)
{
	if (c->pass == READ)
		refuse(c, USCOPE_E_SCHEMA, c->pos + at, of_file);
	else if (!c->status)
		c->status = status_set(c->error, USCOPE_E_SCHEMA, -1, 0, "%s %u %s", c->kind, c->id, of_memory);
}

/* ---- Members of a definition, `at` bytes from its begin. ---- */

static void
number8(struct codec *c, size_t at, uint8_t *v)
{
	if (c->pass == READ)
		*v = c->in[c->pos + at];
	else if (c->pass == WRITE)
		c->out[c->pos + at] = *v;
}

static void
number16(struct codec *c, size_t at, uint16_t *v)
{
	if (c->pass == READ)
		*v = load16(c->in + c->pos + at);
	else if (c->pass == WRITE)
		store16(c->out + c->pos + at, *v);
}

/* A number of `size` bytes in the file. */
static void
number32(struct codec *c, size_t at, unsigned size, uint32_t *v)
{
	if (c->pass == READ)
		*v = (uint32_t)load_value(c->in + c->pos + at, size);
	else if (c->pass == WRITE)
		store_value(c->out + c->pos + at, size, *v);
}

static void
own_id(struct codec *c, size_t at)
{
	uint16_t id = (uint16_t)c->id;
	number16(c, at, &id);
	if (id != c->id)
		wrong(c, at, "an id is not the number of its definition", "has no number");
}

static bool
is_text(const char *t)
{
	return t && utf8_is_text(t);
}

static void
text(struct codec *c, size_t at, const char **t, const char *of_memory)
{
	if (c->pass == READ) {
		uint16_t offset = load16(c->in + c->pos + at);
		if (offset < c->pool_size)
			*t = c->pool + offset;
		else
			wrong(c, at, "a name is outside of the string pool", "");
	} else if (c->pass == CHECK) {
		if (!is_text(*t))
			wrong(c, at, "", of_memory);
	} else {
		int64_t i = textset_add(&c->texts, *t, SCHEMA_MAX_BYTES);
		if (i >= 0)
			store16(c->out + c->pos + at, (uint16_t)c->texts.entries[i].offset);
		else if (i == USCOPE_E_LIMIT)
			refuse(c, USCOPE_E_LIMIT, 0, "the texts of the schema and of the DUT need more than 65535 bytes");
		else
			no_memory(c);
	}
}

static void
scope_of(struct codec *c, size_t at, uint16_t *scope)
{
	number16(c, at, scope);
	if (*scope != USCOPE_NONE && *scope >= c->schema->num_scopes)
		wrong(c, at, "a scope that does not exist", "has a scope that does not exist");
}

/* ---- Definitions. ---- */

/* Begins the next definition of n of a kind. */
static bool
next(struct codec *c, const char *kind, uint32_t i, uint32_t n)
{
	c->kind = kind;
	c->id = i;
	return i < n && !c->status;
}

/* The n definitions of *items, each `size` bytes in memory. READ makes them. */
static void
list(struct codec *c, void *items, uint32_t n, size_t size)
{
	void *p = c->pass == READ && n && !c->status ? schema_alloc(c->schema, n * size) : NULL;
	if (p)
		memcpy(items, &p, sizeof(p));
	else if (c->pass == READ && n)
		no_memory(c);
}

/* The fields of a definition, which take *bytes together. */
static void
fields_of(struct codec *c, uscope_field_t **fields, uint16_t n, uint32_t *bytes)
{
	list(c, fields, n, sizeof(**fields));
	for (uint32_t i = 0; i < n && !c->status; i++, c->pos += FIELD_SIZE) {
		uscope_field_t *f = *fields + i;
		text(c, 0, &f->name, "has a field with a name that is not UTF-8");
		number8(c, 2, &f->type);
		if (!uscope_type_size(f->type))
			wrong(c, 2, "", "has a field of an unknown type");
		if (f->type == USCOPE_ENUM) {
			number8(c, 3, &f->enum_id);
			if (f->enum_id >= c->schema->num_enums)
				wrong(c, 0, "a field of an enum that does not exist", "has a field of an enum that does not exist");
		}
		for (size_t k = 0; k < sizeof(f->ext); k++)
			number8(c, 4 + k, &f->ext[k]);
		if (c->pass == READ) {
			f->size = (uint8_t)uscope_type_size(f->type);
			f->offset = *bytes;
			*bytes += f->size;
		}
	}
}

static void
clocks(struct codec *c, uscope_schema_t *s)
{
	list(c, &s->clocks, s->num_clocks, sizeof(*s->clocks));
	for (uint32_t i = 0; next(c, "clock", i, s->num_clocks); i++, c->pos += CLOCK_SIZE) {
		text(c, 0, &s->clocks[i].name, "has a name that is not UTF-8");
		own_id(c, 2);
		number32(c, 4, 4, &s->clocks[i].period_ps);
	}
}

/* Every scope must reach scope 0: parents that come first do, others are followed. */
static void
check_tree(struct codec *c, const uscope_schema_t *s, size_t first)
{
	for (uint32_t i = 1; next(c, "scope", i, s->num_scopes); i++) {
		uint32_t at = s->scopes[i].parent < i ? 0 : i;
		for (uint32_t n = 0; at != 0 && n <= s->num_scopes; n++)
			at = s->scopes[at].parent;
		c->pos = first + (size_t)i * SCOPE_SIZE;
		if (at != 0)
			wrong(c, 0, "a scope is its own ancestor", "is its own ancestor");
	}
}

static void
scopes(struct codec *c, uscope_schema_t *s)
{
	static const char not_utf8[] = "has a name or a protocol that is not UTF-8";
	size_t first = c->pos;
	list(c, &s->scopes, s->num_scopes, sizeof(*s->scopes));
	for (uint32_t i = 0; next(c, "scope", i, s->num_scopes); i++, c->pos += SCOPE_SIZE) {
		uscope_scope_t *scope = &s->scopes[i];
		uint16_t protocol = scope->protocol ? 0 : USCOPE_NONE;
		text(c, 0, &scope->name, not_utf8);
		own_id(c, 2);
		number16(c, 4, &scope->parent);
		if (i == 0 && scope->parent != USCOPE_NONE)
			wrong(c, 0, "scope 0 has a parent", "has a parent");
		else if (i != 0 && scope->parent >= s->num_scopes)
			wrong(c, 0, "a scope whose parent does not exist", "has no parent");
		number16(c, 6, &protocol);
		if (protocol != USCOPE_NONE)
			text(c, 6, &scope->protocol, not_utf8);
		number8(c, 8, &scope->clock);
		if (scope->clock != USCOPE_INHERIT && scope->clock >= s->num_clocks)
			wrong(c, 0, "a scope whose clock does not exist", "has a clock that does not exist");
	}
	size_t end = c->pos;
	check_tree(c, s, first);
	c->pos = end;
}

static void
enums(struct codec *c, uscope_schema_t *s)
{
	list(c, &s->enums, s->num_enums, sizeof(*s->enums));
	for (uint32_t i = 0; next(c, "enum", i, s->num_enums); i++) {
		uscope_enum_t *e = &s->enums[i];
		text(c, 0, &e->name, "has a name that is not UTF-8");
		number32(c, 2, 1, &e->num_values);
		if (e->num_values > MAX_ENUM_VALUES)
			wrong(c, 2, "", "has too many values");
		c->pos += ENUM_SIZE;
		list(c, &e->values, e->num_values, sizeof(*e->values));
		for (uint32_t k = 0; k < e->num_values && !c->status; k++, c->pos += ENUM_VALUE_SIZE) {
			number8(c, 0, &e->values[k].value);
			text(c, 2, &e->values[k].name, "has a label that is not UTF-8");
		}
	}
}

static void
storages(struct codec *c, uscope_schema_t *s)
{
	list(c, &s->storages, s->num_storages, sizeof(*s->storages));
	for (uint32_t i = 0; next(c, "storage", i, s->num_storages); i++) {
		uscope_storage_t *st = &s->storages[i];
		text(c, 0, &st->name, "has a name that is not UTF-8");
		own_id(c, 2);
		number16(c, 4, &st->num_slots);
		number16(c, 6, &st->num_fields);
		number16(c, 8, &st->flags);
		scope_of(c, 10, &st->scope);
		if (c->storage == STORAGE_SIZE)
			number16(c, 12, &st->num_properties);
		bool unknown = st->flags & ~(USCOPE_SPARSE | USCOPE_BUFFER);
		if (c->pass == READ)
			c->diag[USCOPE_N_RESERVED] += unknown;
		else if (unknown)
			wrong(c, 8, "", "has flags that are not known");
		c->pos += c->storage;
		fields_of(c, &st->fields, st->num_fields, &st->slot_size);
		fields_of(c, &st->properties, st->num_properties, &st->prop_size);
	}
}

static void
events(struct codec *c, uscope_schema_t *s)
{
	list(c, &s->events, s->num_events, sizeof(*s->events));
	for (uint32_t i = 0; next(c, "event", i, s->num_events); i++) {
		uscope_event_type_t *e = &s->events[i];
		text(c, 0, &e->name, "has a name that is not UTF-8");
		own_id(c, 2);
		number16(c, 4, &e->num_fields);
		scope_of(c, 6, &e->scope);
		c->pos += EVENT_SIZE;
		fields_of(c, &e->fields, e->num_fields, &e->payload_size);
	}
}

static void
summary_fields(struct codec *c, uscope_schema_t *s)
{
	list(c, &s->summary_fields, s->num_summary_fields, sizeof(*s->summary_fields));
	for (uint32_t i = 0; next(c, "summary field", i, s->num_summary_fields); i++, c->pos += SUMMARY_FIELD_SIZE) {
		uscope_summary_field_t *f = &s->summary_fields[i];
		text(c, 0, &f->name, "has a name that is not UTF-8");
		number8(c, 2, &f->type);
		scope_of(c, 4, &f->scope);
		if (!uscope_type_size(f->type))
			wrong(c, 2, "", "is of an unknown type");
	}
}

/* All definitions. pos becomes their size. */
static int
walk(struct codec *c)
{
	uscope_schema_t *s = c->schema;
	number32(c, 0, 1, &s->num_enums);
	number32(c, 1, 1, &s->num_clocks);
	number32(c, 2, 2, &s->num_scopes);
	number32(c, 4, 2, &s->num_storages);
	number32(c, 6, 2, &s->num_events);
	number32(c, 8, 2, &s->num_summary_fields);
	if (s->num_clocks == 0 || s->num_scopes == 0)
		refuse(c, USCOPE_E_SCHEMA, 0, "a schema needs a clock and a scope");
	else if (s->num_clocks > MAX_CLOCKS || s->num_enums > MAX_ENUMS)
		refuse(c, USCOPE_E_LIMIT, 0, "more than 255 clocks or enums");
	c->pos = SCHEMA_HEADER_SIZE;
	clocks(c, s);
	scopes(c, s);
	enums(c, s);
	storages(c, s);
	events(c, s);
	summary_fields(c, s);
	return c->status;
}

/* ---- All of it. ---- */

int
schema_check(const uscope_schema_t *schema, uscope_error_t *error)
{
	struct codec c = { .pass = CHECK, .schema = (uscope_schema_t *)schema, .storage = STORAGE_SIZE, .error = error };
	if (!walk(&c) && c.pos > SCHEMA_MAX_BYTES)
		refuse(&c, USCOPE_E_LIMIT, 0, "the definitions need more than 65535 bytes");
	return c.status;
}

static int
check_dut(const uscope_dut_desc_t *dut, uscope_error_t *error)
{
	if (dut->num_properties > UINT16_MAX)
		return status_set(error, USCOPE_E_LIMIT, -1, 0, "more than 65535 properties of the DUT");
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		const uscope_dut_property_t *p = &dut->properties[i];
		if (!is_text(p->key) || !is_text(p->value))
			return status_set(error, USCOPE_E_ARG, -1, 0, "property %u of the DUT is not UTF-8", i);
	}
	return 0;
}

int
schema_encode(const uscope_schema_t *schema, const uscope_dut_desc_t *dut, struct schema_bytes *bytes, uscope_error_t *error)
{
	static const uscope_dut_desc_t none = { 0 };
	dut = dut ? dut : &none;
	*bytes = (struct schema_bytes){ 0 };
	if (check_dut(dut, error))
		return error->status;
	struct codec c = { .pass = WRITE, .schema = (uscope_schema_t *)schema, .storage = STORAGE_SIZE, .error = error };
	uint8_t *out = c.out = calloc(2, SCHEMA_MAX_BYTES); /* definitions, and texts */
	uint8_t *pairs = calloc(dut->num_properties + (size_t)1, 4);
	if (!out || !pairs)
		no_memory(&c);
	else if (!walk(&c)) {
		size_t defs = c.pos;
		c.out = pairs;
		c.pos = 0;
		store16(pairs, (uint16_t)dut->num_properties);
		for (uint32_t i = 0; i < dut->num_properties && !c.status; i++) {
			uscope_dut_property_t p = dut->properties[i];
			c.pos += 4;
			text(&c, 0, &p.key, "");
			text(&c, 2, &p.value, "");
		}
		store16(out + 10, (uint16_t)defs);
		if (c.texts.size)
			memcpy(out + defs, c.texts.data, c.texts.size);
		*bytes = (struct schema_bytes){ pairs, out, c.pos + 4, defs + c.texts.size };
	}
	if (c.status || !out || !pairs) {
		free(out);
		free(pairs);
		*bytes = (struct schema_bytes){ 0 };
	}
	textset_finish(&c.texts);
	return c.status;
}

/* Offsets have 16 bits: what lies behind the first NUL after 65535 cannot be reached. */
static void
copy_pool(struct codec *c, const uint8_t *in, size_t n)
{
	const uint8_t *nul = n > UINT16_MAX ? memchr(in + UINT16_MAX, 0, n - UINT16_MAX) : NULL;
	if (nul)
		n = (size_t)(nul - in) + 1;
	else if (n > UINT16_MAX)
		n = UINT16_MAX;
	while (n > 0 && in[n - 1])
		n--;
	char *p = schema_alloc(c->schema, n + 1);
	if (p)
		memcpy(p, in, n);
	else
		no_memory(c);
	c->pool = p;
	c->pool_size = n;
}

/* The pairs of the DUT are offsets into the same pool. */
static int
read_dut(struct codec *c, const struct schema_bytes *bytes, uscope_dut_desc_t *dut)
{
	uint32_t n = bytes->dut_size < 4 ? 0 : load16(bytes->dut);
	if (bytes->dut_size < 4 || bytes->dut_size - 4 < (size_t)n * 4)
		return status_set(c->error, USCOPE_E_PREAMBLE, -1, 0, "the description of the DUT is cut off");
	uscope_dut_property_t *p = schema_alloc(c->schema, (n + 1) * sizeof(*p));
	if (!p)
		no_memory(c);
	for (uint32_t i = 0; i < n && p; i++) {
		const uint8_t *pair = bytes->dut + 4 + (size_t)i * 4;
		if (load16(pair) >= c->pool_size || load16(pair + 2) >= c->pool_size)
			return status_set(c->error, USCOPE_E_SCHEMA, -1, c->at, "property %u of the DUT is outside of the string pool", i);
		p[i] = (uscope_dut_property_t){ c->pool + load16(pair), c->pool + load16(pair + 2) };
	}
	*dut = (uscope_dut_desc_t){ p, n };
	return c->status;
}

int
schema_decode(const struct schema_bytes *bytes, unsigned minor, uint64_t at, uint64_t *diag,
	uscope_schema_t **schema, uscope_dut_desc_t *dut, uscope_error_t *error)
{
	struct codec c = { .pass = READ, .in = bytes->schema, .at = at, .diag = diag, .error = error };
	size_t pool;
	int status = schema_layout(bytes, minor, at, diag, &c.storage, &pool, error);
	if (status)
		return status;
	if (!(c.schema = uscope_schema_new()))
		return status_set(error, USCOPE_E_NOMEM, -1, at, "out of memory");
	copy_pool(&c, bytes->schema + pool, bytes->schema_size - pool);
	if (c.status || walk(&c) || read_dut(&c, bytes, dut)) {
		uscope_schema_free(c.schema);
		return error->status;
	}
	/* A reference taken and dropped: what was read does not change any more. */
	uscope_schema_free((uscope_schema_t *)schema_ref(c.schema));
	*schema = c.schema;
	return 0;
}
