/* SPDX-License-Identifier: MIT */
#ifndef SEGMENTOUT_H
#define SEGMENTOUT_H

/* segmentout: compresses segments and commits them to the file, here or on a thread.
 * Bytes and order: doc/format/uscope.md, "Segment" and "Reading while it is written". */

#include "fileout.h"
#include "uscope.h"

#include <pthread.h>

enum {
	SEGMENT_LEAD = 64, /* room before a checkpoint, for padding and the segment header */
};

/* A segment as the writer has collected it. */
struct segment {
	uint8_t *raw; /* the deltas */
	size_t raw_size;
	size_t raw_cap;
	uint8_t *checkpoint; /* SEGMENT_LEAD bytes, then the checkpoint */
	size_t checkpoint_size;
	uint64_t start; /* ps */
	uint64_t end;   /* exclusive */
	uint32_t frames;
	uint32_t empty;        /* of the frames */
	struct lz4frames *lz4; /* the block so far; NULL: another compressor packs the deltas */
};

struct segmentout {
	struct file_to to;
	bool sync;
	bool lz4_size_prefix;
	bool checksums;
	enum uscope_compression compression;
	int level;
	void *lz4;
	void *zstd;
	uint8_t *packed;
	size_t packed_cap;

	uint64_t tail; /* offset of the last committed segment, 0: none */
	uint64_t end;  /* of what is committed */
	struct segment_entry {
		uint64_t offset;
		uint64_t start;
		uint64_t end;
		uint64_t sum; /* of its bytes and the padding before it */
	} * table;
	size_t table_cap;
	uint32_t n; /* committed */
	uint64_t raw_bytes;
	uint64_t packed_bytes;
	uscope_error_t error;

	/* The thread: it has `job` while busy. */
	bool threaded;
	bool busy;
	bool stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct segment *job;
};

/* at: where the first segment may begin. Without a thread that it asks for, the caller compresses. 0, E_NOMEM, or E_ARG: the compression takes no such level. */
int segmentout_open(struct segmentout *s, struct file_to to, const uscope_writer_options_t *options, uint64_t at);
/* Commits a segment; with a thread, gives it to it once the one before is done: *segment is
 * then the thread's until the next call of one of these. 0, or the first failure: E_IO,
 * E_NOMEM, E_LIMIT; s->error tells. */
int segmentout_commit(struct segmentout *s, struct segment *segment);
/* Waits until all is committed. Returns as segmentout_commit(). */
int segmentout_wait(struct segmentout *s);
/* Cuts off what was not committed. */
void segmentout_truncate(struct segmentout *s);
/* Ends the thread; frees. Accepts a zeroed object. */
void segmentout_close(struct segmentout *s);

/* Figures at any time. */
void segmentout_stats(struct segmentout *s, uscope_writer_stats_t *stats);

#endif
