/* SPDX-License-Identifier: MIT */
#ifndef WIRE_H
#define WIRE_H

/* wire: the bytes of a runtime stream, for writers and readers.
 *
 * Stream: 8 bytes of header, then events back to back.
 *
 *   offset size  header
 *   0      4     magic, "ovni"
 *   4      4     version, 1
 *
 *   offset size  event
 *   0      1     flags: low nibble = payload code, 0x10 = jumbo
 *   1      3     model, category, value
 *   4      8     clock, ns
 *   12     n     payload: code 0 is none, code c in 1..15 is c + 1 bytes
 *
 * A jumbo event has a 4-byte count N at offset 12 (whatever its code) and N bytes
 * behind. Integers are little-endian, nothing is aligned. Defined in doc/format/trace.md. */

#include "little.h"

#include <stdint.h>
#include <string.h>

enum {
	WIRE_STREAM_HEADER = 8,  /* bytes before the first event */
	WIRE_EVENT_HEADER = 12,  /* bytes of an event without payload */
	WIRE_JUMBO_HEADER = 16,  /* bytes of a jumbo event before its data */
	WIRE_PAYLOAD_MAX = 16,   /* bytes of payload of a normal event */
	WIRE_JUMBO = 0x10,       /* flag of a jumbo event */
	WIRE_STREAM_VERSION = 1, /* the only one there has been */
};

#define WIRE_MAGIC "ovni"

/* Loads from any address. */
static inline uint32_t
wire_u32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline int32_t
wire_i32(const uint8_t *p)
{
	int32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t
wire_u64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline int64_t
wire_i64(const uint8_t *p)
{
	int64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* Size in bytes of the event at p, of which `have` bytes may be read.
 * Returns 0 when `have` is too small to know. The result may be larger than `have`
 * (up to 2^32 + 15): compare it before touching the rest. */
static inline uint64_t
wire_event_size(const uint8_t *p, uint64_t have)
{
	if (have < WIRE_EVENT_HEADER)
		return 0;
	if (p[0] & WIRE_JUMBO) {
		if (have < WIRE_JUMBO_HEADER)
			return 0;
		return (uint64_t)WIRE_JUMBO_HEADER + wire_u32(p + WIRE_EVENT_HEADER);
	}
	unsigned code = p[0] & 0x0fu;
	return WIRE_EVENT_HEADER + code + (code != 0);
}

#endif
