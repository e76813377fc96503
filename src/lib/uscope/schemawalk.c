/* SPDX-License-Identifier: MIT */
#include "schemawalk.h"

#include "layout.h"
#include "status.h"
#include "utf8.h"

void
schemawalk_refuse(struct schemawalk *c, int status, size_t pos, const char *why)
{
	if (!c->status)
		c->status = status_set(c->error, status, -1, c->pass == WALK_READ ? c->at + pos : 0, "%s", why);
}

void
schemawalk_no_memory(struct schemawalk *c)
{
	schemawalk_refuse(c, USCOPE_E_NOMEM, 0, "out of memory");
}

/* The definition in work breaks a rule: as it is told of a file, by its place `at` in the definition, and
 * of a schema in memory. */
static void
wrong(struct schemawalk *c, size_t at, const char *of_file, const char *of_memory)
{
	if (c->pass == WALK_READ)
		schemawalk_refuse(c, USCOPE_E_SCHEMA, c->pos + at, of_file);
	else if (!c->status)
		c->status = status_set(c->error, USCOPE_E_SCHEMA, -1, 0, "%s %u %s", c->kind, c->id, of_memory);
}

/* ---- Members of a definition, `at` bytes from its begin. ---- */

static void
number8(struct schemawalk *c, size_t at, uint8_t *v)
{
	if (c->pass == WALK_READ)
		*v = c->in[c->pos + at];
	else if (c->pass == WALK_WRITE)
		c->out[c->pos + at] = *v;
}

static void
number16(struct schemawalk *c, size_t at, uint16_t *v)
{
	if (c->pass == WALK_READ)
		*v = load16(c->in + c->pos + at);
	else if (c->pass == WALK_WRITE)
		store16(c->out + c->pos + at, *v);
}

/* A number of `size` bytes in the file. */
static void
number32(struct schemawalk *c, size_t at, unsigned size, uint32_t *v)
{
	if (c->pass == WALK_READ)
		*v = (uint32_t)load_value(c->in + c->pos + at, size);
	else if (c->pass == WALK_WRITE)
		store_value(c->out + c->pos + at, size, *v);
}

static void
own_id(struct schemawalk *c, size_t at)
{
	uint16_t id = (uint16_t)c->id;
	number16(c, at, &id);
	if (id != c->id)
		wrong(c, at, "an id is not the number of its definition", "has no number");
}

bool
schemawalk_is_text(const char *t)
{
	return t && utf8_is_text(t);
}

void
schemawalk_text(struct schemawalk *c, size_t at, const char **t, const char *of_memory)
{
	if (c->pass == WALK_READ) {
		uint16_t offset = load16(c->in + c->pos + at);
		if (offset < c->pool_size)
			*t = c->pool + offset;
		else
			wrong(c, at, "a name is outside of the string pool", "");
	} else if (c->pass == WALK_CHECK) {
		if (!schemawalk_is_text(*t))
			wrong(c, at, "", of_memory);
	} else {
		int64_t i = textset_add(&c->texts, *t, SCHEMA_MAX_BYTES);
		if (i >= 0)
			store16(c->out + c->pos + at, (uint16_t)c->texts.entries[i].offset);
		else if (i == USCOPE_E_LIMIT)
			schemawalk_refuse(c, USCOPE_E_LIMIT, 0, "the texts of the schema and of the DUT need more than 65535 bytes");
		else
			schemawalk_no_memory(c);
	}
}

static void
scope_of(struct schemawalk *c, size_t at, uint16_t *scope)
{
	number16(c, at, scope);
	if (*scope != USCOPE_NONE && *scope >= c->schema->num_scopes)
		wrong(c, at, "a scope that does not exist", "has a scope that does not exist");
}

/* ---- Definitions. ---- */

/* Begins the next definition of n of a kind. */
static bool
next(struct schemawalk *c, const char *kind, uint32_t i, uint32_t n)
{
	c->kind = kind;
	c->id = i;
	return i < n && !c->status;
}

/* The n definitions of *items, each `size` bytes in memory. WALK_READ makes them. */
static void
list(struct schemawalk *c, void *items, uint32_t n, size_t size)
{
	void *p = c->pass == WALK_READ && n && !c->status ? schema_alloc(c->schema, n * size) : NULL;
	if (p)
		memcpy(items, &p, sizeof(p));
	else if (c->pass == WALK_READ && n)
		schemawalk_no_memory(c);
}

/* The fields of a definition, which take *bytes together. */
static void
fields_of(struct schemawalk *c, uscope_field_t **fields, uint16_t n, uint32_t *bytes)
{
	list(c, fields, n, sizeof(**fields));
	for (uint32_t i = 0; i < n && !c->status; i++, c->pos += FIELD_SIZE) {
		uscope_field_t *f = *fields + i;
		schemawalk_text(c, 0, &f->name, "has a field with a name that is not UTF-8");
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
		if (c->pass == WALK_READ) {
			f->size = (uint8_t)uscope_type_size(f->type);
			f->offset = *bytes;
			*bytes += f->size;
		}
	}
}

static void
clocks(struct schemawalk *c, uscope_schema_t *s)
{
	list(c, &s->clocks, s->num_clocks, sizeof(*s->clocks));
	for (uint32_t i = 0; next(c, "clock", i, s->num_clocks); i++, c->pos += CLOCK_SIZE) {
		schemawalk_text(c, 0, &s->clocks[i].name, "has a name that is not UTF-8");
		own_id(c, 2);
		number32(c, 4, 4, &s->clocks[i].period_ps);
	}
}

/* Every scope must reach scope 0: parents that come first do, others are followed. */
static void
check_tree(struct schemawalk *c, const uscope_schema_t *s, size_t first)
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
scopes(struct schemawalk *c, uscope_schema_t *s)
{
	static const char not_utf8[] = "has a name or a protocol that is not UTF-8";
	size_t first = c->pos;
	list(c, &s->scopes, s->num_scopes, sizeof(*s->scopes));
	for (uint32_t i = 0; next(c, "scope", i, s->num_scopes); i++, c->pos += SCOPE_SIZE) {
		uscope_scope_t *scope = &s->scopes[i];
		uint16_t protocol = scope->protocol ? 0 : USCOPE_NONE;
		schemawalk_text(c, 0, &scope->name, not_utf8);
		own_id(c, 2);
		number16(c, 4, &scope->parent);
		if (i == 0 && scope->parent != USCOPE_NONE)
			wrong(c, 0, "scope 0 has a parent", "has a parent");
		else if (i != 0 && scope->parent >= s->num_scopes)
			wrong(c, 0, "a scope whose parent does not exist", "has no parent");
		number16(c, 6, &protocol);
		if (protocol != USCOPE_NONE)
			schemawalk_text(c, 6, &scope->protocol, not_utf8);
		number8(c, 8, &scope->clock);
		if (scope->clock != USCOPE_INHERIT && scope->clock >= s->num_clocks)
			wrong(c, 0, "a scope whose clock does not exist", "has a clock that does not exist");
	}
	size_t end = c->pos;
	check_tree(c, s, first);
	c->pos = end;
}

static void
enums(struct schemawalk *c, uscope_schema_t *s)
{
	list(c, &s->enums, s->num_enums, sizeof(*s->enums));
	for (uint32_t i = 0; next(c, "enum", i, s->num_enums); i++) {
		uscope_enum_t *e = &s->enums[i];
		schemawalk_text(c, 0, &e->name, "has a name that is not UTF-8");
		number32(c, 2, 1, &e->num_values);
		if (e->num_values > MAX_ENUM_VALUES)
			wrong(c, 2, "", "has too many values");
		c->pos += ENUM_SIZE;
		list(c, &e->values, e->num_values, sizeof(*e->values));
		for (uint32_t k = 0; k < e->num_values && !c->status; k++, c->pos += ENUM_VALUE_SIZE) {
			number8(c, 0, &e->values[k].value);
			schemawalk_text(c, 2, &e->values[k].name, "has a label that is not UTF-8");
		}
	}
}

static void
storages(struct schemawalk *c, uscope_schema_t *s)
{
	list(c, &s->storages, s->num_storages, sizeof(*s->storages));
	for (uint32_t i = 0; next(c, "storage", i, s->num_storages); i++) {
		uscope_storage_t *st = &s->storages[i];
		schemawalk_text(c, 0, &st->name, "has a name that is not UTF-8");
		own_id(c, 2);
		number16(c, 4, &st->num_slots);
		number16(c, 6, &st->num_fields);
		number16(c, 8, &st->flags);
		scope_of(c, 10, &st->scope);
		if (c->storage == STORAGE_SIZE)
			number16(c, 12, &st->num_properties);
		bool unknown = st->flags & ~(USCOPE_SPARSE | USCOPE_BUFFER);
		if (c->pass == WALK_READ)
			c->diag[USCOPE_N_RESERVED] += unknown;
		else if (unknown)
			wrong(c, 8, "", "has flags that are not known");
		c->pos += c->storage;
		fields_of(c, &st->fields, st->num_fields, &st->slot_size);
		fields_of(c, &st->properties, st->num_properties, &st->prop_size);
	}
}

static void
events(struct schemawalk *c, uscope_schema_t *s)
{
	list(c, &s->events, s->num_events, sizeof(*s->events));
	for (uint32_t i = 0; next(c, "event", i, s->num_events); i++) {
		uscope_event_type_t *e = &s->events[i];
		schemawalk_text(c, 0, &e->name, "has a name that is not UTF-8");
		own_id(c, 2);
		number16(c, 4, &e->num_fields);
		scope_of(c, 6, &e->scope);
		c->pos += EVENT_SIZE;
		fields_of(c, &e->fields, e->num_fields, &e->payload_size);
	}
}

static void
summary_fields(struct schemawalk *c, uscope_schema_t *s)
{
	list(c, &s->summary_fields, s->num_summary_fields, sizeof(*s->summary_fields));
	for (uint32_t i = 0; next(c, "summary field", i, s->num_summary_fields); i++, c->pos += SUMMARY_FIELD_SIZE) {
		uscope_summary_field_t *f = &s->summary_fields[i];
		schemawalk_text(c, 0, &f->name, "has a name that is not UTF-8");
		number8(c, 2, &f->type);
		scope_of(c, 4, &f->scope);
		if (!uscope_type_size(f->type))
			wrong(c, 2, "", "is of an unknown type");
	}
}

int
schemawalk_all(struct schemawalk *c)
{
	uscope_schema_t *s = c->schema;
	number32(c, 0, 1, &s->num_enums);
	number32(c, 1, 1, &s->num_clocks);
	number32(c, 2, 2, &s->num_scopes);
	number32(c, 4, 2, &s->num_storages);
	number32(c, 6, 2, &s->num_events);
	number32(c, 8, 2, &s->num_summary_fields);
	if (s->num_clocks == 0 || s->num_scopes == 0)
		schemawalk_refuse(c, USCOPE_E_SCHEMA, 0, "a schema needs a clock and a scope");
	else if (s->num_clocks > MAX_CLOCKS || s->num_enums > MAX_ENUMS)
		schemawalk_refuse(c, USCOPE_E_LIMIT, 0, "more than 255 clocks or enums");
	c->pos = SCHEMA_HEADER_SIZE;
	clocks(c, s);
	scopes(c, s);
	enums(c, s);
	storages(c, s);
	events(c, s);
	summary_fields(c, s);
	return c->status;
}
