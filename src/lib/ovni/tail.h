/* SPDX-License-Identifier: MIT */
#ifndef TAIL_H
#define TAIL_H

/* tail: the bytes of stream.tail, for writers and readers.
 *
 * A thread keeps its newest events in a file beside its stream, which is mapped into its memory:
 * what is in the map is in the page cache, and is there when the process is not (only a machine
 * that goes down loses it). From time to time all of it is written to stream.obs, at the end of
 * the thread the file is removed.
 *
 * Events of the stream are those of stream.obs up to `offset`, and then `used` bytes of the tail;
 * if stream.obs reaches offset + used or further, the tail has nothing that it has not. That holds
 * at each instruction of the writer: a flush writes to stream.obs, sets used to 0, and then offset.
 * An event counts for `used` when all its bytes are there.
 *
 *   offset size  header
 *   0      8     magic, "ovnitail"
 *   8      4     version, 1
 *   12     4     ended: enum tail_ended
 *   16     8     capacity, bytes of events that the file has room for
 *   24     8     lost, events that neither file has
 *   32     8     when the first of them was lost, ns
 *   40     4     0
 *   44     4     0
 *   48     8     offset
 *   56     8     used
 *   64           events, as in wire.h
 *
 * With OVNI_RING a thread keeps only its last events, in stream.ring: RING_CHUNKS chunks one behind the
 * other, each laid out as a tail and of the same capacity, used in turns. Here
 *
 *   offset size  header of a chunk
 *   0      8     magic, "ovniring"
 *   40     4     shared, bytes of the snapshot that concern the whole process, behind its OHx
 *   44     4     snapshot, bytes of events that are not of the stream, at the begin of the chunk: what
 *                was open then (opens.h)
 *   48     8     offset of the events behind the snapshot; UINT64_MAX: the chunk is being overwritten
 *   56     8     used, with the snapshot
 *
 * The stream is the snapshot of the chunk with the lowest offset, then the events of all chunks in the order
 * of their offsets. A chunk of which the next lower one does not end at its offset begins a new
 * window: what is lower is left out. That holds at each instruction of the writer. Once stream.obs has more
 * than its header, it has all of the ring.
 *
 * Integers are little-endian. Defined in doc/format/trace.md. */

#include "little.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TAIL_NAME "stream.tail"
#define TAIL_MAGIC "ovnitail"
#define RING_NAME "stream.ring"
#define RING_MAGIC "ovniring"

enum {
	TAIL_VERSION = 1,
	TAIL_HEADER = 64,
	RING_CHUNKS = 8,
};

/* How the process ended, as far as the library saw it. */
enum tail_ended {
	TAIL_RUNNING, /* it runs, or was killed */
	TAIL_EXIT,    /* exit(), or main() returned */
	TAIL_ABORT,   /* abort() */
};

struct tail {
	char magic[8];
	uint32_t version;
	_Atomic uint32_t ended;
	uint64_t capacity;
	_Atomic uint64_t lost;
	_Atomic uint64_t lost_since;
	_Atomic uint32_t shared;
	_Atomic uint32_t snapshot;
	_Atomic uint64_t offset;
	_Atomic uint64_t used;
	uint8_t events[];
};

_Static_assert(sizeof(struct tail) == TAIL_HEADER, "header of a tail");

/* Bytes of the stream that a chunk has. */
static inline uint64_t
ring_own(const struct tail *c)
{
	return c->used - c->snapshot;
}

static inline bool
ring_chunk_is_good(const struct tail *c)
{
	return memcmp(c->magic, RING_MAGIC, sizeof(c->magic)) == 0 && c->version == TAIL_VERSION && c->offset != UINT64_MAX &&
		c->shared <= c->snapshot && c->snapshot <= c->used && c->used <= c->capacity;
}

/* The chunks that make the stream, of `n` headers, in the order of the stream. Returns how many. */
static inline unsigned
ring_order(const struct tail *const chunks[RING_CHUNKS], unsigned n, const struct tail *order[RING_CHUNKS])
{
	unsigned k = 0, first;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = k;
		if (!ring_chunk_is_good(chunks[i]))
			continue;
		for (; at > 0 && order[at - 1]->offset > chunks[i]->offset; at--)
			order[at] = order[at - 1];
		order[at] = chunks[i];
		k++;
	}
	for (first = k; first > 0; first--)
		if (first < k && order[first - 1]->offset + ring_own(order[first - 1]) != order[first]->offset)
			break;
	memmove(order, order + first, (k - first) * sizeof(struct tail *));
	return k - first;
}

#endif
