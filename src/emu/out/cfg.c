/* SPDX-License-Identifier: MIT */
/* cfg: one Paraver view for each column that a class of rows has printed, in
 * cfg/CLASS/MODEL/VIEW.cfg. Paraver refuses a view whose type does not occur. */
#include "out.h"

#include "paraver.h"
#include "track.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Marks every view, to tell those of an earlier run from views that a user saved. */
#define MARK "written by ovniemu"

#define RULER "################################################################################\n"

static const char *
cfg_title(struct arena *a, enum row_class rows, const struct chan_decl *decl)
{
	const char *given = rows == ROW_THREAD ? decl->view.thread_title : decl->view.cpu_title;
	if (given)
		return given;
	const char *label = out_label(a, rows, decl);
	if (!label)
		return NULL;
	size_t n = strlen(label);
	while (n && label[n - 1] == ' ')
		n--;
	return arena_printf(a, "%s: %.*s", rows == ROW_THREAD ? "Thread" : "CPU", (int)n, label);
}

static void
put_functions(struct wbuf *w, bool next)
{
	wbuf_printf(w,
		"window_selected_functions { 14, { {cpu, Active Thd}, {appl, Adding}, {task, Adding}, {thread, %s Evt Val}, "
		"{node, Adding}, {system, Adding}, {workload, Adding}, {from_obj, All}, {to_obj, All}, {tag_msg, All}, "
		"{size_msg, All}, {bw_msg, All}, {evt_type, =}, {evt_value, All}, } }\n"
		"window_compose_functions { 9, { {compose_cpu, As Is}, {compose_appl, As Is}, {compose_task, As Is}, "
		"{compose_thread, As Is}, {compose_node, As Is}, {compose_system, As Is}, {compose_workload, As Is}, "
		"{topcompose1, As Is}, {topcompose2, As Is}, } }\n",
		next ? "Next" : "Last");
}

/* "1:0,100,0 2:..." becomes "{1.000000000000:0,100,0},{2.000000000000:...". */
static void
put_palette(struct wbuf *w, const char *palette)
{
	wbuf_printf(w, "window_custom_color_enabled true\nwindow_custom_color_palette ");
	for (const char *p = palette; *p;) {
		size_t value = strcspn(p, ":");
		size_t all = strcspn(p, " ");
		wbuf_printf(w, "%s{%.*s.000000000000%.*s}", p == palette ? "" : ",", (int)value, p, (int)(all - value), p + value);
		p += all;
		p += strspn(p, " ");
	}
	wbuf_put(w, "\n", 1);
}

static void
cfg_write(struct wbuf *w, const struct chan_decl *decl, const char *title, const char *label)
{
	wbuf_printf(w, "#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n"
		       "ConfigFile.BeginDescription\n" MARK "\nConfigFile.EndDescription\n\n\n" RULER "< NEW DISPLAYING WINDOW ");
	paraver_put_text(w, title);
	wbuf_printf(w, " >\n" RULER "window_name ");
	paraver_put_text(w, title);
	wbuf_printf(w,
		"\nwindow_type single\n"
		"window_id 1\n"
		"window_position_x 100\n"
		"window_position_y 100\n"
		"window_width 600\n"
		"window_height 150\n"
		"window_comm_lines_enabled true\n"
		"window_flags_enabled false\n"
		"window_noncolor_mode true\n");
	if (decl->view.gradient)
		wbuf_printf(w, "window_color_mode window_in_null_gradient_mode\n");
	if (decl->view.palette)
		put_palette(w, decl->view.palette);
	wbuf_printf(w,
		"window_logical_filtered true\n"
		"window_physical_filtered false\n"
		"window_comm_fromto true\n"
		"window_comm_tagsize true\n"
		"window_comm_typeval true\n"
		"window_units Microseconds\n"
		"window_maximum_y 1000.0\n"
		"window_minimum_y 1.0\n"
		"window_compute_y_max true\n"
		"window_level thread\n"
		"window_scale_relative 1.000000000000\n"
		"window_end_time_relative 1.000000000000\n"
		"window_object appl { 1, { All } }\n"
		"window_begin_time_relative 0.000000000000\n"
		"window_open true\n"
		"window_drawmode %s\n"
		"window_drawmode_rows draw_randnotzero\n"
		"window_pixel_size 1\n"
		"window_labels_to_draw 1\n",
		decl->view.draw_random ? "draw_random" : "draw_randnotzero");
	put_functions(w, decl->view.next_value);
	wbuf_printf(w, "window_filter_module evt_type 1 %d\nwindow_filter_module evt_type_label 1 \"", decl->prv_type);
	paraver_put_text(w, label);
	wbuf_printf(w, "\"\n");
}

struct cfg {
	const struct emu *emu;
	enum row_class rows; /* of the views being written */
	const char *dir;
	struct arena arena;
	const char **written; /* paths, one for each column and breakdown at most */
	size_t nwritten;
};

static int
cfg_open(void *self, const struct emu *emu, const char *dir)
{
	struct cfg *c = self;
	*c = (struct cfg){ .emu = emu, .dir = dir };
	return 0;
}

/* Makes the folders of a path below the output directory. */
static int
make_dirs(struct cfg *c, char *path)
{
	for (char *p = path + strlen(c->dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return diag_repeats(c->emu->diag, path, strerror(errno)) ? -ERR_WRITE : diag_io(c->emu->diag, ERR_WRITE, "create the directory", path, errno);
	}
	return 0;
}

static int
write_view(struct cfg *c, const char *model, const struct chan_decl *decl, const char *label)
{
	const struct emu *emu = c->emu;
	char *path = arena_printf(&c->arena, "%s/cfg/%s/%s/%s.cfg", c->dir, out_class(c->rows), model, decl->view.file);
	const char *title = cfg_title(&c->arena, c->rows, decl);
	if (!path || !title)
		return diag_no_memory(emu->diag);
	int rc = make_dirs(c, path);
	if (rc < 0)
		return rc;
	struct wbuf w;
	rc = paraver_open(&w, emu->diag, path);
	if (rc < 0)
		return rc;
	cfg_write(&w, decl, title, label);
	c->written[c->nwritten++] = path;
	return paraver_close(&w, emu->diag);
}

static int
write_breakdown(struct cfg *c, const struct model *m)
{
	const struct breakdown_decl *b = m->breakdown;
	struct chan_decl decl = { .title = b->title, .prv_type = b->prv_type, .bare_title = true, .view = b->view };
	decl.view.cpu_title = b->title;
	return write_view(c, m->name, &decl, b->title);
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
	return n > 0 && strstr(head, MARK);
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
	c->written = arena_new(&c->arena, const char *, emu->plan->ncols + emu->plan->nmodels);
	int rc = labels ? 0 : -ERR_MEMORY;
	if (rc == 0 && !c->written)
		rc = diag_no_memory(emu->diag);
	for (uint32_t col = 0; col < emu->plan->ncols && rc == 0; col++)
		if (labels[col] && out_decl(emu, c->rows, col)->view.file && track_printed(emu, c->rows, col))
			rc = write_view(c, emu->plan->cols[col].model ? emu->plan->cols[col].model->name : "ovni", out_decl(emu, c->rows, col), labels[col]);
	for (size_t i = 0; i < emu->plan->nmodels && rc == 0 && c->rows == ROW_CPU; i++)
		if (emu->plan->models[i].breaks_down)
			rc = write_breakdown(c, emu->plan->models[i].model);
	for (int i = 0; model_list[i] && rc == 0; i++)
		remove_stale(c, model_list[i]->name);
	return rc;
}

static int
cfg_close(void *self, int64_t duration)
{
	(void)duration;
	struct cfg *c = self;
	int rc = write_views(c, ROW_CPU);
	int bad = write_views(c, ROW_THREAD);
	arena_finish(&c->arena);
	return rc ? rc : bad;
}

const struct sink_ops cfg_sink = { .size = sizeof(struct cfg), .open = cfg_open, .close = cfg_close };
