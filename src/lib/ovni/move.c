/* SPDX-License-Identifier: MIT */
/* move: the files of a thread, from the temporary directory to their place.
 *
 * A reader takes a directory with stream.json for a stream. So an old one goes first and
 * the new one comes last, and each file appears under its name only when it is complete. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "rt.h"

#define PREFIX "stream."
#define META "stream.json"
#define STREAM "stream" OVNI_STREAM_EXT

enum {
	COPY_SIZE = 16 * 1024, /* bytes at once, on the stack of the thread */
};

void
rt_link(const struct rt_thread *t, bool moved)
{
	const char *const names[] = { META, STREAM, rt_ring_size() > 0 ? RING_NAME : TAIL_NAME };
	char from[PATH_MAX], to[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (rt_path(from, "%s/%s", t->dir, names[i]) == 0 && rt_path(to, "%s/%s", t->final, names[i]) == 0 &&
			(!moved || access(from, F_OK) == 0) && (unlink(to) == 0 || errno == ENOENT) && symlink(from, to) < 0)
			return;
}

static int
copy_data(int in, int out)
{
	uint8_t buf[COPY_SIZE];

	for (;;) {
		size_t done;
		ssize_t n = read(in, buf, sizeof(buf));
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || rt_write(out, buf, (size_t)n, &done) < 0)
			return -1;
	}
}

/* Copy to a name that no reader looks at, then rename. */
static int
copy_file(const struct rt_thread *t, const char *from, const char *name, const char *to)
{
	char part[PATH_MAX];

	if (rt_path(part, "%s/.part.%s", t->final, name) < 0)
		return -1;
	int in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return -1;
	int out = rt_open(part);
	if (out < 0) {
		int err = errno;
		(void)close(in);
		errno = err;
		return -1;
	}
	int rc = copy_data(in, out);
	int err = errno;
	(void)close(in);
	if (rt_close(out) < 0 && rc == 0) {
		rc = -1;
		err = errno;
	}
	if (rc == 0 && rename(part, to) < 0) {
		rc = -1;
		err = errno;
	}
	if (rc < 0)
		(void)unlink(part);
	errno = err;
	return rc;
}

static int
move_file(const struct rt_thread *t, const char *name, const char *func)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (rt_path(from, "%s/%s", t->dir, name) < 0 ||
		rt_path(to, "%s/%s", t->final, name) < 0) {
		rt_error(func, "cannot move %s/%s:", t->dir, name);
		return -1;
	}
	if (rename(from, to) == 0)
		return 0;
	if (copy_file(t, from, name, to) < 0) {
		rt_error(func, "%s stays where it is, cannot copy it to %s:", from, to);
		return -1;
	}
	if (unlink(from) < 0)
		rt_error(func, "cannot remove %s, of which there is a copy:", from);
	return 0;
}

/* Everything but the metadata. */
static int
move_data(const struct rt_thread *t, const char *func)
{
	int rc = 0;

	DIR *d = opendir(t->dir);
	if (d == NULL) {
		rt_error(func, "cannot read directory %s:", t->dir);
		return -1;
	}
	for (;;) {
		errno = 0;
		const struct dirent *e = readdir(d);
		if (e == NULL)
			break;
		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0 || strcmp(e->d_name, META) == 0)
			continue;
		if (move_file(t, e->d_name, func) < 0)
			rc = -1;
	}
	if (errno != 0) {
		rt_error(func, "cannot read directory %s:", t->dir);
		rc = -1;
	}
	(void)closedir(d);
	return rc;
}

void
rt_move(const struct rt_thread *t, const char *func)
{
	char old[PATH_MAX], link[PATH_MAX];

	if (rt_mkpath(t->final) < 0 || rt_path(old, "%s/%s", t->final, META) < 0 ||
		(unlink(old) < 0 && errno != ENOENT) ||
		rt_path(link, "%s/%s", t->final, t->ring != NULL ? RING_NAME : TAIL_NAME) < 0 ||
		(unlink(link) < 0 && errno != ENOENT)) {
		rt_error(func, "the stream stays in %s, cannot replace the one in %s:", t->dir, t->final);
		return;
	}
	if (move_data(t, func) < 0 || move_file(t, META, func) < 0) {
		rt_link(t, true);
		return;
	}
	/* Not empty if somebody else keeps files there, who will know why. */
	(void)rmdir(t->dir);
}
