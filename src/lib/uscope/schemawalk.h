/* SPDX-License-Identifier: MIT */
#ifndef SCHEMAWALK_H
#define SCHEMAWALK_H

/* schemawalk: the definitions of a schema as bytes. One walk over them reads them, checks them or writes them, so that the
 * three agree; the first error ends it. Layout of the bytes: doc/format/uscope.md, "Schema". */

#include "schema.h"
#include "textset.h"

enum schemawalk_pass {
	WALK_READ,
	WALK_CHECK,
	WALK_WRITE,
};

/* A walk. Whoever begins it sets pass, schema, storage and error, and what the pass needs. */
struct schemawalk {
	enum schemawalk_pass pass;
	uscope_schema_t *schema; /* changed by WALK_READ only */
	size_t pos;              /* of the definition in work */
	const char *kind;        /* of it, and its number */
	uint32_t id;
	size_t storage; /* bytes of the definition of a storage */
	int status;     /* the first error, or 0 */
	uscope_error_t *error;

	/* WALK_READ: all definitions are inside of `in`. */
	const uint8_t *in;
	uint64_t at;      /* offset of `in` in the file */
	const char *pool; /* a copy that belongs to the schema */
	size_t pool_size; /* up to the last NUL */
	uint64_t *diag;

	/* WALK_WRITE. */
	uint8_t *out;
	struct textset texts; /* the caller finishes it */
};

/* Goes through all definitions; pos becomes their size. Returns 0, or the first error. */
int schemawalk_all(struct schemawalk *c);

/* A text of the definition at pos, `at` bytes from its begin: its offset in the pool. of_memory: how it is told that a
 * definition in memory has none. */
void schemawalk_text(struct schemawalk *c, size_t at, const char **t, const char *of_memory);

bool schemawalk_is_text(const char *t);

/* Keep the first error. pos: offset in the bytes that are read. */
void schemawalk_refuse(struct schemawalk *c, int status, size_t pos, const char *why);
void schemawalk_no_memory(struct schemawalk *c);

#endif
