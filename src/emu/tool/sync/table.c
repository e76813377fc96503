/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void
put_constants(struct synctable *t, const struct sync_node *nodes, size_t n)
{
	wbuf_printf(&t->out, "%-10s %-20s %-20s %-20s %-20s\n", "rank", "hostname", "offset_median", "offset_mean", "offset_std");
	for (size_t k = 0; k < n; k++) {
		const struct sync_offset *o = &nodes[k].offset;
		char mean[64];
		bool negative = o->whole < 0;
		int64_t whole = negative && o->micro ? o->whole + 1 : o->whole;
		int64_t micro = negative && o->micro ? 1000000 - o->micro : o->micro;
		(void)snprintf(mean, sizeof(mean), "%s%" PRId64 ".%06" PRId64, negative && whole == 0 ? "-" : "", whole, micro);
		wbuf_printf(&t->out, "%-10d %-20s %-20" PRId64 " %-20s %-20f\n", nodes[k].rank, nodes[k].host, o->median, mean, o->std);
	}
}

static void
put_drift_titles(struct synctable *t, const struct sync_node *nodes, size_t n)
{
	wbuf_printf(&t->out, "%-20s %-20s", "wallclock", "clock_ns");
	for (size_t k = 0; k < n; k++)
		wbuf_printf(&t->out, " %-20s", nodes[k].host);
	wbuf_put(&t->out, "\n", 1);
}

static void
put_drift(struct synctable *t, const struct sync_node *nodes, size_t n, int64_t clock)
{
	char wall[64];
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)snprintf(wall, sizeof(wall), "%lld.%06ld", (long long)now.tv_sec, now.tv_nsec / 1000);
	wbuf_printf(&t->out, "%-20s %-20" PRId64, wall, clock);
	for (size_t k = 0; k < n; k++)
		wbuf_printf(&t->out, " %-20" PRId64, nodes[k].offset.median);
	wbuf_put(&t->out, "\n", 1);
	(void)wbuf_flush(&t->out); /* it is of use before the last line is there */
}

static int
make_parents(struct diag *d, const char *path)
{
	char dir[PATH_MAX];
	if ((size_t)snprintf(dir, sizeof(dir), "%s", path) >= sizeof(dir))
		return diag_io(d, ERR_WRITE, "write", path, ENAMETOOLONG);
	for (char *p = dir + 1; *dir && (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		if (mkdir(dir, 0777) != 0 && errno != EEXIST)
			return diag_io(d, ERR_WRITE, "create the directory", dir, errno);
	}
	return 0;
}

static void
empty_output(struct synctable *t)
{
	struct stat st;
	/* Devices and pipes have no length. */
	if (fstat(t->out.fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(t->out.fd, 0) != 0)
		t->out.error = errno;
}

int
synctable_open(struct synctable *t, struct diag *d, bool drift)
{
	t->diag = d;
	t->drift = drift;
	int rc = make_parents(d, t->path);
	if (rc < 0)
		return rc;
	int fd = open(t->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return diag_io(d, ERR_WRITE, "open", t->path, errno);
	rc = wbuf_attach(&t->out, fd, t->path);
	if (rc < 0) {
		(void)close(fd);
		return diag_no_memory(d);
	}
	return 0;
}

void
synctable_put(struct synctable *t, const struct sync_node *nodes, size_t n, int64_t clock)
{
	bool first = !t->begun;
	t->begun = true;
	if (first)
		empty_output(t);
	if (first && t->drift)
		put_drift_titles(t, nodes, n);
	if (t->drift)
		put_drift(t, nodes, n, clock);
	else if (first)
		put_constants(t, nodes, n);
}

int
synctable_close(struct synctable *t, bool report)
{
	int err = wbuf_close(&t->out);
	return err < 0 && report ? diag_io(t->diag, ERR_WRITE, "write", t->path, -err) : err;
}
