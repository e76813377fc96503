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
 *   40     8     0
 *   48     8     offset
 *   56     8     used
 *   64           events, as in wire.h
 *
 * Integers are little-endian. Defined in doc/format/trace.md. */

#include "little.h"

#include <stdatomic.h>
#include <stdint.h>

#define TAIL_NAME "stream.tail"
#define TAIL_MAGIC "ovnitail"

enum {
	TAIL_VERSION = 1,
	TAIL_HEADER = 64,
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
	uint64_t reserved;
	_Atomic uint64_t offset;
	_Atomic uint64_t used;
	uint8_t events[];
};

_Static_assert(sizeof(struct tail) == TAIL_HEADER, "header of a tail");

#endif
