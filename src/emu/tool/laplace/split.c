/* SPDX-License-Identifier: MIT */
/* The subcommand split: the per-process merge, a directory for each address space with a file
 * for each task.
 *
 * A file is open only while its buffer is written, so that there may be any number of them.
 * All is below DIR.part, which is renamed when it is complete. */
#include "tool.h"

#include "arena.h"

#include "laplace/kernel.h"
#include "laplace/ref.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUFFER_FIRST = 512, /* many tasks say little */
	BUFFER_MAX = 32 * 1024,
	BUFFERS_MAX = 64 * 1024 * 1024, /* of all files together */
};

struct taskfile {
	struct taskfile *next;
	char *path;
	char *buffer;
	size_t used;
	size_t cap;
	bool made;
};

struct splitter {
	struct ltool *tool;
	struct arena arena;
	struct taskfile *files; /* the first is that of the kernel */
	struct taskfile **end;
	size_t buffered;   /* bytes of all buffers */
	struct lapids ids; /* pid, index of the space */
	const char *dir;
	const char *part; /* the directory that takes its name; NULL: it is not there */
	bool replaces;    /* an empty directory had the name */
};

static int
failed(struct splitter *s, const char *what, const char *path)
{
	return conv_error(&s->tool->conv, "write", "cannot %s %s: %s", what, path, strerror(errno));
}

/* ---- Files. ---- */

static int
write_out(struct splitter *s, struct taskfile *f)
{
	struct wbuf w;
	int fd = open(f->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (f->made ? 0 : O_EXCL), 0666);
	if (fd < 0)
		return failed(s, "open", f->path);
	f->made = true;
	if (wbuf_attach(&w, fd, f->path) < 0) {
		(void)close(fd);
		return conv_no_memory(&s->tool->conv);
	}
	wbuf_put(&w, f->buffer, f->used);
	f->used = 0;
	errno = -wbuf_close(&w);
	return errno ? failed(s, "write", f->path) : 0;
}

static int
write_all(struct splitter *s)
{
	int rc = 0;
	for (struct taskfile *f = s->files; f && rc == 0; f = f->next) {
		if (f->used || !f->made)
			rc = write_out(s, f);
		s->buffered -= f->cap;
		free(f->buffer);
		f->buffer = NULL;
		f->cap = 0;
	}
	return rc;
}

static int
append(struct splitter *s, struct taskfile *f, const char *line, size_t n)
{
	bool full = f->used + n > f->cap;
	int rc = 0;
	if (full && f->cap >= BUFFER_MAX)
		rc = write_out(s, f);
	else if (full && s->buffered > BUFFERS_MAX)
		rc = write_all(s);
	if (rc == 0 && f->used + n > f->cap) {
		size_t cap = f->cap ? f->cap * 2 : BUFFER_FIRST;
		while (cap < f->used + n)
			cap *= 2;
		char *p = realloc(f->buffer, cap);
		if (!p)
			return conv_no_memory(&s->tool->conv);
		s->buffered += cap - f->cap;
		f->buffer = p;
		f->cap = cap;
	}
	if (rc == 0)
		memcpy(f->buffer + f->used, line, n);
	f->used += n;
	return rc;
}

/* The file of a task in a space, of the kernel if there is no task. NULL: it cannot be made (reported). */
static struct taskfile *
get_file(struct splitter *s, const struct lap_task *task, const struct lap_space *space)
{
	uint64_t pid = task ? task->pid : 0;
	uint64_t index = task && space ? space->index : 0;
	struct taskfile *f = lapids_find(&s->ids, pid, index, task != NULL);
	if (f)
		return f;
	const char *dir = task ? arena_printf(&s->arena, "%s/%x.%u", s->part, space ? space->context : 0, space ? space->life : 1) : s->part;
	f = arena_new(&s->arena, struct taskfile, 1);
	if (f && dir)
		f->path = task ? arena_printf(&s->arena, "%s/%x.txt", dir, task->pid) : arena_printf(&s->arena, "%s/kernel.txt", dir);
	if (!f || !dir || !f->path || lapids_set(&s->ids, pid, index, task != NULL, f) < 0) {
		(void)conv_no_memory(&s->tool->conv);
		return NULL;
	}
	*s->end = f;
	s->end = &f->next;
	if (mkdir(dir, 0777) == 0 || errno == EEXIST)
		return f;
	(void)failed(s, "make", dir);
	return NULL;
}

/* ---- Records. ---- */

static int
put_step(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	struct splitter *s = self;
	struct lap_step step;
	int rc = ltool_step(s->tool, rec, at, &step);
	if (rc <= 0)
		return rc;
	char line[LAPKERNEL_ROOM];
	struct taskfile *f = get_file(s, step.kernel ? NULL : step.task, step.space);
	if (!f)
		return -1;
	if (rec->type == LAP_EVENT) {
		int n = ltool_put_event(s->tool, rec->event, line);
		return n < 0 ? n : append(s, f, line, (size_t)n);
	}
	for (int i = 0; i < step.ntouches && rc >= 0; i++) {
		const struct lap_touch *t = &step.touch[i];
		struct lap_record page = { .ts = rec->ts, .kind = rec->kind, .length = t->length, .addr = t->addr, .page = t->page };
		rc = append(s, f, line, (size_t)(lapref_put_page(line, &page) - line));
	}
	return rc;
}

/* ---- The directory. ---- */

static int
open_dir(struct splitter *s)
{
	size_t n = strlen(s->dir);
	while (n > 1 && s->dir[n - 1] == '/')
		n--;
	if (n + sizeof(".part") > PATH_MAX)
		return conv_error(&s->tool->conv, "write", "the name of the directory is too long");
	const char *part = arena_printf(&s->arena, "%.*s.part", (int)n, s->dir);
	if (!part)
		return conv_no_memory(&s->tool->conv);
	/* Empty, it may be replaced. */
	s->replaces = rmdir(s->dir) == 0;
	if (!s->replaces && errno != ENOENT)
		return conv_error(&s->tool->conv, "write", "%s is there, and is not an empty directory", s->dir);
	if (mkdir(part, 0777) != 0)
		return failed(s, "make", part);
	s->part = part;
	return 0;
}

/* The directory is complete, or as before. */
static int
close_dir(struct splitter *s, int rc)
{
	if (rc == 0 && rename(s->part, s->dir) != 0)
		rc = failed(s, "rename", s->part);
	if (rc != 0 && s->replaces)
		(void)mkdir(s->dir, 0777);
	if (!s->part)
		return rc;
	for (struct taskfile *f = s->files; f; f = f->next) {
		if (rc != 0 && f->made)
			(void)unlink(f->path);
		free(f->buffer);
	}
	for (struct taskfile *f = s->files; f && rc != 0; f = f->next) {
		*strrchr(f->path, '/') = 0;
		(void)rmdir(f->path);
	}
	if (rc != 0)
		(void)rmdir(s->part);
	return rc;
}

static int
run_split(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	struct splitter s = { .tool = t, .dir = c->out_path, .end = &s.files };
	if (!s.dir || strcmp(s.dir, "-") == 0)
		return conv_usage(c, "-o DIR says where the directories are to be made");
	int rc = ltool_open(t, argc, argv, NULL);
	if (rc == 0)
		rc = open_dir(&s);
	/* There is always one of the kernel. */
	if (rc == 0 && !get_file(&s, NULL, NULL))
		rc = -1;
	if (rc == 0)
		rc = ltool_each(t, put_step, &s);
	if (rc == 0)
		rc = write_all(&s);
	rc = close_dir(&s, rc);
	lapids_finish(&s.ids);
	arena_finish(&s.arena);
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
