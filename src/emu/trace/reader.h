/* SPDX-License-Identifier: MIT */
#ifndef READER_H
#define READER_H

/* reader: the bytes of one file through a small window, plain or compressed.
 *
 * The window is a buffer of bounded size, so that memory does not grow with the file
 * and a file that shrinks meanwhile is a short read, not a fault. A file ending in .zst
 * holds zstd frames, one in .lz4 LZ4 frames, one in .gz what gzip makes; offsets are those of the decoded
 * bytes. Files are opened read-only, and closed between refills when the process has
 * no descriptors to spare. */

#include "diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct codec;
struct reader;

enum {
	READER_APART = 320, /* bytes between windows in one block: streams go on alike, and would meet in few lines of the cache */
};

/* Shared by the readers of one trace. */
struct reader_pool {
	struct diag *diag;
	size_t window;        /* bytes a reader buffers, at least 4096, */
	size_t closed_window; /* and one that opens its file for each refill: more, so that it does so less often */
	long spare_fds;       /* descriptors that may stay open */
	uint8_t *block;       /* where the next window is cut from; NULL: each has a block of its own */
	size_t block_left;    /* bytes there */
	/* Somebody else reads the files of readers that have `ahead`. take() puts a window that was read in the place of that of the reader,
	 * behind what that one still holds; false: none is there. ask() says that the next one will be needed. */
	bool (*take)(void *other, struct reader *r);
	void (*ask)(void *other, const struct reader *r);
	void *other;
};

/* A part of a plain file. */
struct reader_part {
	const char *path; /* borrowed; NULL: no more parts */
	uint64_t from;
	uint64_t size;
};

struct reader {
	/* Bytes that are ready: the caller consumes by moving p. */
	const uint8_t *p;
	const uint8_t *end;
	uint8_t *buf;
	uint64_t base; /* offset of buf[0] in the decoded bytes */

	struct reader_pool *pool;
	const char *path; /* to open the file; borrowed */
	const char *name; /* to name it in messages; borrowed */
	size_t cap;
	uint64_t file_size;              /* bytes on disk, at open */
	uint64_t file_pos;               /* bytes on disk already read */
	int fd;                          /* -1 between refills when descriptors are scarce */
	bool keep_open : 1;              /* the descriptor stays */
	bool ahead : 1;                  /* see reader_pool */
	bool lent : 1;                   /* buf is of the pool's block */
	bool eof;                        /* nothing more will come */
	uint8_t part;                    /* file_pos is in that one */
	bool torn;                       /* the compressed data ends inside a frame */
	struct codec *codec;             /* NULL for a plain file */
	const struct reader_part *parts; /* what is read instead of the file; NULL: all of it */
};

/* Chooses the window for n files and raises the limit of descriptors. */
void reader_pool_init(struct reader_pool *pool, struct diag *diag, size_t n);

/* The next n windows are cut from one block of the arena, if they are many: in huge pages, where a fault comes for each 2 MiB and not
 * for each 4 KiB. Returns 0, or -ERR_MEMORY (reported). */
int reader_pool_add_block(struct reader_pool *pool, struct arena *a, size_t n);

/* Opens the file; nothing is read yet. path and name are borrowed until closed.
 * Returns 0, or <0 (reported). */
int reader_open(struct reader *r, struct reader_pool *pool, const char *path, const char *name);

/* Reads parts of plain files, one behind the other, in place of the file; the first is of it. They are borrowed. To be
 * called before anything is read. */
void reader_take_parts(struct reader *r, const struct reader_part *parts);

/* Opens what another reader reads, from its beginning. Returns 0, or <0 (reported). */
int reader_open_again(struct reader *r, struct reader_pool *pool, const struct reader *of);

/* Makes `want` bytes available from r->p on. The buffer grows when it must, and only
 * while data really comes. Moves r->p: pointers into the window are void afterwards.
 * Returns 1 they are there, 0 the file ends before (what is left is there),
 * <0 error (reported). */
int reader_fill(struct reader *r, uint64_t want);

/* Offset of r->p in the decoded bytes. */
static inline uint64_t
reader_offset(const struct reader *r)
{
	return r->base + (uint64_t)(r->p - r->buf);
}

/* Bytes of a plain file that lie behind r->p; UINT64_MAX when compressed. */
uint64_t reader_left(const struct reader *r);

/* Frees. Accepts a zeroed reader. */
void reader_close(struct reader *r);

#endif
