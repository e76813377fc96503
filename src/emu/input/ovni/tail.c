/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include "tail.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The system refused something. Returns its text, and keeps why. */
static const char *
refused(int *err)
{
	*err = errno;
	return strerror(errno);
}

/* Reads the header and the size of a tail. Returns what is wrong with it; NULL: nothing. */
static const char *
read_header(int fd, struct tail *t, int *err)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return refused(err);
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	ssize_t n = pread(fd, t, TAIL_HEADER, 0);
	if (n < 0)
		return refused(err);
	if (n < TAIL_HEADER)
		return "it is shorter than its header";
	if (memcmp(t->magic, TAIL_MAGIC, sizeof(t->magic)) != 0)
		return "it does not begin with \"" TAIL_MAGIC "\"";
	if (t->version != TAIL_VERSION)
		return "its version is not known";
	if (t->used > (uint64_t)st.st_size - TAIL_HEADER)
		return "it has less than it says";
	return NULL;
}

/* What is wrong with a tail for a stream; NULL: nothing. Its size is asked for only now, as a process that
 * still runs writes to the stream before it empties the tail. */
static const char *
join(struct stream *s, const struct tail *t, const char *path, int *err)
{
	struct stat st;
	if (s->in.codec)
		return "the stream is compressed";
	if (stat(s->in.path, &st) != 0)
		return refused(err);
	uint64_t size = (uint64_t)st.st_size;
	uint64_t offset = t->offset, used = t->used;
	if (offset > size)
		return "it begins behind the end of the stream";
	if (used == 0 || used <= size - offset)
		return NULL; /* the stream has all of it */
	struct reader_part *part = arena_new(&s->trace->arena, struct reader_part, 1);
	if (!part) {
		errno = ENOMEM;
		return refused(err);
	}
	*part = (struct reader_part){ .path = path, .after = offset, .from = TAIL_HEADER, .size = used };
	s->trace->bytes -= s->in.file_size;
	reader_continue(&s->in, part);
	s->trace->bytes += s->in.file_size;
	return NULL;
}

bool
tail_has_begun(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;
	struct tail t = { 0 };
	int err = 0;
	(void)snprintf(path, sizeof(path), "%s/stream.obs", dir);
	if (lstat(path, &st) != 0)
		return errno != ENOENT;
	if (!S_ISREG(st.st_mode) || st.st_size > WIRE_STREAM_HEADER)
		return true;
	(void)snprintf(path, sizeof(path), "%s/" TAIL_NAME, dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno != ENOENT;
	(void)read_header(fd, &t, &err);
	(void)close(fd);
	return t.used > 0;
}

int
tail_apply(struct stream *s)
{
	struct diag *d = s->trace->diag;
	const char *slash = strrchr(s->in.path, '/');
	char *path = arena_printf(&s->trace->arena, "%.*s" TAIL_NAME, (int)(slash ? slash + 1 - s->in.path : 0), s->in.path);
	if (!path)
		return diag_no_memory(d);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat link;
	if (fd < 0 && errno == ENOENT && lstat(path, &link) != 0)
		return errno == ENOENT ? 0 : diag_io(d, ERR_READ, "inspect", path, errno);
	int err = 0;
	struct tail t = { 0 };
	const char *why = fd < 0 ? refused(&err) : read_header(fd, &t, &err);
	if (fd >= 0)
		(void)close(fd);
	if (!why)
		why = join(s, &t, path, &err);
	if (err == ENOMEM)
		return diag_no_memory(d);
	if (is_grave(err))
		return diag_io(d, ERR_READ, "read", path, err);
	struct place at = { .file = s->relpath };
	if (why && s->trace->options.lint)
		return diag_error(d, ERR_READ, &at, "the events of its " TAIL_NAME " cannot be read: %s", why);
	if (why) {
		diag_warn(d, &at, "the events of its " TAIL_NAME " are left out: %s", why);
		return 0;
	}
	s->has_tail = true;
	return t.lost ? stream_has_lost(s, t.lost, (int64_t)t.lost_since) : 0;
}
