/* SPDX-License-Identifier: MIT */
#include "pick.h"

#include "emu.h"

/* ---- The emulator that outputs see. ---- */

/* Numbers the chosen rows of a class from `next` on. Returns how many there are. */
static uint32_t
number(struct pick *p, enum row_class rows, uint32_t next)
{
	uint32_t first = emu_first_row(p->emu, rows);
	uint32_t n = 0;
	for (uint32_t row = first; row < first + emu_nrows(p->emu, rows); row++)
		p->row[row] = p->chosen.rows[row] ? next + n++ : NO_INDEX;
	return n;
}

/* Makes the list of threads and that of CPUs. false: no memory. */
static bool
list_system(struct pick *p, struct arena *a, struct system *sys)
{
	const struct system *whole = &p->emu->plan->sys;
	sys->whole = whole;
	if (p->chosen.narrows[ROW_THREAD]) {
		sys->threads = arena_new(a, struct thread, whole->nthreads);
		for (uint32_t i = sys->nthreads = 0; sys->threads && i < whole->nthreads; i++)
			if (p->chosen.rows[i])
				sys->threads[sys->nthreads++] = whole->threads[i];
		sys->nknown = sys->nthreads;
	}
	if (p->chosen.narrows[ROW_CPU]) {
		sys->cpus = arena_new(a, struct cpu, whole->ncpus);
		for (uint32_t i = sys->ncpus = sys->nphysical = 0; sys->cpus && i < whole->ncpus; i++) {
			if (!p->chosen.rows[whole->nthreads + i])
				continue;
			sys->nphysical += whole->cpus[i].index >= 0;
			sys->cpus[sys->ncpus++] = whole->cpus[i];
		}
	}
	return sys->threads && sys->cpus;
}

/* Makes the list of the other rows: their labels, and which process or loom each is. false: no memory. */
static bool
list_procs(const struct pick *p, struct arena *a, const struct plan *shown, struct proc_rows *rows)
{
	const struct proc_rows *whole = &p->emu->plan->rows;
	uint32_t first = emu_first_row(p->emu, ROW_PROC);
	uint32_t n = 0;
	rows->labels = arena_new(a, const char *, whole->n);
	rows->index = arena_new(a, uint32_t, whole->n);
	if (!rows->labels || !rows->index)
		return false;
	for (enum chan_of of = OF_SYSTEM; of > OF_THREAD; of--) {
		rows->first[of] = shown->sys.nthreads + shown->sys.ncpus + n;
		rows->number[of] = 0;
		for (uint32_t i = 0; i < whole->number[of]; i++) {
			uint32_t row = whole->first[of] + i;
			if (!p->chosen.rows[row])
				continue;
			rows->labels[n] = whole->labels[row - first];
			rows->index[n++] = i;
			rows->number[of]++;
		}
	}
	rows->number[OF_THREAD] = shown->sys.nthreads;
	rows->n = n;
	return true;
}

/* A breakdown that is not chosen is not wanted. false: no memory. */
static bool
list_models(const struct pick *p, struct arena *a, struct plan *shown)
{
	shown->models = arena_new(a, struct model_run, shown->nmodels);
	for (size_t i = 0; shown->models && i < shown->nmodels; i++) {
		shown->models[i] = p->emu->plan->models[i];
		shown->models[i].breaks_down = shown->models[i].breaks_down && p->chosen.breakdowns[i];
	}
	return shown->models;
}

static bool
make_shown(struct pick *p, struct arena *a)
{
	const struct plan *whole = p->emu->plan;
	struct plan *plan = arena_new(a, struct plan, 1);
	p->shown = arena_new(a, struct emu, 1);
	p->row = arena_new(a, uint32_t, (size_t)emu_first_row(p->emu, ROW_PROC) + emu_nrows(p->emu, ROW_PROC));
	if (!plan || !p->shown || !p->row)
		return false;
	*plan = *whole;
	*p->shown = *p->emu;
	p->shown->plan = plan;
	plan->chosen = &p->chosen;
	uint32_t next = number(p, ROW_THREAD, 0);
	p->shown->first_cpu = next;
	next += number(p, ROW_CPU, next);
	(void)number(p, ROW_PROC, next);
	for (enum row_class k = ROW_THREAD; k < ROW_CLASSES; k++)
		if (!(p->shown->shown[k] = arena_new(a, uint8_t, whole->ncols)))
			return false;
	return list_system(p, a, &plan->sys) && list_procs(p, a, plan, &plan->rows) && list_models(p, a, plan);
}

int
pick_make(struct emu *emu)
{
	struct plan *plan = emu->making;
	struct pick *p = arena_new(&plan->arena, struct pick, 1);
	if (!p)
		return diag_no_memory(emu->diag);
	p->zero = plan->window.zero;
	p->emu = emu;
	int rc = choose_make(&p->chosen, emu, plan->options.rows, plan->options.types);
	if (rc == 0 && p->chosen.any && !make_shown(p, &plan->arena))
		rc = diag_no_memory(emu->diag);
	plan->pick = p->chosen.any || p->zero ? p : NULL;
	return rc;
}

void
pick_end(struct pick *p)
{
	if (!p->shown)
		return;
	p->shown->density = p->emu->density;
	if (!p->chosen.narrows[ROW_THREAD])
		((struct plan *)p->shown->plan)->sys.nknown = p->emu->plan->sys.nknown;
}

/* ---- Records. ---- */

static enum row_class
class_of(const struct pick *p, uint32_t row)
{
	return row < p->emu->first_cpu ? ROW_THREAD : row < emu_first_row(p->emu, ROW_PROC) ? ROW_CPU
											    : ROW_PROC;
}

/* The number of a row that is shown with a column; NO_INDEX: it is not. */
static uint32_t
find_row(const struct pick *p, uint32_t row, uint32_t col)
{
	enum row_class rows = class_of(p, row);
	if (!p->chosen.cols[rows][col] || p->row[row] == NO_INDEX)
		return NO_INDEX;
	p->shown->shown[rows][col] = 1;
	return p->row[row];
}

/* A state of a thread and of a CPU becomes one of either if only that is chosen. false: of neither. */
static bool
take_state(const struct pick *p, struct record *r)
{
	uint32_t cpu = r->cpu ? find_row(p, r->cpu, r->col) : NO_INDEX;
	uint32_t row = find_row(p, r->row, r->col);
	if (row == NO_INDEX && cpu == NO_INDEX)
		return false;
	r->cpu = row != NO_INDEX && cpu != NO_INDEX ? cpu : 0;
	if (row == NO_INDEX)
		r->kind = RECORD_STATE;
	r->row = row != NO_INDEX ? row : cpu;
	r->chan = r->row * (uint32_t)p->emu->plan->ncols + r->col;
	return true;
}

/* Makes a record that of an output. false: it is left out. */
static bool
take(const struct pick *p, struct record *r)
{
	uint32_t row = NO_INDEX;
	if (record_is_state(r->kind))
		return take_state(p, r);
	row = r->kind == RECORD_EVENT ? p->row[r->row] : find_row(p, r->row, r->col);
	if (r->kind == RECORD_LATE)
		r->chan = row * (uint32_t)p->emu->plan->ncols + r->col;
	r->row = row;
	return row != NO_INDEX;
}

/* The same for a note. */
static bool
take_note(const struct pick *p, struct note *n)
{
	switch (n->kind) {
	case NOTE_LABEL: return p->chosen.cols[ROW_THREAD][n->col] || p->chosen.cols[ROW_CPU][n->col] || p->chosen.cols[ROW_PROC][n->col];
	case NOTE_CREATED:
	case NOTE_EXECUTED: n->row = p->chosen.tasks[n->col] ? p->row[n->row] : NO_INDEX; break;
	default: n->row = find_row(p, n->row, n->col); break;
	}
	return n->row != NO_INDEX;
}

/* Keeps the notes of an output up to those that stand before record `i`, which becomes number `n`. Returns the note behind them. */
static size_t
choose_notes(struct pick *p, struct chunk *c, size_t note, size_t nnotes, size_t i, size_t n)
{
	for (; note < nnotes && c->notes[note].at <= i; note++) {
		struct note *to = &c->notes[c->batch.nnotes];
		*to = c->notes[note];
		to->at = (uint32_t)n;
		c->batch.nnotes += take_note(p, to);
	}
	return note;
}

static void
choose_records(struct pick *p, struct chunk *c)
{
	struct batch *b = &c->batch;
	size_t n = 0;
	size_t note = 0;
	size_t nnotes = b->nnotes;
	b->nodd = b->nnotes = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct record r = c->records[i];
		size_t more = r.kind == RECORD_EVENT; /* it is two, of which the second has no row */
		note = choose_notes(p, c, note, nnotes, i, n);
		p->begins = p->begins || r.begins;
		if (take(p, &r)) {
			r.begins = p->begins;
			p->begins = false;
			for (size_t k = 0; k <= more && !record_is_state(r.kind); k++)
				c->odd[b->nodd++] = (uint32_t)(n + k);
			c->records[n++] = r;
			if (more)
				c->records[n++] = c->records[i + 1];
		}
		i += more;
	}
	(void)choose_notes(p, c, note, nnotes, b->n, n);
	b->n = n;
}

void
pick_apply(struct pick *p, struct chunk *c)
{
	if (c->batch.flush)
		c->batch.next -= p->zero;
	if (p->chosen.any)
		choose_records(p, c);
	for (size_t i = 0; i < c->batch.n; i++)
		c->records[i].time -= p->zero;
	for (size_t i = 0; i < c->batch.nnotes; i++)
		c->notes[i].time -= p->zero;
}
