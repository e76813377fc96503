/* SPDX-License-Identifier: MIT */
#ifndef PRISM_BITS_H
#define PRISM_BITS_H

/* bits: shared by reading and writing of events. The bytes are defined in
 * doc/format/prism.md. */

#include "little.h"
#include "prism.h"

#include <string.h>

enum {
	PRISM_ADDRESS = 7, /* bytes of an address and of an id */

	/* Bits of the byte `detail` of sync and context: */
	PRISM_DETAIL_TYPE = 0x80,
	PRISM_DETAIL_METADATA = 0x40,
};

/* The fields of the first byte have the same offsets for memory and compute: short events of
 * both kinds are read without a branch. */
_Static_assert(offsetof(struct prism_mem, has) == offsetof(struct prism_comp, has), "has");
_Static_assert(offsetof(struct prism_mem, type) == offsetof(struct prism_comp, format), "type");
_Static_assert(offsetof(struct prism_mem, bytes) == offsetof(struct prism_comp, bytes), "size");
_Static_assert(sizeof(struct prism_mem) == sizeof(struct prism_comp), "all of a compute event is set");

static inline uint64_t
prism_load64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
prism_load32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* The low n bytes, the lowest first. */
static inline void
prism_store(uint8_t *p, uint64_t v, size_t n)
{
	memcpy(p, &v, n);
}

/* Sets the level of detail of a kind below PRISM_KINDS, and the state derived from it. */
void prism_set_detail(struct prism_state *st, unsigned kind, uint8_t detail);

/* Whether the bytes are UTF-8 without NUL. */
bool prism_is_text(const uint8_t *p, size_t n);

#endif
