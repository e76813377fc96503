/* SPDX-License-Identifier: MIT */
/* ipc: the writer of live buffers. */
#include "ipc.h"

#include "prism_ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	RETRY_MS = 5, /* between two looks whether the reader is there */
};

static int64_t
now_ms(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int
open_part(const char *dir, const char *part, unsigned number, int flags)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s-%u", dir, part, number);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void
close_part(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

/* ---- The reader. ---- */

/* Connects to the FIFOs. The one of full buffers is opened first: it can be when its reader is there, who made the other
 * one before. The public Prism makes it only when somebody has opened the other one. */
static int
connect_fifos(struct prism_ipc *w, const char *dir, unsigned number)
{
	int64_t end = now_ms() + w->timeout_ms;
	for (;;) {
		w->full = open_part(dir, PRISM_IPC_FULL, number, O_WRONLY);
		w->empty = open_part(dir, PRISM_IPC_EMPTY, number, O_RDONLY);
		if (w->full >= 0 && w->empty >= 0)
			return 0;
		int rc = w->full < 0 ? w->full : w->empty;
		close_part(w->full);
		close_part(w->empty);
		if (rc != -ENOENT && rc != -ENXIO && rc != -EINTR)
			return rc;
		if (w->timeout_ms >= 0 && now_ms() >= end)
			return -ETIMEDOUT;
		(void)poll(NULL, 0, RETRY_MS);
	}
}

static int
map_buffers(struct prism_ipc *w, const char *dir, unsigned number)
{
	size_t size = (size_t)PRISM_IPC_BUFFERS * PRISM_IPC_SIZE;
	struct stat st;
	int fd = open_part(dir, PRISM_IPC_SHMEM, number, O_RDWR);
	if (fd < 0)
		return fd;
	int rc = fstat(fd, &st) < 0 ? -errno : st.st_size < (off_t)size ? -EPROTO
									: 0;
	void *at = rc == 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : NULL;
	if (at == MAP_FAILED)
		rc = -errno;
	(void)close(fd);
	w->buffers = rc == 0 ? at : NULL;
	return rc;
}

int
prism_ipc_open(struct prism_ipc *w, const char *dir, unsigned number, int timeout_ms)
{
	*w = (struct prism_ipc){ .full = -1, .empty = -1, .timeout_ms = timeout_ms, .mine = true };
	int rc = connect_fifos(w, dir, number);
	if (rc < 0) {
		w->full = w->empty = -1;
		return w->failed = rc;
	}
	rc = map_buffers(w, dir, number);
	if (rc < 0) {
		(void)prism_ipc_close(w);
		return w->failed = rc;
	}
	return 0;
}

/* Reads the number of a buffer that comes back. Returns 1, 0 the reader has closed its end, or -errno. */
static int
get_number(struct prism_ipc *w, int64_t end, uint32_t *number)
{
	for (;;) {
		int64_t left = w->timeout_ms < 0 ? -1 : end - now_ms();
		if (w->timeout_ms >= 0 && left < 0)
			return -ETIMEDOUT;
		int got = poll(&(struct pollfd){ .fd = w->empty, .events = POLLIN }, 1, (int)left);
		if (got == 0)
			return -ETIMEDOUT;
		ssize_t n = got < 0 ? got : read(w->empty, number, sizeof(*number));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n >= 0)
			return n == 0 ? 0 : n == sizeof(*number) ? 1
								 : -EPROTO;
	}
}

/* Waits for the current buffer. */
static int
take_buffer(struct prism_ipc *w)
{
	int64_t end = now_ms() + w->timeout_ms;
	while (w->given >> w->current & 1) {
		uint32_t number = PRISM_IPC_BUFFERS;
		int rc = get_number(w, end, &number);
		if (rc <= 0)
			return rc < 0 ? rc : -EPIPE;
		if (number >= PRISM_IPC_BUFFERS || !(w->given >> number & 1))
			return -EPROTO;
		w->given &= (uint8_t) ~(1U << number);
	}
	w->mine = true;
	w->used = 0;
	return 0;
}

/* Writes a number without the signal of a reader that has gone. */
static int
put_number(struct prism_ipc *w, uint32_t number)
{
	sigset_t only, old, pending;
	(void)sigemptyset(&only);
	(void)sigaddset(&only, SIGPIPE);
	(void)sigpending(&pending);
	(void)pthread_sigmask(SIG_BLOCK, &only, &old);
	ssize_t n;
	do
		n = write(w->full, &number, sizeof(number));
	while (n < 0 && errno == EINTR);
	int rc = n == sizeof(number) ? 0 : n < 0 ? -errno
						 : -EPIPE;
	if (rc == -EPIPE && !sigismember(&pending, SIGPIPE))
		(void)sigtimedwait(&only, NULL, &(struct timespec){ 0 });
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* ---- Events. ---- */

static int
fail(struct prism_ipc *w, int rc)
{
	w->failed = rc < 0 ? rc : 0;
	return rc;
}

/* Hands over the current buffer. */
static int
give_buffer(struct prism_ipc *w)
{
	w->buffers[(size_t)w->current * PRISM_IPC_SIZE + w->used] = PRISM_END << 5;
	int rc = put_number(w, w->current);
	w->given |= (uint8_t)(1U << w->current);
	w->current = (w->current + 1) % PRISM_IPC_BUFFERS;
	w->mine = false;
	w->used = 0;
	return rc;
}

int
prism_ipc_put(struct prism_ipc *w, struct prism_state *st, const struct prism_event *ev)
{
	if (w->failed)
		return w->failed;
	if (ev->kind == PRISM_END)
		return w->used ? fail(w, give_buffer(w)) : 0;
	for (;;) {
		int rc = w->mine ? 0 : take_buffer(w);
		if (rc < 0)
			return fail(w, rc);
		/* One byte is kept for the End. */
		ssize_t n = prism_encode(w->buffers + (size_t)w->current * PRISM_IPC_SIZE + w->used, PRISM_IPC_SIZE - 1 - w->used, st, ev);
		if (n < 0)
			return (int)-n;
		w->used += (size_t)n;
		if (n > 0)
			return 0;
		rc = give_buffer(w);
		if (rc < 0)
			return fail(w, rc);
	}
}

int
prism_ipc_close(struct prism_ipc *w)
{
	int rc = w->failed;
	if (w->empty < 0)
		return rc;
	if (rc == 0 && w->buffers && w->used)
		rc = give_buffer(w);
	if (rc == 0 && w->buffers)
		rc = put_number(w, PRISM_IPC_END);
	/* The reader closes its end when it has seen that of the stream. */
	int64_t end = now_ms() + w->timeout_ms;
	while (rc == 0 && w->buffers) {
		uint32_t number = 0;
		rc = get_number(w, end, &number);
		if (rc == 0) {
			rc = w->given ? -EPIPE : 0;
			break;
		}
		w->given &= (uint8_t) ~(number < PRISM_IPC_BUFFERS ? 1U << number : 0);
		rc = rc < 0 ? rc : 0;
	}
	if (w->buffers)
		(void)munmap(w->buffers, (size_t)PRISM_IPC_BUFFERS * PRISM_IPC_SIZE);
	close_part(w->full);
	close_part(w->empty);
	*w = (struct prism_ipc){ .full = -1, .empty = -1, .failed = rc < 0 ? rc : -EBADF };
	return rc;
}
