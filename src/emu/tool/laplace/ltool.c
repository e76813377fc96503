/* SPDX-License-Identifier: MIT */
#include "ltool.h"

#include "lapkernel.h"
#include "lapprobe.h"
#include "lapref.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Inputs. ---- */

static int
open_input(struct ltool *t, const char *path, enum lap_format format)
{
	struct lapread *r = &t->readers[t->nreaders];
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		return ltool_error(t, "read", "cannot open %s: %s", path, strerror(errno));
	/* From here on ltool_finish() closes it. */
	t->fds[t->nreaders++] = standard ? -1 : fd;
	if (S_ISDIR(st.st_mode))
		return ltool_error(t, "read", "%s is a directory, and a file is expected", path);
	struct lapread_options options = {
		.file = standard ? "(standard input)" : path,
		.format = format == LAP_AUTO ? lapprobe_name(path) : format,
		.endian = t->endian,
		.dialect = t->dialect,
		.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0,
	};
	if (S_ISREG(st.st_mode))
		t->total += options.size;
	return lapread_open(r, &t->log, &(struct lap_input){ .fd = fd }, &options);
}

int
ltool_open_inputs(struct ltool *t, int n, char **paths, enum lap_format format)
{
	static char standard[] = "-";
	static char *none[] = { standard };
	if (n == 0) {
		n = 1;
		paths = none;
	}
	t->readers = calloc((size_t)n, sizeof(*t->readers));
	t->fds = calloc((size_t)n, sizeof(*t->fds));
	if (!t->readers || !t->fds)
		return ltool_code(t, -LAP_E_MEMORY);
	for (int i = 0; i < n; i++) {
		int rc = open_input(t, paths[i], format);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- Output. ---- */

/* Whether the file that would be replaced is an input. */
static bool
is_input(const struct ltool *t, const struct stat *out)
{
	for (size_t i = 0; i < t->nreaders; i++) {
		struct stat in;
		if (t->fds[i] >= 0 && fstat(t->fds[i], &in) == 0 && in.st_dev == out->st_dev && in.st_ino == out->st_ino)
			return true;
	}
	return false;
}

/* The descriptor to write to, <0: errno says why not. */
static int
open_part(struct ltool *t, const char *path, bool exists)
{
	/* Through a symbolic link to what it leads to. */
	t->final_path = exists ? realpath(path, NULL) : strdup(path);
	if (!t->final_path)
		return -1;
	size_t n = strlen(t->final_path) + sizeof(".part");
	t->part_path = malloc(n);
	if (!t->part_path)
		return -1;
	(void)snprintf(t->part_path, n, "%s.part", t->final_path);
	int fd = open(t->part_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		free(t->part_path);
		t->part_path = NULL;
	}
	return fd;
}

int
ltool_open_output(struct ltool *t, const char *path)
{
	int fd;
	struct stat st;
	if (!path || strcmp(path, "-") == 0) {
		path = "the standard output";
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else {
		bool exists = stat(path, &st) == 0;
		if (exists && is_input(t, &st))
			return ltool_usage(t, "%s is an input, and would be replaced", path);
		/* Pipes and devices are written as they are. */
		fd = exists && !S_ISREG(st.st_mode) ? open(path, O_WRONLY | O_CLOEXEC) : open_part(t, path, exists);
	}
	if (fd < 0)
		return ltool_error(t, "write", "cannot open %s: %s", path, strerror(errno));
	if (wbuf_attach(&t->out, fd, path) < 0) {
		(void)close(fd);
		return ltool_code(t, -LAP_E_MEMORY);
	}
	return 0;
}

int
ltool_place_output(struct ltool *t, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	if (exists && is_input(t, &st))
		return ltool_usage(t, "%s is an input, and would be replaced", path);
	if (exists && !S_ISREG(st.st_mode))
		return ltool_error(t, "write", "%s is no regular file, and no other can hold this output", path);
	int fd = open_part(t, path, exists);
	if (fd < 0)
		return ltool_error(t, "write", "cannot open %s: %s", path, strerror(errno));
	(void)close(fd);
	return 0;
}

/* Complete, or not there. 0, or <0 (reported). */
static int
close_output(struct ltool *t, int rc)
{
	if (t->out.data) {
		const char *path = t->out.path;
		int written = wbuf_close(&t->out);
		if (written < 0)
			rc = ltool_error(t, "write", "cannot write %s: %s", path, strerror(-written));
	}
	if (t->part_path && rc == 0 && rename(t->part_path, t->final_path) != 0)
		rc = ltool_error(t, "write", "cannot rename %s: %s", t->part_path, strerror(errno));
	if (t->part_path && rc != 0)
		(void)unlink(t->part_path);
	free(t->part_path);
	free(t->final_path);
	return rc;
}

int
ltool_put_event(struct ltool *t, const struct lap_event *ev, char *to)
{
	int n = lapkernel_format(to, t->dialect, ev);
	return n < 0 ? ltool_code(t, n) : n;
}

int
ltool_put_record(struct ltool *t, const struct lap_record *rec)
{
	if (rec->type == LAP_REF) {
		wbuf_commit(&t->out, lapref_put_line(wbuf_reserve(&t->out, LAPREF_ROOM), rec));
		return 0;
	}
	if (rec->type != LAP_EVENT)
		return ltool_error(t, "format", "a basic or per-process merge has no addresses any more");
	char line[LAPKERNEL_ROOM];
	int n = ltool_put_event(t, rec->event, line);
	if (n > 0)
		wbuf_put(&t->out, line, (size_t)n);
	return n < 0 ? n : 0;
}

/* ---- The library. ---- */

int
ltool_machine(struct ltool *t, struct lapmachine *m)
{
	struct lapmachine_options options = {
		.kernel_base = t->kernel_base,
		.offset_in_pages = t->offset_in_pages,
		.no_kernel_trace = true,
	};
	for (size_t i = 0; i < t->nreaders; i++) {
		enum lap_format f = t->readers[i].options.format;
		if (f == LAP_KERNEL || f == LAP_MIXED)
			options.no_kernel_trace = false;
	}
	int rc = lapmachine_init(m, &t->log, &options);
	return rc < 0 ? ltool_code(t, rc) : 0;
}

int
ltool_merge(struct ltool *t, struct lapmerge *m)
{
	int rc = lapmerge_open(m, t->readers, t->nreaders);
	return rc < 0 ? ltool_code(t, rc) : 0;
}

/* ---- The end. ---- */

static void
print_counts(const struct ltool *t)
{
	for (int code = 1; code < LAP_CODES; code++) {
		uint64_t n = t->log.counts[code];
		if (n == 0 || (t->quiet && lap_is_warning(code)))
			continue;
		(void)fprintf(stderr, "%s: %s: %" PRIu64 " time%s: %s (%s)\n", t->program, lap_code_name(code), n,
			n == 1 ? "" : "s", lap_code_text(code), lap_code_lenient(code));
	}
}

int
ltool_finish(struct ltool *t, int rc)
{
	rc = close_output(t, rc);
	ltool_clear_progress(t);
	for (size_t i = 0; i < t->nreaders; i++) {
		lapread_close(&t->readers[i]);
		if (t->fds[i] >= 0)
			(void)close(t->fds[i]);
	}
	free(t->readers);
	free(t->fds);
	if (rc == 0)
		print_counts(t);
	return rc < 0 ? 1 : rc;
}
