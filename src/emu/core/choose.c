/* SPDX-License-Identifier: MIT */
#include "choose.h"

#include "emu.h"
#include "track.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LISTED = 600, /* bytes of a list in a message */
};

/* An item of a list: a number, a range or a pattern. */
struct item {
	const char *text;
	bool is_range;
	uint64_t low, high;
};

static struct item
parse_item(const char *text)
{
	struct item it = { .text = text };
	char *end;
	it.low = it.high = strtoull(text, &end, 10);
	it.is_range = *text >= '0' && *text <= '9';
	if (it.is_range && *end == '-' && end[1] >= '0' && end[1] <= '9')
		it.high = strtoull(end + 1, &end, 10);
	it.is_range = it.is_range && !*end;
	return it;
}

static bool
has_number(const struct item *it, int64_t n)
{
	return it->is_range && n >= 0 && it->low <= (uint64_t)n && (uint64_t)n <= it->high;
}

/* Labels may have blanks around them. */
static bool
has_name(const struct item *it, const char *name)
{
	char bare[256];
	if (!name)
		return false;
	name += strspn(name, " ");
	size_t n = strlen(name);
	while (n && name[n - 1] == ' ')
		n--;
	(void)snprintf(bare, sizeof(bare), "%.*s", (int)n, name);
	return strcmp(it->text, bare) == 0 || fnmatch(it->text, bare, 0) == 0;
}

/* ---- Rows. ---- */

enum what {
	WHAT_THREAD,
	WHAT_CPU,
	WHAT_PROC,
	WHAT_PID,
	WHAT_LOOM,
	WHATS,
};

static const char *const whats[] = { "thread", "cpu", "proc", "pid", "loom" };

/* Takes all rows of a class for which `fits` holds. Returns whether there is one. */
typedef bool fits_fn(const struct emu *emu, const struct item *it, enum row_class rows, uint32_t index);

static bool
take_rows(struct chosen *c, const struct emu *emu, const struct item *it, enum row_class rows, fits_fn *fits)
{
	uint32_t first = emu_first_row(emu, rows);
	bool any = false;
	c->narrows[rows] = true;
	for (uint32_t i = 0; i < emu_nrows(emu, rows); i++) {
		bool is = fits(emu, it, rows, i);
		c->rows[first + i] = c->rows[first + i] || is;
		any = any || is;
	}
	return any;
}

/* What a row is in: its loom, and its process; NO_INDEX: none. */
static void
find_owner(const struct emu *emu, enum row_class rows, uint32_t index, uint32_t *loom, uint32_t *proc)
{
	const struct system *sys = &emu->plan->sys;
	uint32_t i = NO_INDEX;
	enum chan_of of = rows == ROW_PROC ? rows_level(emu, emu_first_row(emu, rows) + index, &i) : OF_THREAD;
	*proc = rows == ROW_THREAD ? sys->threads[index].proc : of == OF_PROC ? i
									      : NO_INDEX;
	*loom = *proc != NO_INDEX ? sys->procs[*proc].loom : rows == ROW_CPU ? sys->cpus[index].loom
		: of == OF_LOOM                                              ? i
									     : NO_INDEX;
}

static bool
fits_row(const struct emu *emu, const struct item *it, enum row_class rows, uint32_t index)
{
	uint32_t loom, proc;
	find_owner(emu, rows, index, &loom, &proc);
	return has_number(it, (int64_t)index + 1) || has_name(it, emu_row_label(emu, emu_first_row(emu, rows) + index)) ||
		(loom != NO_INDEX && !it->is_range && has_name(it, emu->plan->sys.looms[loom].name));
}

static bool
fits_loom(const struct emu *emu, const struct item *it, enum row_class rows, uint32_t index)
{
	uint32_t loom, proc;
	find_owner(emu, rows, index, &loom, &proc);
	return loom != NO_INDEX && (has_number(it, (int64_t)loom + 1) || has_name(it, emu->plan->sys.looms[loom].name));
}

static bool
is_pid(const struct emu *emu, const struct item *it, uint32_t proc)
{
	char pid[16];
	(void)snprintf(pid, sizeof(pid), "%d", emu->plan->sys.procs[proc].pid);
	return has_number(it, emu->plan->sys.procs[proc].pid) || has_name(it, pid);
}

/* The CPUs of a process are those of its loom. */
static bool
fits_pid(const struct emu *emu, const struct item *it, enum row_class rows, uint32_t index)
{
	uint32_t loom, proc;
	find_owner(emu, rows, index, &loom, &proc);
	if (rows != ROW_CPU)
		return proc != NO_INDEX && is_pid(emu, it, proc);
	const struct loom *l = &emu->plan->sys.looms[loom];
	for (uint32_t i = l->first_proc; i < l->first_proc + l->nprocs; i++)
		if (is_pid(emu, it, i))
			return true;
	return false;
}

/* Tells which rows there are, by the first and the last. */
static int
no_row(const struct emu *emu, enum what what, const char *typed)
{
	const struct system *sys = &emu->plan->sys;
	char list[LISTED] = "";
	size_t n = 0;
	if (what == WHAT_LOOM)
		for (uint32_t i = 0; i < sys->nlooms && n < sizeof(list); i++)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", sys->looms[i].name);
	else if (what == WHAT_PID)
		for (uint32_t i = 0; i < sys->nprocs && n < sizeof(list); i++)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%d", i ? ", " : "", sys->procs[i].pid);
	else if (emu_nrows(emu, (enum row_class)what)) {
		uint32_t first = emu_first_row(emu, (enum row_class)what);
		uint32_t last = emu_nrows(emu, (enum row_class)what) - 1;
		const char *a = emu_row_label(emu, first);
		const char *b = emu_row_label(emu, first + last);
		n = (size_t)snprintf(list, sizeof(list), "1 (%s) to %" PRIu32 " (%s)", a + strspn(a, " "), last + 1, b + strspn(b, " "));
	}
	return diag_error(emu->diag, ERR_USAGE, NULL, "--rows: there is no %s '%s'%s%s%s", whats[what], typed, n ? ": there are " : "", list, n < sizeof(list) ? "" : "...");
}

static int
take_row_item(struct chosen *c, const struct emu *emu, const char *text)
{
	size_t n = strcspn(text, ":/");
	enum what what = WHAT_THREAD;
	while (what < WHATS && (strlen(whats[what]) != n || strncmp(whats[what], text, n) != 0))
		what++;
	if (what == WHATS || !text[n] || !text[n + 1])
		return diag_error(emu->diag, ERR_USAGE, NULL, "--rows needs thread:, cpu:, proc:, pid: or loom: and a number, a range or a pattern, not '%s'", text);
	struct item it = parse_item(text + n + 1);
	bool any = false;
	if (what <= WHAT_PROC)
		any = take_rows(c, emu, &it, (enum row_class)what, fits_row);
	else
		for (enum row_class rows = ROW_THREAD; rows < ROW_CLASSES; rows++)
			any = take_rows(c, emu, &it, rows, what == WHAT_LOOM ? fits_loom : fits_pid) || any;
	return any ? 0 : no_row(emu, what, it.text);
}

/* ---- Columns. ---- */

static const struct chan_decl *
decl_of(const struct emu *emu, enum row_class rows, uint32_t col)
{
	return col < NBASE ? &base_chans[rows][col] : emu->plan->cols[col].decl;
}

static const char *
model_of(const struct emu *emu, uint32_t col)
{
	return emu->plan->cols[col].model ? emu->plan->cols[col].model->name : "ovni";
}

static bool
fits_col(const struct emu *emu, const struct item *it, enum row_class rows, uint32_t col)
{
	const struct chan_decl *k = decl_of(emu, rows, col);
	char full[256];
	(void)snprintf(full, sizeof(full), "%s.%s", model_of(emu, col), k->name);
	return has_number(it, k->prv_type) || has_name(it, full) || has_name(it, k->name) || has_name(it, model_of(emu, col)) || has_name(it, k->title);
}

static bool
fits_breakdown(const struct item *it, const struct model *m)
{
	char full[256];
	(void)snprintf(full, sizeof(full), "%s.breakdown", m->name);
	return has_number(it, m->breakdown->prv_type) || has_name(it, full) || has_name(it, "breakdown") || has_name(it, m->name);
}

static int
no_type(const struct emu *emu, const char *typed)
{
	char list[LISTED] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < NBASE + emu->plan->ncols && n < sizeof(list); i++) {
		uint32_t col = i < NBASE ? i : i - NBASE; /* base columns of threads, those of CPUs, the others */
		enum row_class rows = i < NBASE ? ROW_THREAD : col < NBASE || track_has(emu, ROW_CPU, col) ? ROW_CPU
			: track_has(emu, ROW_THREAD, col)                                                  ? ROW_THREAD
													   : ROW_PROC;
		const struct chan_decl *k = decl_of(emu, rows, col);
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s.%s (%d)", i ? ", " : "", model_of(emu, col), k->name, k->prv_type);
	}
	return diag_error(emu->diag, ERR_USAGE, NULL, "--types: there is no '%s': there are %s%s", typed, list, n < sizeof(list) ? "" : "...");
}

static int
take_type_item(struct chosen *c, const struct emu *emu, const char *text)
{
	struct item it = parse_item(text);
	bool any = false;
	for (enum row_class rows = ROW_THREAD; rows < ROW_CLASSES; rows++) {
		for (uint32_t col = 0; col < emu->plan->ncols; col++) {
			bool is = track_has(emu, rows, col) && (col >= NBASE || rows != ROW_PROC) && fits_col(emu, &it, rows, col);
			c->cols[rows][col] = c->cols[rows][col] || is;
			any = any || is;
		}
	}
	for (size_t i = 0; i < emu->plan->nmodels; i++) {
		const struct model_run *mr = &emu->plan->models[i];
		bool is = mr->breaks_down && fits_breakdown(&it, mr->model);
		c->breakdowns[i] = c->breakdowns[i] || is;
		any = any || is;
	}
	return any ? 0 : no_type(emu, text);
}

/* A breakdown that is chosen is made of channels of its model, which have to be there. */
static int
check_breakdowns(struct chosen *c, const struct emu *emu)
{
	for (size_t i = 0; i < emu->plan->nmodels; i++) {
		const struct model_run *mr = &emu->plan->models[i];
		const struct breakdown_decl *b = mr->model->breakdown;
		for (int k = 0; k < 3 && mr->breaks_down && c->breakdowns[i]; k++) {
			int chan = k == 0 ? b->state : k == 1 ? b->task
							      : b->idle;
			uint32_t col = chan < 0 ? 0 : mr->first_col + (uint32_t)chan;
			if (chan >= 0 && !c->cols[ROW_CPU][col])
				return diag_error(emu->diag, ERR_USAGE, NULL, "--types: the breakdown of %s (%d) is made of %s.%s (%d), which is not chosen",
					mr->model->name, b->prv_type, mr->model->name, emu->plan->cols[col].decl->name, emu->plan->cols[col].decl->prv_type);
		}
	}
	return 0;
}

/* ---- Both. ---- */

typedef int take_fn(struct chosen *c, const struct emu *emu, const char *text);

static int
take_list(struct chosen *c, const struct emu *emu, const char *list, take_fn *take)
{
	struct arena scratch = { 0 };
	int rc = 0;
	for (const char *p = list; p && rc == 0;) {
		size_t n = strcspn(p, ",");
		char *text = arena_strndup(&scratch, p, n);
		rc = text ? take(c, emu, text) : diag_no_memory(emu->diag);
		p = p[n] ? p + n + 1 : NULL;
	}
	arena_finish(&scratch);
	return rc;
}

/* A class of rows that is not named is there as a whole; but rows of processes, looms and the system are not if they have
 * nothing to show. */
static void
complete(struct chosen *c, const struct emu *emu, enum row_class rows, bool all_types)
{
	uint32_t n = emu_nrows(emu, rows);
	if (!c->narrows[rows])
		memset(c->rows + emu_first_row(emu, rows), true, n);
	if (all_types)
		memset(c->cols[rows], true, emu->plan->ncols);
	if (rows != ROW_PROC || memchr(c->cols[rows], true, emu->plan->ncols))
		return;
	memset(c->rows + emu_first_row(emu, rows), false, n);
	c->narrows[rows] = true;
}

int
choose_make(struct chosen *c, struct emu *emu, const char *rows, const char *types)
{
	const struct plan *plan = emu->plan;
	uint32_t nrows = emu_first_row(emu, ROW_PROC) + emu_nrows(emu, ROW_PROC);
	*c = (struct chosen){ .any = rows || types };
	if (!c->any)
		return 0;
	if (rows && plan->sys.nknown < plan->sys.nthreads)
		return diag_error(emu->diag, ERR_USAGE, NULL, "--rows: of live input the rows are not known yet");
	struct arena *a = &emu->making->arena;
	c->rows = arena_new(a, bool, nrows);
	c->tasks = arena_new(a, bool, plan->nmodels);
	c->breakdowns = arena_new(a, bool, plan->nmodels);
	bool good = c->rows && c->tasks && c->breakdowns;
	for (enum row_class k = ROW_THREAD; k < ROW_CLASSES; k++) {
		c->cols[k] = arena_new(a, bool, plan->ncols);
		good = good && c->cols[k];
	}
	if (!good)
		return diag_no_memory(emu->diag);
	int rc = take_list(c, emu, rows, take_row_item);
	if (rc == 0)
		rc = take_list(c, emu, types, take_type_item);
	if (rc < 0)
		return rc;
	for (enum row_class k = ROW_THREAD; k < ROW_CLASSES; k++)
		complete(c, emu, k, !types);
	for (size_t i = 0; i < plan->nmodels; i++) {
		c->breakdowns[i] = c->breakdowns[i] || !types;
		for (uint32_t col = plan->models[i].first_col; col < plan->models[i].first_col + plan->models[i].nchans; col++)
			c->tasks[i] = c->tasks[i] || c->cols[ROW_THREAD][col] || c->cols[ROW_CPU][col];
	}
	return check_breakdowns(c, emu);
}
