/* SPDX-License-Identifier: MIT */
#include "out.h"

#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A directory is synced so that the new name survives a crash. */
static int
sync_dir(const char *file)
{
	char dir[PATH_MAX];
	(void)snprintf(dir, sizeof(dir), "%s", file);
	char *slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = 0;
	int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	/* Some file systems cannot sync directories, and need not. */
	int err = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
	(void)close(fd);
	return err;
}

static int
make_temp(struct sortout *o)
{
	const char *slash = strrchr(o->real, '/');
	int n = snprintf(o->temp, sizeof(o->temp), "%.*s.ovnisort.XXXXXX", slash ? (int)(slash + 1 - o->real) : 0, o->real);
	if (n >= (int)sizeof(o->temp))
		return diag_io(o->diag, ERR_WRITE, "write beside", o->path, ENAMETOOLONG);
	int fd = mkostemp(o->temp, O_CLOEXEC);
	if (fd < 0)
		return diag_io(o->diag, ERR_WRITE, "write beside", o->path, errno);
	int rc = wbuf_attach(&o->out, fd, o->temp);
	if (rc < 0) {
		(void)close(fd);
		(void)unlink(o->temp);
		return diag_no_memory(o->diag);
	}
	o->open = true;
	/* Only the owner may give files away: who is not keeps at least the group's rights. */
	if (fchown(fd, o->before.st_uid, o->before.st_gid) != 0)
		(void)!fchown(fd, (uid_t)-1, o->before.st_gid);
	if (fchmod(fd, o->before.st_mode & 07777) != 0)
		return diag_io(o->diag, ERR_WRITE, "set the mode of", o->temp, errno);
	return 0;
}

int
sortout_open(struct sortout *o, struct diag *d, const char *path)
{
	*o = (struct sortout){ .diag = d, .path = path };
	if (!realpath(path, o->real) || stat(o->real, &o->before) != 0)
		return diag_io(d, ERR_READ, "inspect", path, errno);
	/* Renaming would need no right to write it: the owner may have meant it. */
	if (access(o->real, W_OK) != 0)
		return diag_io(d, ERR_WRITE, "write", path, errno);
	int rc = make_temp(o);
	if (rc == 0 && sortpack_wanted(path)) {
		o->pack = sortpack_open(path);
		if (!o->pack)
			rc = diag_no_memory(d);
	}
	if (rc < 0)
		sortout_abandon(o);
	return rc;
}

void
sortout_put(struct sortout *o, const void *bytes, size_t n)
{
	if (o->pack)
		sortpack_put(o->pack, bytes, n, &o->out);
	else
		wbuf_put(&o->out, bytes, n);
}

bool
sortout_failed(const struct sortout *o)
{
	return wbuf_failed(&o->out);
}

/* Whether the old file is unchanged. */
static bool
is_unchanged(const struct sortout *o)
{
	struct stat now;
	return stat(o->real, &now) == 0 && now.st_ino == o->before.st_ino && now.st_dev == o->before.st_dev &&
		now.st_size == o->before.st_size && now.st_mtim.tv_sec == o->before.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == o->before.st_mtim.tv_nsec;
}

int
sortout_commit(struct sortout *o)
{
	if (o->pack)
		sortpack_end(o->pack, &o->out);
	int err = -wbuf_flush(&o->out);
	if (!err && fsync(o->out.fd) != 0)
		err = errno;
	int closed = -wbuf_close(&o->out);
	err = err ? err : closed;
	int rc = 0;
	if (err)
		rc = diag_error(o->diag, ERR_WRITE, NULL, "cannot write a sorted copy of '%s': %s\n"
							  "hint: the stream is as it was",
			o->path, strerror(err));
	else if (!is_unchanged(o))
		rc = diag_error(o->diag, ERR_WRITE, NULL, "'%s' has changed while it was sorted, and is left alone\n"
							  "hint: is the program still running?",
			o->path);
	else if (rename(o->temp, o->real) != 0)
		rc = diag_io(o->diag, ERR_WRITE, "replace", o->path, errno);
	else
		o->temp[0] = 0;
	if (rc == 0 && (err = sync_dir(o->real)) != 0)
		rc = diag_io(o->diag, ERR_WRITE, "sync the directory of", o->path, err);
	sortout_abandon(o);
	return rc;
}

void
sortout_abandon(struct sortout *o)
{
	if (!o->open)
		return;
	(void)wbuf_close(&o->out);
	if (o->temp[0])
		(void)unlink(o->temp);
	sortpack_close(o->pack);
	o->pack = NULL;
	o->open = false;
}
