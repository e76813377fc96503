/* SPDX-License-Identifier: MIT */
#ifndef OUT_PERFETTO_PACK_H
#define OUT_PERFETTO_PACK_H

/* pack: packets of a Perfetto trace on their way to the file: their fields as protobuf, and the
 * compression of the whole. Bytes in doc/perfetto.md. */

#include "wbuf.h"

#include <zlib.h>

enum {
	PACK_ROOM = 4096,        /* most that one pack_reserve() may ask for */
	PACK_VARINT = 10,        /* most bytes of a number */
	PACK_BUFFER = WBUF_SIZE, /* in front of the compression */
};

struct pack {
	struct wbuf out;
	char *data; /* the buffer: that of the file, or what is to be compressed */
	char *next; /* first free byte there, */
	char *end;  /* and behind the last one */
	bool gzip;
	z_stream z;
};

/* Begins to write to a file, which the caller opened. Returns 0, or -1 when memory is exhausted. */
int pack_open(struct pack *p, bool gzip);

/* Makes visible in the file what was written. */
void pack_flush(struct pack *p);

/* Writes what is left, and frees. The file stays open: wbuf_close(). */
void pack_close(struct pack *p);

/* Gives room by passing on what is there. */
void pack_drain(struct pack *p);

/* Room for n <= PACK_ROOM bytes; give back the end with pack_commit(). */
static inline char *
pack_reserve(struct pack *p, size_t n)
{
	if ((size_t)(p->end - p->next) < n)
		pack_drain(p);
	return p->next;
}

static inline void
pack_commit(struct pack *p, char *end)
{
	p->next = end;
}

/* Writes any number of bytes. */
void pack_put(struct pack *p, const void *bytes, size_t n);

/* ---- Fields. Each returns the end of what it wrote. ---- */

enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
};

static inline char *
put_varint(char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

static inline char *
put_tag(char *to, unsigned field, enum wire wire)
{
	return put_varint(to, field << 3 | (unsigned)wire);
}

static inline char *
put_number(char *to, unsigned field, uint64_t v)
{
	return put_varint(put_tag(to, field, WIRE_VARINT), v);
}

/* `bytes` fit in what was reserved. */
static inline char *
put_bytes(char *to, unsigned field, const void *bytes, size_t n)
{
	to = put_varint(put_tag(to, field, WIRE_BYTES), n);
	memcpy(to, bytes, n);
	return to + n;
}

#endif
