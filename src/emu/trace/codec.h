/* SPDX-License-Identifier: MIT */
#ifndef CODEC_H
#define CODEC_H

/* codec: streaming decompression of the frame formats of zstd and LZ4, and of gzip. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codec;

enum codec_kind {
	CODEC_NONE,
	CODEC_ZSTD,
	CODEC_LZ4,
	CODEC_GZIP,
	CODEC_KINDS,
};

/* The end of a file's name for each kind. A file is preferred to those of later kinds beside it. */
extern const char *const codec_ends[CODEC_KINDS];

/* What the name of a file says of its compression. */
enum codec_kind codec_kind(const char *path);

/* The length of a name without that. */
size_t codec_stem(const char *path);

/* Whether a name is the stem, and behind it nothing or the end of a compressed file. */
bool codec_names(const char *name, const char *stem);

/* NULL when memory is exhausted. */
struct codec *codec_open(enum codec_kind kind);

/* Decodes from in[0..*nin) to out[0..*nout); both are set to what was consumed and
 * produced. Frames (members, in gzip) may follow each other.
 * Returns 0, or an error text of the library (static). */
const char *codec_decode(struct codec *c, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout);

/* Whether the input may end here: between frames. */
bool codec_at_end(const struct codec *c);

void codec_close(struct codec *c);

#endif
