/* SPDX-License-Identifier: MIT */
/* faults: linked to ovniemu in place of write(), pwrite() and pthread_create().
 *   FAULT_WRITE=N    the N-th write to a file fails, as the disk is full
 *   FAULT_SIGNAL=N   before it the process gets SIGTERM
 *   FAULT_THREAD=N   the N-th thread cannot be made, and none behind it
 *   FAULT_COUNT=FILE gets the number of writes at the end */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __real_pwrite(int fd, const void *p, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *p, size_t n, off_t offset);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg);

static long write_at, signal_at, thread_at;
static atomic_long nwrites, nthreads;

static long
number(const char *name)
{
	const char *text = getenv(name);
	return text ? atol(text) : 0;
}

__attribute__((constructor)) static void
begin(void)
{
	write_at = number("FAULT_WRITE");
	signal_at = number("FAULT_SIGNAL");
	thread_at = number("FAULT_THREAD");
}

__attribute__((destructor)) static void
end(void)
{
	const char *path = getenv("FAULT_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;
	if (f) {
		(void)fprintf(f, "%ld\n", atomic_load(&nwrites));
		(void)fclose(f);
	}
}

static int
fails(int fd)
{
	if (fd <= STDERR_FILENO)
		return 0;
	long n = atomic_fetch_add(&nwrites, 1) + 1;
	if (n == signal_at)
		(void)kill(getpid(), SIGTERM);
	if (n != write_at)
		return 0;
	errno = ENOSPC;
	return 1;
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
	return fails(fd) ? -1 : __real_write(fd, p, n);
}

ssize_t
__wrap_pwrite(int fd, const void *p, size_t n, off_t offset)
{
	return fails(fd) ? -1 : __real_pwrite(fd, p, n, offset);
}

int
__wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	long n = atomic_fetch_add(&nthreads, 1) + 1;
	return thread_at && n >= thread_at ? EAGAIN : __real_pthread_create(t, attr, run, arg);
}
