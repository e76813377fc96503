/* SPDX-License-Identifier: MIT */
#include "out.h"

#include "paraver.h"
#include "track.h"

#include <string.h>

const struct output_decl out_list[] = {
	{ "prv", OUTPUT_PRV, { &names_sink, &prv_sink, &proc_sink, &breakdown_sink, &cfg_sink } },
	{ "uscope", OUTPUT_USCOPE, { &uscp_sink } },
	{ "perfetto", OUTPUT_PERFETTO, { &perfetto_sink } },
	{ "html", OUTPUT_HTML, { &uscp_sink } },
	{ NULL },
};

static bool
is_among(const struct sink_ops *const *sinks, size_t n, const struct sink_ops *s)
{
	while (n && sinks[n - 1] != s)
		n--;
	return n;
}

size_t
out_sinks(unsigned which, const struct sink_ops *sinks[FLOW_SINKS_MAX])
{
	size_t n = 0;
	for (const struct output_decl *o = out_list; o->name; o++)
		for (size_t i = 0; which & o->bit && o->sinks[i] && n < FLOW_SINKS_MAX; i++)
			if (!is_among(sinks, n, o->sinks[i]))
				sinks[n++] = o->sinks[i];
	return n;
}

const char *
out_class(enum row_class rows)
{
	static const char *const names[] = { [ROW_THREAD] = "thread", [ROW_CPU] = "cpu", [ROW_PROC] = "proc" };
	return names[rows];
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
	if (decl->bare_title || decl->of != OF_THREAD)
		return "";
	return suffix[rows == ROW_THREAD ? decl->thread_track : decl->cpu_track];
}

const char *
out_label(struct arena *a, enum row_class rows, const struct chan_decl *decl)
{
	return arena_printf(a, "%s%s", decl->title, tracking(rows, decl));
}

const char *
out_title(struct arena *a, enum row_class rows, const struct chan_decl *decl)
{
	static const char *const of[] = { [OF_PROC] = "Process", [OF_LOOM] = "Loom", [OF_SYSTEM] = "System" };
	const char *given = rows == ROW_THREAD ? decl->view.thread_title : decl->view.cpu_title;
	if (given)
		return given;
	const char *label = out_label(a, rows, decl);
	if (!label)
		return NULL;
	size_t n = strlen(label);
	while (n && label[n - 1] == ' ')
		n--;
	return arena_printf(a, "%s: %.*s", rows == ROW_THREAD ? "Thread" : rows == ROW_CPU ? "CPU"
											   : of[decl->of],
		(int)n, label);
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

#define TOO_MANY "Error: too many threads"

/* Labels of states: a value may be entered in several ways, but is listed once. */
static void
each_state(const struct col *k, out_label_fn *fn, void *arg)
{
	const struct model *m = k->model;
	if (!m || k->decl < m->chans || k->decl >= m->chans + m->nchans)
		return;
	int chan = (int)(k->decl - m->chans);
	for (size_t i = 0; i < m->nstates; i++) {
		const struct state_decl *s = &m->states[i];
		bool listed = s->chan != chan;
		for (size_t j = 0; j < i && !listed; j++)
			listed = m->states[j].chan == chan && m->states[j].value == s->value;
		if (!listed)
			fn(arg, s->value, s->label);
	}
}

/* Labels that the models have learnt while the trace ran. */
static void
each_late(const struct late_labels *k, out_label_fn *fn, void *arg)
{
	for (const struct late_label *l = k->first; l; l = l->next)
		fn(arg, l->label.value, l->label.text);
}

/* Labels of a CPU row, in which a user's label may have the value of an error state. */
struct shared {
	out_label_fn *fn;
	void *arg;
	bool taken;
	bool failed; /* no memory */
};

static void
put_shared(void *arg, int64_t value, const char *text)
{
	struct shared *s = arg;
	if (value != ST_TOO_MANY_TH) {
		s->fn(s->arg, value, text);
		return;
	}
	struct arena a = { 0 };
	const char *both = arena_printf(&a, "%s, or %s", text, TOO_MANY);
	if (both)
		s->fn(s->arg, value, both);
	s->failed = s->failed || !both;
	s->taken = true;
	arena_finish(&a);
}

static void
each_label(const struct emu *emu, enum row_class rows, uint32_t col, out_label_fn *fn, void *arg)
{
	const struct chan_decl *decl = out_decl(emu, rows, col);
	for (size_t i = 0; i < decl->nlabels; i++)
		fn(arg, decl->labels[i].value, decl->labels[i].text);
	if (col < NBASE)
		return;
	each_state(&emu->plan->cols[col], fn, arg);
	each_late(&emu->labels[col], fn, arg);
}

int
out_labels(const struct emu *emu, enum row_class rows, uint32_t col, out_label_fn *fn, void *arg)
{
	const struct chan_decl *decl = out_decl(emu, rows, col);
	const struct system *part = &emu->plan->sys;
	const struct system *sys = part->whole ? part->whole : part; /* a value may be any CPU */
	if (rows == ROW_THREAD && col == COL_CPU)
		for (uint32_t i = 0; i < sys->ncpus; i++)
			fn(arg, (int64_t)i + 1, sys->cpus[i].label);
	bool own = col >= NBASE && decl->cpu_track == TRACK_OWN;
	bool errors = rows == ROW_CPU && !emu->plan->options.compat && col != COL_NRUNNING && !own;
	if (!errors) {
		each_label(emu, rows, col, fn, arg);
		return 0;
	}
	struct shared s = { .fn = fn, .arg = arg };
	each_label(emu, rows, col, put_shared, &s);
	if (s.failed)
		return diag_no_memory(emu->diag);
	if (!s.taken)
		fn(arg, ST_TOO_MANY_TH, TOO_MANY);
	/* Possible only when the CPU row follows more states than the thread row shows. */
	if (col >= NBASE && decl->cpu_track == TRACK_ACTIVE && decl->thread_track == TRACK_RUNNING)
		fn(arg, ST_BAD, "Error: the thread does not show it");
	return 0;
}

void
out_states(const struct emu *emu, const uint32_t *cols, size_t ncols, out_label_fn *fn, void *arg)
{
	for (size_t i = 0; i < ncols; i++) {
		each_state(&emu->plan->cols[cols[i]], fn, arg);
		each_late(&emu->labels[cols[i]], fn, arg);
	}
	if (!emu->plan->options.compat)
		fn(arg, ST_TOO_MANY_TH, TOO_MANY);
}

uint32_t
out_in_order(enum row_class rows, uint32_t i)
{
	if (rows == ROW_THREAD && (i == COL_STATE || i == COL_TID))
		return i == COL_STATE ? COL_TID : COL_STATE;
	return i;
}
