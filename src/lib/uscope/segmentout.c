/* SPDX-License-Identifier: MIT */
#include "segmentout.h"

#include "fileout.h"
#include "layout.h"
#include "lz4frames.h"
#include "room.h"
#include "status.h"

#include <errno.h>
#include <lz4.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
	PREFIX_SIZE = LZ4FRAMES_LEAD,
	LITTLE = 64 * 1024,   /* deltas that repeat little: tables, or short traces */
	WARM = 64 * 1024,     /* deltas before the sample, as far as LZ4 looks back: nothing repeats at the begin */
	SAMPLE = 16 * 1024,   /* deltas that both encoders of LZ4 pack: more would cost as much as an operation */
	MARGIN = 16,          /* part by which liblz4 must be better, as it takes longer */
	ZSTD_LEVEL_WIDE = 21, /* from here on windows are larger than the 32 MiB of the log */
	ZSTD_WINDOW_LOG = 25,
};

static int
io_failed(struct segmentout *s, const char *what)
{
	return status_set(&s->error, USCOPE_E_IO, s->n, s->end, "cannot %s: %s", what, strerror(errno));
}

static int
no_memory(struct segmentout *s)
{
	return status_set(&s->error, USCOPE_E_NOMEM, s->n, s->end, "out of memory for a segment");
}

/* ---- Compression. ---- */

static size_t
packed_bound(const struct segmentout *s, size_t n)
{
	if (s->compression == USCOPE_ZSTD)
		return ZSTD_compressBound(n);
	return (size_t)LZ4_compressBound((int)n) + PREFIX_SIZE;
}

/* Room in s->packed. What is in there is of no use any more. */
static int
reserve_packed(struct segmentout *s, size_t cap)
{
	if (cap <= s->packed_cap)
		return USCOPE_OK;
	cap += cap / 16; /* as the next one may be a little larger */
	free(s->packed);
	s->packed = malloc(cap);
	s->packed_cap = s->packed ? cap : 0;
	return s->packed ? USCOPE_OK : no_memory(s);
}

/* The LZ4 block of n bytes by liblz4. 0: there is not the room for it. */
static size_t
pack_lz4(const struct segmentout *s, const uint8_t *raw, size_t n, uint8_t *out, size_t cap)
{
	int k = LZ4_compress_fast_extState(s->lz4, (const char *)raw, (char *)out, (int)n, (int)cap, s->level ? s->level : 1);
	return k > 0 ? (size_t)k : 0;
}

/* Bytes that lz4frames takes for the first frames, all that begin before `stop`, which stay packed. *n: bytes
 * of these frames. */
static size_t
size_of_frames(const struct segment *g, size_t stop, size_t *n)
{
	struct lz4frames *z = g->lz4;
	lz4frames_walk(z, g->raw, g->raw_size, stop);
	*n = z->walked;
	return z->size + (z->next < *n ? *n - z->next : 0);
}

/* Lets both encoders pack a sample of the deltas, behind as many bytes as LZ4 looks back. Returns whether the
 * block of liblz4 is smaller by a MARGIN, as it is of numbers that count up. */
static bool
prefers_liblz4(struct segmentout *s, const struct segment *g)
{
	size_t from;
	size_t to;
	if (g->raw_size < WARM + 2 * SAMPLE)
		return false;
	size_t own = size_of_frames(g, WARM, &from);
	size_t all = size_of_frames(g, from + SAMPLE, &to);
	if (to - from < SAMPLE || all <= own)
		return false; /* too few frames are left, or all of them are one match */
	own = (all - own) * SAMPLE / (to - from);
	char out[LZ4_COMPRESSBOUND(SAMPLE)];
	const char *raw = (const char *)g->raw + from;
	LZ4_stream_t *lz4 = s->lz4;
	(void)LZ4_initStream(lz4, sizeof(*lz4));
	(void)LZ4_loadDict(lz4, raw - WARM, WARM);
	int k = LZ4_compress_fast_continue(lz4, raw, out, SAMPLE, sizeof(out), 1);
	return k > 0 && (size_t)k < own - own / MARGIN;
}

/* Packs what lz4frames has not packed yet, or all with liblz4. */
static int
pack_frames(struct segmentout *s, const struct segment *g, const uint8_t **bytes, size_t *n)
{
	struct lz4frames *z = g->lz4;
	if (!lz4frames_reserve(z, g->raw_size))
		return no_memory(s);
	bool other = z->walked == 0 && prefers_liblz4(s, g);
	if (!other)
		lz4frames_walk(z, g->raw, g->raw_size, g->raw_size);
	size_t prefix = s->lz4_size_prefix ? PREFIX_SIZE : 0;
	*n = prefix + (other ? pack_lz4(s, g->raw, g->raw_size, z->out + PREFIX_SIZE, z->out_cap - PREFIX_SIZE) : lz4frames_end(z, g->raw, g->raw_size));
	store32(z->out, (uint32_t)g->raw_size);
	*bytes = z->out + PREFIX_SIZE - prefix;
	return USCOPE_OK;
}

/* The deltas as they go to the file. */
static int
pack(struct segmentout *s, const struct segment *g, const uint8_t **bytes, size_t *n)
{
	*bytes = g->raw;
	*n = g->raw_size;
	if (s->compression == USCOPE_RAW)
		return USCOPE_OK;
	if (g->lz4 && g->raw_size > LITTLE)
		return pack_frames(s, g, bytes, n);
	int status = reserve_packed(s, packed_bound(s, g->raw_size));
	if (status)
		return status;
	*bytes = s->packed;
	if (s->compression == USCOPE_ZSTD) {
		size_t k = ZSTD_compress2(s->zstd, s->packed, s->packed_cap, g->raw, g->raw_size);
		if (ZSTD_isError(k))
			return no_memory(s); /* there is nothing else that can fail */
		*n = k;
		return USCOPE_OK;
	}
	size_t prefix = s->lz4_size_prefix ? PREFIX_SIZE : 0;
	if (prefix)
		store32(s->packed, (uint32_t)g->raw_size);
	size_t k = pack_lz4(s, g->raw, g->raw_size, s->packed + prefix, s->packed_cap - prefix);
	if (k == 0)
		return status_set(&s->error, USCOPE_E_LIMIT, s->n, s->end, "LZ4 cannot compress %zu bytes", g->raw_size);
	*n = k + prefix;
	return USCOPE_OK;
}

/* ---- Commit. ---- */

static bool
remember(struct segmentout *s, uint64_t offset, const struct segment *g)
{
	if (!room_for(&s->table, &s->table_cap, s->n + (size_t)1, sizeof(*s->table)))
		return false;
	s->table[s->n] = (struct segment_entry){ offset, g->start, g->end, 0 };
	return true;
}

static uint64_t
sum_of(const uint8_t *head, size_t head_size, const uint8_t *deltas, size_t n)
{
	struct xxh64 sum;
	xxh64_init(&sum);
	xxh64_add(&sum, head, head_size);
	xxh64_add(&sum, deltas, n);
	return xxh64_sum(&sum);
}

static int
write_segment(struct segmentout *s, struct segment *g)
{
	const uint8_t *deltas;
	size_t n;
	int status = pack(s, g, &deltas, &n);
	if (status)
		return status;
	if (s->n == UINT32_MAX || n > UINT32_MAX)
		return status_set(&s->error, USCOPE_E_LIMIT, s->n, s->end, "a count of the file passes 32 bits");
	uint64_t offset = align8(s->end);
	if (!remember(s, offset, g))
		return no_memory(s);

	size_t padding = (size_t)(offset - s->end);
	uint8_t *h = g->checkpoint + SEGMENT_LEAD - SEGMENT_HEADER_SIZE;
	memset(h - padding, 0, padding + SEGMENT_HEADER_SIZE);
	store32(h + SEG_MAGIC, load32((const uint8_t *)SEGMENT_MAGIC));
	store64(h + SEG_TIME_START, g->start);
	store64(h + SEG_TIME_END, g->end);
	store64(h + SEG_PREV, s->tail);
	store32(h + SEG_CHECKPOINT_SIZE, (uint32_t)g->checkpoint_size);
	store32(h + SEG_COMPRESSED_SIZE, (uint32_t)n);
	store32(h + SEG_RAW_SIZE, (uint32_t)g->raw_size);
	store32(h + SEG_NUM_FRAMES, g->frames);
	store32(h + SEG_NUM_ACTIVE, g->frames - g->empty);

	uint64_t behind = offset + SEGMENT_HEADER_SIZE + g->checkpoint_size;
	if (s->checksums)
		s->table[s->n].sum = sum_of(h - padding, (size_t)(behind - s->end), deltas, n);
	if (file_write(&s->to, h - padding, (size_t)(behind - s->end), s->end) ||
		file_write(&s->to, deltas, n, behind))
		return io_failed(s, "write a segment");

	/* Readers go by the tail: it moves when the segment is there. */
	if (s->sync && fsync(s->to.fd) != 0)
		return io_failed(s, "sync a segment");
	if (file_number(&s->to, 8, offset, AT_TAIL))
		return io_failed(s, "commit a segment");
	s->tail = offset;
	s->end = behind + n;
	s->raw_bytes += g->raw_size;
	s->packed_bytes += n;
	s->n++;
	if (file_number(&s->to, 4, s->n, AT_NUM_SEGMENTS) || (s->sync && fsync(s->to.fd) != 0))
		return io_failed(s, "count a segment");
	return USCOPE_OK;
}

void
segmentout_truncate(struct segmentout *s)
{
	/* If even this fails there is nothing left to do: readers go by the tail. */
	if (s->to.fd >= 0 && ftruncate(s->to.fd, (off_t)s->end) != 0)
		errno = 0;
}

/* ---- The thread. ---- */

static void *
run(void *arg)
{
	struct segmentout *s = arg;
	(void)pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		if (!s->busy) {
			(void)pthread_cond_wait(&s->wake, &s->lock);
			continue;
		}
		/* Only this thread touches what a commit needs while busy. */
		(void)pthread_mutex_unlock(&s->lock);
		int status = write_segment(s, s->job);
		if (status)
			segmentout_truncate(s);
		(void)pthread_mutex_lock(&s->lock);
		s->busy = false;
		(void)pthread_cond_broadcast(&s->wake);
	}
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* The signals of the program are for its own threads. When no thread can be made, the caller does its work. */
static void
start(struct segmentout *s)
{
	sigset_t all;
	sigset_t old;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	s->threaded = pthread_create(&s->thread, NULL, run, s) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int
segmentout_open(struct segmentout *s, struct file_to to, const uscope_writer_options_t *options, uint64_t at)
{
	*s = (struct segmentout){
		.to = to,
		.sync = options->sync && to.fd >= 0,
		.lz4_size_prefix = options->lz4_size_prefix,
		.checksums = !options->no_checksums,
		.compression = options->compression,
		.level = options->level,
		.end = at,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.wake = PTHREAD_COND_INITIALIZER,
	};
	if (s->compression == USCOPE_LZ4 && !(s->lz4 = malloc((size_t)LZ4_sizeofState())))
		return USCOPE_E_NOMEM;
	if (s->compression == USCOPE_ZSTD) {
		s->zstd = ZSTD_createCCtx();
		if (!s->zstd)
			return USCOPE_E_NOMEM;
		if (ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, s->level)) ||
			ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, s->checksums)))
			return USCOPE_E_ARG;
		/* The highest levels would take windows that no reader accepts. */
		if (s->level >= ZSTD_LEVEL_WIDE && ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_windowLog, ZSTD_WINDOW_LOG)))
			return USCOPE_E_ARG;
	}
	if (options->background)
		start(s);
	return USCOPE_OK;
}

int
segmentout_wait(struct segmentout *s)
{
	if (!s->threaded)
		return s->error.status;
	(void)pthread_mutex_lock(&s->lock);
	while (s->busy)
		(void)pthread_cond_wait(&s->wake, &s->lock);
	(void)pthread_mutex_unlock(&s->lock);
	return s->error.status;
}

int
segmentout_commit(struct segmentout *s, struct segment *segment)
{
	if (segmentout_wait(s))
		return s->error.status;
	if (!s->threaded) {
		if (write_segment(s, segment))
			segmentout_truncate(s);
		return s->error.status;
	}
	(void)pthread_mutex_lock(&s->lock);
	s->job = segment;
	s->busy = true;
	(void)pthread_cond_broadcast(&s->wake);
	(void)pthread_mutex_unlock(&s->lock);
	return USCOPE_OK;
}

void
segmentout_stats(struct segmentout *s, uscope_writer_stats_t *stats)
{
	(void)segmentout_wait(s);
	stats->segments = s->n;
	stats->raw_bytes = s->raw_bytes;
	stats->compressed_bytes = s->packed_bytes;
}

void
segmentout_close(struct segmentout *s)
{
	if (s->threaded) {
		(void)segmentout_wait(s);
		(void)pthread_mutex_lock(&s->lock);
		s->stop = true;
		(void)pthread_cond_broadcast(&s->wake);
		(void)pthread_mutex_unlock(&s->lock);
		(void)pthread_join(s->thread, NULL);
		(void)pthread_cond_destroy(&s->wake);
		(void)pthread_mutex_destroy(&s->lock);
		s->threaded = false;
	}
	free(s->lz4);
	(void)ZSTD_freeCCtx(s->zstd);
	free(s->packed);
	free(s->table);
	s->lz4 = s->zstd = NULL;
	s->packed = NULL;
	s->table = NULL;
}
