/* SPDX-License-Identifier: MIT */
#ifndef LZ4FRAMES_H
#define LZ4FRAMES_H

/* lz4frames: frames of version 0.2 as one LZ4 block. liblz4 looks for something to repeat
 * at every byte, and finds little where times differ; this looks only where an item begins,
 * as items are what repeats. Any LZ4 decoder reads the block. */

#include <stddef.h>
#include <stdint.h>

enum {
	LZ4FRAMES_SLOTS = 8192,
};

/* Where items like one were seen last: positions in 16 bits, as no match is farther. */
struct lz4frames {
	uint16_t items[LZ4FRAMES_SLOTS]; /* by all of an operation, or the begin of an event */
	uint16_t heads[LZ4FRAMES_SLOTS]; /* by the same without the value */
};

/* Room that n bytes may need. */
size_t lz4frames_bound(size_t n);

/* The block for n bytes, whole frames; with other bytes it is a good block too, but not a
 * small one. `out` has lz4frames_bound(n). Returns the size of the block. */
size_t lz4frames_pack(struct lz4frames *z, const uint8_t *in, size_t n, uint8_t *out);

#endif
