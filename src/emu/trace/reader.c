/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include "arena.h"
#include "codec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WINDOW_MIN = 4 * 1024,
	WINDOW_MAX = 64 * 1024,
	WINDOW_ALL = 16 * 1024 * 1024, /* all windows of a trace together, if they may, */
	CLOSED_ALL = 64 * 1024 * 1024, /* and if each refill opens the file */
	FDS_OURS = 64,                 /* descriptors left to outputs and libraries */
	PACKED = 16 * 1024,            /* compressed bytes read at a time */
	BLOCK_MIN = 2 * 1024 * 1024,   /* windows are cut from one block if they fill a huge page */
};

/* The window of each of n files when all together may have so many bytes. */
static size_t
share(size_t all, size_t n)
{
	size_t window = all / (n ? n : 1);
	window = window > WINDOW_MAX ? WINDOW_MAX : window;
	window = window < WINDOW_MIN ? WINDOW_MIN : window;
	return window & ~(size_t)(WINDOW_MIN - 1);
}

void
reader_pool_init(struct reader_pool *pool, struct diag *diag, size_t n)
{
	struct rlimit lim = { .rlim_cur = 256 };
	if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < lim.rlim_max) {
		struct rlimit more = { lim.rlim_max, lim.rlim_max };
		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			lim = more;
	}
	long fds = lim.rlim_cur > 1 << 20 ? 1 << 20 : (long)lim.rlim_cur;
	*pool = (struct reader_pool){
		.diag = diag,
		.window = share(WINDOW_ALL, n),
		.closed_window = share(CLOSED_ALL, n),
		.spare_fds = fds > FDS_OURS ? fds - FDS_OURS : 0,
	};
}

int
reader_pool_add_block(struct reader_pool *pool, struct arena *a, size_t n)
{
	size_t nopen = n < (size_t)pool->spare_fds ? n : (size_t)pool->spare_fds;
	size_t all = nopen * (pool->window + READER_APART) + (n - nopen) * (pool->closed_window + READER_APART);
	if (all < BLOCK_MIN)
		return 0;
	pool->block = arena_new(a, uint8_t, all);
	pool->block_left = all;
	return pool->block ? 0 : diag_no_memory(pool->diag);
}

/* Gives a reader its window. */
static void
add_window(struct reader *r)
{
	struct reader_pool *pool = r->pool;
	r->cap = r->keep_open ? pool->window : pool->closed_window;
	r->lent = r->cap + READER_APART <= pool->block_left;
	if (!r->lent) {
		r->buf = block_alloc(r->cap);
		return;
	}
	r->buf = pool->block;
	pool->block += r->cap + READER_APART;
	pool->block_left -= r->cap + READER_APART;
}

static const char *
path_of(const struct reader *r)
{
	return r->parts ? r->parts[r->part].path : r->path;
}

static int
open_file(struct reader *r)
{
	if (r->fd >= 0)
		return 0;
	const char *path = path_of(r);
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return r->fd < 0 ? diag_io(r->pool->diag, ERR_READ, "open", path, errno) : 0;
}

/* Between refills. */
static void
rest(struct reader *r)
{
	if (r->fd >= 0 && !r->keep_open) {
		(void)close(r->fd);
		r->fd = -1;
	}
}

int
reader_open(struct reader *r, struct reader_pool *pool, const char *path, const char *name)
{
	*r = (struct reader){ .pool = pool, .path = path, .name = name, .fd = -1 };
	int rc = open_file(r);
	if (rc < 0)
		return rc;
	enum codec_kind kind = codec_kind(path);
	struct stat st;
	if (fstat(r->fd, &st) != 0)
		rc = diag_io(pool->diag, ERR_READ, "inspect", path, errno);
	else if (!S_ISREG(st.st_mode))
		rc = diag_error(pool->diag, ERR_READ, NULL, "'%s' is not a regular file", path);
	if (rc == 0) {
		r->file_size = (uint64_t)st.st_size;
		r->keep_open = pool->spare_fds > 0;
		pool->spare_fds -= r->keep_open;
		add_window(r);
		if (kind != CODEC_NONE)
			r->codec = codec_open(kind);
		if (!r->buf || (kind != CODEC_NONE && !r->codec))
			rc = diag_no_memory(pool->diag);
	}
	if (rc < 0) {
		reader_close(r);
		return rc;
	}
	r->p = r->end = r->buf;
	rest(r);
	return 0;
}

void
reader_take_parts(struct reader *r, const struct reader_part *parts)
{
	r->file_size = 0;
	for (const struct reader_part *p = parts; p->path; p++)
		r->file_size += p->size;
	r->file_pos = parts->from;
	r->parts = parts;
}

int
reader_open_again(struct reader *r, struct reader_pool *pool, const struct reader *of)
{
	int rc = reader_open(r, pool, of->path, of->name);
	if (rc == 0 && of->parts)
		reader_take_parts(r, of->parts);
	return rc;
}

uint64_t
reader_left(const struct reader *r)
{
	if (r->codec)
		return UINT64_MAX;
	uint64_t offset = reader_offset(r);
	return r->file_size > offset ? r->file_size - offset : 0;
}

static uint64_t
end_of_part(const struct reader *r)
{
	return r->parts[r->part].from + r->parts[r->part].size;
}

/* Goes on with the next part. Returns 0, or <0 (reported). */
static int
next_part(struct reader *r)
{
	bool same = strcmp(r->parts[r->part].path, r->parts[r->part + 1].path) == 0;
	if (r->fd >= 0 && !same) {
		(void)close(r->fd);
		r->fd = -1;
	}
	r->part++;
	r->file_pos = r->parts[r->part].from;
	return open_file(r);
}

/* Reads up to n bytes of the file. Returns how many (0: end), or <0 (reported). */
static ssize_t
read_file(struct reader *r, void *to, size_t n)
{
	ssize_t k;
	while (r->parts && r->file_pos >= end_of_part(r) && r->parts[r->part + 1].path) {
		int rc = next_part(r);
		if (rc < 0)
			return rc;
	}
	if (r->parts) {
		uint64_t left = end_of_part(r) - r->file_pos;
		n = n < left ? n : (size_t)left;
	}
	do {
		k = pread(r->fd, to, n, (off_t)r->file_pos);
	} while (k < 0 && errno == EINTR);
	if (k < 0)
		return diag_io(r->pool->diag, ERR_READ, "read", path_of(r), errno);
	r->file_pos += (uint64_t)k;
	return k;
}

/* Adds decoded bytes at `to`. Returns how many (0: end), or <0 (reported). */
static ssize_t
read_packed(struct reader *r, uint8_t *to, size_t room)
{
	uint8_t in[PACKED];
	for (;;) {
		uint64_t at = r->file_pos;
		ssize_t k = read_file(r, in, sizeof(in));
		if (k < 0)
			return k;
		size_t nin = (size_t)k;
		size_t nout = room;
		const char *why = codec_decode(r->codec, in, &nin, to, &nout);
		if (why)
			return diag_error(r->pool->diag, ERR_STREAM_CORRUPT,
				&(struct place){ .file = r->name, .has_offset = true, .offset = at },
				"cannot decode the compressed stream: %s (the offset is that in the compressed file)", why);
		r->file_pos = at + nin; /* what the decoder left is read again */
		if (nout)
			return (ssize_t)nout;
		if (k == 0) {
			r->torn = !codec_at_end(r->codec);
			return 0;
		}
		if (nin == 0)
			return diag_error(r->pool->diag, ERR_STREAM_CORRUPT,
				&(struct place){ .file = r->name, .has_offset = true, .offset = at },
				"cannot decode the compressed stream: no progress");
	}
}

/* Doubles the window, of which all is in use. */
static int
grow(struct reader *r)
{
	size_t cap = r->cap * 2;
	uint8_t *buf = block_resize(r->lent ? NULL : r->buf, cap);
	if (!buf)
		return diag_no_memory(r->pool->diag);
	if (r->lent)
		memcpy(buf, r->buf, r->cap);
	r->lent = false;
	r->p = r->buf = buf;
	r->end = buf + r->cap;
	r->cap = cap;
	return 0;
}

/* Moves what is left to the front, and doubles the window when that is not enough. */
static int
make_room(struct reader *r, uint64_t want)
{
	size_t have = (size_t)(r->end - r->p);
	r->base += (uint64_t)(r->p - r->buf);
	if (have && r->p != r->buf)
		memmove(r->buf, r->p, have);
	r->p = r->buf;
	r->end = r->buf + have;
	return want > r->cap && have == r->cap ? grow(r) : 0;
}

/* Reads as much as there is room for. Returns 0, also at the end, or <0 (reported). */
static int
read_on(struct reader *r, uint64_t want)
{
	int rc = make_room(r, want);
	if (rc == 0)
		rc = open_file(r);
	if (rc < 0)
		return rc;
	uint8_t *to = r->buf + (r->end - r->buf);
	size_t room = r->cap - (size_t)(r->end - r->buf);
	ssize_t k = r->codec ? read_packed(r, to, room) : read_file(r, to, room);
	if (k < 0)
		return (int)k;
	r->eof = k == 0;
	r->end += k;
	return 0;
}

int
reader_fill(struct reader *r, uint64_t want)
{
	int rc = 1;
	while ((uint64_t)(r->end - r->p) < want) {
		if (r->eof) {
			rc = 0;
			break;
		}
		bool taken = r->ahead && r->pool->take(r->pool->other, r);
		if (!taken && (rc = read_on(r, want)) < 0)
			break;
		if (r->ahead && !r->eof)
			r->pool->ask(r->pool->other, r);
		rc = 1;
	}
	rest(r);
	return rc;
}

void
reader_close(struct reader *r)
{
	if (r->fd >= 0 && r->pool)
		(void)close(r->fd);
	if (r->pool)
		r->pool->spare_fds += r->keep_open;
	codec_close(r->codec);
	if (!r->lent)
		block_free(r->buf);
	*r = (struct reader){ 0 };
}
