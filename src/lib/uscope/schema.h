/* SPDX-License-Identifier: MIT */
#ifndef SCHEMA_H
#define SCHEMA_H

/* schema: the definitions of a µScope file in memory, built by an application (schema.c)
 * or decoded from a file (schemacode.c). Layout of the bytes: doc/format/uscope.md,
 * "Schema". */

#include "uscope.h"

enum {
	/* Offsets are of 16 bits, and 0xFFFF is none of them. */
	SCHEMA_MAX_BYTES = 65535, /* of the definitions with their header; of the string pool */
	MAX_CLOCKS = 255,         /* 0xFF is "inherit" */
	MAX_ENUMS = 255,
	MAX_ENUM_VALUES = 255,
	MAX_SCOPES = 65535, /* 0xFFFF is "none" */
	MAX_DEFS = 65535,   /* of any other kind */
};

/* A reference more: uscope_schema_free drops one. Never fails; also freezes the schema:
 * from now on the functions that add to it return E_STATE. Safe from several threads. */
const uscope_schema_t *schema_ref(const uscope_schema_t *schema);

/* Memory that lives as long as the schema: zeroed, NULL: none left. */
void *schema_alloc(uscope_schema_t *schema, size_t n);

/* All rules that a writer must meet: ids, parents, ceilings. 0, or E_SCHEMA or E_LIMIT
 * with a reason. */
int schema_check(const uscope_schema_t *schema, uscope_error_t *error);

/* The payloads of the chunks DUT and SCHEMA. Caller frees the two with free(). 0, E_ARG,
 * E_LIMIT, E_NOMEM. */
struct schema_bytes {
	uint8_t *dut;
	uint8_t *schema;
	size_t dut_size;
	size_t schema_size;
};

int schema_encode(
	const uscope_schema_t *schema, const uscope_dut_desc_t *dut, struct schema_bytes *bytes, uscope_error_t *error);

/* Which layout the definitions of a file have: the bytes of the definition of a storage, and where the string
 * pool begins. Arguments and errors as those of schema_decode(). */
int schema_layout(const struct schema_bytes *bytes, unsigned minor, uint64_t at, uint64_t *diag, size_t *storage, size_t *pool,
	uscope_error_t *error);

/* The other way. minor: of the file header. diag: counters by enum uscope_diag, added to.
 * at: offset of the schema payload in the file, for the error. The pairs of the DUT
 * belong to the schema. 0, E_SCHEMA, E_PREAMBLE (DUT too short), E_NOMEM. */
int schema_decode(const struct schema_bytes *bytes, unsigned minor, uint64_t at, uint64_t *diag,
	uscope_schema_t **schema, uscope_dut_desc_t *dut, uscope_error_t *error);

#endif
