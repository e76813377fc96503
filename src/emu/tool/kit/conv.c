/* SPDX-License-Identifier: MIT */
#include "conv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Inputs. ---- */

static bool
is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

const char *
conv_input_name(const char *path)
{
	return is_standard(path) ? "(standard input)" : path;
}

/* Room for one more. 0, or <0 (reported). */
static int
grow(struct conv *c)
{
	struct conv_file *files = realloc(c->files, (c->nfiles + 1) * sizeof(*files));
	if (!files)
		return conv_no_memory(c);
	c->files = files;
	return 0;
}

int
conv_open_input(struct conv *c, const char *path, uint64_t *size)
{
	if (grow(c) < 0)
		return -1;
	int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 && conv_interrupted())
		return -1; /* a FIFO that nobody writes to */
	if (fd < 0 || fstat(fd, &st) != 0)
		return conv_error(c, "read", "cannot open %s: %s", path, strerror(errno));
	if (is_standard(path) && isatty(fd) && !c->quiet)
		diag_tell(&c->diag, DIAG_QUIET, STDIN_ON_TERMINAL);
	c->files[c->nfiles++] = (struct conv_file){ is_standard(path) ? -1 : fd, st.st_dev, st.st_ino };
	if (S_ISDIR(st.st_mode))
		return conv_error(c, "read", "%s is a directory, and a file is expected", path);
	*size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	c->total += *size;
	return fd;
}

static void
close_input(struct conv_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
}

int
conv_note_input(struct conv *c, const char *path)
{
	struct stat st;
	if (grow(c) < 0)
		return -1;
	if (stat(path, &st) == 0)
		c->files[c->nfiles++] = (struct conv_file){ -1, st.st_dev, st.st_ino };
	return 0;
}

void
conv_release_input(struct conv *c)
{
	close_input(&c->files[c->nfiles - 1]);
}

int
conv_in_and_out(struct conv *c, int argc, char **argv, const char **in, const char **out)
{
	if (argc > 1 && c->out_path)
		return conv_usage(c, "the output is named twice: %s and %s", c->out_path, argv[1]);
	*in = argc > 0 ? argv[0] : "-";
	*out = argc > 1 ? argv[1] : c->out_path;
	return 0;
}

/* ---- Output. ---- */

/* Whether the file that would be replaced is an input. */
static bool
is_input(const struct conv *c, const struct stat *out)
{
	for (size_t i = 0; i < c->nfiles && S_ISREG(out->st_mode); i++)
		if (c->files[i].dev == out->st_dev && c->files[i].ino == out->st_ino)
			return true;
	return false;
}

int
conv_check_output(struct conv *c, const char *path)
{
	struct stat st;
	bool replaces = stat(path, &st) == 0 && is_input(c, &st);
	return replaces ? conv_usage(c, "%s is an input, and would be replaced", path) : 0;
}

const char *
conv_split(const char *path, char *dir, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	(void)snprintf(dir, size, "%.*s", (int)(name - path), path);
	return name;
}

bool
conv_is_same(const char *a, const char *b)
{
	struct stat x;
	struct stat y;
	bool has_a = stat(a, &x) == 0;
	bool has_b = stat(b, &y) == 0;
	if (!has_a && !has_b) {
		char dir_a[PATH_MAX];
		char dir_b[PATH_MAX];
		if (strcmp(conv_split(a, dir_a, sizeof(dir_a)), conv_split(b, dir_b, sizeof(dir_b))) != 0)
			return false;
		has_a = stat(*dir_a ? dir_a : ".", &x) == 0;
		has_b = stat(*dir_b ? dir_b : ".", &y) == 0;
	}
	return has_a && has_b && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Opens what takes the name of the output when it is complete. Returns 0, <0 (reported), or 2. */
static int
open_part(struct conv *c, const char *path, bool exists, struct conv_part *to, int *fd)
{
	/* Through a symbolic link to what it leads to. */
	to->final_path = exists ? realpath(path, NULL) : strdup(path);
	size_t n = to->final_path ? strlen(to->final_path) + sizeof(".part") : 0;
	char *part = n ? malloc(n) : NULL;
	int rc = 0;
	*fd = -1;
	conv_catch_signals();
	if (part) {
		(void)snprintf(part, n, "%s.part", to->final_path);
		rc = conv_check_output(c, part);
		*fd = rc == 0 ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	}
	if (*fd < 0) { /* it is not ours to remove */
		rc = rc ? rc : conv_error(c, "write", "cannot open %s: %s", path, strerror(errno));
		free(part);
		part = NULL;
	}
	to->path = part;
	return rc;
}

static int
open_output(struct conv *c, const char *path, struct wbuf *w, struct conv_part *part)
{
	int fd;
	struct stat st;
	if (!path || is_standard(path)) {
		path = "the standard output";
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else {
		int rc = conv_check_output(c, path);
		if (rc != 0)
			return rc;
		bool exists = stat(path, &st) == 0;
		/* Pipes and devices are written as they are. */
		if (c->grows || (exists && !S_ISREG(st.st_mode)))
			fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		else if ((rc = open_part(c, path, exists, part, &fd)) != 0)
			return rc;
	}
	if (fd < 0)
		return conv_error(c, "write", "cannot open %s: %s", path, strerror(errno));
	if (wbuf_attach(w, fd, path) < 0) {
		(void)close(fd);
		return conv_no_memory(c);
	}
	return 0;
}

int
conv_open_output(struct conv *c, const char *path)
{
	return open_output(c, path, &c->out, &c->part);
}

int
conv_open_beside(struct conv *c, unsigned i, const char *path)
{
	return open_output(c, path, &c->beside[i], &c->part_beside[i]);
}

int
conv_place_output(struct conv *c, const char *path)
{
	struct stat st;
	int rc = conv_check_output(c, path);
	if (rc != 0)
		return rc;
	bool exists = stat(path, &st) == 0;
	if (exists && !S_ISREG(st.st_mode))
		return conv_error(c, "write", "%s is no regular file, and no other can hold this output", path);
	int fd;
	rc = open_part(c, path, exists, &c->part, &fd);
	if (rc == 0)
		(void)close(fd);
	return rc;
}

/* rc, or <0 (reported). */
static int
close_bytes(struct conv *c, struct wbuf *w, const struct conv_part *part, int rc)
{
	if (!w->data)
		return rc;
	const char *path = w->path;
	int written = wbuf_close(w);
	if (written == -EPIPE && !part->path) {
		c->left = true;
		return -1;
	}
	return written < 0 ? conv_error(c, "write", "cannot write %s: %s", path, strerror(-written)) : rc;
}

/* Complete, or not there. rc, or <0 (reported). */
static int
end_part(struct conv *c, struct conv_part *part, int rc)
{
	if (part->path && (rc == 0 || rc == 1) && rename(part->path, part->final_path) != 0)
		rc = conv_error(c, "write", "cannot rename %s: %s", part->path, strerror(errno));
	if (part->path && rc != 0 && rc != 1)
		(void)unlink(part->path);
	free(part->path);
	free(part->final_path);
	return rc;
}

/* All of them, or none. */
static int
close_output(struct conv *c, int rc)
{
	rc = close_bytes(c, &c->out, &c->part, rc);
	for (unsigned i = 0; i < CONV_BESIDE; i++)
		rc = close_bytes(c, &c->beside[i], &c->part_beside[i], rc);
	for (unsigned i = 0; i < CONV_BESIDE; i++)
		rc = end_part(c, &c->part_beside[i], rc);
	return end_part(c, &c->part, rc);
}

int
conv_finish(struct conv *c, int rc)
{
	bool stopped = conv_interrupted() && rc != 2 && !c->reported && !(c->lasts && conv_interrupted() == SIGINT);
	if (stopped)
		rc = conv_error(c, "interrupted", "stopped by the user%s", c->part.path ? ", and the output is not complete: it is removed" : "");
	rc = close_output(c, rc);
	diag_end_progress(&c->diag);
	c->family->finish(c, rc == 0);
	for (size_t i = 0; i < c->nfiles; i++)
		close_input(&c->files[i]);
	free(c->files);
	/* A reader that leaves, such as head(1), ends the tool as it would have without the files that
	 * had to go first: by the signal. */
	(void)signal(SIGPIPE, c->on_pipe);
	if (c->left && !c->reported)
		(void)raise(SIGPIPE);
	return stopped ? 128 + conv_interrupted() : rc < 0 ? 1
							   : rc;
}
