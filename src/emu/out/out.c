/* SPDX-License-Identifier: MIT */
#include "out.h"

#include "track.h"

#include <errno.h>
#include <string.h>

const char *
out_class(enum row_class rows)
{
	return rows == ROW_THREAD ? "thread" : "cpu";
}

const char *
out_path(struct arena *a, const struct emu *emu, const char *dir, enum row_class rows, const char *ext)
{
	const char *path = arena_printf(a, "%s/%s.%s", dir, out_class(rows), ext);
	if (!path)
		(void)diag_no_memory(emu->diag);
	return path;
}

const struct chan_decl *
out_decl(const struct emu *emu, enum row_class rows, uint32_t col)
{
	return col < NBASE ? &base_chans[rows][col] : emu->cols[col].decl;
}

static const char *
tracking(enum row_class rows, const struct chan_decl *decl)
{
	static const char *const suffix[] = {
		[TRACK_RUNNING] = " of the RUNNING thread",
		[TRACK_ACTIVE] = " of the ACTIVE thread",
		[TRACK_ANY] = " ", /* the blank is in the files of the peer too */
		[TRACK_HIDDEN] = "",
	};
	if (decl->bare_title)
		return "";
	return suffix[rows == ROW_THREAD ? decl->thread_track : decl->cpu_track];
}

const char *
out_label(struct arena *a, enum row_class rows, const struct chan_decl *decl)
{
	return arena_printf(a, "%s%s", decl->title, tracking(rows, decl));
}

void
out_put_line(struct wbuf *w, const char *text)
{
	for (; *text; text++) {
		char *to = wbuf_reserve(w, 1);
		*to = (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text;
		wbuf_commit(w, to + 1);
	}
}

/* Two mark types may have one title: the later one gets its number behind. */
static bool
clashes(const struct emu *emu, enum row_class rows, uint32_t col)
{
	const struct chan_decl *decl = out_decl(emu, rows, col);
	for (uint32_t i = 0; i < col; i++) {
		const struct chan_decl *other = out_decl(emu, rows, i);
		if (track_has(emu, rows, i) && strcmp(other->title, decl->title) == 0 &&
			strcmp(tracking(rows, other), tracking(rows, decl)) == 0)
			return true;
	}
	return false;
}

const char *
out_type_label(struct arena *a, const struct emu *emu, enum row_class rows, uint32_t col)
{
	const struct chan_decl *decl = out_decl(emu, rows, col);
	if (emu->options.compat || !clashes(emu, rows, col))
		return out_label(a, rows, decl);
	return arena_printf(a, "%s%s (type %d)", decl->title, tracking(rows, decl), decl->prv_type);
}

int
out_open(struct wbuf *w, const struct emu *emu, const char *path)
{
	int rc = wbuf_open(w, path);
	return rc < 0 ? diag_io(emu->diag, ERR_WRITE, "create", path, -rc) : 0;
}

int
out_close(struct wbuf *w, const struct emu *emu)
{
	const char *path = w->path;
	int rc = wbuf_close(w);
	if (rc < 0)
		return diag_error(emu->diag, ERR_WRITE, NULL,
			"cannot write '%s': %s\nhint: the file is not complete; free space or choose another place with -o",
			path, strerror(-rc));
	return 0;
}
