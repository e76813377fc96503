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
	p->gzip = gzip;
	p->data = gzip ? block_alloc(PACK_BUFFER) : p->out.data;
	if (gzip && p->data && deflateInit2(&p->z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		block_free(p->data);
		p->data = NULL;
	}
	p->next = p->data;
	p->end = p->data ? p->data + PACK_BUFFER : NULL;
	return p->data ? 0 : -1;
}

static void
compress_some(struct pack *p, int how)
{
	p->z.next_in = (Bytef *)p->data;
	p->z.avail_in = (uInt)(p->next - p->data);
	do {
		char *to = wbuf_reserve(&p->out, WBUF_RESERVE_MAX);
		p->z.next_out = (Bytef *)to;
		p->z.avail_out = WBUF_RESERVE_MAX;
		(void)deflate(&p->z, how); /* fails only when there is nothing to do */
		wbuf_commit(&p->out, (char *)p->z.next_out);
	} while (p->z.avail_out == 0);
}

static void
pass_on(struct pack *p, int how)
{
	if (p->gzip)
		compress_some(p, how);
	else
		wbuf_commit(&p->out, p->next);
	if (how == Z_SYNC_FLUSH)
		(void)wbuf_flush(&p->out);
	else if (!p->gzip)
		wbuf_drain(&p->out);
	p->next = p->gzip ? p->data : p->data + p->out.used;
}

void
pack_drain(struct pack *p)
{
	pass_on(p, Z_NO_FLUSH);
}

void
pack_flush(struct pack *p)
{
	pass_on(p, Z_SYNC_FLUSH);
}

void
pack_close(struct pack *p)
{
	pass_on(p, Z_FINISH);
	if (!p->gzip)
		return;
	(void)deflateEnd(&p->z);
	block_free(p->data);
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
