/* SPDX-License-Identifier: MIT */
#ifndef LZ4FRAMES_H
#define LZ4FRAMES_H

/* lz4frames: frames of version 0.2 as one LZ4 block. liblz4 looks for something to repeat
 * at every byte, and finds little where times differ; this looks only where an item begins,
 * since whole items repeat. The block grows in parts, so the caller can add matches that it
 * knows of without any search. Any LZ4 decoder reads the block. */

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
	size_t walked; /* the search goes on here */
	size_t last;   /* where its last match begins, with its literals */
	/* The last position of each kind of item, by hash; 16 bits, as matches reach no farther. */
	uint16_t items[LZ4FRAMES_SLOTS]; /* hash of a whole operation, or of the begin of an event */
	uint16_t heads[LZ4FRAMES_SLOTS]; /* hash without the value */
};

/* Begins a new block. */
void lz4frames_reset(struct lz4frames *z);
void lz4frames_finish(struct lz4frames *z);

/* Room for the block of n bytes, whatever they are. false: out of memory, and the block is
 * as it was. */
bool lz4frames_reserve(struct lz4frames *z, size_t n);

/* Packs the frames up to n, which never decreases, or the first of them: all that begin before `stop`. Bytes
 * that are no frames give a valid block too, but not a small one. Like all functions below, it follows
 * reserve() for n bytes, which `in` has. */
void lz4frames_walk(struct lz4frames *z, const uint8_t *in, size_t n, size_t stop);

/* The block of n bytes, which is complete then: no match ends behind them. Returns its size. */
size_t lz4frames_end(struct lz4frames *z, const uint8_t *in, size_t n);

/* Hands the block out to a caller that adds matches itself, until the next reserve(); keep() takes it
 * back. end: of the bytes that can be read. Frames up to `walked` are not searched again: nothing behind
 * it has been hashed by walk() or sets(), whose positions must lie before all that follows. */
struct lz4block lz4frames_block(const struct lz4frames *z, const uint8_t *in, const uint8_t *end);
void lz4frames_keep(struct lz4frames *z, const struct lz4block *k, size_t walked);

/* Packs the bytes from p to end, which are whole SETs behind all that was searched: searches for SETs of
 * the same places with other values. */
void lz4frames_sets(struct lz4frames *z, struct lz4block *k, const uint8_t *p, const uint8_t *end);

#endif
