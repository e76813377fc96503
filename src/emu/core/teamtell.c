/* SPDX-License-Identifier: MIT */
/* teamtell: what rank 0 of a team must know to tell it: messages and texts on the way, and states, counts and names in the end. */
#include "teamwork.h"

#include "task.h"

#include <stdio.h>

/* Puts a member of something into a parcel, or takes it out. */
#define PUT(to, member) parcel_put((to), &(member), sizeof(member))
#define GET(from, member) parcel_get((from), &(member), sizeof(member))

/* ---- Places. ---- */

static void
put_place(struct parcel *to, const struct place *at)
{
	PUT(to, *at);
	parcel_put_text(to, at->file);
}

/* The name of its file is copied: what a parcel holds is gone with the next one. */
static struct place
get_place(struct parcel *from, struct emu *emu)
{
	struct place at;
	GET(from, at);
	const char *file = parcel_get_text(from);
	at.file = file ? arena_strndup(&emu->arena, file, strlen(file)) : NULL;
	return at;
}

/* ---- What parts have to say. ---- */

static void
put_saying(struct parcel *to, const struct part *p, const struct saying *n)
{
	struct saying s = *n;
	PUT(to, s);
	parcel_put_text(to, n->text);
	put_place(to, &n->at);
	parcel_put_number(to, n->few ? (uint64_t)(n->few - p->machine->models) + 1 : 0);
	parcel_put_text(to, n->shown ? n->shown->text : NULL);
	if (n->shown) {
		parcel_put_number(to, (uint64_t)n->shown->value);
		parcel_put_number(to, (uint8_t)n->shown->model->id);
	}
}

/* Adds what another process has to say to its part. Returns 0, or -ERR_MEMORY. */
static int
get_saying(struct parcel *from, struct part *p)
{
	struct emu *emu = p->machine;
	struct saying s;
	GET(from, s);
	s.next = NULL;
	const char *said = parcel_get_text(from);
	s.at = get_place(from, emu);
	s.at.mcv = s.at.mcv ? s.mcv : NULL;
	uint64_t few = parcel_get_number(from);
	s.few = few ? &emu->models[few - 1] : NULL;
	const char *text = parcel_get_text(from);
	s.shown = NULL;
	if (text) {
		s.shown = arena_new(&emu->arena, struct emu_text, 1);
		text = arena_strndup(&emu->arena, text, strlen(text));
		if (!s.shown || !text)
			return -ERR_MEMORY;
		s.shown->text = text;
		s.shown->value = (int64_t)parcel_get_number(from);
		s.shown->model = modelset_find(emu->plan->options.models, (uint8_t)parcel_get_number(from));
	}
	p->emu.time = s.time;
	return part_add_saying(p, &s, said ? said : "");
}

void
teamwork_say(struct parts *m, int64_t until)
{
	struct teamwork *w = m->work;
	struct parcel *to = &w->parcels[0];
	const struct team *t = m->team;
	for (uint32_t i = team_first_part(m, t->rank); t->rank && i < team_first_part(m, t->rank + 1); i++)
		while (m->part[i]->first && m->part[i]->first->time < until) {
			parcel_put_number(to, i + 1);
			put_saying(to, m->part[i], m->part[i]->first);
			part_drop_saying(m->part[i]);
		}
	const struct team_box *boxes = teamwork_swap(m);
	for (unsigned r = 1; r < t->n && t->rank == 0; r++) {
		struct parcel from = teamwork_open(&boxes[r]);
		for (uint64_t i; (i = parcel_get_number(&from)) > 0;)
			w->lost = get_saying(&from, m->part[i - 1]) < 0 || w->lost;
	}
}

/* ---- Counts. ---- */

static void
put_often(struct parcel *to, const struct often *t)
{
	parcel_put_number(to, t->n);
	if (t->n == 0)
		return;
	put_place(to, &t->at);
	parcel_put_text(to, t->text);
}

static void
get_often(struct parcel *from, struct emu *emu, struct often *to)
{
	struct often t = { .n = parcel_get_number(from) };
	if (t.n) {
		t.at = get_place(from, emu);
		const char *text = parcel_get_text(from);
		(void)snprintf(t.text, sizeof(t.text), "%s", text ? text : "");
	}
	part_join_often(to, &t);
}

static void
put_counts(struct parcel *to, const struct emu *emu)
{
	PUT(to, emu->nevents);
	PUT(to, emu->time);
	put_often(to, &emu->tallies.tasks);
	put_often(to, &emu->tallies.types);
	put_often(to, &emu->tallies.ends);
	put_often(to, &emu->tallies.skipped);
	for (size_t i = 0; i < emu->plan->nmodels; i++)
		put_often(to, &emu->models[i].warned);
	const struct density *d = &emu->density;
	parcel_put_number(to, d->counted);
	parcel_put_number(to, d->shift);
	for (size_t i = 0; d->n && i < DENSITY_BUCKETS; i++)
		if (d->n[i]) {
			parcel_put_number(to, i + 1);
			PUT(to, d->n[i]);
		}
	parcel_put_number(to, 0);
}

static void
get_counts(struct parcel *from, struct emu *emu)
{
	int64_t time;
	emu->nevents += parcel_get_number(from);
	GET(from, time);
	emu->time = time > emu->time ? time : emu->time;
	get_often(from, emu, &emu->tallies.tasks);
	get_often(from, emu, &emu->tallies.types);
	get_often(from, emu, &emu->tallies.ends);
	get_often(from, emu, &emu->tallies.skipped);
	for (size_t i = 0; i < emu->plan->nmodels; i++)
		get_often(from, emu, &emu->models[i].warned);
	struct density *d = &emu->density;
	d->counted += parcel_get_number(from);
	unsigned shift = (unsigned)parcel_get_number(from);
	for (uint64_t i; (i = parcel_get_number(from)) > 0;) {
		uint32_t n;
		GET(from, n);
		density_add(d, shift, i - 1, n);
	}
}

/* ---- States and names. ---- */

/* The types of tasks, in the order of their creation. */
static void
put_types(struct parcel *to, const struct task_table *t)
{
	for (const struct task_type *type = t->first; type; type = type->next) {
		parcel_put_text(to, type->label);
		PUT(to, type->id);
		PUT(to, type->awaited);
		PUT(to, type->value);
	}
	parcel_put_text(to, NULL);
}

static int
get_types(struct parcel *from, struct emu *emu, struct task_table *t)
{
	for (const char *label; (label = parcel_get_text(from));) {
		struct task_type *type = arena_new(&emu->arena, struct task_type, 1);
		if (!type || !(type->label = arena_strndup(&emu->arena, label, strlen(label))))
			return -ERR_MEMORY;
		GET(from, type->id);
		GET(from, type->awaited);
		GET(from, type->value);
		*(t->last ? &t->last->next : &t->first) = type;
		t->last = type;
	}
	return 0;
}

static void
put_bytes(struct parcel *p, void *bytes, size_t n)
{
	parcel_put(p, bytes, n);
}

/* Puts the states of the threads, CPUs and processes of a part into the parcel of rank 0, or takes them out of that of its process.
 * Returns 0, or -ERR_MEMORY. */
static int
move_states(struct parcel *p, struct emu *emu, const struct part *part, bool puts)
{
	const struct system *sys = &emu->plan->sys;
	void (*move)(struct parcel *, void *, size_t) = puts ? put_bytes : parcel_get;
	int rc = 0;
	for (uint32_t i = part->begin; i < part->end; i++)
		move(p, &emu->plan->trace.streams[i].last_clock, sizeof(int64_t));
	for (uint32_t i = 0; i < sys->nthreads; i++)
		if (part_has_stream(part, sys->threads[i].stream))
			move(p, &emu->threads[i].state, sizeof(emu->threads[i].state));
	for (uint32_t i = 0; i < sys->ncpus; i++)
		if (part_has_loom(part, sys->cpus[i].loom))
			move(p, &emu->cpus[i], sizeof(emu->cpus[i]));
	for (size_t k = 0; k < emu->plan->nmodels; k++)
		for (uint32_t i = 0; emu->models[k].task_tables && i < sys->nprocs; i++) {
			struct task_table *t = &emu->models[k].task_tables[i];
			if (!part_has_loom(part, sys->procs[i].loom))
				continue;
			if (puts)
				put_types(p, t);
			else if (rc == 0)
				rc = get_types(p, emu, t);
		}
	return rc;
}

int
teamwork_report(struct parts *m)
{
	const struct team *t = m->team;
	struct parcel *to = &m->work->parcels[0];
	int rc = 0;
	if (t->rank) {
		put_counts(to, m->emu);
		for (uint32_t i = team_first_part(m, t->rank); i < team_first_part(m, t->rank + 1); i++)
			(void)move_states(to, m->emu, m->part[i], true);
	}
	const struct team_box *boxes = teamwork_swap(m);
	for (unsigned r = 1; r < t->n && t->rank == 0; r++) {
		struct parcel from = teamwork_open(&boxes[r]);
		get_counts(&from, m->emu);
		for (uint32_t i = team_first_part(m, r); i < team_first_part(m, r + 1) && rc == 0; i++)
			rc = move_states(&from, m->emu, m->part[i], false);
	}
	return rc;
}
