/* SPDX-License-Identifier: MIT */
#ifndef CODEC_H
#define CODEC_H

/* codec: streaming decompression of the frame formats of zstd and LZ4. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codec;

/* Whether the name of a file says that it is compressed. */
bool codec_wanted(const char *path);

/* A decoder for that file name. NULL when memory is exhausted. */
struct codec *codec_open(const char *path);

/* Decodes from in[0..*nin) to out[0..*nout); both are set to what was consumed and
 * produced. Frames may follow each other.
 * Returns 0, or an error text of the library (static). */
const char *codec_decode(struct codec *c, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout);

/* Whether the input may end here: between frames. */
bool codec_at_end(const struct codec *c);

void codec_close(struct codec *c);

#endif
