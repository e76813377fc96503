/* SPDX-License-Identifier: MIT */
#include "ipc.h"

#include "diag.h"
#include "prism/ipc.h"
#include "prism/prism_ipc.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const parts[] = { PRISM_IPC_SHMEM, PRISM_IPC_EMPTY, PRISM_IPC_FULL };

static void
name_part(const struct prismipc *q, const char *part, char path[PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%s/%s-%u", q->dir, part, q->number);
}

/* ---- Files. ---- */

/* Whether the path still is the file: a reader that ends removes it. */
static bool
is_there(int fd, const char *path)
{
	struct stat a, b;
	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Opens the file of the buffers, and keeps others from reading them. */
static int
open_shmem(struct prismipc *q)
{
	char path[PATH_MAX];
	struct stat st;
	name_part(q, PRISM_IPC_SHMEM, path);
	do {
		if (q->shmem >= 0)
			(void)close(q->shmem);
		q->shmem = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
		if (q->shmem < 0)
			return diag_io(q->diag, ERR_READ, "make", path, errno);
		int locked = flock(q->shmem, LOCK_EX | LOCK_NB);
		if (locked != 0 && errno != EWOULDBLOCK)
			return diag_io(q->diag, ERR_READ, "lock", path, errno);
		if (locked != 0)
			return diag_error(q->diag, ERR_READ, NULL, "'%s' has a reader already\nhint: each producer needs one of its own", path);
	} while (!is_there(q->shmem, path));
	if (fstat(q->shmem, &st) != 0 || !S_ISREG(st.st_mode))
		return diag_error(q->diag, ERR_READ, NULL, "'%s' is no plain file", path);
	return ftruncate(q->shmem, (off_t)PRISM_IPC_BUFFERS * PRISM_IPC_SIZE) == 0 ? 0 : diag_io(q->diag, ERR_READ, "make", path, errno);
}

/* Makes a FIFO in place of the one that a reader left that was killed. Returns a descriptor, or <0 (reported). */
static int
make_fifo(struct prismipc *q, const char *part, int flags)
{
	char path[PATH_MAX];
	name_part(q, part, path);
	(void)unlink(path);
	int fd = mkfifo(path, 0600) == 0 ? open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW) : -1;
	return fd < 0 ? diag_io(q->diag, ERR_READ, "make", path, errno) : fd;
}

int
prismipc_open(struct prismipc *q, struct diag *d, const char *dir, unsigned number)
{
	*q = (struct prismipc){ .dir = dir, .number = number, .diag = d, .shmem = -1, .empty = -1 };
	if (strlen(dir) > PATH_MAX - 64)
		return diag_io(d, ERR_READ, "open", dir, ENAMETOOLONG);
	int rc = open_shmem(q);
	if (rc < 0 && q->shmem >= 0)
		(void)close(q->shmem);
	if (rc < 0)
		return rc;
	q->open = true;
	/* Open for both, as a producer may wait in open() for a writer. It opens this one before that of full buffers, or
	 * the other way round. */
	q->empty = make_fifo(q, PRISM_IPC_EMPTY, O_RDWR);
	rc = q->empty < 0 ? q->empty : make_fifo(q, PRISM_IPC_FULL, O_RDONLY);
	if (rc < 0)
		prismipc_close(q);
	return rc;
}

/* Tells the producer that nobody reads on. */
static void
leave(struct prismipc *q)
{
	if (q->empty >= 0)
		(void)close(q->empty);
	q->empty = -1;
}

void
prismipc_close(struct prismipc *q)
{
	char path[PATH_MAX];
	if (!q->open)
		return;
	leave(q);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		name_part(q, parts[i], path);
		(void)unlink(path);
	}
	(void)close(q->shmem);
	q->open = false;
}

/* ---- Buffers. ---- */

static struct place
place_of(const struct reader *r)
{
	return (struct place){ .file = r->name, .has_offset = true, .offset = r->file_pos };
}

/* The stream ends in front of a lie. */
static int
refuse(struct prismipc *q, struct reader *r, bool lenient, const char *why)
{
	struct place at = place_of(r);
	leave(q);
	r->eof = true;
	if (!lenient)
		return (void)diag_error(q->diag, ERR_PRISM, &at, "%s", why), -EPROTO;
	diag_warn(q->diag, &at, "%s: the stream ends", why);
	return 0;
}

static int
take_buffer(struct prismipc *q, struct reader *r, bool lenient, uint32_t number)
{
	uint8_t *to = r->buf + (r->end - r->buf);
	size_t got = 0;
	while (got < PRISM_IPC_SIZE) {
		ssize_t n = pread(q->shmem, to + got, PRISM_IPC_SIZE - got, (off_t)number * PRISM_IPC_SIZE + (off_t)got);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return refuse(q, r, lenient, "the producer has made its shared memory shorter");
		got += n < 0 ? 0 : (size_t)n;
	}
	r->end += PRISM_IPC_SIZE;
	r->file_pos += PRISM_IPC_SIZE;
	if (write(q->empty, &number, sizeof(number)) != sizeof(number) && errno == EAGAIN)
		return refuse(q, r, lenient, "the producer takes none of its buffers back");
	return 0;
}

int
prismipc_read(struct prismipc *q, struct reader *r, bool lenient)
{
	ssize_t n = read(r->fd, q->bytes + q->have, sizeof(q->bytes) - q->have);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n == 0) {
		struct place at = place_of(r);
		diag_warn(q->diag, &at, "the producer has gone without the end of its stream: what it had not handed over is lost");
		leave(q);
		r->eof = true;
		return 0;
	}
	q->have += (unsigned)n;
	if (q->have < sizeof(q->bytes))
		return 0;
	q->have = 0;
	uint32_t number;
	memcpy(&number, q->bytes, sizeof(number));
	if (number == PRISM_IPC_END) {
		leave(q);
		r->eof = true;
		return 0;
	}
	if (number >= PRISM_IPC_BUFFERS)
		return refuse(q, r, lenient, "the producer hands over a buffer that does not exist");
	return take_buffer(q, r, lenient, number);
}
