/* SPDX-License-Identifier: MIT */
#include "replace.h"

#include "arena.h"
#include "codec.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ---- Compression to one frame of zstd or LZ4, or one member of gzip. ---- */

enum {
	CHUNK = 64 * 1024, /* plain bytes that are encoded at a time */
};

/* The context of its kind is in use. */
struct pack {
	enum codec_kind kind;
	ZSTD_CCtx *zstd;
	LZ4F_cctx *lz4;
	z_stream gzip;
	bool begun;
	size_t used;
	size_t cap;
	uint8_t in[CHUNK];
	uint8_t out[]; /* holds what CHUNK bytes become at most */
};

/* NULL when memory is exhausted. */
static struct pack *
open_pack(enum codec_kind kind)
{
	size_t cap = CHUNK;
	if (kind == CODEC_ZSTD)
		cap = ZSTD_CStreamOutSize();
	else if (kind == CODEC_LZ4)
		cap = LZ4F_compressBound(CHUNK, NULL) + LZ4F_HEADER_SIZE_MAX;
	struct pack *p = block_alloc(sizeof(*p) + cap);
	if (!p)
		return NULL;
	bool good = false;
	p->kind = kind;
	p->cap = cap;
	if (kind == CODEC_ZSTD)
		good = (p->zstd = ZSTD_createCCtx());
	else if (kind == CODEC_LZ4)
		good = !LZ4F_isError(LZ4F_createCompressionContext(&p->lz4, LZ4F_VERSION));
	else /* 16: with the header of gzip */
		good = deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
	if (good)
		return p;
	block_free(p);
	return NULL;
}

/* Writes n bytes that an encoder has left in p->out. Its failure is kept as one of a write. Returns
 * whether all is well. */
static bool
took(struct pack *p, size_t n, bool failed, struct wbuf *to)
{
	if (failed)
		to->error = to->error ? to->error : EIO;
	else
		wbuf_put(to, p->out, n);
	return !wbuf_failed(to);
}

static void
encode_zstd(struct pack *p, struct wbuf *to, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { p->in, p->used, 0 };
	size_t left;
	do {
		ZSTD_outBuffer out = { p->out, p->cap, 0 };
		left = ZSTD_compressStream2(p->zstd, &out, &in, how);
		if (!took(p, out.pos, ZSTD_isError(left), to))
			return;
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
}

static void
encode_gzip(struct pack *p, struct wbuf *to, int how)
{
	z_stream *z = &p->gzip;
	z->next_in = p->in;
	z->avail_in = (uInt)p->used;
	do {
		z->next_out = p->out;
		z->avail_out = (uInt)p->cap;
		int rc = deflate(z, how);
		if (!took(p, p->cap - z->avail_out, rc == Z_STREAM_ERROR, to))
			return;
	} while (z->avail_out == 0);
}

static bool
took_lz4(struct pack *p, size_t n, struct wbuf *to)
{
	return took(p, n, LZ4F_isError(n), to);
}

static void
encode(struct pack *p, struct wbuf *to, bool end)
{
	if (p->kind == CODEC_GZIP) {
		encode_gzip(p, to, end ? Z_FINISH : Z_NO_FLUSH);
	} else if (p->kind == CODEC_ZSTD) {
		encode_zstd(p, to, end ? ZSTD_e_end : ZSTD_e_continue);
	} else {
		bool ok = p->begun || took_lz4(p, LZ4F_compressBegin(p->lz4, p->out, p->cap, NULL), to);
		p->begun = true;
		if (ok && p->used)
			ok = took_lz4(p, LZ4F_compressUpdate(p->lz4, p->out, p->cap, p->in, p->used, NULL), to);
		if (ok && end)
			(void)took_lz4(p, LZ4F_compressEnd(p->lz4, p->out, p->cap, NULL), to);
	}
	p->used = 0;
}

static void
close_pack(struct pack *p)
{
	if (!p)
		return;
	(void)ZSTD_freeCCtx(p->zstd);
	(void)LZ4F_freeCompressionContext(p->lz4);
	if (p->kind == CODEC_GZIP)
		(void)deflateEnd(&p->gzip);
	block_free(p);
}

/* ---- The file. ---- */

/* A directory is synced so that the new name survives a crash. */
static int
sync_dir(const char *file)
{
	char dir[PATH_MAX];
	(void)snprintf(dir, sizeof(dir), "%s", file);
	char *slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = 0;
	int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	/* Some file systems cannot sync directories, and need not. */
	int err = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
	(void)close(fd);
	return err;
}

static int
make_temp(struct replace *o)
{
	const char *slash = strrchr(o->real, '/');
	int n = snprintf(o->temp, sizeof(o->temp), "%.*s.%s.XXXXXX", slash ? (int)(slash + 1 - o->real) : 0, o->real, o->diag->program);
	if (n >= (int)sizeof(o->temp))
		return diag_io(o->diag, ERR_WRITE, "write beside", o->path, ENAMETOOLONG);
	int fd = mkostemp(o->temp, O_CLOEXEC);
	if (fd < 0)
		return diag_io(o->diag, ERR_WRITE, "write beside", o->path, errno);
	int rc = wbuf_attach(&o->out, fd, o->temp);
	if (rc < 0) {
		(void)close(fd);
		(void)unlink(o->temp);
		return diag_no_memory(o->diag);
	}
	o->open = true;
	/* Only the owner may give files away: who is not keeps at least the group's rights. */
	if (fchown(fd, o->before.st_uid, o->before.st_gid) != 0)
		(void)!fchown(fd, (uid_t)-1, o->before.st_gid);
	if (fchmod(fd, o->before.st_mode & 07777) != 0)
		return diag_io(o->diag, ERR_WRITE, "set the mode of", o->temp, errno);
	return 0;
}

int
replace_open(struct replace *o, struct diag *d, const char *path, const char *like, const char *done)
{
	*o = (struct replace){ .diag = d, .path = path, .done = done, .is_new = like != NULL };
	if (like && snprintf(o->real, sizeof(o->real), "%s", path) >= (int)sizeof(o->real))
		return diag_io(d, ERR_WRITE, "write", path, ENAMETOOLONG);
	if ((!like && !realpath(path, o->real)) || stat(like ? like : o->real, &o->before) != 0)
		return diag_io(d, ERR_READ, "inspect", like ? like : path, errno);
	/* Renaming would need no right to write it: the owner may have meant it. */
	if (!like && access(o->real, W_OK) != 0)
		return diag_io(d, ERR_WRITE, "write", path, errno);
	int rc = make_temp(o);
	enum codec_kind kind = codec_kind(path);
	if (rc == 0 && kind != CODEC_NONE && !(o->pack = open_pack(kind)))
		rc = diag_no_memory(d);
	if (rc < 0)
		replace_abandon(o);
	return rc;
}

void
replace_put(struct replace *o, const void *bytes, size_t n)
{
	struct pack *p = o->pack;
	if (!p)
		wbuf_put(&o->out, bytes, n);
	for (const uint8_t *from = bytes; p && n;) {
		size_t k = CHUNK - p->used < n ? CHUNK - p->used : n;
		memcpy(p->in + p->used, from, k);
		p->used += k;
		from += k;
		n -= k;
		if (p->used == CHUNK)
			encode(p, &o->out, false);
	}
}

bool
replace_failed(const struct replace *o)
{
	return wbuf_failed(&o->out);
}

/* Whether the old file is unchanged; a new one has none. */
static bool
is_unchanged(const struct replace *o)
{
	struct stat now;
	if (o->is_new)
		return lstat(o->real, &now) != 0 && errno == ENOENT;
	return stat(o->real, &now) == 0 && now.st_ino == o->before.st_ino && now.st_dev == o->before.st_dev &&
		now.st_size == o->before.st_size && now.st_mtim.tv_sec == o->before.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == o->before.st_mtim.tv_nsec;
}

int
replace_commit(struct replace *o)
{
	if (o->pack)
		encode(o->pack, &o->out, true);
	int err = -wbuf_flush(&o->out);
	if (!err && fsync(o->out.fd) != 0)
		err = errno;
	int closed = -wbuf_close(&o->out);
	err = err ? err : closed;
	int rc = 0;
	if (err)
		rc = diag_error(o->diag, ERR_WRITE, NULL, "cannot write a %s copy of '%s': %s\n"
							  "hint: the stream is as it was",
			o->done, o->path, strerror(err));
	else if (!is_unchanged(o))
		rc = diag_error(o->diag, ERR_WRITE, NULL, "'%s' has changed while it was %s, and is left alone\n"
							  "hint: is the program still running?",
			o->path, o->done);
	else if (rename(o->temp, o->real) != 0)
		rc = diag_io(o->diag, ERR_WRITE, "replace", o->path, errno);
	else
		o->temp[0] = 0;
	if (rc == 0 && (err = sync_dir(o->real)) != 0)
		rc = diag_io(o->diag, ERR_WRITE, "sync the directory of", o->path, err);
	replace_abandon(o);
	return rc;
}

void
replace_abandon(struct replace *o)
{
	if (!o->open)
		return;
	(void)wbuf_close(&o->out);
	if (o->temp[0])
		(void)unlink(o->temp);
	close_pack(o->pack);
	o->pack = NULL;
	o->open = false;
}
