/* SPDX-License-Identifier: MIT */
/* laptasks: tasks and threads, events of the kernel, and windows. */
#include "lapmodel.h"

/* Counts of a window come to an end, or others begin to count. */
void
lapmodel_cool(struct lapmodel *d)
{
	d->hot_key += UINT64_C(1) << 20;
}

int
lapmodel_prepare(struct emu *emu, struct lapmodel *d)
{
	const struct laplace *l = laplace_of(&emu->trace);
	const struct lapmachine_options o = {
		.kernel_base = l ? l->source.kernel_base : 0xc0000000,
		.offset_in_pages = l && l->source.offset_in_pages,
		.no_kernel_trace = !l || !l->has_kernel,
	};
	d->ready = true;
	d->run = NO_INDEX;
	d->window = 1;
	d->log.lenient = true;
	lapmodel_cool(d);
	d->counts = arena_new(&emu->arena, struct lapcount, emu->sys.nthreads);
	d->listed = arena_new(&emu->arena, uint32_t, emu->sys.nthreads);
	if (!d->counts || !d->listed)
		return diag_no_memory(emu->diag);
	/* The log is the player's, which outlives the machine. */
	struct lap_log *log = l ? (struct lap_log *)&l->log : &d->log;
	return lapmachine_init(&d->machine, log, &o) < 0 ? diag_no_memory(emu->diag) : 0;
}

struct lapcount *
lapmodel_count(struct lapmodel *d, uint32_t row)
{
	struct lapcount *c = &d->counts[row];
	if (!c->listed)
		d->listed[d->nlisted++] = row;
	c->listed = true;
	c->active = true;
	return c;
}

/* ---- Tasks and threads. ---- */

/* A task that the look ahead has found gets its thread. */
static int
add_task(struct emu *emu, const struct event *ev, struct lapmodel *d, const struct lap_task *task)
{
	uint32_t row = task->index;
	if (row >= emu->sys.nthreads)
		return emu_error(emu, ev, ERR_LAPLACE, "task %x was not there when the files were read before: have they changed?", task->pid);
	const struct thread_run *old = lapids_find(&d->rows, task->pid, 0, 0);
	if (old && old->state != TH_DEAD) {
		emu_choose(emu, (uint32_t)(old - emu->threads));
		d->alive--;
		int rc = run_kill(emu, ev);
		if (rc < 0)
			return rc;
	}
	if (lapids_set(&d->rows, task->pid, 0, 0, &emu->threads[row]) < 0)
		return diag_no_memory(emu->diag);
	emu_choose(emu, row);
	d->alive++;
	return run_create(emu, ev, CPU);
}

static int
end_task(struct emu *emu, const struct event *ev, struct lapmodel *d, const struct lap_task *task)
{
	if (task->state != LAP_TASK_EXITED || emu->threads[task->index].state == TH_DEAD)
		return 0;
	emu_choose(emu, task->index);
	d->alive--;
	return run_kill(emu, ev);
}

/* Another task runs. */
int
lapmodel_switch(struct emu *emu, const struct event *ev, struct lapmodel *d, uint32_t row)
{
	int rc = 0;
	uint32_t old = d->run;
	d->run = row;
	lapmodel_cool(d);
	if (old != NO_INDEX && emu->threads[old].state == TH_RUNNING) {
		emu_choose(emu, old);
		rc = run_pause(emu, ev);
	}
	if (rc < 0 || row == NO_INDEX)
		return rc;
	emu_choose(emu, row);
	return run_resume(emu, ev);
}

/* The threads follow what the machine has done. */
int
lapmodel_follow(struct emu *emu, const struct event *ev, struct lapmodel *d, const struct lap_task *task)
{
	const struct lapmachine *m = &d->machine;
	int rc = 0;
	for (; d->ntasks < m->ntasks && rc == 0; d->ntasks++)
		rc = add_task(emu, ev, d, m->tasks[d->ntasks]);
	if (rc == 0 && task)
		rc = end_task(emu, ev, d, task);
	uint32_t row = m->running ? m->running->index : NO_INDEX;
	if (rc == 0 && row != d->run) {
		d->switches += m->no_kernel_trace;
		rc = lapmodel_switch(emu, ev, d, row);
	}
	return rc;
}

/* What a task shows of its space. */
int
lapmodel_show_space(struct emu *emu, const struct event *ev, const struct lap_task *task)
{
	if (!task || !task->space)
		return 0;
	emu_choose(emu, task->index);
	int rc = emu_set(emu, ev, SPACE, task->space->index);
	return rc < 0 ? rc : emu_set(emu, ev, MAPPED, (int64_t)(task->space->mapped * (LAP_PAGE_SIZE / 1024)));
}

/* What was wrong in front of an event, or with it, shows in its row (lenient). */
int
lapmodel_show_diag(struct emu *emu, const struct event *ev, int code)
{
	struct laplace *l = laplace_of(&emu->trace);
	code = code ? code : l->code;
	l->code = 0;
	if (!code || !l->log.lenient)
		return 0;
	int rc = emu_punctual(emu, ev, DIAG, code);
	return rc < 0 ? rc : emu_punctual_cpu(emu, CPU, DIAG, code);
}

void
lapmodel_show_alive(struct emu *emu, const struct lapmodel *d)
{
	emu_set_cpu(emu, CPU, TASKS, (int64_t)d->alive);
	emu_set_cpu(emu, CPU, SPACES, (int64_t)d->machine.pages.nalive);
}

/* ---- Kernel events. ---- */

/* The copy itself, and its number: that of a merge comes when it is touched. */
static int
show_copy(struct emu *emu, const struct event *ev, struct lapmodel *d, const struct lap_event *kev, const struct lap_step *step)
{
	uint64_t page = kev->arg[LAP_ADDRESS] >> LAP_PAGE_SHIFT;
	const struct laplace *l = laplace_of(&emu->trace);
	if (!step->copy)
		return 0;
	if (l->item.at.file && l->files[0].format == LAP_PROCESS && lapids_set(&d->copied, step->space->index, page, 0, d) < 0)
		return diag_no_memory(emu->diag);
	return emu_punctual(emu, ev, PAGE_EVENT, LAP_CLASS_COPY);
}

static int
show_event(struct emu *emu, const struct event *ev, struct lapmodel *d, const struct lap_event *kev, const struct lap_step *step)
{
	uint32_t row = step->task ? step->task->index : KERNEL_ROW;
	int section = lap_section_of(kev->tag);
	emu_choose(emu, row);
	int rc = emu_punctual(emu, ev, KEVENT, kev->code);
	if (rc == 0)
		rc = show_copy(emu, ev, d, kev, step);
	if (rc == 0 && section >= 0 && row == d->run)
		rc = emu_set(emu, ev, KSECTION, section);
	if (kev->tag == '<')
		lapmodel_count(d, row)->n[LAPCOUNT_FILE_READ] += kev->arg[LAP_LENGTH];
	else if (kev->tag == '>')
		lapmodel_count(d, row)->n[LAPCOUNT_FILE_WRITE] += kev->arg[LAP_LENGTH];
	return rc;
}

int
lapmodel_event(struct emu *emu, const struct event *ev)
{
	struct lapmodel *d = emu_data(emu);
	struct laplace *l = laplace_of(&emu->trace);
	int rc = d->ready ? 0 : lapmodel_prepare(emu, d);
	if (rc < 0)
		return rc;
	if (!l)
		return emu_error(emu, ev, ERR_LAPLACE, "events of the kernel are in Laplace traces only");
	const struct laplace_item *it = &l->item;
	struct lap_step step;
	size_t before = d->ntasks;
	int took = lapmachine_step(&d->machine, &it->rec, &it->at, &step);
	if (took < 0)
		return laplace_failed(l, took);
	lapmodel_cool(d);
	rc = lapmodel_follow(emu, ev, d, took ? step.task : NULL);
	for (size_t i = before; i < d->ntasks && rc == 0; i++)
		rc = lapmodel_show_space(emu, ev, d->machine.tasks[i]);
	if (rc == 0 && took)
		rc = lapmodel_show_space(emu, ev, step.task);
	if (rc == 0 && step.task != d->machine.running)
		rc = lapmodel_show_space(emu, ev, d->machine.running);
	if (rc == 0 && took)
		rc = show_event(emu, ev, d, it->rec.event, &step);
	d->switches += took && it->rec.kind == 'S';
	if (rc == 0 && (it->code || l->code))
		rc = lapmodel_show_diag(emu, ev, it->code);
	lapmodel_show_alive(emu, d);
	return rc;
}

/* Which total a channel shows. */
static const struct {
	uint8_t chan;
	uint8_t total;
} shown[] = {
	{ LOADS, LAPCOUNT_LOADS },
	{ STORES, LAPCOUNT_STORES },
	{ FETCHES, LAPCOUNT_FETCHES },
	{ LOAD_BYTES, LAPCOUNT_LOAD_BYTES },
	{ STORE_BYTES, LAPCOUNT_STORE_BYTES },
	{ WORKING_SET, LAPCOUNT_WORKING_SET },
	{ NEW_PAGES, LAPCOUNT_NEW_PAGES },
	{ FILE_READ, LAPCOUNT_FILE_READ },
	{ FILE_WRITE, LAPCOUNT_FILE_WRITE },
};

/* ---- Windows. ---- */

static int
close_row(struct emu *emu, const struct event *ev, struct lapmodel *d, uint32_t row)
{
	struct lapcount *c = &d->counts[row];
	uint64_t refs = c->n[LAPCOUNT_LOADS] + c->n[LAPCOUNT_STORES] + c->n[LAPCOUNT_FETCHES];
	emu_choose(emu, row);
	int rc = emu_set(emu, ev, FOOTPRINT, (int64_t)c->footprint);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]) && rc == 0; i++)
		rc = emu_set(emu, ev, shown[i].chan, (int64_t)(c->n[shown[i].total] & INT64_MAX));
	for (int i = 0; i < LAPCOUNT_TOTALS; i++) {
		if (i != LAPCOUNT_WORKING_SET)
			d->cpu.n[i] += c->n[i];
		c->n[i] = 0;
	}
	return rc < 0 ? rc : emu_set(emu, ev, REFS, (int64_t)refs);
}

int
lapmodel_window(struct emu *emu, const struct event *ev)
{
	struct lapmodel *d = emu_data(emu);
	if (!d->ready)
		return 0;
	uint32_t kept = 0;
	int rc = 0;
	for (uint32_t i = 0; i < d->nlisted && rc == 0; i++) {
		struct lapcount *c = &d->counts[d->listed[i]];
		rc = close_row(emu, ev, d, d->listed[i]);
		c->listed = c->active;
		if (c->active)
			d->listed[kept++] = d->listed[i];
		c->active = false;
	}
	d->nlisted = kept;
	uint64_t *n = d->cpu.n;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		emu_set_cpu(emu, CPU, shown[i].chan, (int64_t)(n[shown[i].total] & INT64_MAX));
	emu_set_cpu(emu, CPU, REFS, (int64_t)(n[LAPCOUNT_LOADS] + n[LAPCOUNT_STORES] + n[LAPCOUNT_FETCHES]));
	emu_set_cpu(emu, CPU, FOOTPRINT, (int64_t)d->cpu.footprint);
	emu_set_cpu(emu, CPU, SWITCHES, (int64_t)d->switches);
	for (int i = 0; i < LAPCOUNT_TOTALS; i++)
		n[i] = 0;
	d->switches = 0;
	d->window++;
	lapmodel_cool(d);
	return rc;
}
