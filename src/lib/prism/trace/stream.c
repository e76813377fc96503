/* SPDX-License-Identifier: MIT */
/* stream: the files of a thread: events, their times, and a description.
 *
 * Events go into a mapped window of their file, so that all of them are there when the process is killed. The
 * file is a row of buffers of the size of a window. Each ends with an End event that moves: behind it are
 * zeros, which nobody reads. No descriptor stays open, as a program may have a thousand threads, and close what
 * it does not know. */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BEGIN_BYTES = 5,          /* of the first events, and an End */
	MORE = 4 * TRACER_WINDOW, /* what is mapped when a window is full that is not the first */
};

#define STAMPS_SUFFIX ".times"
#define EVENTS_SUFFIX ".prism"
#define JSON_SUFFIX ".json"
#define NEW_SUFFIX ".new"

/* A stream says that it has no memory and no compute event. */
static const uint8_t begin_bytes[BEGIN_BYTES] = {
	PRISM_CFG << 5 | PRISM_MEM << 2,
	0,
	PRISM_CFG << 5 | PRISM_COMP << 2,
	0,
	TRACER_END,
};

/* ---- Bytes. ---- */

static int
write_at(int fd, const void *bytes, size_t n, uint64_t at)
{
	const uint8_t *p = bytes;
	while (n) {
		ssize_t k = pwrite(fd, p, n, (off_t)at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		p += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return 0;
}

/* Gives the file blocks for [at, at + n), which are zeros: a full disk is told here, and not by a signal when
 * the window is written. So is a limit of its size. */
static int
reserve(int fd, uint64_t at, size_t n)
{
	static const uint8_t zeros[4096];
	if (tracer_check_limit(at + n) != 0)
		return -1;
	if (fallocate(fd, 0, (off_t)at, (off_t)n) == 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR)
		return -1;
	for (size_t k; n; n -= k, at += k) {
		k = n < sizeof(zeros) ? n : sizeof(zeros);
		if (write_at(fd, zeros, k, at) != 0)
			return -1;
	}
	return 0;
}

/* Makes the pages of a file that was made longer, with their blocks: a full disk is told here, too. */
static int
populate(void *at, size_t n, int fd, uint64_t offset)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(at, n, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno == EFAULT)
		errno = ENOSPC;
	if (errno != EINVAL)
		return -1;
#endif
	return reserve(fd, offset, n);
}

/* Maps a window at its offset, in the place of the one before: n bytes of the file. */
static int
map_window(struct tracer_window *w, int fd, size_t n)
{
	bool first = !w->base;
	void *p = w->shared ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w->offset) : MAP_FAILED;
	if (p == MAP_FAILED && w->shared && !first)
		return -1;
	if (p == MAP_FAILED) {
		w->shared = false;
		n = TRACER_WINDOW;
		p = first ? tracer_map(n) : w->base;
	}
	if (w->shared && !first) {
		if (populate(p, n, fd, w->offset) != 0) {
			(void)munmap(p, n);
			return -1;
		}
		(void)munmap(w->map, w->mapped);
	}
	w->base = w->map = p;
	w->mapped = n;
	return p ? 0 : -1;
}

/* ---- Windows. ---- */

static int
open_file(struct tracer_stream *s, const char *suffix, int flags)
{
	tracer_path(s->path, s, suffix);
	int fd = open(s->path, O_RDWR | O_CLOEXEC | flags, 0644);
	if (fd < 0)
		tracer_say(s->path, errno);
	return fd;
}

/* Closes the file that was opened last. */
static int
close_file(struct tracer_stream *s, int fd, int rc)
{
	int error = errno;
	(void)close(fd);
	if (rc == 0)
		return 0;
	tracer_say(s->path, error);
	return -1;
}

/* Makes the file longer: each new buffer has its End before it is there as a whole. */
static int
add_buffers(struct tracer_window *w, int fd)
{
	int rc = reserve(fd, w->offset - 1, 1);
	if (!w->shared)
		return rc == 0 ? write_at(fd, &begin_bytes[BEGIN_BYTES - 1], 1, w->offset) : rc;
	if (rc == 0)
		rc = tracer_check_limit(w->offset + MORE);
	for (uint64_t at = w->offset; rc == 0 && at < w->offset + MORE; at += TRACER_WINDOW)
		rc = write_at(fd, &begin_bytes[BEGIN_BYTES - 1], 1, at);
	return rc == 0 ? ftruncate(fd, (off_t)(w->offset + MORE)) : rc;
}

static int
next_events(struct tracer_stream *s)
{
	struct tracer_window *w = &s->events;
	w->offset += TRACER_WINDOW;
	if (w->base + TRACER_WINDOW < w->map + w->mapped) {
		w->base += TRACER_WINDOW;
	} else {
		int fd = open_file(s, EVENTS_SUFFIX, 0);
		if (fd < 0)
			return -1;
		int rc = add_buffers(w, fd);
		if (rc == 0)
			rc = map_window(w, fd, MORE);
		if (close_file(s, fd, rc) != 0)
			return -1;
	}
	w->base[0] = TRACER_END;
	s->pos &= ~(uint64_t)UINT32_MAX;
	s->flushed = 0;
	return 0;
}

static int
next_stamps(struct tracer_stream *s)
{
	struct tracer_window *w = &s->stamps;
	int fd = open_file(s, STAMPS_SUFFIX, 0);
	if (fd < 0)
		return -1;
	w->offset += w->mapped;
	/* One more than fits: what ends with a zero was not finished. */
	int rc = tracer_check_limit(w->offset + MORE + 8);
	if (rc == 0)
		rc = w->shared ? ftruncate(fd, (off_t)(w->offset + MORE + 8)) : reserve(fd, w->offset, 8);
	if (rc == 0)
		rc = map_window(w, fd, MORE);
	if (rc == 0) {
		s->pos &= UINT32_MAX;
		s->stamps_room = (uint32_t)(w->mapped / 8);
	}
	return close_file(s, fd, rc);
}

/* ---- Begin. ---- */

/* Makes a small file, whole or not at all. */
static int
make_file(struct tracer_stream *s, const char *suffix, const void *bytes, size_t n)
{
	int fd = open_file(s, NEW_SUFFIX, O_CREAT | O_TRUNC);
	if (fd < 0 || close_file(s, fd, write_at(fd, bytes, n, 0)) != 0)
		return -1;
	tracer_path(s->path, s, suffix);
	tracer_path(s->fresh, s, NEW_SUFFIX);
	if (rename(s->fresh, s->path) == 0)
		return 0;
	tracer_say(s->path, errno);
	return -1;
}

static int
make_description(struct tracer_stream *s)
{
	tracer_path(s->path, s, "");
	const char *name = strrchr(s->path, '/') + 1;
	char lost[40] = "";
	if (s->lost)
		(void)snprintf(lost, sizeof(lost), "\"lost\": %llu, ", (unsigned long long)s->lost);
	int n = snprintf(s->text, sizeof(s->text),
		"{ \"version\": 1, \"format\": \"prism\", \"events\": \"%s" EVENTS_SUFFIX "\", \"buffer_size\": %d,\n"
		"  \"process\": %d, \"first_thread\": %d, %s\n"
		"  \"clock\": { \"mode\": \"timestamps\" }, \"timestamps\": \"%s" STAMPS_SUFFIX "\", \"names\": \"%s\", \"name_size\": %d }\n",
		name, TRACER_WINDOW, (int)s->process, (int)s->thread, lost, name, tracer_table(), TRACER_NUMBER);
	return make_file(s, JSON_SUFFIX, s->text, (size_t)n);
}

static int
begin_stamps(struct tracer_stream *s, uint64_t ns)
{
	struct tracer_window *w = &s->stamps;
	int fd = open_file(s, STAMPS_SUFFIX, O_CREAT | O_TRUNC);
	if (fd < 0)
		return -1;
	w->shared = tracer_wants_shared();
	int rc = reserve(fd, 0, w->shared ? TRACER_WINDOW + 8 : 8);
	if (rc == 0)
		rc = map_window(w, fd, TRACER_WINDOW);
	if (rc == 0) {
		uint64_t *stamps = (uint64_t *)(void *)w->base;
		stamps[0] = stamps[1] = s->last = ns;
		rc = w->shared ? 0 : write_at(fd, stamps, 24, 0);
	}
	return close_file(s, fd, rc);
}

static int
begin_events(struct tracer_stream *s)
{
	struct tracer_window *w = &s->events;
	int fd = open_file(s, EVENTS_SUFFIX, 0);
	if (fd < 0)
		return -1;
	w->shared = tracer_wants_shared();
	int rc = w->shared ? reserve(fd, BEGIN_BYTES, TRACER_WINDOW - BEGIN_BYTES) : 0;
	if (rc == 0)
		rc = map_window(w, fd, TRACER_WINDOW);
	if (rc == 0)
		memcpy(w->base, begin_bytes, BEGIN_BYTES);
	return close_file(s, fd, rc);
}

static void
remove_files(struct tracer_stream *s)
{
	static const char *const suffixes[] = { JSON_SUFFIX, EVENTS_SUFFIX, STAMPS_SUFFIX, NEW_SUFFIX };
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		tracer_path(s->path, s, suffixes[i]);
		(void)unlink(s->path);
	}
}

/* At each moment the files are such that they can be read: times are there before events, and a stream is whole
 * without a description until it has one. */
static int
begin(struct tracer_stream *s, uint64_t ns)
{
	if (!tracer_name(s))
		return -1;
	s->thread = (pid_t)syscall(SYS_gettid);
	if (begin_stamps(s, ns) != 0 || make_file(s, EVENTS_SUFFIX, begin_bytes, BEGIN_BYTES) != 0 ||
		make_description(s) != 0 || begin_events(s) != 0) {
		remove_files(s);
		return -1;
	}
	s->pos = BEGIN_BYTES - 1 + (UINT64_C(2) << 32);
	s->flushed = BEGIN_BYTES - 1;
	s->room = TRACER_WINDOW - TRACER_SPARE;
	s->stamps_room = TRACER_WINDOW / 8;
	return 0;
}

/* ---- Room. ---- */

/* Their times come first, and before them the zero that they end with until the stream does. */
static int
flush_stamps(struct tracer_stream *s, size_t used)
{
	static const uint64_t unfinished;
	int fd = open_file(s, STAMPS_SUFFIX, 0);
	if (fd < 0)
		return -1;
	int rc = write_at(fd, &unfinished, sizeof(unfinished), s->stamps.offset + used);
	if (rc == 0)
		rc = write_at(fd, s->stamps.base, used, s->stamps.offset);
	return close_file(s, fd, rc);
}

/* The End that is in the file is replaced last. */
static int
flush_events(struct tracer_stream *s, uint32_t used)
{
	const struct tracer_window *w = &s->events;
	uint32_t from = s->flushed;
	int fd = used > from ? open_file(s, EVENTS_SUFFIX, 0) : -1;
	if (fd < 0)
		return used > from ? -1 : 0;
	int rc = write_at(fd, &begin_bytes[BEGIN_BYTES - 1], 1, w->offset + used);
	if (rc == 0)
		rc = write_at(fd, w->base + from + 1, used - from - 1, w->offset + from + 1);
	if (rc == 0)
		rc = write_at(fd, w->base + from, 1, w->offset + from);
	return close_file(s, fd, rc);
}

int
tracer_flush(struct tracer_stream *s)
{
	uint64_t pos = s->pos; /* the thread may go on meanwhile */
	if (!s->room || (s->events.shared && s->stamps.shared))
		return 0;
	int rc = flush_stamps(s, (size_t)(pos >> 32) * 8);
	if (rc == 0)
		rc = flush_events(s, (uint32_t)pos);
	s->flushed = (uint32_t)pos;
	return rc;
}

static int
make_room(struct tracer_stream *s, size_t size)
{
	int rc = tracer_flush(s);
	if (rc == 0 && (uint32_t)s->pos + size > s->room)
		rc = next_events(s);
	if (rc == 0 && s->pos >> 32 >= s->stamps_room)
		rc = next_stamps(s);
	return rc;
}

struct tracer_stream *
tracer_room(size_t size, uint64_t ns)
{
	struct tracer_thread *t = &tracer_self;
	struct tracer_stream *s = t->stream;
	struct tracer_calm calm;
	if (t->inside == TRACER_NEVER)
		return NULL;
	tracer_calm(&calm);
	bool fresh = !s || !s->room;
	if (!s && (s = tracer_map(sizeof(*s)))) {
		(void)madvise(s, sizeof(*s), MADV_WIPEONFORK);
		tracer_watch(s);
	}
	int rc = !s ? -1 : fresh ? begin(s, ns)
				 : make_room(s, size);
	if (rc < 0 && s)
		s->room = 0;
	if (rc < 0)
		t->inside = TRACER_NEVER;
	else
		t->stream = s;
	tracer_resume(&calm);
	if (rc == 0 && fresh) {
		tracer_replay(ns);
		return tracer_get_room(size, ns);
	}
	return rc == 0 ? s : NULL;
}

/* ---- The end. ---- */

static int
cut_file(struct tracer_stream *s, const char *suffix, uint64_t size)
{
	int fd = open_file(s, suffix, 0);
	return fd < 0 ? -1 : close_file(s, fd, ftruncate(fd, (off_t)size));
}

uint64_t
tracer_tell_lost(struct tracer_stream *s)
{
	if (s->room && s->lost)
		(void)make_description(s);
	return s->lost;
}

void
tracer_finish(struct tracer_stream *s)
{
	if (s->room && tracer_flush(s) == 0) {
		(void)cut_file(s, EVENTS_SUFFIX, s->events.offset + (uint32_t)s->pos + 1);
		(void)cut_file(s, STAMPS_SUFFIX, s->stamps.offset + (s->pos >> 32) * 8);
		(void)munmap(s->events.map, s->events.mapped);
		(void)munmap(s->stamps.map, s->stamps.mapped);
	}
	(void)munmap(s, sizeof(*s));
}
