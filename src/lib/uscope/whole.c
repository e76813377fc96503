/* SPDX-License-Identifier: MIT */
#include "whole.h"

#include "blob.h"

#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	PART = 128 * 1024, /* bytes that are decompressed at least */
};

static int
no_memory(struct uscope_reader *r, uint32_t segment, uint64_t offset)
{
	return status_set(&r->error, USCOPE_E_NOMEM, segment, offset, "out of memory");
}

void
whole_drop(struct whole *w)
{
	if (w && --w->refs == 0)
		free(w);
}

void
blob_forget(struct uscope_reader *r)
{
	whole_drop(r->whole);
	r->whole = NULL;
	(void)ZSTD_freeDCtx(r->zstd);
	r->zstd = NULL;
}

/* One that only the reader holds is used again. */
static struct whole *
whole_room(struct uscope_reader *r, size_t n)
{
	struct whole *w = r->whole;
	r->whole = NULL;
	if (w && w->refs == 1 && w->cap >= n)
		return w;
	whole_drop(w);
	size_t cap = n < READ_WINDOW ? READ_WINDOW : n;
	w = malloc(sizeof(*w) + cap);
	if (w) {
		w->refs = 1;
		w->cap = cap;
	}
	return w;
}

/* The output of liblz4 must not exceed INT_MAX, WHOLE_MAX is less. */
static bool
lz4_exact(const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	return LZ4_decompress_safe((const char *)in, (char *)out, (int)n, (int)size) == (int)size;
}

/* Whether a state may be decompressed in parts: the size is known before, so that no more memory is taken. */
static bool
has_parts(struct uscope_reader *r, const uint8_t *in, size_t n, size_t size)
{
	if (ZSTD_getFrameContentSize(in, n) != size || (!r->zstd && !(r->zstd = ZSTD_createDCtx())))
		return false;
	return !ZSTD_isError(ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only));
}

/* NULL, or what is wrong; "": out of memory. */
static const char *
unpack(struct uscope_reader *r, enum method method, const uint8_t *in, size_t n, struct whole *w, bool part)
{
	if (method == METHOD_LZ4) {
		if (n >= SIZE_PREFIX && load32(in) == w->n && lz4_exact(in + SIZE_PREFIX, n - SIZE_PREFIX, w->data, w->n)) {
			w->prefix = true;
			return NULL;
		}
		return lz4_exact(in, n, w->data, w->n) ? NULL : "not an LZ4 block of the size that the header says";
	}
	if (n < 4 || load32(in) != ZSTD_MAGICNUMBER || ZSTD_findFrameCompressedSize(in, n) != n)
		return "not one ZSTD frame";
	if (part && has_parts(r, in, n, w->n)) {
		w->done = w->taken = 0;
		w->packed = n;
		return NULL;
	}
	size_t k = ZSTD_decompress(w->data, w->n, in, n);
	if (ZSTD_isError(k) && ZSTD_getErrorCode(k) == ZSTD_error_memory_allocation)
		return "";
	return k == w->n ? NULL : "not a ZSTD frame of the size that the header says";
}

static int
refuse(struct uscope_reader *r, const struct whole *w, const char *why)
{
	return *why ? status_set(&r->error, USCOPE_E_COMPRESS, w->segment, w->at, "%s", why) : no_memory(r, w->segment, w->offset);
}

int
whole_load(struct uscope_reader *r, uint32_t segment, const uscope_segment_t *s, bool part)
{
	enum method method = method_of(r);
	struct whole *w = r->whole;
	if (w && w->segment == segment && w->offset == s->offset && w->n == s->raw_size)
		return part ? 0 : whole_more(r, w, w->n);
	w = whole_room(r, s->raw_size);
	if (!w)
		return no_memory(r, segment, s->offset);
	w->segment = segment;
	w->offset = s->offset;
	w->at = deltas_at(s);
	w->prefix = false;
	w->done = w->n = s->raw_size;
	int status;
	if (method == METHOD_STORED) {
		status = reader_read(r, deltas_at(s), w->data, w->n);
	} else if (!reader_room(&r->packed, &r->packed_cap, s->compressed_size)) {
		status = no_memory(r, segment, s->offset);
	} else if (!(status = reader_read(r, deltas_at(s), r->packed, s->compressed_size))) {
		const char *why = unpack(r, method, r->packed, s->compressed_size, w, part);
		if (why)
			status = refuse(r, w, why);
	}
	if (status) {
		r->error.segment = segment;
		whole_drop(w);
		return status;
	}
	r->whole = w;
	return 0;
}

/* Decompresses one part. NULL, or what is wrong. */
static const char *
next_part(struct uscope_reader *r, struct whole *w)
{
	size_t to = w->n - w->done < PART ? w->n : w->done + PART;
	ZSTD_inBuffer in = { r->packed, w->packed, w->taken };
	ZSTD_outBuffer out = { w->data, to, w->done };
	size_t k = ZSTD_decompressStream(r->zstd, &out, &in);
	bool moved = in.pos > w->taken || out.pos > w->done;
	w->taken = in.pos;
	w->done = out.pos;
	if (k != 0 && w->done == w->n && !ZSTD_isError(k) && w->taken < w->packed) {
		/* The checksum behind the last byte. */
		k = ZSTD_decompressStream(r->zstd, &out, &in);
		w->taken = in.pos;
	}
	if (ZSTD_isError(k) && ZSTD_getErrorCode(k) == ZSTD_error_memory_allocation)
		return "";
	bool ends = k == 0 && w->taken == w->packed;
	return !ZSTD_isError(k) && moved && ends == (w->done == w->n) ? NULL : "not a ZSTD frame of the size that the header says";
}

int
whole_more(struct uscope_reader *r, struct whole *w, size_t want)
{
	want = want < w->n ? want : w->n;
	while (w->done < want) {
		const char *why = next_part(r, w);
		if (!why)
			continue;
		int status = refuse(r, w, why);
		whole_drop(r->whole);
		r->whole = NULL;
		return status;
	}
	return 0;
}
