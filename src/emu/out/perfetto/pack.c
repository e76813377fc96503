/* SPDX-License-Identifier: MIT */
#include "pack.h"

#include "arena.h"

enum {
	GZIP_WINDOW = 15 + 16, /* the largest window, with a header of gzip */
	GZIP_MEMORY = 8,
	GZIP_LEVEL = 1, /* packets repeat so much that more effort gains little */
};

int
pack_open(struct pack *p, bool gzip)
{
	if (!gzip)
		return 0;
	p->data = block_alloc(PACK_BUFFER);
	if (!p->data)
		return -1;
	if (deflateInit2(&p->stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		block_free(p->data);
		return -1;
	}
	p->z = &p->stream;
	return 0;
}

static void
compress_some(struct pack *p, int how)
{
	p->z->next_in = (Bytef *)p->data;
	p->z->avail_in = (uInt)p->used;
	do {
		char *to = wbuf_reserve(&p->out, WBUF_RESERVE_MAX);
		p->z->next_out = (Bytef *)to;
		p->z->avail_out = WBUF_RESERVE_MAX;
		(void)deflate(p->z, how); /* fails only when there is nothing to do */
		wbuf_commit(&p->out, (char *)p->z->next_out);
	} while (p->z->avail_out == 0);
	p->used = 0;
}

void
pack_drain(struct pack *p)
{
	compress_some(p, Z_NO_FLUSH);
}

void
pack_flush(struct pack *p)
{
	if (p->z)
		compress_some(p, Z_SYNC_FLUSH);
	(void)wbuf_flush(&p->out);
}

void
pack_close(struct pack *p)
{
	if (!p->z)
		return;
	compress_some(p, Z_FINISH);
	(void)deflateEnd(p->z);
	block_free(p->data);
	p->z = NULL;
}

void
pack_put(struct pack *p, const void *bytes, size_t n)
{
	for (const char *from = bytes; n;) {
		size_t k = n < PACK_ROOM ? n : PACK_ROOM;
		char *to = pack_reserve(p, k);
		memcpy(to, from, k);
		pack_commit(p, to + k);
		from += k;
		n -= k;
	}
}
