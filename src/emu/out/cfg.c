/* SPDX-License-Identifier: MIT */
/* cfg: one Paraver view for each column that a class of rows has printed, in
 * cfg/CLASS/MODEL/VIEW.cfg, and histograms of those with labels, in VIEW-histogram.cfg. Paraver refuses a view whose type does not occur. The views below
 * OVNI_CONFIG_DIR are copied to cfg, and come before those. */
#include "out.h"

#include "paraver.h"
#include "track.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cfg {
	const struct emu *emu;
	enum row_class rows; /* of the views being written */
	const char *dir;
	struct arena arena;
	const char *given;    /* OVNI_CONFIG_DIR; NULL: not set */
	const char **written; /* paths, two for each column and one for each breakdown at most */
	size_t nwritten;
	const char *last; /* path whose folders were made */
};

static int
cfg_open(void *self, const struct emu *emu, const char *dir)
{
	struct cfg *c = self;
	const char *given = getenv("OVNI_CONFIG_DIR");
	*c = (struct cfg){ .emu = emu, .dir = dir, .given = given && *given ? given : NULL };
	if (c->given && access(c->given, R_OK | X_OK) != 0)
		return diag_error(emu->diag, ERR_READ, NULL, "cannot read the directory '%s': %s\nhint: OVNI_CONFIG_DIR names it, for views of your own",
			c->given, strerror(errno));
	return 0;
}

/* Makes the folders of a path below the output directory, unless they are those of the path before. */
static int
make_dirs(struct cfg *c, char *path)
{
	size_t n = (size_t)(strrchr(path, '/') - path);
	if (c->last && strncmp(c->last, path, n) == 0 && c->last[n] == '/' && !strchr(c->last + n + 1, '/'))
		return 0;
	for (char *p = path + strlen(c->dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return diag_repeats(c->emu->diag, path, strerror(errno)) ? -ERR_WRITE : diag_io(c->emu->diag, ERR_WRITE, "create the directory", path, errno);
	}
	c->last = path;
	return 0;
}

static int
write_file(struct cfg *c, const char *model, const struct view *v, const char *suffix, view_put_fn *put)
{
	char *path = arena_printf(&c->arena, "%s/cfg/%s/%s/%s%s.cfg", c->dir, out_class(c->rows), model, v->decl->view.file, suffix);
	if (!path)
		return diag_no_memory(c->emu->diag);
	int rc = make_dirs(c, path);
	if (rc < 0)
		return rc;
	struct wbuf w;
	rc = paraver_open(&w, c->emu->diag, path);
	if (rc < 0)
		return rc;
	put(&w, v);
	c->written[c->nwritten++] = path;
	return paraver_close(&w, c->emu->diag);
}

static int
write_column(struct cfg *c, uint32_t col, const char *label)
{
	const struct emu *emu = c->emu;
	const struct model *m = emu->plan->cols[col].model;
	const char *model = m ? m->name : "ovni";
	struct palette p;
	struct view v = {
		.decl = out_decl(emu, c->rows, col),
		.title = out_title(&c->arena, c->rows, out_decl(emu, c->rows, col)),
		.label = label,
		.palette = &p,
		.height = view_height(emu_nknown(emu, c->rows)),
	};
	if (!v.title)
		return diag_no_memory(emu->diag);
	int rc = out_palette(&p, &c->arena, emu, c->rows, col);
	if (rc == 0)
		rc = write_file(c, model, &v, "", view_put);
	return rc < 0 || !view_has_histogram(&v) ? rc : write_file(c, model, &v, "-histogram", view_put_histograms);
}

static int
write_breakdown(struct cfg *c, const struct model_run *mr)
{
	const struct breakdown_decl *b = mr->model->breakdown;
	struct chan_decl decl = { .prv_type = b->prv_type, .view = b->view };
	struct palette p;
	int rc = out_breakdown_palette(&p, &c->arena, c->emu, mr);
	struct view v = {
		.decl = &decl,
		.title = b->title,
		.label = b->title,
		.palette = &p,
		.height = view_height(c->emu->plan->sys.nphysical),
	};
	return rc < 0 ? rc : write_file(c, mr->model->name, &v, "", view_put);
}

static bool
is_ours(const char *path)
{
	char head[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, head, sizeof(head) - 1);
	(void)close(fd);
	return n > 0 && strstr(head, VIEW_MARK);
}

/* Removes the views of an earlier run that this one did not write: Paraver would refuse
 * them. Failures are ignored. */
static void
remove_stale(struct cfg *c, const char *model)
{
	const char *dir = arena_printf(&c->arena, "%s/cfg/%s/%s", c->dir, out_class(c->rows), model);
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;
	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);
		if (n < 4 || strcmp(e->d_name + n - 4, ".cfg") != 0)
			continue;
		const char *path = arena_printf(&c->arena, "%s/%s", dir, e->d_name);
		bool fresh = !path;
		for (size_t i = 0; i < c->nwritten && !fresh; i++)
			fresh = strcmp(c->written[i], path) == 0;
		if (!fresh && is_ours(path))
			(void)unlink(path);
	}
	if (d)
		(void)closedir(d);
}

static int
write_views(struct cfg *c, enum row_class rows)
{
	const struct emu *emu = c->emu;
	c->rows = rows;
	c->nwritten = 0;
	const char **labels = out_type_labels(&c->arena, emu, c->rows);
	c->written = arena_new(&c->arena, const char *, 2 * emu->plan->ncols + emu->plan->nmodels);
	int rc = labels ? 0 : -ERR_MEMORY;
	if (rc == 0 && !c->written)
		rc = diag_no_memory(emu->diag);
	for (uint32_t col = 0; col < emu->plan->ncols && rc == 0; col++)
		if (labels[col] && out_decl(emu, c->rows, col)->view.file && track_printed(emu, c->rows, col))
			rc = write_column(c, col, labels[col]);
	for (size_t i = 0; i < emu->plan->nmodels && rc == 0 && c->rows == ROW_CPU; i++)
		if (emu->plan->models[i].breaks_down)
			rc = write_breakdown(c, &emu->plan->models[i]);
	for (size_t i = 0; i < emu->plan->nmodels && rc == 0; i++)
		remove_stale(c, emu->plan->models[i].model->name);
	return rc;
}

/* ---- Views of the user. ---- */

/* Copies a file, but not over one that was not written by us. */
static int
copy_view(struct cfg *c, const FTSENT *e)
{
	struct diag *d = c->emu->diag;
	const char *rel = e->fts_path + strlen(c->given);
	char *to = arena_printf(&c->arena, "%s/cfg/%s", c->dir, rel + strspn(rel, "/"));
	if (!to)
		return diag_no_memory(d);
	struct stat st;
	if (stat(to, &st) == 0 && ((st.st_dev == e->fts_statp->st_dev && st.st_ino == e->fts_statp->st_ino) || !is_ours(to)))
		return 0;
	int fd = open(e->fts_accpath, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return diag_io(d, ERR_READ, "open", e->fts_path, errno);
	struct wbuf w;
	int rc = make_dirs(c, to);
	if (rc == 0)
		rc = paraver_open(&w, d, to);
	if (rc == 0) {
		char bytes[4096];
		ssize_t n;
		while ((n = read(fd, bytes, sizeof(bytes))) > 0)
			wbuf_put(&w, bytes, (size_t)n);
		if (n < 0)
			rc = diag_io(d, ERR_READ, "read", e->fts_path, errno);
		int bad = paraver_close(&w, d);
		rc = rc ? rc : bad;
	}
	(void)close(fd);
	return rc;
}

static int
copy_given(struct cfg *c)
{
	char *dirs[2] = { arena_strndup(&c->arena, c->given, strlen(c->given)), NULL };
	if (!dirs[0])
		return diag_no_memory(c->emu->diag);
	FTS *fts = fts_open(dirs, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	if (!fts)
		return diag_io(c->emu->diag, ERR_READ, "walk", c->given, errno);
	int rc = 0;
	FTSENT *e;
	while (rc == 0 && (e = fts_read(fts))) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			rc = diag_io(c->emu->diag, ERR_READ, "read", e->fts_path, e->fts_errno);
		else if (e->fts_info == FTS_F && e->fts_namelen > 4 && strcmp(e->fts_name + e->fts_namelen - 4, ".cfg") == 0)
			rc = copy_view(c, e);
	}
	(void)fts_close(fts);
	return rc;
}

static int
cfg_close(void *self, int64_t duration)
{
	(void)duration;
	struct cfg *c = self;
	int rc = write_views(c, ROW_CPU);
	int bad = write_views(c, ROW_THREAD);
	if (rc == 0 && bad == 0)
		rc = write_views(c, ROW_PROC);
	if (c->given && rc == 0 && bad == 0)
		bad = copy_given(c);
	arena_finish(&c->arena);
	return rc ? rc : bad;
}

const struct sink_ops cfg_sink = { .size = sizeof(struct cfg), .open = cfg_open, .close = cfg_close };
