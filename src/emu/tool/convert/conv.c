/* SPDX-License-Identifier: MIT */
#include "conv.h"

#include <errno.h>
#include <fcntl.h>
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

int
conv_open_input(struct conv *c, const char *path, uint64_t *size)
{
	struct conv_file *files = realloc(c->files, (c->nfiles + 1) * sizeof(*files));
	if (!files)
		return conv_no_memory(c);
	c->files = files;
	int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 && conv_interrupted())
		return -1; /* a FIFO that nobody writes to */
	if (fd < 0 || fstat(fd, &st) != 0)
		return conv_error(c, "read", "cannot open %s: %s", path, strerror(errno));
	files[c->nfiles++] = (struct conv_file){ is_standard(path) ? -1 : fd, st.st_dev, st.st_ino };
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

/* Opens what takes the name of the output when it is complete. Returns 0, <0 (reported), or 2. */
static int
open_part(struct conv *c, const char *path, bool exists, int *fd)
{
	/* Through a symbolic link to what it leads to. */
	c->final_path = exists ? realpath(path, NULL) : strdup(path);
	size_t n = c->final_path ? strlen(c->final_path) + sizeof(".part") : 0;
	char *part = n ? malloc(n) : NULL;
	int rc = 0;
	*fd = -1;
	if (part) {
		(void)snprintf(part, n, "%s.part", c->final_path);
		rc = conv_check_output(c, part);
		*fd = rc == 0 ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	}
	if (*fd < 0) { /* it is not ours to remove */
		rc = rc ? rc : conv_error(c, "write", "cannot open %s: %s", path, strerror(errno));
		free(part);
		part = NULL;
	}
	c->part_path = part;
	return rc;
}

int
conv_open_output(struct conv *c, const char *path)
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
		if (exists && !S_ISREG(st.st_mode))
			fd = open(path, O_WRONLY | O_CLOEXEC);
		else if ((rc = open_part(c, path, exists, &fd)) != 0)
			return rc;
	}
	if (fd < 0)
		return conv_error(c, "write", "cannot open %s: %s", path, strerror(errno));
	if (wbuf_attach(&c->out, fd, path) < 0) {
		(void)close(fd);
		return conv_no_memory(c);
	}
	return 0;
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
	rc = open_part(c, path, exists, &fd);
	if (rc == 0)
		(void)close(fd);
	return rc;
}

/* Complete, or not there. 0, or <0 (reported). */
static int
close_output(struct conv *c, int rc)
{
	if (c->out.data) {
		const char *path = c->out.path;
		int written = wbuf_close(&c->out);
		/* Who reads no further, such as head(1), has seen enough. */
		if (written == -EPIPE && !c->part_path)
			rc = -1;
		else if (written < 0)
			rc = conv_error(c, "write", "cannot write %s: %s", path, strerror(-written));
	}
	if (c->part_path && rc == 0 && rename(c->part_path, c->final_path) != 0)
		rc = conv_error(c, "write", "cannot rename %s: %s", c->part_path, strerror(errno));
	if (c->part_path && rc != 0)
		(void)unlink(c->part_path);
	free(c->part_path);
	free(c->final_path);
	return rc;
}

int
conv_finish(struct conv *c, int rc)
{
	if (conv_interrupted() && rc <= 0 && !c->reported)
		rc = conv_error(c, "interrupted", "stopped by the user%s", c->part_path ? ", and the output is not complete: it is removed" : "");
	rc = close_output(c, rc);
	conv_clear_progress(c);
	c->family->finish(c, rc == 0);
	for (size_t i = 0; i < c->nfiles; i++)
		close_input(&c->files[i]);
	free(c->files);
	return rc < 0 ? 1 : rc;
}
