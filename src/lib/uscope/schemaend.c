/* SPDX-License-Identifier: MIT */
/* schemaend: where the definitions of a schema in a file end, and so what size they have. */
#include "layout.h"
#include "schema.h"
#include "status.h"

struct layout {
	const uint8_t *in;
	size_t end;     /* of the definitions, at most */
	size_t storage; /* bytes of a definition of a storage */
};

static bool
skip(const struct layout *l, size_t *pos, uint64_t n)
{
	if (n > l->end - *pos)
		return false;
	*pos += (size_t)n;
	return true;
}

/* Skips definitions of things with a type, in 8 bytes each. Without a known type they have no size, and
 * nothing behind could be read. */
static bool
skip_typed(const struct layout *l, size_t *pos, uint32_t n)
{
	size_t from = *pos;
	if (!skip(l, pos, (uint64_t)n * FIELD_SIZE))
		return false;
	for (; from < *pos; from += FIELD_SIZE)
		if (!uscope_type_size(l->in[from + 2]))
			return false;
	return true;
}

/* Finds the end, if the definition of a storage has so many bytes. */
static bool
find_end(const struct layout *l, size_t *end)
{
	size_t pos = SCHEMA_HEADER_SIZE;
	if (pos > l->end || !skip(l, &pos, (uint64_t)l->in[1] * CLOCK_SIZE) ||
		!skip(l, &pos, (uint64_t)load16(l->in + 2) * SCOPE_SIZE))
		return false;
	for (uint32_t i = 0; i < l->in[0]; i++) {
		size_t def = pos;
		if (!skip(l, &pos, ENUM_SIZE) || !skip(l, &pos, (uint64_t)l->in[def + 2] * ENUM_VALUE_SIZE))
			return false;
	}
	for (uint32_t i = 0; i < load16(l->in + 4); i++) {
		size_t def = pos;
		if (!skip(l, &pos, l->storage) || !skip_typed(l, &pos, load16(l->in + def + 6)))
			return false;
		if (l->storage == STORAGE_SIZE && !skip_typed(l, &pos, load16(l->in + def + 12)))
			return false;
	}
	for (uint32_t i = 0; i < load16(l->in + 6); i++) {
		size_t def = pos;
		if (!skip(l, &pos, EVENT_SIZE) || !skip_typed(l, &pos, load16(l->in + def + 4)))
			return false;
	}
	*end = pos;
	return skip_typed(l, end, load16(l->in + 8));
}

/* The definition of a storage has grown without a flag that says so, and some writers counted the header
 * with 14 bytes; that the definitions end where the pool begins settles it. */
int
schema_layout(const struct schema_bytes *bytes, unsigned minor, uint64_t at, uint64_t *diag, size_t *storage, size_t *pool,
	uscope_error_t *error)
{
	size_t size = bytes->schema_size;
	if (size < SCHEMA_HEADER_SIZE)
		return status_set(error, USCOPE_E_PREAMBLE, -1, at, "the schema is cut off");
	size_t want = load16(bytes->schema + 10);
	size_t other = minor >= 3 ? STORAGE_SIZE_OLD : STORAGE_SIZE;
	size_t end = 0;
	struct layout l = { bytes->schema, want < size ? want : size, other };

	*pool = want;
	bool fits_other = want <= size && find_end(&l, &end) && end == want;
	*storage = l.storage = STORAGE_SIZE + STORAGE_SIZE_OLD - other;
	bool parsed = find_end(&l, &end);
	if (parsed && end == want && want <= size)
		return 0;
	if (fits_other) {
		*storage = other;
		diag[USCOPE_V_LAYOUT]++;
		return 0;
	}
	if (parsed && minor < 3 && end + 2 == want) {
		*pool = end;
		diag[USCOPE_V_POOL_BASE]++;
		return 0;
	}
	if (parsed && end < want && want <= size) {
		diag[USCOPE_N_POOL_GAP]++;
		return 0;
	}
	return status_set(error, USCOPE_E_SCHEMA, -1, at + 10, "%s",
		parsed ? "the string pool does not begin behind the definitions" : "the definitions pass the string pool, or a field is of an unknown type");
}
