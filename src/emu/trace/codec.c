/* SPDX-License-Identifier: MIT */
#include "codec.h"

#include "arena.h"

#include <lz4frame.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

const char *const codec_ends[CODEC_KINDS] = { "", ".zst", ".lz4", ".gz" };

/* The context of its kind is in use. */
struct codec {
	enum codec_kind kind;
	ZSTD_DStream *zstd;
	LZ4F_dctx *lz4;
	z_stream gzip;
	bool inside; /* a frame has begun and not ended */
};

enum codec_kind
codec_kind(const char *path)
{
	size_t n = strlen(path);
	for (int i = CODEC_NONE + 1; i < CODEC_KINDS; i++) {
		size_t k = strlen(codec_ends[i]);
		if (n >= k && strcmp(path + n - k, codec_ends[i]) == 0)
			return (enum codec_kind)i;
	}
	return CODEC_NONE;
}

size_t
codec_stem(const char *path)
{
	return strlen(path) - strlen(codec_ends[codec_kind(path)]);
}

bool
codec_names(const char *name, const char *stem)
{
	size_t n = strlen(stem);
	return strncmp(name, stem, n) == 0 && strcmp(name + n, codec_ends[codec_kind(name + n)]) == 0;
}

struct codec *
codec_open(enum codec_kind kind)
{
	struct codec *c = block_alloc(sizeof(*c));
	if (!c)
		return NULL;
	bool good = false;
	c->kind = kind;
	if (kind == CODEC_ZSTD)
		good = (c->zstd = ZSTD_createDStream());
	else if (kind == CODEC_LZ4)
		good = !LZ4F_isError(LZ4F_createDecompressionContext(&c->lz4, LZ4F_VERSION));
	else
		good = inflateInit2(&c->gzip, MAX_WBITS + 16) == Z_OK; /* 16: with the header of gzip */
	if (good)
		return c;
	block_free(c);
	return NULL;
}

/* A member ends inside the input: the next call begins another one. */
static const char *
decode_gzip(struct codec *c, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout)
{
	z_stream *z = &c->gzip;
	uInt has = *nin < UINT_MAX ? (uInt)*nin : UINT_MAX;
	uInt room = *nout < UINT_MAX ? (uInt)*nout : UINT_MAX;
	z->next_in = (z_const Bytef *)in;
	z->avail_in = has;
	z->next_out = out;
	z->avail_out = room;
	int rc = inflate(z, Z_NO_FLUSH);
	*nin = has - z->avail_in;
	*nout = room - z->avail_out;
	if (*nin || *nout)
		c->inside = rc != Z_STREAM_END;
	if (rc == Z_STREAM_END)
		rc = inflateReset(z);
	if (rc == Z_OK || rc == Z_BUF_ERROR) /* without progress there is nothing to do yet */
		return NULL;
	return z->msg ? z->msg : zError(rc);
}

const char *
codec_decode(struct codec *c, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout)
{
	size_t rc;
	size_t given = *nin;
	if (c->kind == CODEC_GZIP)
		return decode_gzip(c, in, nin, out, nout);
	if (c->kind == CODEC_ZSTD) {
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
	(void)ZSTD_freeDStream(c->zstd);
	(void)LZ4F_freeDecompressionContext(c->lz4);
	if (c->kind == CODEC_GZIP)
		(void)inflateEnd(&c->gzip);
	block_free(c);
}
