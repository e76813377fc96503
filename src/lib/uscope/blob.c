/* SPDX-License-Identifier: MIT */
#include "blob.h"

#include "lz4s.h"
#include "whole.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	STREAM_OUT = 256 * 1024,
	STREAM_IN = 64 * 1024,
	PACKED_MAX = WHOLE_MAX + WHOLE_MAX / 128, /* no encoder makes more of WHOLE_MAX */
	ZSTD_WINDOW_LOG_MAX = 25,
	LZ4_RATIO = 255,
	LZ4_SLACK = 64,
};

struct blob_stream {
	enum method method;
	uint64_t at, left; /* of the compressed bytes not yet read */
	const uint8_t *in, *in_end;
	struct lz4s lz4;
	ZSTD_DCtx *zstd;
	bool frame_done;
	uint8_t in_buf[STREAM_IN];
	uint8_t out[STREAM_OUT];
};

static int
bad(struct uscope_reader *r, uint32_t segment, uint64_t at, const char *why)
{
	return status_set(&r->error, USCOPE_E_COMPRESS, segment, at, "%s", why);
}

/* ---- Piece by piece. ---- */

/* More compressed bytes, if there are any. */
static int
refill(struct blob *b)
{
	struct blob_stream *z = b->stream;
	if (z->in != z->in_end || z->left == 0)
		return 0;
	size_t n = z->left < STREAM_IN ? (size_t)z->left : STREAM_IN;
	int status = reader_read(b->r, z->at, z->in_buf, n);
	if (status)
		return status;
	z->at += n;
	z->left -= n;
	z->in = z->in_buf;
	z->in_end = z->in_buf + n;
	return 0;
}

static void
rewind_to(struct blob_stream *z, const uscope_segment_t *s, size_t skip)
{
	z->at = deltas_at(s) + skip;
	z->left = s->compressed_size - skip;
	z->in = z->in_end = z->in_buf;
	lz4s_init(&z->lz4, s->raw_size);
}

/* Is there a block of the right size behind the prefix: tokens only. */
static int
find_prefix(struct blob *b, const uscope_segment_t *s)
{
	struct blob_stream *z = b->stream;
	rewind_to(z, s, 0);
	int status = s->compressed_size > SIZE_PREFIX ? refill(b) : 0;
	if (status || s->compressed_size <= SIZE_PREFIX || load32(z->in) != s->raw_size) {
		rewind_to(z, s, 0);
		return status;
	}
	z->in += SIZE_PREFIX;
	bool good = true;
	do {
		good = lz4s_run(&z->lz4, &z->in, z->in_end, NULL, NULL);
		if ((status = refill(b)))
			return status;
	} while (good && z->in != z->in_end);
	b->prefix = good && lz4s_complete(&z->lz4);
	rewind_to(z, s, b->prefix ? SIZE_PREFIX : 0);
	return 0;
}

static int
zstd_start(struct blob *b, const uscope_segment_t *s)
{
	struct blob_stream *z = b->stream;
	if (!(z->zstd = ZSTD_createDCtx()) || ZSTD_isError(ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX)))
		return status_set(&b->r->error, USCOPE_E_NOMEM, b->segment, s->offset, "out of memory");
	rewind_to(z, s, 0);
	int status = refill(b);
	if (status)
		return status;
	if (z->in_end - z->in < 4 || load32(z->in) != ZSTD_MAGICNUMBER)
		return bad(b->r, b->segment, deltas_at(s), "not a ZSTD frame");
	return 0;
}

/* Appends to q what fits up to end; *n bytes. */
static int
zstd_some(struct blob *b, uint8_t *q, const uint8_t *end, size_t *n)
{
	struct blob_stream *z = b->stream;
	ZSTD_inBuffer in = { z->in, (size_t)(z->in_end - z->in), 0 };
	ZSTD_outBuffer out = { q, (size_t)(end - q), 0 };
	size_t k = z->frame_done ? 0 : ZSTD_decompressStream(z->zstd, &out, &in);
	uint64_t at = z->at - in.size;
	if (ZSTD_isError(k)) {
		ZSTD_ErrorCode code = ZSTD_getErrorCode(k);
		if (code == ZSTD_error_memory_allocation)
			return status_set(&b->r->error, USCOPE_E_NOMEM, b->segment, at, "out of memory");
		if (code == ZSTD_error_frameParameter_windowTooLarge)
			return status_set(&b->r->error, USCOPE_E_LIMIT, b->segment, at, "the window of the ZSTD frame is larger than %d MiB", (1 << ZSTD_WINDOW_LOG_MAX) >> 20);
		return status_set(&b->r->error, USCOPE_E_COMPRESS, b->segment, at, "ZSTD: %s", ZSTD_getErrorName(k));
	}
	z->in += in.pos;
	*n = out.pos;
	z->frame_done = k == 0;
	return 0;
}

static int
stream_some(struct blob *b, uint8_t *q, const uint8_t *end, size_t *n)
{
	struct blob_stream *z = b->stream;
	if (z->method == METHOD_ZSTD)
		return zstd_some(b, q, end, n);
	uint8_t *out = q;
	if (z->method == METHOD_LZ4) {
		if (!lz4s_run(&z->lz4, &z->in, z->in_end, &out, end))
			return bad(b->r, b->segment, z->at - (uint64_t)(z->in_end - z->in), "not an LZ4 block of the size that the header says");
	} else {
		size_t k = (size_t)(z->in_end - z->in);
		k = k < (size_t)(end - q) ? k : (size_t)(end - q);
		memcpy(out, z->in, k);
		z->in += k;
		out += k;
	}
	*n = (size_t)(out - q);
	return 0;
}

/* All raw bytes are there: so must be the end of the input. */
static int
stream_end(struct blob *b)
{
	struct blob_stream *z = b->stream;
	for (;;) {
		uint8_t spare;
		size_t n = 0;
		int status = refill(b);
		if (!status && z->in != z->in_end && !z->frame_done)
			status = stream_some(b, &spare, &spare + (z->method == METHOD_ZSTD), &n);
		else if (!status && z->method == METHOD_ZSTD && !z->frame_done)
			status = bad(b->r, b->segment, z->at, "the ZSTD frame is cut off");
		if (status)
			return status;
		if (n || (z->frame_done && (z->in != z->in_end || z->left)))
			return bad(b->r, b->segment, z->at, "more bytes than the header says");
		if (z->method == METHOD_ZSTD ? z->frame_done : z->in == z->in_end && z->left == 0)
			break;
	}
	if (z->method == METHOD_LZ4 && !lz4s_complete(&z->lz4))
		return bad(b->r, b->segment, z->at, "not an LZ4 block of the size that the header says");
	return 0;
}

/* Keeps the bytes that the caller has not taken and those that matches may go back to. */
static int
stream_more(struct blob *b, size_t want)
{
	struct blob_stream *z = b->stream;
	size_t have = (size_t)(b->end - b->p);
	size_t kept = (size_t)(b->end - z->out);
	size_t keep = have > LZ4S_HISTORY ? have : LZ4S_HISTORY;
	if (kept > keep) {
		memmove(z->out, b->end - keep, keep);
		kept = keep;
	}
	uint8_t *q = z->out + kept;
	int status = 0;
	while (!status && have < want && b->done < b->size) {
		const uint8_t *end = z->out + STREAM_OUT;
		if ((uint64_t)(end - q) > b->size - b->done)
			end = q + (b->size - b->done);
		size_t n = 0;
		const uint8_t *before = z->in;
		if (!(status = refill(b)) && !(status = stream_some(b, q, end, &n))) {
			bool stuck = z->left == 0 && (z->in == z->in_end || z->in == before);
			if (n == 0 && (z->frame_done || stuck))
				status = bad(b->r, b->segment, z->at, "fewer bytes than the header says");
		}
		q += n;
		have += n;
		b->done += n;
	}
	b->end = q;
	b->p = q - have;
	if (!status && b->done == b->size)
		status = stream_end(b);
	return status;
}

static int
stream_open(struct blob *b, const uscope_segment_t *s)
{
	struct blob_stream *z = malloc(sizeof(*z));
	if (!z)
		return status_set(&b->r->error, USCOPE_E_NOMEM, b->segment, s->offset, "out of memory");
	z->method = method_of(b->r);
	z->zstd = NULL;
	z->frame_done = false;
	b->stream = z;
	b->p = b->end = z->out;
	rewind_to(z, s, 0);
	if (z->method == METHOD_LZ4)
		return find_prefix(b, s);
	return z->method == METHOD_ZSTD ? zstd_start(b, s) : 0;
}

/* ---- Both. ---- */

static int
check_sizes(struct uscope_reader *r, uint32_t segment, const uscope_segment_t *s)
{
	if (s->raw_size > r->limits.max_raw)
		return status_set(&r->error, USCOPE_E_LIMIT, segment, s->offset, "deltas of %u bytes", s->raw_size);
	enum method method = method_of(r);
	if (method == METHOD_STORED && s->compressed_size != s->raw_size)
		return status_set(&r->error, USCOPE_E_SEGMENT, segment, s->offset, "deltas that are not compressed, of two sizes");
	if (method != METHOD_STORED && !s->compressed_size != !s->raw_size)
		return status_set(&r->error, USCOPE_E_COMPRESS, segment, s->offset, "deltas without compressed or without raw bytes");
	if (method == METHOD_LZ4 && s->raw_size > (uint64_t)LZ4_RATIO * s->compressed_size + LZ4_SLACK)
		return status_set(&r->error, USCOPE_E_LIMIT, segment, s->offset, "deltas of %u bytes from an LZ4 block of %u", s->raw_size, s->compressed_size);
	return 0;
}

static void
take_whole(struct blob *b)
{
	struct whole *w = b->whole;
	b->end = w->data + w->done;
	b->done = w->done;
}

int
blob_open(struct blob *b, struct uscope_reader *r, uint32_t segment, const uscope_segment_t *s, bool part)
{
	*b = (struct blob){ .r = r, .segment = segment, .size = s->raw_size };
	int status = check_sizes(r, segment, s);
	if (status || s->raw_size == 0)
		return status;
	if (s->raw_size > WHOLE_MAX || s->compressed_size > PACKED_MAX) {
		if ((status = stream_open(b, s)))
			blob_close(b);
		return status;
	}
	if ((status = whole_load(r, segment, s, part)))
		return status;
	struct whole *w = r->whole;
	w->refs++;
	b->whole = w;
	b->prefix = w->prefix;
	b->p = w->data;
	take_whole(b);
	return 0;
}

void
blob_close(struct blob *b)
{
	whole_drop(b->whole);
	if (b->stream) {
		(void)ZSTD_freeDCtx(b->stream->zstd);
		free(b->stream);
	}
	b->whole = NULL;
	b->stream = NULL;
	b->p = b->end = NULL;
	b->done = b->size;
}

int
blob_more(struct blob *b, size_t want)
{
	if (b->done == b->size || (size_t)(b->end - b->p) >= want)
		return 0;
	if (b->whole) {
		int status = whole_more(b->r, b->whole, (size_t)(b->p - b->whole->data) + want);
		take_whole(b);
		return status;
	}
	int status = stream_more(b, want);
	if (status)
		b->r->error.segment = b->segment;
	return status;
}

int
blob_skip(struct blob *b, uint64_t n)
{
	for (;;) {
		uint64_t here = (uint64_t)(b->end - b->p);
		uint64_t k = n < here ? n : here;
		if (k)
			b->p += k;
		n -= k;
		if (n == 0)
			return 0;
		int status = blob_more(b, 1);
		if (status)
			return status;
	}
}
