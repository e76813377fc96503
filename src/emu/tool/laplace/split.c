/* SPDX-License-Identifier: MIT */
/* The subcommand split: the per-process merge, a directory for each address space with a file
 * for each task.
 *
 * A file is open only while its buffer is written, so that there may be any number of them.
 * All is below DIR.part, which is renamed when it is complete. */
#include "tool.h"

#include "laplace/kernel.h"
#include "laplace/ref.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUFFER_FIRST = 512, /* many tasks say little */
	BUFFER_MAX = 32 * 1024,
	BUFFERS_MAX = 64 * 1024 * 1024, /* of all files together */
};

struct taskfile {
	char *buffer;
	size_t used;
	size_t cap;
	uint32_t context;
	uint32_t life; /* of the space; 0: the file of the kernel */
	uint32_t pid;
	bool made;
};

struct splitter {
	struct ltool *tool;
	struct taskfile **files; /* the first is that of the kernel */
	size_t nfiles, files_cap;
	size_t buffered;   /* bytes of all buffers */
	struct lapids ids; /* pid, index of the space */
	const char *dir;
	char part[4096];
};

static int
failed(struct splitter *s, const char *what, const char *path)
{
	return conv_error(&s->tool->conv, "write", "cannot %s %s: %s", what, path, strerror(errno));
}

static void
dir_of(const struct splitter *s, const struct taskfile *f, char *path, size_t size)
{
	if (f->life)
		(void)snprintf(path, size, "%s/%x.%u", s->part, f->context, f->life);
	else
		(void)snprintf(path, size, "%s", s->part);
}

static void
path_of(const struct splitter *s, const struct taskfile *f, char *path, size_t size)
{
	char dir[4200];
	dir_of(s, f, dir, sizeof(dir));
	if (f->life)
		(void)snprintf(path, size, "%s/%x.txt", dir, f->pid);
	else
		(void)snprintf(path, size, "%s/kernel.txt", dir);
}

/* ---- Files. ---- */

static int
write_out(struct splitter *s, struct taskfile *f)
{
	char path[4300];
	path_of(s, f, path, sizeof(path));
	if (!f->made) {
		char dir[4200];
		dir_of(s, f, dir, sizeof(dir));
		if (mkdir(dir, 0777) != 0 && errno != EEXIST)
			return failed(s, "make", dir);
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (f->made ? 0 : O_EXCL), 0666);
	if (fd < 0)
		return failed(s, "open", path);
	f->made = true;
	size_t done = 0;
	while (done < f->used) {
		ssize_t n = write(fd, f->buffer + done, f->used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : ENOSPC;
			int rc = failed(s, "write", path);
			(void)close(fd);
			return rc;
		}
		done += (size_t)n;
	}
	f->used = 0;
	return close(fd) == 0 ? 0 : failed(s, "close", path);
}

static int
write_all(struct splitter *s)
{
	for (size_t i = 0; i < s->nfiles; i++) {
		struct taskfile *f = s->files[i];
		if (f->used || !f->made) {
			int rc = write_out(s, f);
			if (rc < 0)
				return rc;
		}
		s->buffered -= f->cap;
		free(f->buffer);
		f->buffer = NULL;
		f->cap = 0;
	}
	return 0;
}

static int
append(struct splitter *s, struct taskfile *f, const char *line, size_t n)
{
	if (f->used + n > f->cap && f->cap >= BUFFER_MAX) {
		int rc = write_out(s, f);
		if (rc < 0)
			return rc;
	}
	if (s->buffered > BUFFERS_MAX && f->used + n > f->cap) {
		int rc = write_all(s);
		if (rc < 0)
			return rc;
	}
	if (f->used + n > f->cap) {
		size_t cap = f->cap ? f->cap * 2 : BUFFER_FIRST;
		while (cap < f->used + n)
			cap *= 2;
		char *p = realloc(f->buffer, cap);
		if (!p)
			return ltool_code(s->tool, -LAP_E_MEMORY);
		s->buffered += cap - f->cap;
		f->buffer = p;
		f->cap = cap;
	}
	memcpy(f->buffer + f->used, line, n);
	f->used += n;
	return 0;
}

/* The file of a task in a space; of the kernel if there is no task. NULL: no memory. */
static struct taskfile *
get_file(struct splitter *s, const struct lap_task *task, const struct lap_space *space)
{
	uint64_t pid = task ? task->pid : 0;
	uint64_t index = task && space ? space->index : 0;
	struct taskfile *f = lapids_find(&s->ids, pid, index, task != NULL);
	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	void **items = (void **)s->files;
	bool added = f && lappages_append(&items, &s->nfiles, &s->files_cap, f) == 0;
	s->files = (struct taskfile **)items;
	if (!added) {
		free(f);
		return NULL;
	}
	if (task) {
		f->pid = task->pid;
		f->context = space ? space->context : 0;
		f->life = space ? space->life : 1;
	}
	return lapids_set(&s->ids, pid, index, task != NULL, f) == 0 ? f : NULL;
}

/* ---- Records. ---- */

static int
put_step(struct splitter *s, const struct lap_record *rec, const struct lap_step *step)
{
	char line[LAPKERNEL_ROOM];
	struct taskfile *f = get_file(s, step->kernel ? NULL : step->task, step->space);
	if (!f)
		return ltool_code(s->tool, -LAP_E_MEMORY);
	if (rec->type == LAP_EVENT) {
		int n = ltool_put_event(s->tool, rec->event, line);
		return n < 0 ? n : append(s, f, line, (size_t)n);
	}
	for (int i = 0; i < step->ntouches; i++) {
		const struct lap_touch *t = &step->touch[i];
		struct lap_record page = { .ts = rec->ts, .kind = rec->kind, .length = t->length, .addr = t->addr, .page = t->page };
		int rc = append(s, f, line, (size_t)(lapref_put_page(line, &page) - line));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
split_all(struct splitter *s, struct lapmerge *merge, struct lapmachine *machine)
{
	const struct lap_record *rec;
	const struct lapread *of;
	struct lap_step step;
	int rc;
	while ((rc = lapmerge_next(merge, &rec, &of)) > 0) {
		struct lap_place at = lapread_place(of);
		rc = lapmachine_step(machine, rec, &at, &step);
		if (rc < 0)
			return ltool_code(s->tool, rc);
		if (rc > 0)
			rc = put_step(s, rec, &step);
		if (rc < 0)
			return rc;
		if (conv_stop(&s->tool->conv))
			return -1;
	}
	return rc < 0 ? rc : write_all(s);
}

/* ---- The directory. ---- */

static int
open_dir(struct splitter *s)
{
	size_t n = strlen(s->dir);
	while (n > 1 && s->dir[n - 1] == '/')
		n--;
	if (n + sizeof(".part") > sizeof(s->part))
		return conv_error(&s->tool->conv, "write", "the name of the directory is too long");
	(void)snprintf(s->part, sizeof(s->part), "%.*s.part", (int)n, s->dir);
	/* Empty, it may be replaced. */
	if (rmdir(s->dir) != 0 && errno != ENOENT) {
		s->part[0] = 0;
		return conv_error(&s->tool->conv, "write", "%s is there, and is not an empty directory", s->dir);
	}
	if (mkdir(s->part, 0777) == 0)
		return 0;
	int rc = failed(s, "make", s->part);
	s->part[0] = 0;
	return rc;
}

/* Complete, or gone. */
static int
close_dir(struct splitter *s, int rc)
{
	if (s->part[0] && rc == 0 && rename(s->part, s->dir) != 0)
		rc = failed(s, "rename", s->part);
	if (!s->part[0] || rc == 0)
		return rc;
	char path[4300];
	for (size_t i = 0; i < s->nfiles; i++) {
		path_of(s, s->files[i], path, sizeof(path));
		if (s->files[i]->made)
			(void)unlink(path);
	}
	for (size_t i = 0; i < s->nfiles; i++) {
		dir_of(s, s->files[i], path, sizeof(path));
		(void)rmdir(path);
	}
	(void)rmdir(s->part);
	return rc;
}

static int
run_split(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct splitter s = { .tool = t, .dir = t->conv.out_path };
	struct lapmerge merge = { 0 };
	struct lapmachine machine = { 0 };
	if (!s.dir || strcmp(s.dir, "-") == 0)
		return conv_usage(&t->conv, "-o DIR says where the directories are to be made");
	int rc = ltool_open_inputs(t, argc, argv, t->format);
	if (rc == 0)
		rc = ltool_machine(t, &machine);
	if (rc == 0)
		rc = ltool_merge(t, &merge);
	if (rc == 0)
		rc = open_dir(&s);
	/* There is always one of the kernel. */
	if (rc == 0 && !get_file(&s, NULL, NULL))
		rc = ltool_code(t, -LAP_E_MEMORY);
	if (rc == 0)
		rc = split_all(&s, &merge, &machine);
	rc = close_dir(&s, rc);
	for (size_t i = 0; i < s.nfiles; i++) {
		free(s.files[i]->buffer);
		free(s.files[i]);
	}
	free(s.files);
	lapids_finish(&s.ids);
	lapmerge_close(&merge);
	lapmachine_finish(&machine);
	return rc;
}

const struct conv_command lcommand_split = {
	.name = "split",
	.synopsis = "[options] -o DIR [FILE...]",
	.brief = "a directory for each process, a file for each task",
	.about = "Write the per-process merge: DIR/CONTEXT.N/PID.txt and DIR/kernel.txt.",
	.with = CONV_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_MACHINE | LTOOL_WITH_KERNEL,
	.max_args = -1,
	.run = run_split,
};
