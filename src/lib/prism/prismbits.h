/* SPDX-License-Identifier: MIT */
#ifndef PRISMBITS_H
#define PRISMBITS_H

/* prismbits: what reading and writing of events share. The bytes are defined in
 * doc/format/prism.md. */

#include "prism.h"

#include <string.h>

enum {
	PRISM_ADDRESS = 7, /* bytes of an address and of an id */

	/* Of sync and context: */
	PRISM_DETAIL_TYPE = 0x80,
	PRISM_DETAIL_METADATA = 0x40,
};

static inline uint64_t
prism_load64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline uint32_t
prism_load32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

/* Whether a context has a name, not an id. */
static inline bool
prism_is_named(unsigned type)
{
	return type >= PRISM_FUNC_ENTER && type != PRISM_THREAD;
}

/* Sets what is in force for a kind below PRISM_KINDS, and what follows from it. */
void prism_set_detail(struct prism_state *st, unsigned kind, uint8_t detail);

/* Whether the bytes are UTF-8 without NUL. */
bool prism_is_text(const uint8_t *p, size_t n);

#endif
