/* SPDX-License-Identifier: MIT */
#include "codec.h"

#include "arena.h"

#include <lz4frame.h>
#include <string.h>
#include <zstd.h>

/* Exactly one of the two contexts is set. */
struct codec {
	ZSTD_DStream *zstd;
	LZ4F_dctx *lz4;
	bool inside; /* a frame has begun and not ended */
};

static bool
ends_in(const char *s, const char *suffix)
{
	size_t n = strlen(s);
	size_t k = strlen(suffix);
	return n >= k && strcmp(s + n - k, suffix) == 0;
}

bool
codec_wanted(const char *path)
{
	return ends_in(path, ".zst") || ends_in(path, ".lz4");
}

struct codec *
codec_open(const char *path)
{
	struct codec *c = block_alloc(sizeof(*c));
	if (!c)
		return NULL;
	if (ends_in(path, ".zst"))
		c->zstd = ZSTD_createDStream();
	else if (LZ4F_isError(LZ4F_createDecompressionContext(&c->lz4, LZ4F_VERSION)))
		c->lz4 = NULL;
	if (!c->zstd && !c->lz4) {
		block_free(c);
		return NULL;
	}
	return c;
}

const char *
codec_decode(struct codec *c, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout)
{
	size_t rc;
	size_t given = *nin;
	if (c->zstd) {
		ZSTD_inBuffer i = { in, *nin, 0 };
		ZSTD_outBuffer o = { out, *nout, 0 };
		rc = ZSTD_decompressStream(c->zstd, &o, &i);
		*nin = i.pos;
		*nout = o.pos;
		if (ZSTD_isError(rc))
			return ZSTD_getErrorName(rc);
	} else {
		rc = LZ4F_decompress(c->lz4, out, nout, in, nin, NULL);
		if (LZ4F_isError(rc))
			return LZ4F_getErrorName(rc);
	}
	/* 0 means that a frame is complete; a call that was given nothing tells nothing. */
	if (given || *nout)
		c->inside = rc != 0;
	return NULL;
}

bool
codec_at_end(const struct codec *c)
{
	return !c->inside;
}

void
codec_close(struct codec *c)
{
	if (!c)
		return;
	if (c->zstd)
		(void)ZSTD_freeDStream(c->zstd);
	if (c->lz4)
		(void)LZ4F_freeDecompressionContext(c->lz4);
	block_free(c);
}
