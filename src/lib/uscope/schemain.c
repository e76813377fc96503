/* SPDX-License-Identifier: MIT */
/* schemain: a schema out of the bytes of a file. */
#include "layout.h"
#include "schema.h"
#include "status.h"

struct decoder {
	const uint8_t *in;
	size_t size;      /* of the chunk */
	size_t end;       /* of the definitions, at most */
	uint64_t at;      /* offset of the chunk in the file */
	size_t storage;   /* size of a storage_def */
	const char *pool; /* a copy that belongs to the schema */
	size_t pool_size; /* up to the last NUL */
	schema_t *schema;
	uscope_error_t *error;
};

static int
bad(struct decoder *d, size_t pos, const char *why)
{
	return status_set(d->error, USCOPE_E_SCHEMA, -1, d->at + pos, "%s", why);
}

static int
no_memory(struct decoder *d)
{
	return status_set(d->error, USCOPE_E_NOMEM, -1, d->at, "out of memory");
}

/* ---- Where the definitions end, if a storage_def has so many bytes. ---- */

static bool
skip(const struct decoder *d, size_t *pos, uint64_t n)
{
	if (n > d->end - *pos)
		return false;
	*pos += (size_t)n;
	return true;
}

/* Fields must have types that are known: without a size, nothing behind could be read. */
static bool
skip_fields(const struct decoder *d, size_t *pos, uint32_t n)
{
	size_t from = *pos;
	if (!skip(d, pos, (uint64_t)n * FIELD_SIZE))
		return false;
	for (; from < *pos; from += FIELD_SIZE)
		if (!uscope_type_size(d->in[from + 2]))
			return false;
	return true;
}

static bool
find_end(const struct decoder *d, size_t *end)
{
	size_t pos = SCHEMA_HEADER_SIZE;
	if (pos > d->end || !skip(d, &pos, (uint64_t)d->in[1] * CLOCK_SIZE) ||
		!skip(d, &pos, (uint64_t)load16(d->in + 2) * SCOPE_SIZE))
		return false;
	for (uint32_t i = 0; i < d->in[0]; i++) {
		size_t def = pos;
		if (!skip(d, &pos, ENUM_SIZE) || !skip(d, &pos, (uint64_t)d->in[def + 2] * ENUM_VALUE_SIZE))
			return false;
	}
	for (uint32_t i = 0; i < load16(d->in + 4); i++) {
		size_t def = pos;
		if (!skip(d, &pos, d->storage) || !skip_fields(d, &pos, load16(d->in + def + 6)))
			return false;
		if (d->storage == STORAGE_SIZE && !skip_fields(d, &pos, load16(d->in + def + 12)))
			return false;
	}
	for (uint32_t i = 0; i < load16(d->in + 6); i++) {
		size_t def = pos;
		if (!skip(d, &pos, EVENT_SIZE) || !skip_fields(d, &pos, load16(d->in + def + 4)))
			return false;
	}
	size_t from = pos;
	if (!skip(d, &pos, (uint64_t)load16(d->in + 8) * SUMMARY_FIELD_SIZE))
		return false;
	for (; from < pos; from += SUMMARY_FIELD_SIZE)
		if (!uscope_type_size(d->in[from + 2]))
			return false;
	*end = pos;
	return true;
}

/* storage_def has grown without a flag that says so, and some writers counted the header
 * with 14 bytes; that the definitions end where the pool begins settles it. */
static int
find_layout(struct decoder *d, unsigned minor, uint64_t *diag, size_t *pool)
{
	size_t want = load16(d->in + 10);
	size_t first = minor >= 3 ? STORAGE_SIZE : STORAGE_SIZE_OLD;
	size_t other = minor >= 3 ? STORAGE_SIZE_OLD : STORAGE_SIZE;
	size_t end = 0;

	d->end = want < d->size ? want : d->size;
	*pool = want;
	d->storage = other;
	bool fits_other = want <= d->size && find_end(d, &end) && end == want;
	d->storage = first;
	bool parsed = find_end(d, &end);
	if (parsed && end == want && want <= d->size)
		return 0;
	if (fits_other) {
		d->storage = other;
		diag[USCOPE_V_LAYOUT]++;
		return 0;
	}
	if (parsed && minor < 3 && end + 2 == want) {
		*pool = end;
		diag[USCOPE_V_POOL_BASE]++;
		return 0;
	}
	if (parsed && end < want && want <= d->size) {
		diag[USCOPE_N_POOL_GAP]++;
		return 0;
	}
	return bad(d, 10, parsed ? "the string pool does not begin behind the definitions" : "the definitions pass the string pool, or a field is of an unknown type");
}

/* ---- The definitions. All of them are inside d->end by now. ---- */

/* Offsets have 16 bits: what lies behind the first NUL after 65535 cannot be reached. */
static int
copy_pool(struct decoder *d, size_t pos)
{
	size_t n = d->size - pos;
	const uint8_t *in = d->in + pos;
	const uint8_t *nul = n > UINT16_MAX ? memchr(in + UINT16_MAX, 0, n - UINT16_MAX) : NULL;
	if (nul)
		n = (size_t)(nul - in) + 1;
	else if (n > UINT16_MAX)
		n = UINT16_MAX;
	while (n > 0 && in[n - 1])
		n--;
	char *p = schema_alloc(d->schema, n + 1);
	if (!p)
		return no_memory(d);
	memcpy(p, in, n);
	d->pool = p;
	d->pool_size = n;
	return 0;
}

static int
get_text(struct decoder *d, size_t pos, const char **text)
{
	uint16_t offset = load16(d->in + pos);
	if (offset >= d->pool_size)
		return bad(d, pos, "a name is outside of the string pool");
	*text = d->pool + offset;
	return 0;
}

static int
get_scope(struct decoder *d, size_t pos, uint16_t *scope)
{
	*scope = load16(d->in + pos);
	if (*scope != USCOPE_NONE && *scope >= d->schema->num_scopes)
		return bad(d, pos, "a scope that does not exist");
	return 0;
}

static int
get_id(struct decoder *d, size_t pos, uint32_t i)
{
	return load16(d->in + pos) == i ? 0 : bad(d, pos, "an id is not the number of its definition");
}

static int
get_fields(struct decoder *d, size_t *pos, uint16_t n, uscope_field_t **fields, uint32_t *size)
{
	*size = 0;
	if (n == 0)
		return 0;
	uscope_field_t *f = schema_alloc(d->schema, n * sizeof(*f));
	if (!f)
		return no_memory(d);
	*fields = f;
	for (uint32_t i = 0; i < n; i++, f++, *pos += FIELD_SIZE) {
		const uint8_t *p = d->in + *pos;
		if (get_text(d, *pos, &f->name))
			return d->error->status;
		f->type = p[2];
		f->size = (uint8_t)uscope_type_size(p[2]);
		f->offset = *size;
		if (f->type == USCOPE_ENUM) {
			if (p[3] >= d->schema->num_enums)
				return bad(d, *pos, "a field of an enum that does not exist");
			f->enum_id = p[3];
		}
		memcpy(f->ext, p + 4, sizeof(f->ext));
		*size += f->size;
	}
	return 0;
}

static int
get_clocks(struct decoder *d, size_t *pos)
{
	schema_t *s = d->schema;
	for (uint32_t i = 0; i < s->num_clocks; i++, *pos += CLOCK_SIZE) {
		if (get_text(d, *pos, &s->clocks[i].name) || get_id(d, *pos + 2, i))
			return d->error->status;
		s->clocks[i].period_ps = load32(d->in + *pos + 4);
	}
	return 0;
}

static int
get_scopes(struct decoder *d, size_t *pos)
{
	schema_t *s = d->schema;
	for (uint32_t i = 0; i < s->num_scopes; i++, *pos += SCOPE_SIZE) {
		uscope_scope_t *scope = &s->scopes[i];
		const uint8_t *p = d->in + *pos;
		if (get_text(d, *pos, &scope->name) || get_id(d, *pos + 2, i))
			return d->error->status;
		scope->parent = load16(p + 4);
		if (i == 0 ? scope->parent != USCOPE_NONE : scope->parent >= s->num_scopes)
			return bad(d, *pos, i ? "a scope whose parent does not exist" : "scope 0 has a parent");
		if (load16(p + 6) != USCOPE_NONE && get_text(d, *pos + 6, &scope->protocol))
			return d->error->status;
		scope->clock = p[8];
		if (scope->clock != USCOPE_INHERIT && scope->clock >= s->num_clocks)
			return bad(d, *pos, "a scope whose clock does not exist");
	}
	return 0;
}

/* Every scope must reach scope 0. Each is walked once: a walk ends where another has been. */
static int
check_tree(struct decoder *d, size_t pos)
{
	const schema_t *s = d->schema;
	uint32_t *seen = schema_alloc(d->schema, s->num_scopes * sizeof(*seen));
	if (!seen)
		return no_memory(d);
	for (uint32_t i = 1; i < s->num_scopes; i++) {
		uint32_t at = i;
		while (at != 0 && !seen[at]) {
			seen[at] = i;
			at = s->scopes[at].parent;
		}
		if (at != 0 && seen[at] == i)
			return bad(d, pos + (size_t)i * SCOPE_SIZE, "a scope is its own ancestor");
	}
	return 0;
}

static int
get_enums(struct decoder *d, size_t *pos)
{
	schema_t *s = d->schema;
	for (uint32_t i = 0; i < s->num_enums; i++) {
		uscope_enum_t *e = &s->enums[i];
		if (get_text(d, *pos, &e->name))
			return d->error->status;
		uint32_t n = d->in[*pos + 2];
		*pos += ENUM_SIZE;
		if (n && !(e->values = schema_alloc(s, n * sizeof(*e->values))))
			return no_memory(d);
		e->num_values = n;
		for (uint32_t k = 0; k < n; k++, *pos += ENUM_VALUE_SIZE) {
			e->values[k].value = d->in[*pos];
			if (get_text(d, *pos + 2, &e->values[k].name))
				return d->error->status;
		}
	}
	return 0;
}

static int
get_storages(struct decoder *d, size_t *pos, uint64_t *diag)
{
	schema_t *s = d->schema;
	for (uint32_t i = 0; i < s->num_storages; i++) {
		uscope_storage_t *st = &s->storages[i];
		const uint8_t *p = d->in + *pos;
		if (get_text(d, *pos, &st->name) || get_id(d, *pos + 2, i) || get_scope(d, *pos + 10, &st->scope))
			return d->error->status;
		st->num_slots = load16(p + 4);
		st->num_fields = load16(p + 6);
		st->flags = load16(p + 8);
		if (d->storage == STORAGE_SIZE)
			st->num_properties = load16(p + 12);
		if (st->flags & ~(USCOPE_SPARSE | USCOPE_BUFFER))
			diag[USCOPE_N_RESERVED]++;
		*pos += d->storage;
		if (get_fields(d, pos, st->num_fields, &st->fields, &st->slot_size) ||
			get_fields(d, pos, st->num_properties, &st->properties, &st->prop_size))
			return d->error->status;
	}
	return 0;
}

static int
get_events(struct decoder *d, size_t *pos)
{
	schema_t *s = d->schema;
	for (uint32_t i = 0; i < s->num_events; i++) {
		uscope_event_type_t *e = &s->events[i];
		if (get_text(d, *pos, &e->name) || get_id(d, *pos + 2, i) || get_scope(d, *pos + 6, &e->scope))
			return d->error->status;
		e->num_fields = load16(d->in + *pos + 4);
		*pos += EVENT_SIZE;
		if (get_fields(d, pos, e->num_fields, &e->fields, &e->payload_size))
			return d->error->status;
	}
	for (uint32_t i = 0; i < s->num_summary_fields; i++, *pos += SUMMARY_FIELD_SIZE) {
		uscope_summary_field_t *f = &s->summary_fields[i];
		if (get_text(d, *pos, &f->name) || get_scope(d, *pos + 4, &f->scope))
			return d->error->status;
		f->type = d->in[*pos + 2];
	}
	return 0;
}

static int
get_all(struct decoder *d, uint64_t *diag)
{
	schema_t *s = d->schema;
	s->num_enums = d->in[0];
	s->num_clocks = d->in[1];
	s->num_scopes = load16(d->in + 2);
	s->num_storages = load16(d->in + 4);
	s->num_events = load16(d->in + 6);
	s->num_summary_fields = load16(d->in + 8);
	if (s->num_clocks == 0 || s->num_scopes == 0)
		return bad(d, 0, "a schema needs a clock and a scope");
	if (s->num_clocks > MAX_CLOCKS || s->num_scopes > MAX_SCOPES)
		return bad(d, 0, "too many clocks or scopes");
	/* One element more, as arrays of none are allowed. */
	s->clocks = schema_alloc(s, (s->num_clocks + 1) * sizeof(*s->clocks));
	s->scopes = schema_alloc(s, (s->num_scopes + 1) * sizeof(*s->scopes));
	s->enums = schema_alloc(s, (s->num_enums + 1) * sizeof(*s->enums));
	s->storages = schema_alloc(s, (s->num_storages + 1) * sizeof(*s->storages));
	s->events = schema_alloc(s, (s->num_events + 1) * sizeof(*s->events));
	s->summary_fields = schema_alloc(s, (s->num_summary_fields + 1) * sizeof(*s->summary_fields));
	if (!s->clocks || !s->scopes || !s->enums || !s->storages || !s->events || !s->summary_fields)
		return no_memory(d);

	size_t pos = SCHEMA_HEADER_SIZE;
	if (get_clocks(d, &pos))
		return d->error->status;
	size_t scopes = pos;
	if (get_scopes(d, &pos) || check_tree(d, scopes) || get_enums(d, &pos) || get_storages(d, &pos, diag))
		return d->error->status;
	return get_events(d, &pos);
}

/* The pairs of the DUT are offsets into the same pool. */
static int
get_dut(struct decoder *d, const struct schema_bytes *bytes, dut_desc_t *dut)
{
	uint32_t n = bytes->dut_size < 4 ? 0 : load16(bytes->dut);
	if (bytes->dut_size < 4 || bytes->dut_size - 4 < (size_t)n * 4)
		return status_set(d->error, USCOPE_E_PREAMBLE, -1, 0, "the description of the DUT is cut off");
	dut_property_t *p = schema_alloc(d->schema, (n + 1) * sizeof(*p));
	if (!p)
		return no_memory(d);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *pair = bytes->dut + 4 + (size_t)i * 4;
		if (load16(pair) >= d->pool_size || load16(pair + 2) >= d->pool_size)
			return status_set(d->error, USCOPE_E_SCHEMA, -1, d->at, "property %u of the DUT is outside of the string pool", i);
		p[i] = (dut_property_t){ d->pool + load16(pair), d->pool + load16(pair + 2) };
	}
	*dut = (dut_desc_t){ p, n };
	return 0;
}

int
schema_decode(const struct schema_bytes *bytes, unsigned minor, uint64_t at, uint64_t *diag,
	schema_t **schema, dut_desc_t *dut, uscope_error_t *error)
{
	struct decoder d = { .in = bytes->schema, .size = bytes->schema_size, .at = at, .error = error };
	size_t pool;
	if (d.size < SCHEMA_HEADER_SIZE)
		return status_set(error, USCOPE_E_PREAMBLE, -1, at, "the schema is cut off");
	if (find_layout(&d, minor, diag, &pool))
		return error->status;
	if (!(d.schema = uscope_schema_new()))
		return no_memory(&d);
	if (copy_pool(&d, pool) || get_all(&d, diag) || get_dut(&d, bytes, dut)) {
		uscope_schema_free(d.schema);
		return error->status;
	}
	/* A reference taken and dropped: what was read does not change any more. */
	uscope_schema_free((schema_t *)schema_ref(d.schema));
	*schema = d.schema;
	return 0;
}
