/* SPDX-License-Identifier: MIT */
/* disk: system calls that do all of what they were asked, or say why not. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "rt.h"

int
rt_path(char out[PATH_MAX], const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(out, PATH_MAX, fmt, ap);
	va_end(ap);

	if (n >= 0 && n < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

static bool
is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Several processes create the same directories at the same time, so one that is there
 * already is as good. Some file systems refuse for another reason (EROFS, EACCES) before
 * they notice that it exists. */
static int
make_dir(const char *path)
{
	if (mkdir(path, 0755) == 0)
		return 0;
	int err = errno;
	if (is_dir(path))
		return 0;
	errno = err == EEXIST ? ENOTDIR : err;
	return -1;
}

int
rt_mkpath(const char *path)
{
	char part[PATH_MAX];

	if (is_dir(path))
		return 0;
	if (rt_path(part, "%s", path) < 0)
		return -1;
	for (char *p = part; *p; p++) {
		if (p == part || *p != '/')
			continue;
		*p = '\0';
		if (make_dir(part) < 0)
			return -1;
		*p = '/';
	}
	return make_dir(part);
}

int
rt_open(const char *path)
{
	int fd;
	do {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -1 : fd;
}

size_t
rt_allowed(uint64_t at, size_t size)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || at + size <= limit.rlim_cur)
		return size;
	errno = EFBIG;
	return at < limit.rlim_cur ? (size_t)(limit.rlim_cur - at) : 0;
}

int
rt_write(int fd, const void *buf, size_t size, size_t *done)
{
	const uint8_t *p = buf;
	off_t at = lseek(fd, 0, SEEK_CUR);
	size_t allowed = at < 0 ? size : rt_allowed((uint64_t)at, size);

	*done = 0;
	while (*done < size) {
		if (*done == allowed) {
			errno = EFBIG;
			return -1;
		}
		ssize_t n = write(fd, p + *done, allowed - *done);
		if (n > 0) {
			*done += (size_t)n;
		} else if (n == 0) {
			errno = EIO; /* not for a file; do not loop for ever */
			return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

int
rt_close(int fd)
{
	/* On Linux the descriptor is gone whatever close() says, EINTR included. */
	return close(fd) == 0 || errno == EINTR ? 0 : -1;
}
