/* SPDX-License-Identifier: MIT */
#ifndef CHUNKS_H
#define CHUNKS_H

/* chunks: the window of a stream that the chunks of a ring make (tail.h), of a thread that goes on, or copied. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tail.h"

/* The chunks that make the stream, of those that are `stride` bytes apart, in its order. Returns how many. */
unsigned chunks_order(const uint8_t *map, size_t stride, const struct tail *chunks[RING_CHUNKS]);

/* Writes the window as a stream. Returns 0, or -1 with errno set. */
int chunks_write(const uint8_t *map, size_t stride, const char *path);

/* Copies a ring that is written to meanwhile. Returns whether the copy has the newest chunk, and all others but one. */
bool chunks_copy(uint8_t *copy, uint8_t *map, size_t stride);

#endif
