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

static void
take_parts(struct stream *s, const struct reader_part *parts)
{
	s->trace->bytes -= s->in.file_size;
	reader_take_parts(&s->in, parts);
	s->trace->bytes += s->in.file_size;
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
	struct reader_part *parts = arena_new(&s->trace->arena, struct reader_part, 3);
	if (!parts) {
		errno = ENOMEM;
		return refused(err);
	}
	parts[0] = (struct reader_part){ s->in.path, 0, offset };
	parts[1] = (struct reader_part){ path, TAIL_HEADER, used };
	take_parts(s, parts);
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
	(void)snprintf(path, sizeof(path), "%s/" RING_NAME, dir);
	if (lstat(path, &st) == 0 || errno != ENOENT)
		return true;
	(void)snprintf(path, sizeof(path), "%s/" TAIL_NAME, dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno != ENOENT;
	(void)read_header(fd, &t, &err);
	(void)close(fd);
	return t.used > 0;
}

static const char *
take_tail(struct stream *s, int fd, const char *path, struct tail *t, int *err)
{
	const char *why = read_header(fd, t, err);
	return why ? why : join(s, t, path, err);
}

/* ---- Rings. ---- */

/* Reads the headers of all chunks, which are `stride` bytes apart. */
static const char *
read_chunks(int fd, struct tail *chunks[RING_CHUNKS], uint64_t *stride, int *err)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return refused(err);
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	for (unsigned i = 0; i < RING_CHUNKS; i++) {
		struct tail *c = chunks[i];
		ssize_t n = pread(fd, c, TAIL_HEADER, (off_t)(i * *stride));
		if (n < 0)
			return refused(err);
		if (n < TAIL_HEADER)
			return i ? "it has less than it says" : "it is shorter than its header";
		if (i == 0 && memcmp(c->magic, RING_MAGIC, sizeof(c->magic)) != 0)
			return "it does not begin with \"" RING_MAGIC "\"";
		if (i == 0 && c->version != TAIL_VERSION)
			return "its version is not known";
		if (i == 0 && c->capacity >= (uint64_t)st.st_size)
			return "it has less than it says";
		*stride = i ? *stride : TAIL_HEADER + c->capacity;
		if (c->capacity + TAIL_HEADER != *stride || i * *stride + TAIL_HEADER + c->used > (uint64_t)st.st_size)
			c->offset = UINT64_MAX;
	}
	return NULL;
}

/* What the chunks have becomes the stream, unless that is there already. *last: the newest. */
static const char *
take_ring(struct stream *s, int fd, const char *path, struct tail *last, int *err)
{
	struct arena *a = &s->trace->arena;
	struct tail *chunks[RING_CHUNKS];
	const struct tail *order[RING_CHUNKS];
	struct reader_part *parts = arena_new(a, struct reader_part, RING_CHUNKS + 2);
	uint8_t *bytes = arena_new(a, uint8_t, (size_t)RING_CHUNKS * TAIL_HEADER);
	uint64_t stride = 0;
	if (!parts || !bytes) {
		errno = ENOMEM;
		return refused(err);
	}
	for (unsigned i = 0; i < RING_CHUNKS; i++)
		chunks[i] = (struct tail *)(void *)(bytes + (size_t)i * TAIL_HEADER);
	const char *why = read_chunks(fd, chunks, &stride, err);
	if (why)
		return why;
	if (s->in.codec)
		return "the stream is compressed";
	if (s->in.file_size < WIRE_STREAM_HEADER)
		return "the stream has no header";
	unsigned n = ring_order((const struct tail *const *)chunks, RING_CHUNKS, order);
	if (n == 0)
		return "all of its parts are damaged";
	bool whole = order[0]->offset == WIRE_STREAM_HEADER;
	parts[0] = (struct reader_part){ s->in.path, 0, WIRE_STREAM_HEADER };
	for (unsigned i = 0; i < n; i++) {
		const struct tail *c = order[i];
		uint64_t skip = i || whole ? c->snapshot : 0;
		uint64_t at = (uint64_t)((const uint8_t *)c - bytes) / TAIL_HEADER * stride;
		parts[i + 1] = (struct reader_part){ path, at + TAIL_HEADER + skip, c->used - skip };
	}
	if (s->in.file_size == WIRE_STREAM_HEADER)
		take_parts(s, parts);
	memcpy(last, order[n - 1], TAIL_HEADER);
	s->meta.ring = !whole && !s->trace->options.strict;
	s->meta.shared = whole ? 0 : order[0]->shared;
	return NULL;
}

/* Whether the program died before it wrote the header, the magic of which it writes last: there are no events then. */
static bool
is_blank(int fd)
{
	static const char nothing[sizeof(TAIL_MAGIC) - 1];
	char magic[sizeof(nothing)];
	struct stat st;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	ssize_t n = pread(fd, magic, sizeof(magic), 0);
	return n >= 0 && memcmp(magic, nothing, (size_t)n) == 0;
}

/* Takes the buffer of that name beside the stream, if there is one. */
static int
apply(struct stream *s, const char *name, const char *take(struct stream *s, int fd, const char *path, struct tail *t, int *err))
{
	struct diag *d = s->trace->diag;
	const char *slash = strrchr(s->in.path, '/');
	char *path = arena_printf(&s->trace->arena, "%.*s%s", (int)(slash ? slash + 1 - s->in.path : 0), s->in.path, name);
	if (!path)
		return diag_no_memory(d);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat link;
	if (fd < 0 && errno == ENOENT && lstat(path, &link) != 0)
		return errno == ENOENT ? 0 : diag_io(d, ERR_READ, "inspect", path, errno);
	int err = 0;
	struct tail t = { 0 };
	const char *why = fd < 0 ? refused(&err) : is_blank(fd) ? NULL
								: take(s, fd, path, &t, &err);
	if (fd >= 0)
		(void)close(fd);
	if (err == ENOMEM)
		return diag_no_memory(d);
	if (is_grave(err))
		return diag_io(d, ERR_READ, "read", path, err);
	struct place at = { .file = s->relpath };
	if (why && s->trace->options.lint)
		return diag_error(d, ERR_READ, &at, "the events of its %s cannot be read: %s", name, why);
	if (why) {
		diag_warn(d, &at, "the events of its %s are left out: %s", name, why);
		return 0;
	}
	s->has_tail = true;
	return t.lost ? stream_has_lost(s, t.lost, (int64_t)t.lost_since) : 0;
}

int
tail_apply(struct stream *s)
{
	int rc = apply(s, TAIL_NAME, take_tail);
	return rc < 0 ? rc : apply(s, RING_NAME, take_ring);
}
