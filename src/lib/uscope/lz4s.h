/* SPDX-License-Identifier: MIT */
#ifndef LZ4S_H
#define LZ4S_H

/* lz4s: decodes one raw LZ4 block piece by piece. liblz4 wants a block whole in memory,
 * and one of a hostile or a very large file may be 1 GiB; this needs 64 KiB of history.
 * Slower than liblz4 (test/uscope/read/lz4s.c compares what they give). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LZ4S_HISTORY = 64 * 1024, /* how far back a match may be */
};

struct lz4s {
	uint64_t size;   /* what the block must give */
	uint64_t done;   /* what it gave */
	uint64_t left;   /* bytes of the literals or of the match in work */
	uint32_t offset; /* of the match */
	uint8_t token;
	uint8_t stage;
};

/* size: of the decoded block. */
void lz4s_init(struct lz4s *s, uint64_t size);

/* Takes bytes from *in up to in_end and appends to *out up to out_end; before *out lie the
 * last bytes given before, LZ4S_HISTORY of them or all. Stops when either is used up.
 * out NULL: counts only. false: not a block of that size. */
bool lz4s_run(struct lz4s *s, const uint8_t **in, const uint8_t *in_end, uint8_t **out, const uint8_t *out_end);

/* All input was given: is that a whole block of the size? */
bool lz4s_complete(const struct lz4s *s);

#endif
