/* SPDX-License-Identifier: MIT */
#ifndef BLOB_H
#define BLOB_H

/* blob: the deltas of a segment, decompressed, seen through a window. Up to WHOLE_MAX bytes
 * the window is all of it, and the reader keeps the last such one. Larger ones, up to 1 GiB
 * or 4, pass through a buffer of 256 KiB; ZSTD adds its own window of at most 32 MiB. */

#include "reader.h"

enum {
	BLOB_WANT = 64 * 1024 + 64, /* that can be asked for at once */
};

struct blob_stream;

struct blob {
	const uint8_t *p, *end; /* here now; the caller moves p */
	uint64_t done;          /* raw bytes up to end */
	uint64_t size;          /* raw bytes in all */
	struct whole *whole;
	struct blob_stream *stream;
	bool prefix; /* the LZ4 block had its size before it */
	struct uscope_reader *r;
	uint32_t segment;
};

/* part: only the begin may be asked for, and the blob is closed before another one is opened. */
int blob_open(struct blob *b, struct uscope_reader *r, uint32_t segment, const uscope_segment_t *s, bool part);
void blob_close(struct blob *b); /* a zeroed one too */

/* At least `want` bytes at p, or all that are left. */
int blob_more(struct blob *b, size_t want);
/* p moves by n, at most blob_left(). */
int blob_skip(struct blob *b, uint64_t n);

/* Raw bytes from p to the end of the blob; offset of p in it. */
static inline uint64_t
blob_left(const struct blob *b)
{
	return b->size - b->done + (uint64_t)(b->end - b->p);
}

static inline uint64_t
blob_offset(const struct blob *b)
{
	return b->done - (uint64_t)(b->end - b->p);
}

/* Drops what the reader keeps. */
void blob_forget(struct uscope_reader *r);

#endif
