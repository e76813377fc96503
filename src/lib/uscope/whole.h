/* SPDX-License-Identifier: MIT */
#ifndef WHOLE_H
#define WHOLE_H

/* whole: deltas that have room in memory, of which the reader keeps the last. Those of ZSTD may be
 * decompressed as far as they are wanted, and later on from there. */

#include "reader.h"

enum method {
	METHOD_STORED,
	METHOD_LZ4,
	METHOD_ZSTD,
};

enum {
	SIZE_PREFIX = 4, /* that some LZ4 blocks have before them */
};

/* Iterators may hold it while the reader goes on to the next. */
struct whole {
	unsigned refs;
	uint32_t segment;
	uint64_t offset; /* of the segment, in the file */
	uint64_t at;     /* of the deltas */
	bool prefix;
	size_t n, cap;
	size_t done; /* less than n: the rest is still in reader->packed, in front of reader->zstd */
	size_t taken, packed;
	uint8_t data[];
};

static inline enum method
method_of(const struct uscope_reader *r)
{
	if (!(r->header.flags & USCOPE_F_COMPRESSED))
		return METHOD_STORED;
	return r->header.flags & USCOPE_F_COMP_METHOD ? METHOD_ZSTD : METHOD_LZ4;
}

static inline uint64_t
deltas_at(const uscope_segment_t *s)
{
	return s->offset + SEGMENT_HEADER_SIZE + s->checkpoint_size;
}

/* r->whole becomes that of a segment. part: its end need not be there, nor be good; only until it is closed, and
 * another one is not opened before. */
int whole_load(struct uscope_reader *r, uint32_t segment, const uscope_segment_t *s, bool part);
/* Bytes up to `want`, or all. After an error the reader does not keep it. */
int whole_more(struct uscope_reader *r, struct whole *w, size_t want);
void whole_drop(struct whole *w);

#endif
