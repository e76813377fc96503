/* SPDX-License-Identifier: MIT */
#ifndef LZ4FRAMES_H
#define LZ4FRAMES_H

/* lz4frames: frames of version 0.2 as one LZ4 block. liblz4 looks for something to repeat
 * at every byte, and finds little where times differ; this looks only where an item begins,
 * as items are what repeats. Who makes the frames may know more than that: the block is
 * made bit by bit, and he says which bytes are as some before them. Any LZ4 decoder reads
 * the block. */

#include "lz4block.h"

enum {
	LZ4FRAMES_SLOTS = 8192,
	LZ4FRAMES_LEAD = 4, /* room before the block, for its prefix */
};

/* Positions are in the bytes that are packed. */
struct lz4frames {
	uint8_t *out; /* LZ4FRAMES_LEAD bytes, then the block */
	size_t out_cap;
	size_t size;   /* of the block so far */
	size_t next;   /* the first byte that is not in it */
	size_t walked; /* where to go on to look */
	size_t last;   /* where its last match begins, with its literals */
	/* Where items like one were seen last: positions in 16 bits, as no match is farther. */
	uint16_t items[LZ4FRAMES_SLOTS]; /* by all of an operation, or the begin of an event */
	uint16_t heads[LZ4FRAMES_SLOTS]; /* by the same without the value */
};

/* Nothing is packed. */
void lz4frames_reset(struct lz4frames *z);
void lz4frames_finish(struct lz4frames *z);

/* Room for the block of n bytes, whatever they are. false: out of memory, and the block is
 * as it was. */
bool lz4frames_reserve(struct lz4frames *z, size_t n);

/* Looks what repeats in the frames up to n, which is never less than before; with other
 * bytes it is a good block too, but not a small one. All that follow reserve() for n, and
 * `in` has all of that. */
void lz4frames_walk(struct lz4frames *z, const uint8_t *in, size_t n);

/* The block of n bytes, which is complete then: no match ends behind them. Returns its size. */
size_t lz4frames_end(struct lz4frames *z, const uint8_t *in, size_t n);

/* The block as it is, until the next reserve(), for who knows what repeats, and what it has
 * become. Frames up to `walked` are not walked again: nothing that walk() or sets() have
 * looked at is behind it, as what they remember must lie before what comes. end: of what may
 * be read. */
struct lz4block lz4frames_block(const struct lz4frames *z, const uint8_t *in, const uint8_t *end);
void lz4frames_keep(struct lz4frames *z, const struct lz4block *k, size_t walked);

/* The SETs from p to end, whole ones and nothing else, behind all that was looked at: looks
 * whether there were such before, with other values. */
void lz4frames_sets(struct lz4frames *z, struct lz4block *k, const uint8_t *p, const uint8_t *end);

#endif
