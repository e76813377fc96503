/* SPDX-License-Identifier: MIT */
#include "pack.h"

#include "arena.h"
#include "codec.h"

#include <errno.h>
#include <lz4frame.h>
#include <string.h>
#include <zstd.h>

enum {
	CHUNK = 64 * 1024, /* plain bytes that are encoded at a time */
};

/* Exactly one of the two contexts is set. */
struct sortpack {
	ZSTD_CCtx *zstd;
	LZ4F_cctx *lz4;
	bool begun;
	size_t used;
	size_t cap;
	uint8_t in[CHUNK];
	uint8_t out[]; /* holds what CHUNK bytes become at most */
};

bool
sortpack_wanted(const char *path)
{
	return codec_wanted(path);
}

struct sortpack *
sortpack_open(const char *path)
{
	size_t n = strlen(path);
	bool zstd = strcmp(path + n - 4, ".zst") == 0;
	size_t cap = zstd ? ZSTD_CStreamOutSize() : LZ4F_compressBound(CHUNK, NULL) + LZ4F_HEADER_SIZE_MAX;
	struct sortpack *p = block_alloc(sizeof(*p) + cap);
	if (!p)
		return NULL;
	p->cap = cap;
	if (zstd)
		p->zstd = ZSTD_createCCtx();
	else if (LZ4F_isError(LZ4F_createCompressionContext(&p->lz4, LZ4F_VERSION)))
		p->lz4 = NULL;
	if (p->zstd || p->lz4)
		return p;
	block_free(p);
	return NULL;
}

static void
fail(struct wbuf *to)
{
	to->error = to->error ? to->error : EIO;
}

static void
encode_zstd(struct sortpack *p, struct wbuf *to, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { p->in, p->used, 0 };
	size_t left;
	do {
		ZSTD_outBuffer out = { p->out, p->cap, 0 };
		left = ZSTD_compressStream2(p->zstd, &out, &in, how);
		if (ZSTD_isError(left)) {
			fail(to);
			return;
		}
		wbuf_put(to, p->out, out.pos);
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
}

/* Writes what an LZ4 function has left in p->out. Returns whether it succeeded. */
static bool
took(struct sortpack *p, size_t n, struct wbuf *to)
{
	if (LZ4F_isError(n))
		fail(to);
	else
		wbuf_put(to, p->out, n);
	return !LZ4F_isError(n);
}

static void
encode(struct sortpack *p, struct wbuf *to, bool end)
{
	if (wbuf_failed(to))
		return;
	if (p->zstd) {
		encode_zstd(p, to, end ? ZSTD_e_end : ZSTD_e_continue);
	} else {
		bool ok = p->begun || took(p, LZ4F_compressBegin(p->lz4, p->out, p->cap, NULL), to);
		p->begun = true;
		if (ok && p->used)
			ok = took(p, LZ4F_compressUpdate(p->lz4, p->out, p->cap, p->in, p->used, NULL), to);
		if (ok && end)
			(void)took(p, LZ4F_compressEnd(p->lz4, p->out, p->cap, NULL), to);
	}
	p->used = 0;
}

void
sortpack_put(struct sortpack *p, const void *bytes, size_t n, struct wbuf *to)
{
	const uint8_t *from = bytes;
	while (n) {
		size_t k = CHUNK - p->used < n ? CHUNK - p->used : n;
		memcpy(p->in + p->used, from, k);
		p->used += k;
		from += k;
		n -= k;
		if (p->used == CHUNK) {
			encode(p, to, false);
			p->used = 0;
		}
	}
}

void
sortpack_end(struct sortpack *p, struct wbuf *to)
{
	encode(p, to, true);
}

void
sortpack_close(struct sortpack *p)
{
	if (!p)
		return;
	if (p->zstd)
		(void)ZSTD_freeCCtx(p->zstd);
	if (p->lz4)
		(void)LZ4F_freeCompressionContext(p->lz4);
	block_free(p);
}
