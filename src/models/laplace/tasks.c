/* SPDX-License-Identifier: MIT */
/* tasks: tasks and threads, events of the kernel, and windows. */
#include "parts.h"

void
lapmodel_cool(struct lapmodel *d)
{
	d->cold = d->next_key;
}

int
lapmodel_prepare(struct emu *emu, struct lapmodel *d)
{
	const struct laplace *l = d->l;
	static const struct lapmachine_options plain = { .kernel_base = 0xc0000000, .no_kernel_trace = true };
	d->ready = true;
	d->window = 1;
	d->log.lenient = true;
	d->first_row = !l || l->kernel_row;
	d->kernel_row = d->first_row ? 0 : NO_INDEX;
	d->ncpus = l ? l->source.ncpus : 1;
	d->cpus = emu_alloc(emu, d->ncpus * sizeof(*d->cpus));
	d->counts = emu_alloc(emu, emu_nthreads(emu) * sizeof(*d->counts));
	d->listed = emu_alloc(emu, emu_nthreads(emu) * sizeof(*d->listed));
	if (!d->cpus || !d->counts || !d->listed)
		return emu_no_memory(emu);
	for (uint32_t i = 0; i < d->ncpus; i++)
		d->cpus[i] = (struct lapmodel_cpu){ .run = NO_INDEX, .last_run = NO_INDEX, .count = { .dense = !l || !(l->numbered || l->basic) } };
	d->machine = l ? l->machine : &d->own;
	return !l && lapmachine_init(d->machine, &d->log, &plain) < 0 ? emu_no_memory(emu) : 0;
}

int
lapmodel_failed(struct emu *emu, int rc)
{
	/* The log of the machine has reported all other codes. */
	return -rc == LAP_E_MEMORY ? emu_no_memory(emu) : emu_stop(emu, "laplace");
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

/* Ends the thread of a task, if it has not ended. */
static void
end_row(struct emu *emu, struct lapmodel *d, uint32_t row)
{
	if (emu_state(emu, row) == TH_DEAD)
		return;
	struct lapmodel_cpu *c = &d->cpus[emu_cpu(emu, row)];
	if (c->run == row)
		c->run = NO_INDEX;
	d->alive--;
	emu_choose(emu, row);
	(void)run_kill(emu);
}

/* Gives a task of the machine the thread that the look ahead has found for it. */
static int
add_task(struct emu *emu, struct lapmodel *d, struct lap_task *task)
{
	if (lapmodel_row(d, task) >= emu_nthreads(emu))
		return emu_error(emu, "laplace", "task %x was not there when the files were read before: have they changed?", task->pid);
	const struct lap_task *old = lapids_find(&d->rows, task->pid, 0, 0);
	if (old)
		end_row(emu, d, lapmodel_row(d, old));
	if (lapids_set(&d->rows, task->pid, 0, 0, task) < 0)
		return emu_no_memory(emu);
	emu_choose(emu, lapmodel_row(d, task));
	d->alive++;
	return run_create(emu, d->cpu);
}

/* Pauses the row that runs on a CPU. */
static void
leave(struct emu *emu, struct lapmodel *d, uint32_t cpu)
{
	uint32_t row = d->cpus[cpu].run;
	d->cpus[cpu].run = NO_INDEX;
	if (row == NO_INDEX)
		return;
	emu_choose(emu, row);
	(void)run_pause(emu);
}

void
lapmodel_switch(struct emu *emu, struct lapmodel *d, uint32_t cpu, uint32_t row)
{
	struct lapmodel_cpu *c = &d->cpus[cpu];
	leave(emu, d, cpu);
	if (row == NO_INDEX)
		return;
	uint32_t from = emu_cpu(emu, row);
	if (d->cpus[from].run == row)
		leave(emu, d, from);
	if (from != cpu)
		(void)run_migrate(emu, row, cpu);
	c->run = c->last_run = row;
	emu_choose(emu, row);
	(void)run_resume(emu);
}

int
lapmodel_follow(struct emu *emu, struct lapmodel *d, const struct lap_task *task)
{
	const struct lapmachine *m = d->machine;
	for (; d->ntasks < m->ntasks; d->ntasks++) {
		int rc = add_task(emu, d, m->tasks[d->ntasks]);
		if (rc < 0)
			return rc;
	}
	if (task && task->state == LAP_TASK_EXITED)
		end_row(emu, d, lapmodel_row(d, task));
	uint32_t cpu = d->cpu;
	uint32_t row = m->on->running ? lapmodel_row(d, m->on->running) : NO_INDEX;
	if (row != d->cpus[cpu].run) {
		d->cpus[cpu].switches += m->no_kernel_trace && row != d->cpus[cpu].last_run;
		lapmodel_switch(emu, d, cpu, row);
	}
	return 0;
}

void
lapmodel_show_space(struct emu *emu, const struct lapmodel *d, const struct lap_task *task)
{
	if (!task || !task->space)
		return;
	emu_choose(emu, lapmodel_row(d, task));
	(void)emu_set(emu, SPACE, task->space->index);
	(void)emu_set(emu, MAPPED, (int64_t)(task->space->mapped * (LAP_PAGE_SIZE / 1024)));
}

void
lapmodel_show_diag(struct emu *emu, uint32_t cpu, int code)
{
	struct lap_log *log = ((struct lapmodel *)emu_data(emu))->machine->log;
	code = code ? code : log->last;
	log->last = 0;
	if (!code || !log->lenient)
		return;
	(void)emu_punctual(emu, DIAG, code);
	(void)emu_punctual_cpu(emu, cpu, DIAG, code);
}

void
lapmodel_show_alive(struct emu *emu, struct lapmodel *d)
{
	uint64_t spaces = d->machine->pages.nalive;
	if (d->shown_alive == d->alive + 1 && d->shown_spaces == spaces)
		return;
	d->shown_alive = d->alive + 1;
	d->shown_spaces = spaces;
	for (uint32_t i = 0; i < d->ncpus; i++) {
		emu_set_cpu(emu, i, TASKS, (int64_t)d->alive);
		emu_set_cpu(emu, i, SPACES, (int64_t)spaces);
	}
}

/* ---- Kernel events. ---- */

static void
label_other(struct emu *emu, struct lapmodel *d, uint8_t tag)
{
	const char text[] = { 'T', 'a', 'g', ' ', (char)tag, 0 };
	if (!d->labelled[tag])
		(void)emu_add_label(emu, KEVENT, KEVENT_OTHER + tag, text);
	d->labelled[tag] = true;
}

static void
show_event(struct emu *emu, struct lapmodel *d, const struct lap_event *kev, const struct lap_step *step)
{
	uint32_t row = step->task ? lapmodel_row(d, step->task) : d->kernel_row;
	int section = lap_tags[kev->code - 1].section;
	emu_choose(emu, row);
	if (kev->code == LAP_OTHER)
		label_other(emu, d, kev->tag);
	(void)emu_punctual(emu, KEVENT, kev->code == LAP_OTHER ? KEVENT_OTHER + kev->tag : kev->code);
	if (step->copy)
		(void)emu_punctual(emu, PAGE_EVENT, LAP_CLASS_COPY);
	if (section >= 0 && row == d->cpus[d->cpu].run)
		(void)emu_set(emu, KSECTION, section);
	if (kev->tag == '<' || kev->tag == '>') {
		int total = kev->tag == '<' ? LAPCOUNT_FILE_READ : LAPCOUNT_FILE_WRITE;
		lapmodel_count(d, row)->n[total] += kev->arg[LAP_LENGTH];
		d->cpus[d->cpu].count.n[total] += kev->arg[LAP_LENGTH];
	}
}

/* Takes the event of a batch, and shows what it has changed. */
static void
take_event(struct emu *emu, struct lapmodel *d, const struct lap_batch *b)
{
	struct lap_step step;
	d->cpu = b->at.cpu;
	size_t before = d->ntasks;
	int took = lapmachine_step(d->machine, &b->rec, &b->at, &step);
	if (took < 0) {
		(void)lapmodel_failed(emu, took);
		return;
	}
	lapmodel_cool(d);
	if (lapmodel_follow(emu, d, took ? step.task : NULL) < 0)
		return;
	for (size_t i = before; i < d->ntasks; i++)
		lapmodel_show_space(emu, d, d->machine->tasks[i]);
	if (took)
		lapmodel_show_space(emu, d, step.task);
	if (step.task != d->machine->on->running)
		lapmodel_show_space(emu, d, d->machine->on->running);
	if (took)
		show_event(emu, d, b->rec.event, &step);
	d->cpus[b->at.cpu].switches += took && b->rec.kind == 'S';
	if (b->code || d->machine->log->last)
		lapmodel_show_diag(emu, b->at.cpu, b->code);
	lapmodel_show_alive(emu, d);
}

void
lapmodel_event(struct emu *emu, const struct event *ev)
{
	struct lapmodel *d = emu_data(emu);
	if (!d->ready && lapmodel_prepare(emu, d) < 0)
		return;
	if (d->l)
		take_event(emu, d, ev->record);
	else
		(void)emu_error(emu, "laplace", "events of the kernel are in Laplace traces only");
}

/* Channels of totals. */
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

static void
close_row(struct emu *emu, struct lapmodel *d, uint32_t row)
{
	struct lapcount *c = &d->counts[row];
	uint64_t refs = c->n[LAPCOUNT_LOADS] + c->n[LAPCOUNT_STORES] + c->n[LAPCOUNT_FETCHES];
	emu_choose(emu, row);
	(void)emu_set(emu, FOOTPRINT, (int64_t)c->footprint);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		(void)emu_set(emu, shown[i].chan, (int64_t)(c->n[shown[i].total] & INT64_MAX));
	for (int i = 0; i < LAPCOUNT_TOTALS; i++)
		c->n[i] = 0;
	(void)emu_set(emu, REFS, (int64_t)refs);
}

static void
close_cpu(struct emu *emu, struct lapmodel *d, uint32_t cpu)
{
	struct lapmodel_cpu *c = &d->cpus[cpu];
	uint64_t *n = c->count.n;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		emu_set_cpu(emu, cpu, shown[i].chan, (int64_t)(n[shown[i].total] & INT64_MAX));
	emu_set_cpu(emu, cpu, REFS, (int64_t)(n[LAPCOUNT_LOADS] + n[LAPCOUNT_STORES] + n[LAPCOUNT_FETCHES]));
	emu_set_cpu(emu, cpu, FOOTPRINT, (int64_t)c->count.footprint);
	emu_set_cpu(emu, cpu, SWITCHES, (int64_t)c->switches);
	for (int i = 0; i < LAPCOUNT_TOTALS; i++)
		n[i] = 0;
	c->switches = 0;
}

void
lapmodel_window(struct emu *emu, const struct event *ev)
{
	(void)ev;
	struct lapmodel *d = emu_data(emu);
	if (!d->ready)
		return;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < d->nlisted; i++) {
		struct lapcount *c = &d->counts[d->listed[i]];
		close_row(emu, d, d->listed[i]);
		c->listed = c->active;
		if (c->active)
			d->listed[kept++] = d->listed[i];
		c->active = false;
	}
	d->nlisted = kept;
	for (uint32_t i = 0; i < d->ncpus; i++)
		close_cpu(emu, d, i);
	d->window++;
	lapmodel_cool(d);
}
