/* SPDX-License-Identifier: MIT */
#include "out.h"

#include "paraver.h"
#include "track.h"

#include <string.h>

const struct output_decl out_list[] = {
	{ "prv", OUTPUT_PRV, { &names_sink, &prv_sink, &breakdown_sink, &cfg_sink } },
	{ "uscope", OUTPUT_USCOPE, { &uscp_sink } },
	{ NULL },
};

size_t
out_sinks(unsigned which, const struct sink_ops *sinks[FEED_SINKS_MAX])
{
	size_t n = 0;
	for (const struct output_decl *o = out_list; o->name; o++)
		for (size_t i = 0; which & o->bit && o->sinks[i] && n < FEED_SINKS_MAX; i++)
			sinks[n++] = o->sinks[i];
	return n;
}

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
	return col < NBASE ? &base_chans[rows][col] : emu->plan->cols[col].decl;
}

static const char *
tracking(enum row_class rows, const struct chan_decl *decl)
{
	static const char *const suffix[] = {
		[TRACK_RUNNING] = " of the RUNNING thread",
		[TRACK_ACTIVE] = " of the ACTIVE thread",
		[TRACK_ANY] = " ", /* the blank is in the files of the peer too */
		[TRACK_HIDDEN] = "",
		[TRACK_OWN] = "",
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

/* A title of the user as a label: Paraver ignores an empty one, and a '*' in a view
 * stands for any text. */
static char *
make_label(struct arena *a, enum row_class rows, const struct chan_decl *decl)
{
	const char *title = decl->title;
	char *label;
	if (title[strspn(title, " \t\r\n")] == 0)
		label = arena_printf(a, "Type %d%s", decl->prv_type, tracking(rows, decl));
	else
		label = arena_printf(a, "%s%s", title, tracking(rows, decl));
	for (char *p = label; p && *p; p++)
		*p = *p == '*' ? 'x' : paraver_clean(*p);
	return label;
}

const char **
out_type_labels(struct arena *a, const struct emu *emu, enum row_class rows)
{
	const char **labels = arena_new(a, const char *, emu->plan->ncols);
	for (uint32_t col = 0; labels && col < emu->plan->ncols; col++) {
		const struct chan_decl *decl = out_decl(emu, rows, col);
		if (!track_has(emu, rows, col))
			continue;
		const char *label = emu->plan->options.compat ? out_label(a, rows, decl) : make_label(a, rows, decl);
		/* Two mark types may have one title: the later one gets its number behind. */
		for (uint32_t i = 0; label && i < col && !emu->plan->options.compat; i++) {
			if (!labels[i] || strcmp(labels[i], label) != 0)
				continue;
			label = arena_printf(a, "%s (type %d)", label, decl->prv_type);
			i = UINT32_MAX; /* the new one may clash too: look at all again */
		}
		labels[col] = label;
		if (!label)
			labels = NULL;
	}
	if (!labels)
		(void)diag_no_memory(emu->diag);
	return labels;
}
