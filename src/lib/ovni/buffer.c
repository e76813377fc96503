/* SPDX-License-Identifier: MIT */
/* buffer: the events of a thread on their way to its stream.
 *
 * They are in a mapped file if that can be (tail.h), so that they outlive the process. Disk for it is
 * reserved before it is touched, since a page that the disk has no room for ends the
 * process; a bit at a time, as most threads of large programs emit little. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "rt.h"
#include "slowfs.h"

enum {
	FIRST_LIMIT = 16 * 1024, /* bytes of events; doubled when they are full */
	MAP_SIZE = TAIL_HEADER + RT_BUF_MAX + RT_FLUSH_PAIR,
};

/* Reserves disk and memory for `size` bytes. */
static int
reserve(int fd, void *map, size_t from, size_t size)
{
	int rc;

	if (rt_allowed(from, size) < size)
		return -1;
	do
		rc = fallocate(fd, 0, (off_t)from, (off_t)size);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return -1;
#ifdef MADV_POPULATE_WRITE
	/* Saves faults while events are added; kernels that cannot do it do no harm. */
	int err = errno;
	(void)madvise((uint8_t *)map + from, size, MADV_POPULATE_WRITE);
	errno = err;
#endif
	return 0;
}

/* The headers of all chunks of a ring are read, also of those that were never written. */
static int
reserve_chunks(const struct rt_thread *t, int fd, void *map)
{
	int rc = 0;

	for (size_t i = 1; i < RING_CHUNKS && t->ring != NULL && rc == 0; i++)
		rc = reserve(fd, map, i * (t->map_size / RING_CHUNKS), TAIL_HEADER);
	return rc;
}

static const char *
buffer_name(const struct rt_thread *t)
{
	return t->ring != NULL ? RING_NAME : TAIL_NAME;
}

static int
buffer_path(char path[PATH_MAX], const struct rt_thread *t)
{
	return rt_path(path, "%s/%s", t->dir, buffer_name(t));
}

/* Why a thread has a private buffer, once for a process. */
static void
say_private(const struct rt_thread *t, const char *why)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		rt_warn("events in memory are lost if the process is killed, %s/%s cannot be mapped: %s "
			"(OVNI_BUFFER=private says nothing)",
			t->dir, buffer_name(t), why);
}

static int
open_shared(struct rt_thread *t, int fd, bool forced)
{
	struct statfs fs;
	const char *slow = forced || fstatfs(fd, &fs) < 0 ? NULL : slowfs_name(&fs);
	size_t size = t->map_size;
	if (slow != NULL) {
		say_private(t, slow);
		return -1;
	}
	void *map = MAP_FAILED;
	if (rt_allowed(0, size) < size || ftruncate(fd, (off_t)size) < 0 ||
		(map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED ||
		madvise(map, size, MADV_RANDOM) < 0 || /* no page is read ahead: they are new */
		reserve(fd, map, 0, TAIL_HEADER + FIRST_LIMIT + RT_FLUSH_PAIR) < 0 || reserve_chunks(t, fd, map) < 0) {
		say_private(t, strerror(errno));
		if (map != MAP_FAILED)
			(void)munmap(map, size);
		return -1;
	}
	t->map = map;
	t->shared = true;
	t->limit = FIRST_LIMIT;
	return 0;
}

/* What OVNI_BUFFER says; NULL: nothing. Another word is told once for a process. */
static const char *
read_wish(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	const char *wish = rt_env("OVNI_BUFFER");

	if (wish == NULL || strcmp(wish, "shared") == 0 || strcmp(wish, "private") == 0)
		return wish;
	if (!atomic_flag_test_and_set(&said))
		rt_warn("OVNI_BUFFER=%s is not known, events are kept as if it were not set (shared, private)", wish);
	return NULL;
}

/* Gives the thread a mapped file. Returns 0, or -1 if it cannot be (said if the user should know). */
static int
try_shared(struct rt_thread *t)
{
	const char *wish = read_wish();
	char path[PATH_MAX];

	if (!t->on_disk || (wish != NULL && strcmp(wish, "private") == 0) || buffer_path(path, t) < 0)
		return -1;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		say_private(t, strerror(errno));
		return -1;
	}
	int rc = open_shared(t, fd, wish != NULL && strcmp(wish, "shared") == 0);
	(void)close(fd);
	if (rc < 0)
		(void)unlink(path);
	return rc;
}

int
rt_buffer_open(struct rt_thread *t)
{
	t->map_size = MAP_SIZE;
	if (rt_ring_size() > 0 && rt_ring_begin(t) < 0)
		return -1;
	if (try_shared(t) < 0) {
		t->map = calloc(1, t->map_size);
		if (t->map == NULL)
			return -1;
		t->limit = RT_BUF_MAX;
	}
	t->tail = t->map;
	if (t->ring != NULL) {
		rt_ring_first(t);
		return 0;
	}
	t->tail->version = TAIL_VERSION;
	t->tail->capacity = RT_BUF_MAX + RT_FLUSH_PAIR;
	atomic_store(&t->tail->offset, (uint64_t)t->size);
	memcpy(t->tail->magic, TAIL_MAGIC, sizeof(t->tail->magic));
	return 0;
}

int
rt_buffer_reserve(const struct rt_thread *t, size_t from, size_t size)
{
	char path[PATH_MAX];

	if (!t->shared)
		return 0;
	int fd = buffer_path(path, t) < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int rc = reserve(fd, t->map, from, size);
	(void)close(fd);
	return rc;
}

bool
rt_buffer_grow(struct rt_thread *t, size_t size)
{
	size_t used = atomic_load_explicit(&t->tail->used, memory_order_relaxed);
	size_t limit = t->limit;

	while (limit < RT_BUF_MAX && used + size >= limit)
		limit *= 2;
	if (limit > t->limit && used + size < limit && rt_buffer_reserve(t, 0, TAIL_HEADER + limit + RT_FLUSH_PAIR) == 0)
		t->limit = limit;
	return used + size < t->limit;
}

void
rt_lose(struct rt_thread *t, enum rt_loss why)
{
	uint64_t none = 0;

	atomic_fetch_add(&t->lost[why], 1);
	if (atomic_load(&t->lost_since) == 0)
		(void)atomic_compare_exchange_strong(&t->lost_since, &none, ovni_clock_now());
	atomic_fetch_add(&t->tail->lost, 1);
	atomic_store(&t->tail->lost_since, atomic_load(&t->lost_since));
}

void
rt_break(struct rt_thread *t, size_t from)
{
	size_t used = atomic_load(&t->tail->used);
	size_t whole = 0;

	/* A tail keeps all of it, and readers take it from there. */
	for (size_t at = 0; at < used;) {
		at += wire_event_size(t->tail->events + at, used - at);
		if (at <= from)
			whole = at;
		else if (!t->shared)
			rt_lose(t, RT_LOST_WRITE);
	}
	t->size += (off_t)whole;
	if (!t->shared)
		atomic_store(&t->tail->used, 0);
	t->limit = 0;

	/* Cut off the written part of the next event. A reader copes with it, so there is
	 * nothing to do when this fails too. */
	if (t->fd >= 0 && from > whole && ftruncate(t->fd, t->size) < 0)
		return;
}

void
rt_drain(struct rt_thread *t, const char *func)
{
	size_t done = 0, used = atomic_load_explicit(&t->tail->used, memory_order_acquire);

	if (used == 0 || t->limit == 0)
		return;
	t->draining = true;
	if (rt_write(t->fd, t->tail->events, used, &done) < 0) {
		rt_disk_error(func, "tracing of thread %d stops, cannot write %s/stream%s:",
			(int)t->tid, t->dir, OVNI_STREAM_EXT);
		rt_break(t, done);
		t->draining = false;
		return;
	}
	t->size += (off_t)used;
	/* The owner may be adding an event while another thread ends its stream. The tail then is as
	 * good as it was: the stream has all of it. */
	if (t == rt_self) {
		atomic_store_explicit(&t->tail->used, 0, memory_order_release);
		atomic_store_explicit(&t->tail->offset, (uint64_t)t->size, memory_order_release);
	}
	t->draining = false;
}

void
rt_buffer_retire(struct rt_thread *t)
{
	char path[PATH_MAX];

	if (t->shared && t->limit > 0 && buffer_path(path, t) == 0 && unlink(path) < 0 && errno != ENOENT)
		rt_warn("cannot remove %s, whose events are in the stream:", path);
}

void
rt_buffer_close(struct rt_thread *t)
{
	if (t->shared)
		(void)munmap(t->map, t->map_size);
	else
		free(t->map);
	t->map = t->tail = NULL;
	rt_ring_free(t);
}
