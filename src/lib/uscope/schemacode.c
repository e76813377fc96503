/* SPDX-License-Identifier: MIT */
/* schemacode: a schema and the DUT as chunks of a file: checked, encoded, decoded. */
#include "layout.h"
#include "schema.h"
#include "schemawalk.h"
#include "status.h"

#include <stdlib.h>

int
schema_check(const uscope_schema_t *schema, uscope_error_t *error)
{
	struct schemawalk c = { .pass = WALK_CHECK, .schema = (uscope_schema_t *)schema, .storage = STORAGE_SIZE, .error = error };
	if (!schemawalk_all(&c) && c.pos > SCHEMA_MAX_BYTES)
		schemawalk_refuse(&c, USCOPE_E_LIMIT, 0, "the definitions need more than 65535 bytes");
	return c.status;
}

static int
check_dut(const uscope_dut_desc_t *dut, uscope_error_t *error)
{
	if (dut->num_properties > UINT16_MAX)
		return status_set(error, USCOPE_E_LIMIT, -1, 0, "more than 65535 properties of the DUT");
	for (uint32_t i = 0; i < dut->num_properties; i++) {
		const uscope_dut_property_t *p = &dut->properties[i];
		if (!schemawalk_is_text(p->key) || !schemawalk_is_text(p->value))
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
	struct schemawalk c = { .pass = WALK_WRITE, .schema = (uscope_schema_t *)schema, .storage = STORAGE_SIZE, .error = error };
	uint8_t *out = c.out = calloc(2, SCHEMA_MAX_BYTES); /* definitions, and texts */
	uint8_t *pairs = calloc(dut->num_properties + (size_t)1, 4);
	bool whole = false;
	if (!out || !pairs)
		schemawalk_no_memory(&c);
	else if (!schemawalk_all(&c)) {
		size_t defs = c.pos;
		c.out = pairs;
		c.pos = 0;
		store16(pairs, (uint16_t)dut->num_properties);
		for (uint32_t i = 0; i < dut->num_properties && !c.status; i++) {
			uscope_dut_property_t p = dut->properties[i];
			c.pos += 4;
			schemawalk_text(&c, 0, &p.key, "");
			schemawalk_text(&c, 2, &p.value, "");
		}
		store16(out + 10, (uint16_t)defs);
		if (c.texts.size)
			memcpy(out + defs, c.texts.data, c.texts.size);
		*bytes = (struct schema_bytes){ pairs, out, c.pos + 4, defs + c.texts.size };
		whole = !c.status;
	}
	if (!whole) {
		free(out);
		free(pairs);
		*bytes = (struct schema_bytes){ 0 };
	}
	textset_finish(&c.texts);
	return c.status;
}

/* Offsets have 16 bits: what lies behind the first NUL after 65535 cannot be reached. */
static void
copy_pool(struct schemawalk *c, const uint8_t *in, size_t n)
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
		schemawalk_no_memory(c);
	c->pool = p;
	c->pool_size = n;
}

/* The pairs of the DUT are offsets into the same pool. */
static int
read_dut(struct schemawalk *c, const struct schema_bytes *bytes, uscope_dut_desc_t *dut)
{
	uint32_t n = bytes->dut_size < 4 ? 0 : load16(bytes->dut);
	if (bytes->dut_size < 4 || bytes->dut_size - 4 < (size_t)n * 4)
		return status_set(c->error, USCOPE_E_PREAMBLE, -1, 0, "the description of the DUT is cut off");
	uscope_dut_property_t *p = schema_alloc(c->schema, (n + 1) * sizeof(*p));
	if (!p)
		schemawalk_no_memory(c);
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
	struct schemawalk c = { .pass = WALK_READ, .in = bytes->schema, .at = at, .diag = diag, .error = error };
	size_t pool;
	int status = schema_layout(bytes, minor, at, diag, &c.storage, &pool, error);
	if (status)
		return status;
	if (!(c.schema = uscope_schema_new()))
		return status_set(error, USCOPE_E_NOMEM, -1, at, "out of memory");
	copy_pool(&c, bytes->schema + pool, bytes->schema_size - pool);
	if (c.status || schemawalk_all(&c) || read_dut(&c, bytes, dut)) {
		uscope_schema_free(c.schema);
		return error->status;
	}
	/* A reference taken and dropped: what was read does not change any more. */
	uscope_schema_free((uscope_schema_t *)schema_ref(c.schema));
	*schema = c.schema;
	return 0;
}
