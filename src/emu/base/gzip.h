/* SPDX-License-Identifier: MIT */
#ifndef GZIP_H
#define GZIP_H

/* gzip: text as members of gzip, each for itself. Any number of them, one behind the other, are a file of gzip, so several
 * threads may make them at the same time. */

#include "textbuf.h"

#include <zlib.h>

enum {
	GZIP_STORED = 23,         /* bytes that gzip_store() adds */
	GZIP_ENOUGH = 256 * 1024, /* bytes of text: larger members gain little */
};

/* A maker of members, for one thread. */
struct gzip {
	z_stream z;
	struct textbuf packed;
};

/* Returns 0, or -1 when memory is exhausted. */
int gzip_init(struct gzip *g);

/* Makes a member of the text, in its place; of no text none. When memory is exhausted the text fails; one that has failed
 * stays so. */
void gzip_pack(struct gzip *g, struct textbuf *text);

/* Makes a member of n bytes, below 64 KiB, that are not compressed: its size depends on n alone, so it can be written anew with
 * other bytes. Returns n + GZIP_STORED. */
size_t gzip_store(char *to, const char *text, size_t n);

/* Frees. Accepts a zeroed one. */
void gzip_finish(struct gzip *g);

#endif
