/* SPDX-License-Identifier: MIT */
/* tables: tasks, address spaces and the processor in the tables of a µScope file. */
#include "uscope.h"

#include <stdlib.h>

static void
set(struct luscope *u, uint16_t storage, uint16_t slot, uint16_t field, uint64_t value)
{
	convscope_set(&u->file, storage, slot, field, value);
}

/* ---- Counts. ---- */

void
ltables_dirty(struct lu_entry **list, struct lu_entry *e)
{
	if (e->dirty)
		return;
	e->dirty = true;
	e->next_dirty = *list;
	*list = e;
}

void
ltables_flush(struct luscope *u)
{
	for (struct lu_entry *e = u->dirty_tasks; e; e = e->next_dirty) {
		struct lu_task *t = (struct lu_task *)e;
		e->dirty = false;
		for (int i = 0; i < LU_TOTALS; i++) {
			if (t->n[i] && e->slot != CONV_NO_SLOT)
				uscope_slot_add(u->file.w, LU_COUNTERS, e->slot, (uint16_t)i, t->n[i]);
			t->n[i] = 0;
		}
	}
	for (struct lu_entry *e = u->dirty_spaces; e; e = e->next_dirty) {
		struct lu_space *s = (struct lu_space *)e;
		e->dirty = false;
		if (s->touched.footprint != s->shown_touched)
			set(u, LU_SPACES, e->slot, LU_SPACE_TOUCHED, s->touched.footprint);
		s->shown_touched = s->touched.footprint;
	}
	u->dirty_tasks = NULL;
	u->dirty_spaces = NULL;
}

/* ---- Ends. ---- */

static void
clear(struct luscope *u, struct lu_entry **list, uint16_t storage, struct conv_slots *slots)
{
	for (struct lu_entry *e = *list; e; e = e->next_clear)
		if (e->slot != CONV_NO_SLOT) {
			uscope_slot_clear(u->file.w, storage, e->slot);
			conv_slots_give(slots, e->slot);
			e->slot = CONV_NO_SLOT;
		}
	*list = NULL;
}

void
ltables_clear(struct luscope *u)
{
	clear(u, &u->clear_tasks, LU_TASKS, &u->tasks);
	clear(u, &u->clear_spaces, LU_SPACES, &u->spaces);
}

/* Ends an entry, which is cleared in the next frame. */
static void
end(struct lu_entry **list, struct lu_entry *e)
{
	e->ended = true;
	e->next_clear = *list;
	*list = e;
}

static void
end_space(struct luscope *u, struct lu_space *s)
{
	if (s->entry.ended)
		return;
	end(&u->clear_spaces, &s->entry);
	/* Counts that wait belong to this space: write them before its slot goes. */
	ltables_flush(u);
	lregions_end(u, s);
	if (s->mapped)
		set(u, LU_SPACES, s->entry.slot, LU_SPACE_MAPPED, 0);
	s->mapped = 0;
	lapcount_finish(&s->touched);
	s->shown_touched = 0;
}

static void
move_home(struct luscope *u, struct lu_task *e, struct lu_space *home)
{
	if (e->home == home)
		return;
	struct lu_space *both[] = { e->home, home };
	if (e->home)
		e->home->tasks--;
	if (home)
		home->tasks++;
	e->home = home;
	for (int i = 0; i < 2; i++)
		if (both[i])
			set(u, LU_SPACES, both[i]->entry.slot, LU_SPACE_TASKS, both[i]->tasks < UINT16_MAX ? both[i]->tasks : UINT16_MAX);
}

/* ---- What has changed. ---- */

void
ltables_task(struct luscope *u, struct lap_task *t)
{
	struct lu_task *e = t ? t->user : NULL;
	if (!e || e->entry.ended)
		return;
	uint32_t space = t->space ? t->space->context : 0;
	uint8_t state = (uint8_t)(t->state + 1);
	bool exited = t->state == LAP_TASK_EXITED;
	move_home(u, e, exited || !t->space || t->space->dead ? NULL : t->space->user);
	if (space != e->space)
		set(u, LU_TASKS, e->entry.slot, LU_TASK_SPACE, space);
	if (exited)
		ltables_flush(u);
	if (state != e->state)
		set(u, LU_TASKS, e->entry.slot, LU_TASK_STATE, state);
	e->space = space;
	e->state = state;
	if (exited)
		end(&u->clear_tasks, &e->entry);
}

void
ltables_space(struct luscope *u, const struct lap_space *s)
{
	struct lu_space *e = s ? s->user : NULL;
	if (!e || e->entry.ended)
		return;
	uint64_t mapped = s->mapped << LAP_PAGE_SHIFT;
	if (mapped != e->mapped)
		set(u, LU_SPACES, e->entry.slot, LU_SPACE_MAPPED, mapped);
	e->mapped = mapped;
}

static void
add_space(struct luscope *u, struct lap_space *s)
{
	struct lu_space *e = calloc(1, sizeof(*e));
	struct lu_space *old = lapids_find(&u->contexts, s->context, 0, 0);
	s->user = e;
	if (!e || lapids_set(&u->contexts, s->context, 0, 0, e) < 0) {
		u->file.failed = true;
		return;
	}
	if (old)
		end_space(u, old);
	e->entry.slot = conv_slots_take(&u->spaces);
	for (int i = LU_SPACE_CONTEXT; i <= LU_SPACE_TOUCHED; i++)
		set(u, LU_SPACES, e->entry.slot, (uint16_t)i, i == LU_SPACE_CONTEXT ? s->context : 0);
}

static void
put_task(struct luscope *u, struct lu_task *e, uint32_t pid, uint32_t parent)
{
	bool again = conv_slots_reused(&u->tasks);
	e->entry.slot = conv_slots_take(&u->tasks);
	set(u, LU_TASKS, e->entry.slot, LU_TASK_PID, pid);
	set(u, LU_TASKS, e->entry.slot, LU_TASK_PARENT, parent);
	set(u, LU_TASKS, e->entry.slot, LU_TASK_SPACE, 0);
	set(u, LU_TASKS, e->entry.slot, LU_TASK_STATE, LAP_TASK_CREATED + 1);
	set(u, LU_TASKS, e->entry.slot, LU_TASK_START, u->first + u->rel);
	set(u, LU_TASKS, e->entry.slot, LU_TASK_PROGRAM, e->program);
	e->state = LAP_TASK_CREATED + 1;
	/* Clear the counters of the task that had the slot before. */
	for (int i = 0; again && i < LU_TOTALS; i++)
		set(u, LU_COUNTERS, e->entry.slot, (uint16_t)i, 0);
}

static void
add_task(struct luscope *u, struct lap_task *t)
{
	struct lu_task *e = calloc(1, sizeof(*e));
	struct lap_task *old = lapids_find(&u->pids, t->pid, 0, 0);
	t->user = e;
	if (!e || lapids_set(&u->pids, t->pid, 0, 0, t) < 0) {
		u->file.failed = true;
		return;
	}
	ltables_task(u, old); /* it may have been restarted */
	const struct lu_task *parent = t->parent ? t->parent->user : NULL;
	e->program = parent ? parent->program : 0;
	put_task(u, e, t->pid, t->parent ? t->parent->pid : 0);
	ltables_task(u, t);
}

void
ltables_begin(struct luscope *u)
{
	u->kernel.program = convscope_text(&u->file, "kernel", 6);
	put_task(u, &u->kernel, 0, 0);
	u->kernel.mode = 2;
}

struct lu_task *
ltables_of(struct luscope *u, const struct lap_task *t)
{
	return t && t->user ? t->user : &u->kernel;
}

void
ltables_follow(struct luscope *u, const struct lap_step *step)
{
	struct lapmachine *m = u->machine;
	while (u->nspaces < m->pages.nspaces)
		add_space(u, m->pages.spaces[u->nspaces++]);
	while (u->ntasks < m->ntasks)
		add_task(u, m->tasks[u->ntasks++]);
	struct lap_task *before = u->cpus[m->on - m->cpus].running;
	if (before != m->on->running)
		ltables_task(u, before);
	ltables_task(u, m->on->running);
	if (step->task != m->on->running)
		ltables_task(u, step->task);
	if (step->ended && step->ended->user)
		end_space(u, step->ended->user);
}

static void
show_cpu(struct luscope *u, uint32_t index)
{
	struct lu_cpu *c = &u->cpus[index];
	const struct lap_task *t = u->machine->cpus[index].running;
	const struct lu_task *e = t ? t->user : NULL;
	uint64_t now[4] = { 0 };
	if (e) {
		now[LU_CPU_PID] = t->pid;
		now[LU_CPU_SPACE] = e->space;
		now[LU_CPU_MODE] = e->mode;
		now[LU_CPU_KSECTION] = e->section;
	}
	for (uint16_t i = 0; i < 4; i++) {
		if (now[i] != c->shown[i])
			uscope_slot_set(u->file.w, LU_CPU, (uint16_t)index, i, now[i]);
		c->shown[i] = now[i];
	}
}

void
ltables_cpu(struct luscope *u, const struct lap_step *step)
{
	uint32_t on = (uint32_t)(u->machine->on - u->machine->cpus);
	const struct lap_task *t = step->task;
	if (step->left != on)
		show_cpu(u, step->left);
	if (t && t->state == LAP_TASK_RUNNING && t->cpu != on)
		show_cpu(u, t->cpu);
	show_cpu(u, on);
}

void
ltables_finish(struct luscope *u)
{
	for (size_t i = 0; i < u->machine->ntasks; i++)
		free(u->machine->tasks[i]->user);
	for (size_t i = 0; i < u->machine->pages.nspaces; i++) {
		struct lu_space *s = u->machine->pages.spaces[i]->user;
		if (s) {
			free(s->regions);
			lapcount_finish(&s->touched);
		}
		free(s);
	}
	for (size_t i = 0; i < u->machine->pages.nobjects; i++)
		free(u->machine->pages.objects[i]->user);
	lapids_finish(&u->contexts);
	lapids_finish(&u->pids);
}
