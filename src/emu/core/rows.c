/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include "emu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const names_of[] = { [OF_THREAD] = "thread", [OF_PROC] = "process", [OF_LOOM] = "loom", [OF_SYSTEM] = "system" };

/* ---- Which there are. ---- */

/* Two looms may have processes of one number: the later one tells its loom. */
static const char *
label_proc(struct emu *emu, struct arena *scratch, struct idmap *seen, uint32_t proc)
{
	const struct system *sys = &emu->plan->sys;
	const struct proc *p = &sys->procs[proc];
	struct idmap_slot *slot = idmap_slot(seen, scratch, (uint64_t)(uint32_t)p->app_id << 32 | (uint32_t)p->pid);
	char rank[24] = "";
	if (!slot)
		return NULL;
	bool again = slot->value;
	slot->value = &sys->procs[proc];
	if (p->rank >= 0)
		(void)snprintf(rank, sizeof(rank), " rank %d", p->rank);
	return arena_printf(&emu->making->arena, "PROC %d.%d%s%s%s", p->app_id, p->pid, rank, again ? " of " : "", again ? sys->looms[p->loom].name : "");
}

static int
make_labels(struct emu *emu)
{
	struct plan *plan = emu->making;
	struct arena scratch = { 0 };
	struct idmap seen = { 0 };
	const char **label = plan->rows.labels = arena_new(&plan->arena, const char *, plan->rows.n);
	bool good = label;
	if (good && plan->rows.number[OF_SYSTEM])
		*label++ = "SYSTEM";
	for (uint32_t i = 0; good && i < plan->rows.number[OF_LOOM]; i++, label++)
		good = (*label = arena_printf(&plan->arena, "LOOM %s", plan->sys.looms[i].name)) != NULL;
	for (uint32_t i = 0; good && i < plan->rows.number[OF_PROC]; i++, label++)
		good = (*label = label_proc(emu, &scratch, &seen, i)) != NULL;
	arena_finish(&scratch);
	return good ? 0 : diag_no_memory(emu->diag);
}

int
rows_make(struct emu *emu)
{
	struct plan *plan = emu->making;
	struct proc_rows *rows = &plan->rows;
	const uint32_t number[ROWS_OF] = { [OF_PROC] = plan->sys.nprocs, [OF_LOOM] = plan->sys.nlooms, [OF_SYSTEM] = 1 };
	for (uint32_t col = NBASE; col < plan->ncols; col++) {
		const struct chan_decl *k = plan->cols[col].decl;
		for (unsigned of = k->of; of && of < ROWS_OF; of = k->sum ? of + 1 : ROWS_OF)
			rows->number[of] = number[of];
	}
	uint32_t first = emu_first_row(emu, ROW_PROC);
	rows->number[OF_THREAD] = plan->sys.nthreads;
	for (enum chan_of of = OF_SYSTEM; of > OF_THREAD; of--) {
		rows->first[of] = first + rows->n;
		rows->n += rows->number[of];
	}
	for (uint32_t col = NBASE; col < plan->ncols; col++)
		plan->cols[col].first_row = rows->first[plan->cols[col].decl->of];
	return rows->n ? make_labels(emu) : 0;
}

enum chan_of
rows_level(const struct emu *emu, uint32_t row, uint32_t *index)
{
	const struct proc_rows *rows = &emu->plan->rows;
	enum chan_of of = OF_SYSTEM;
	while (of > OF_THREAD && (*index = row - rows->first[of]) >= rows->number[of])
		of--;
	if (rows->index)
		*index = rows->index[row - emu_first_row(emu, ROW_PROC)];
	return of;
}

bool
rows_have(const struct emu *emu, uint32_t row, uint32_t col)
{
	const struct chan_decl *k = emu->plan->cols[col].decl;
	uint32_t index;
	enum chan_of of = rows_level(emu, row, &index);
	return k->of == of || (k->sum && k->of < of);
}

/* ---- Values. ---- */

/* The row of one of those that a channel is of, and of what shows its sum above. */
struct chain {
	uint32_t row[ROWS_OF];
	size_t n;
};

static struct chain
chain_of(const struct emu *emu, const struct chan_decl *k, uint32_t index)
{
	const struct proc_rows *rows = &emu->plan->rows;
	struct chain c = { 0 };
	enum chan_of of = k->of;
	c.row[c.n++] = rows->first[of] + index;
	while (k->sum && of < OF_SYSTEM) {
		index = of == OF_PROC ? emu->plan->sys.procs[index].loom : 0;
		c.row[c.n++] = rows->first[++of] + index;
	}
	return c;
}

void
rows_begin(struct emu *emu)
{
	const struct proc_rows *rows = &emu->plan->rows;
	for (uint32_t row = emu_first_row(emu, ROW_PROC), end = row + rows->n; row < end; row++)
		for (uint32_t col = 0; col < emu->chans.ncols; col++)
			emu->chans.value[chan_id(&emu->chans, row, col)] = 0;
	for (uint32_t col = NBASE; col < emu->chans.ncols; col++) {
		const struct chan_decl *k = emu->plan->cols[col].decl;
		for (uint32_t i = 0; k->of && k->initial && i < rows->number[k->of]; i++) {
			struct chain c = chain_of(emu, k, i);
			for (size_t n = 0; n < c.n; n++)
				emu->chans.value[chan_id(&emu->chans, c.row[n], col)] += k->initial;
		}
	}
}

/* The column of a hook's channel. UINT32_MAX: it is not one of those, or has no such index (reported). */
static uint32_t
find_col(struct emu *emu, uint32_t index, int chan)
{
	const struct model_part *m = emu->cur;
	uint32_t col = m->first_col + (uint32_t)chan;
	const struct chan_decl *k = (uint32_t)chan < m->nchans ? emu->plan->cols[col].decl : NULL;
	if (!k)
		(void)emu_error(emu, "model", "the model %s changes its channel %d, but it has %" PRIu32, m->model->name, chan, m->nchans);
	else if (k->of == OF_THREAD)
		(void)emu_error(emu, "model", "the model %s changes the channel %s of a process, a loom or the system: it is one of threads", m->model->name, k->name);
	else if (index >= emu->plan->rows.number[k->of])
		(void)emu_error(emu, "model", "the model %s changes the channel %s of the %s %" PRIu32 ": there are %" PRIu32 ", from 0 on",
			m->model->name, k->name, names_of[k->of], index, emu->plan->rows.number[k->of]);
	else
		return col;
	return UINT32_MAX;
}

static bool
has_room(const struct chan_decl *k, int64_t value)
{
	return k->values == VALUES_ANY ? value != NO_VALUE : value >= 0 && value <= UINT32_MAX;
}

/* A value that nothing shows. What ends without having begun is none in a ring, which has lost the begin. */
static int
refuse_value(struct emu *emu, uint32_t row, uint32_t col, int64_t value)
{
	const struct col *k = &emu->plan->cols[col];
	if (value < 0 && emu->event && emu->plan->trace.streams[emu->event->stream].meta.ring) {
		struct place at = event_place(emu);
		often_add(&emu->tallies.ends, &at, "the end of what was not told to have begun: more was open than a ring keeps");
		return 0;
	}
	return emu_error(emu, "chan-value", "the channel %s of the model %s cannot have the value %" PRId64 " in the row %s\nhint: %s", k->decl->name, k->model->name, value,
		emu_row_label(emu, row), k->decl->values == VALUES_ANY ? "numbers have 64 bits" : "it shows numbers from 0 to 4294967295; with VALUES_ANY all");
}

/* Changes a value by n, and the sums that it is in. */
static int
add(struct emu *emu, uint32_t index, uint32_t col, int64_t n)
{
	struct chain c = chain_of(emu, emu->plan->cols[col].decl, index);
	int64_t now[ROWS_OF];
	for (size_t i = 0; i < c.n; i++) {
		int64_t old = emu->chans.value[chan_id(&emu->chans, c.row[i], col)];
		if (__builtin_add_overflow(old, n, &now[i]) || !has_room(emu->plan->cols[col].decl, now[i]))
			return refuse_value(emu, c.row[i], col, now[i]);
	}
	for (size_t i = 0; i < c.n; i++)
		chan_put_own(&emu->chans, c.row[i], col, now[i]);
	return 0;
}

static int
change(struct emu *emu, enum op_kind kind, uint32_t index, uint32_t col, int64_t value)
{
	uint32_t row = emu->plan->cols[col].first_row + index;
	int64_t by = value;
	if (kind == OP_PUNCTUAL)
		return emu->late ? emu_refuse_change(emu) : emu_add_punctual(emu, row, col, value);
	if (emu->shut)
		return emu_refuse_change(emu);
	if (kind == OP_SET && __builtin_sub_overflow(value, emu->chans.value[chan_id(&emu->chans, row, col)], &by))
		return refuse_value(emu, row, col, value);
	return by ? add(emu, index, col, by) : 0;
}

static int
change_checked(struct emu *emu, enum op_kind kind, uint32_t index, int chan, int64_t value)
{
	uint32_t col = find_col(emu, index, chan);
	return col == UINT32_MAX ? emu->failed : change(emu, kind, index, col, value);
}

int
emu_set_row(struct emu *emu, uint32_t index, int chan, int64_t value)
{
	return change_checked(emu, OP_SET, index, chan, value);
}

int
emu_add_row(struct emu *emu, uint32_t index, int chan, int64_t n)
{
	return change_checked(emu, OP_ADD, index, chan, n);
}

int
emu_punctual_row(struct emu *emu, uint32_t index, int chan, int64_t value)
{
	return change_checked(emu, OP_PUNCTUAL, index, chan, value);
}

int64_t
emu_row_value(const struct emu *emu, uint32_t index, int chan)
{
	uint32_t col = emu->cur->first_col + (uint32_t)chan;
	enum chan_of of = (uint32_t)chan < emu->cur->nchans ? emu->plan->cols[col].decl->of : OF_THREAD;
	return of && index < emu->plan->rows.number[of] ? emu->chans.value[chan_id(&emu->chans, emu->plan->cols[col].first_row + index, col)] : 0;
}

int
rows_apply(struct emu *emu, enum op_kind kind, uint32_t col, int64_t value)
{
	const struct system *sys = &emu->plan->sys;
	enum chan_of of = emu->plan->cols[col].decl->of;
	uint32_t proc = sys->threads[emu->thread].proc;
	return change(emu, kind, of == OF_PROC ? proc : of == OF_LOOM ? sys->procs[proc].loom
								      : 0,
		col, value);
}
