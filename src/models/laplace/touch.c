/* SPDX-License-Identifier: MIT */
/* touch: references: finds their row and the pages they touch, and counts the totals of the
 * window. */
#include "parts.h"

enum {
	BATCH = 32, /* references of a run that are prefetched together */
};

/* ---- References. ---- */

/* Makes the step of a record of a merge, which has the number of its page: the machine is
 * not needed. */
static void
step_page(struct lapmodel *d, const struct lap_record *rec, bool basic, struct lap_step *step)
{
	struct lapmachine *m = d->machine;
	*step = (struct lap_step){
		.task = m->on->running,
		.space = basic ? NULL : lappages_space(&m->pages, rec->space),
		.kernel = !basic && rec->addr >= m->pages.kernel_base,
		.ntouches = 1,
		.touch = { { .page = rec->page, .addr = rec->addr, .length = rec->length } },
	};
}

/* Whether this is the first touch of a merge's page on any CPU. <0: no memory. */
static int
is_first(struct lapmodel *d, uint64_t page, int on_cpu)
{
	if (d->ncpus == 1 || on_cpu < 0)
		return on_cpu < 0 ? -1 : on_cpu == LAPCOUNT_EVER;
	int all = lapcount_touch(&d->all, page, d->window);
	return all < 0 ? -1 : all == LAPCOUNT_EVER;
}

/* Counts the pages of a reference, and shows them if `show`. */
static int
touch_pages(struct emu *emu, struct lapmodel *d, uint32_t cpu, struct lapcount *c, const struct lap_record *rec,
	const struct lap_step *step, bool show)
{
	struct lapmodel_cpu *on = &d->cpus[cpu];
	uint8_t first = 0;
	for (int i = 0; i < step->ntouches; i++) {
		const struct lap_touch *t = &step->touch[i];
		int mine = lapcount_touch(c, t->page, d->window);
		int all = lapcount_touch(&on->count, t->page, d->window);
		int new = rec->type == LAP_PAGE ? is_first(d, t->page, all) : 0;
		if (mine < 0 || all < 0 || new < 0)
			return emu_no_memory(emu);
		bool known = false;
		uint8_t class = new ? lappages_class(&d->machine->pages, step->space, t->addr, &known) : t->class;
		if (known)
			class = 0;
		c->n[LAPCOUNT_NEW_PAGES] += class != 0;
		on->count.n[LAPCOUNT_NEW_PAGES] += class != 0;
		first = class ? class : first;
		/* Unmapped pages are never cached: each touch must be reported. */
		if (rec->type == LAP_REF && (!step->outside || d->machine->no_kernel_trace))
			on->hot[t->addr >> LAP_PAGE_SHIFT & (HOT - 1)] = on->hot_key | t->addr >> LAP_PAGE_SHIFT;
	}
	if (show && first)
		(void)emu_punctual(emu, PAGE_EVENT, first);
	return show ? emu_set(emu, PAGE, (int64_t)(step->touch[step->ntouches - 1].page & INT64_MAX)) : 0;
}

static inline void
count_refs(struct lapcount *c, unsigned kind, uint64_t n, uint64_t bytes)
{
	c->n[LAPCOUNT_LOADS + (kind - 1) % 3] += n;
	c->n[LAPCOUNT_LOAD_BYTES + (kind - 1) % 3] += bytes;
}

/* Whether the pages are known to be touched. */
static inline bool
is_hot(const struct lapmodel_cpu *d, uint32_t addr, uint8_t length)
{
	uint32_t first = addr >> LAP_PAGE_SHIFT;
	uint32_t last = (addr + length - 1u) >> LAP_PAGE_SHIFT;
	return d->hot[first & (HOT - 1)] == (d->hot_key | first) && (first == last || d->hot[last & (HOT - 1)] == (d->hot_key | last));
}

/* Shows the mode (user or kernel) and the section of the kernel, in the chosen row. */
static void
show_mode(struct emu *emu, uint32_t row, bool kernel)
{
	(void)emu_set(emu, MODE, kernel ? MODE_KERNEL : MODE_USER);
	/* The row of the kernel has no sections: all of it is kernel. */
	if (!emu_is_pseudo(emu, row) && (!kernel || emu_value(emu, KSECTION) == LAP_SECTION_USER))
		(void)emu_set(emu, KSECTION, kernel ? LAP_SECTION_UNKNOWN : LAP_SECTION_USER);
}

/* Chooses the row of a reference, and shows task and mode. Returns the row. */
static uint32_t
begin_refs(struct emu *emu, struct lapmodel *d, const struct lap_step *step)
{
	const struct laplace *l = d->l;
	uint32_t row = l->basic ? d->first_row : step->task ? lapmodel_row(d, step->task)
							    : d->kernel_row;
	if (l->basic && emu_state(emu, row) == TH_UNKNOWN) {
		emu_choose(emu, row);
		(void)run_create(emu, 0);
		lapmodel_switch(emu, d, 0, row);
		d->alive = 1;
	}
	if (step->kernel && l->source.kernel_thread)
		row = d->kernel_row;
	if (row == NO_INDEX) {
		(void)emu_error(emu, "laplace", "a reference of no task was not there when the files were read before: have they changed?");
		row = 0;
	}
	if (row != d->kernel_row && !l->basic)
		lapmodel_show_space(emu, d, step->task);
	struct lapmodel_cpu *on = &d->cpus[d->cpu];
	if (on->hot_row != row || on->hot_space != step->space || on->hot_key <= d->cold)
		on->hot_key = d->next_key += UINT64_C(1) << 20;
	on->hot_row = row;
	on->hot_space = step->space;
	emu_choose(emu, row);
	show_mode(emu, row, step->kernel);
	return row;
}

/* Emulates a reference behind the first whose pages may not have been touched in this window. */
static int
take_one(struct emu *emu, struct lapmodel *d, const struct lap_batch *b, size_t i)
{
	const struct lap_more *ref = &b->more[i];
	bool same = i < b->nsame;
	struct lap_place at = b->at;
	struct lap_record rec = { .type = LAP_REF, .space = b->rec.space, .addr = ref->addr, .length = ref->length };
	if (same) {
		at.offset += (i + 1) * LAP_RECORD_SIZE;
	} else {
		at = (struct lap_place){ .file = b->last[ref->cpu].file, .offset = b->places[i], .cpu = ref->cpu };
		rec.space = b->last[ref->cpu].space;
	}
	uint32_t row = d->cpus[at.cpu].hot_row;
	struct lap_step step;
	int rc = lapmachine_step(d->machine, &rec, &at, &step);
	if (rc < 0)
		return lapmodel_failed(emu, rc);
	rc = touch_pages(emu, d, at.cpu, &d->counts[row], &rec, &step, false);
	if (rc < 0 || !d->machine->log->last)
		return rc;
	emu_choose(emu, row);
	lapmodel_show_diag(emu, at.cpu, 0);
	return 0;
}

/* Counts the references of other CPUs in a batch. */
static int
count_others(struct emu *emu, struct lapmodel *d, const struct lap_batch *b)
{
	int rc = 0;
	for (size_t i = b->nsame; i < b->nmore && rc == 0; i++) {
		const struct lap_more *ref = &b->more[i];
		struct lapmodel_cpu *on = &d->cpus[ref->cpu];
		if (on->hot_key <= d->cold)
			on->hot_key = d->next_key += UINT64_C(1) << 20;
		count_refs(lapmodel_count(d, on->hot_row), ref->kind, 1, ref->length);
		count_refs(&on->count, ref->kind, 1, ref->length);
		if (!is_hot(on, ref->addr, ref->length))
			rc = take_one(emu, d, b, i);
	}
	return rc;
}

/* Emulates the references that were not hot when their batch began. Memory of all of them is
 * prefetched before the first step: waiting for it would take most of the time. */
static int
take_cold(struct emu *emu, struct lapmodel *d, const struct lap_batch *b, struct lapcount *c,
	const uint16_t *cold, size_t n, bool odd)
{
	const struct lapmodel_cpu *on = &d->cpus[d->cpu];
	const struct lap_space *space = on->hot_space;
	for (size_t k = 0; k < n && space; k++)
		lappages_prefetch(&d->machine->pages, space, b->more[cold[k]].addr);
	for (size_t k = 0; k < n && space; k++) {
		uint64_t page = lappages_peek(&d->machine->pages, space, b->more[cold[k]].addr);
		lapcount_prefetch(c, page);
		lapcount_prefetch(&on->count, page);
	}
	for (size_t k = 0; k < n; k++) {
		const struct lap_more *ref = &b->more[cold[k]];
		int rc = odd || !is_hot(on, ref->addr, ref->length) ? take_one(emu, d, b, cold[k]) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Counts the references of a run behind the first. odd: the first broke a rule, and so do
 * these. */
static int
count_run(struct emu *emu, struct lapmodel *d, const struct lap_batch *b, struct lapcount *c, bool odd)
{
	struct lapmodel_cpu *on = &d->cpus[d->cpu];
	uint64_t sums[7] = { 0 }; /* by kind: number in the high half, bytes in the low half */
	uint16_t cold[BATCH] = { 0 };
	for (size_t first = 0; first < b->nsame; first += BATCH) {
		size_t end = b->nsame - first < BATCH ? b->nsame : first + BATCH;
		size_t n = 0;
		for (size_t i = first; i < end; i++) {
			const struct lap_more *ref = &b->more[i];
			sums[ref->kind] += UINT64_C(1) << 32 | ref->length;
			cold[n] = (uint16_t)i;
			n += odd || !is_hot(on, ref->addr, ref->length);
		}
		int rc = n ? take_cold(emu, d, b, c, cold, n, odd) : 0;
		if (rc < 0)
			return rc;
	}
	for (unsigned kind = 1; kind < 7; kind++) {
		count_refs(c, kind, sums[kind] >> 32, (uint32_t)sums[kind]);
		count_refs(&on->count, kind, sums[kind] >> 32, (uint32_t)sums[kind]);
	}
	return b->nmore > b->nsame ? count_others(emu, d, b) : 0;
}

/* Emulates a reference in a stream of the runtime, in the row of the thread that wrote it. */
static void
plain_ref(struct emu *emu, const struct event *ev, struct lapmodel *d)
{
	struct lap_record rec = { .type = LAP_REF, .kind = ev->mcv[2], .length = ev->payload[0], .space = event_u32(ev, 1), .addr = event_u32(ev, 5) };
	uint32_t row = emu_thread(emu);
	uint32_t room = UINT32_MAX - rec.addr;
	struct lap_step step;
	if (rec.length == 0 || rec.length - 1u > room) {
		(void)emu_error(emu, "laplace", "%s: %u bytes at %x", rec.length ? "LR04" : "LR03", rec.length, rec.addr);
	} else if (lapmachine_step(d->machine, &rec, &(struct lap_place){ 0 }, &step) < 0) {
		(void)emu_no_memory(emu);
	} else {
		(void)emu_set(emu, SPACE, step.space->index);
		show_mode(emu, row, step.kernel);
		(void)touch_pages(emu, d, 0, &d->counts[row], &rec, &step, true);
		(void)emu_punctual(emu, REF, lap_kinds[rec.kind]);
	}
}

/* Takes the references of a batch: the first is shown, those behind it are only counted. */
static void
take_refs(struct emu *emu, struct lapmodel *d, const struct lap_batch *b)
{
	const struct laplace *l = d->l;
	struct lap_step step;
	int rc = 0;
	d->cpu = b->at.cpu;
	d->machine->on = &d->machine->cpus[d->cpu];
	if (b->rec.type == LAP_PAGE)
		step_page(d, &b->rec, l->basic, &step);
	else if ((rc = lapmachine_step(d->machine, &b->rec, &b->at, &step)) < 0)
		(void)lapmodel_failed(emu, rc);
	bool odd = d->machine->log->last != 0;
	if (rc < 0 || (!l->basic && lapmodel_follow(emu, d, NULL) < 0))
		return;
	uint32_t row = begin_refs(emu, d, &step);
	struct lapcount *c = lapmodel_count(d, row);
	unsigned kind = lap_kinds[b->rec.kind];
	count_refs(c, kind, 1, b->rec.length);
	count_refs(&d->cpus[b->at.cpu].count, kind, 1, b->rec.length);
	rc = touch_pages(emu, d, b->at.cpu, c, &b->rec, &step, l->refs != LAPLACE_REFS_NONE);
	if (l->refs == LAPLACE_REFS_ALL)
		(void)emu_punctual(emu, REF, kind);
	if (b->code || odd)
		lapmodel_show_diag(emu, b->at.cpu, b->code);
	if (rc == 0 && b->nmore)
		(void)count_run(emu, d, b, c, odd);
	/* Only the row of a task belongs to one CPU at a time: its references may be
	 * settled. */
	if (b->last && row != d->kernel_row && !odd && b->rec.type == LAP_REF)
		lapmachine_settle(d->machine, step.kernel, b->rec.space);
	lapmodel_show_alive(emu, d);
}

void
lapmodel_refs(struct emu *emu, const struct event *ev)
{
	struct lapmodel *d = emu_data(emu);
	if (!d->ready && lapmodel_prepare(emu, d) < 0)
		return;
	if (d->l)
		take_refs(emu, d, ev->record);
	else
		plain_ref(emu, ev, d);
}
