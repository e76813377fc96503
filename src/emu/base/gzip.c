/* SPDX-License-Identifier: MIT */
#include "gzip.h"

#include <stdint.h>
#include <string.h>

enum {
	WINDOW = 15 + 16, /* the largest window, with the header and the checksum of gzip */
	MEMORY = 8,
	LEVEL = 1, /* lines are so alike that more effort gains little (doc/performance.md) */
	ROOM = TEXTBUF_SIZE / 4,
};

int
gzip_init(struct gzip *g)
{
	*g = (struct gzip){ 0 };
	if (textbuf_init(&g->packed) < 0)
		return -1;
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
		return 0;
	textbuf_finish(&g->packed);
	return -1;
}

void
gzip_pack(struct gzip *g, struct textbuf *text)
{
	if (!text->used || text->failed)
		return;
	(void)deflateReset(&g->z);
	g->z.next_in = (Bytef *)text->data;
	g->z.avail_in = (uInt)text->used;
	int rc;
	do {
		char *to = textbuf_reserve(&g->packed, ROOM);
		g->z.next_out = (Bytef *)to;
		g->z.avail_out = ROOM;
		rc = deflate(&g->z, Z_FINISH);
		textbuf_commit(&g->packed, (char *)g->z.next_out);
	} while (rc == Z_OK); /* it needs more room */
	struct textbuf member = g->packed;
	g->packed = *text;
	g->packed.used = 0;
	*text = member;
}

static char *
put(char *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

size_t
gzip_store(char *to, const char *text, size_t n)
{
	static const uint8_t head[] = { 0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3 }; /* no name, no time; of Unix */
	const uint8_t last = 1;                                                        /* block, and a stored one */
	const uint16_t size[] = { (uint16_t)n, (uint16_t)~n };
	const uint32_t tail[] = { (uint32_t)crc32(0, (const Bytef *)text, (uInt)n), (uint32_t)n };
	char *at = put(to, head, sizeof(head));
	at = put(at, &last, sizeof(last));
	at = put(at, size, sizeof(size));
	at = put(at, text, n);
	return (size_t)(put(at, tail, sizeof(tail)) - to);
}

void
gzip_finish(struct gzip *g)
{
	(void)deflateEnd(&g->z); /* of a zeroed one it does nothing */
	textbuf_finish(&g->packed);
}
