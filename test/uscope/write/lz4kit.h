/* SPDX-License-Identifier: MIT */
#ifndef LZ4KIT_H
#define LZ4KIT_H

/* lz4kit: frames to be packed, and what any LZ4 block of them must be. */

#include "lz4frames.h"

#include "../../check.h"

enum {
	LZ4KIT_MAX = 300 * 1000,                   /* bytes to be packed */
	LZ4KIT_ROOM = LZ4KIT_MAX + LZ4KIT_MAX / 8, /* of each buffer */
};

/* Where random numbers go on. */
extern uint64_t lz4kit_seed;
uint64_t lz4kit_below(uint64_t n);

/* Nobody may touch the pages before and behind these. */
extern uint8_t *lz4kit_in_begin;
extern uint8_t *lz4kit_in_end;
extern uint8_t *lz4kit_out_begin;
extern uint8_t *lz4kit_out_end;
/* Argument: a seed. */
void lz4kit_init(int argc, char **argv);

struct lz4kit_shape {
	unsigned slots;
	unsigned values;
	bool wide;    /* some frames are */
	bool mixed;   /* some items are, in any frame */
	bool events;  /* some items are */
	bool slow;    /* times are long numbers */
	uint64_t all; /* different frames */
};

/* Makes about n bytes, LZ4KIT_MAX at most; returns how many. */
size_t lz4kit_frames(uint8_t *to, size_t n, const struct lz4kit_shape *s);
/* The same of random shapes and sizes; some are cut or damaged, and then have no runs of SETs. */
size_t lz4kit_random(uint8_t *to);
/* Of what was made last: begin and end of the runs of SETs, and the first frame of n bytes
 * from somewhere on, or n. */
extern size_t lz4kit_sets[LZ4KIT_MAX][2];
extern size_t lz4kit_nsets;
size_t lz4kit_frame_from(size_t at, size_t n);

/* Makes a block of n bytes, and returns its size; `end` of what may be read. */
typedef size_t lz4kit_make(const uint8_t *in, size_t n, const uint8_t *end);
/* Where it is made. The room at `out` is no more than what reserve() takes for n. Returns
 * where the block will be. */
extern struct lz4frames lz4kit_z;
uint8_t *lz4kit_begin(size_t n, uint8_t *out);
size_t lz4kit_bound(size_t n);

/* Makes it at both ends of what may be read and written, over bytes of any kind. Returns the
 * size. */
size_t lz4kit_pack(const uint8_t *in, size_t n, lz4kit_make *make);
/* Sequences are as the format wants them, and two decoders give the input. */
void lz4kit_check(const uint8_t *out, size_t k, const uint8_t *in, size_t n);

/* Bytes for a length behind the token, and of a block without a match. */
size_t lz4kit_more(size_t n);
size_t lz4kit_literals(size_t n);

#endif
