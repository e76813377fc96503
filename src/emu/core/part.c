/* SPDX-License-Identifier: MIT */
#include "part.h"

#include <string.h>

/* ---- What it has to say. ---- */

int
part_add_saying(struct part *p, const struct saying *n, const char *text)
{
	size_t size = strlen(text) + 1;
	struct saying *note = block_alloc(sizeof(*note) + size);
	if (!note)
		return -ERR_MEMORY;
	*note = *n;
	memcpy(note->text, text, size);
	note->time = p->emu.time;
	if (note->has_place && note->at.mcv) {
		memcpy(note->mcv, note->at.mcv, sizeof(note->mcv));
		note->at.mcv = note->mcv;
	}
	*(p->last ? &p->last->next : &p->first) = note;
	p->last = note;
	return 0;
}

int
parts_hold_text(struct emu *emu, struct emu_text *text)
{
	int rc = part_add_saying(emu->part, &(struct saying){ .shown = text }, "");
	return rc < 0 ? emu_no_memory(emu) : 0;
}

static void
hold(void *arg, bool warning, const struct place *at, const char *text)
{
	struct part *p = arg;
	struct saying n = { .few = p->few, .most = p->most, .warning = warning, .has_place = at };
	if (at)
		n.at = *at;
	if (part_add_saying(p, &n, text) < 0)
		(void)emu_no_memory(&p->emu);
}

void
parts_hold_few(struct emu *emu, unsigned most, const struct place *at, const char *text)
{
	struct part *p = emu->part;
	p->few = &p->machine->models[emu->cur - emu->models];
	p->most = most;
	diag_warn(emu->diag, at, "%s", text);
	p->few = NULL;
}

void
part_drop_saying(struct part *p)
{
	struct saying *n = p->first;
	p->first = n->next;
	p->last = p->first ? p->last : NULL;
	block_free(n);
}

void
part_tell(struct part *p)
{
	struct saying *n = p->first;
	struct emu *to = p->machine;
	const struct place *at = n->has_place ? &n->at : NULL;
	if (n->shown)
		emu_publish_text(to, n->shown);
	else if (n->few)
		say_few(to, n->few, n->most, at, n->text);
	else if (n->warning)
		diag_warn(to->diag, at, "%s", n->text);
	else
		diag_tell(to->diag, DIAG_QUIET, "%s", n->text);
	part_drop_saying(p);
}

/* ---- Events. ---- */

void
part_run(struct part *p)
{
	const int64_t bound = p->all->bound;
	const uint32_t room = p->all->room;
	struct emu *emu = &p->emu;
	const struct feed *f = &emu->feed;
	struct emu_leg leg = { .times = p->times, .most = room, .records = room + p->left, .notes = room };
	emu->merge.round.bound = (uint64_t)bound + (uint64_t)emu->start;
	bool full = (size_t)(f->next - f->own) >= leg.records || f->nnotes >= leg.notes;
	int rc = full ? 0 : emu_run_leg(emu, &leg);
	full = full || rc > 0;
	p->ntimes = leg.n;
	if (emu->feed.lost || (rc >= 0 && emu->failed < 0)) /* it could not note something */
		rc = -ERR_MEMORY;
	p->rc = rc < 0 ? rc : 0;
	if (full || rc < 0)
		p->reached = emu->time;
	else
		p->reached = emu->merge.round.nstreams ? bound : INT64_MAX;
}

void
part_join_often(struct often *to, const struct often *of)
{
	uint64_t n = to->n + of->n;
	if (of->n && (!to->n || of->at.clock < to->at.clock))
		*to = *of;
	to->n = n;
}

void
part_add_up(struct part *p)
{
	const struct emu *of = &p->emu;
	struct emu *to = p->machine;
	part_join_often(&to->tallies.tasks, &of->tallies.tasks);
	part_join_often(&to->tallies.types, &of->tallies.types);
	part_join_often(&to->tallies.ends, &of->tallies.ends);
	part_join_often(&to->tallies.skipped, &of->tallies.skipped);
	for (size_t i = 0; of->models && i < to->plan->nmodels; i++)
		part_join_often(&to->models[i].warned, &of->models[i].warned);
}

/* ---- Life. ---- */

bool
part_has_loom(const struct part *p, uint32_t loom)
{
	const struct system *sys = &p->machine->plan->sys;
	uint32_t th = sys->procs[sys->looms[loom].first_proc].first_thread;
	return part_has_stream(p, sys->threads[th].stream);
}

/* The list of changes has room for all channels of the rows of the part. */
static struct chan_ref *
make_dirty(struct part *p)
{
	const struct plan *plan = p->emu.plan;
	size_t rows = p->end - p->begin + plan->rows.n;
	for (uint32_t i = 0; i < plan->sys.ncpus; i++)
		rows += part_has_loom(p, plan->sys.cpus[i].loom);
	return arena_new(&p->emu.arena, struct chan_ref, rows * (plan->ncols + 1));
}

/* Models have memory of their own, but that of threads and processes, which are of one part each. */
static int
copy_models(struct part *p)
{
	struct emu *emu = &p->emu;
	const struct model_part *of = p->machine->models;
	emu->models = arena_new(&emu->arena, struct model_part, emu->plan->nmodels);
	for (size_t i = 0; emu->models && i < emu->plan->nmodels; i++) {
		struct model_part *m = &emu->models[i];
		*m = of[i];
		size_t size = m->data ? m->model->data_size : 0;
		if (size && !(m->data = arena_alloc(&emu->arena, 1, size)))
			return -ERR_MEMORY;
		if (size)
			memcpy(m->data, of[i].data, size);
	}
	return emu->models ? 0 : -ERR_MEMORY;
}

/* The streams are read by the part. */
static int
take_streams(struct part *p)
{
	struct emu *emu = &p->emu;
	const struct round *of = &p->machine->merge.round;
	emu->merge = (struct merge){ .rounds = true, .trace = &p->trace };
	struct round *r = &emu->merge.round;
	if (round_init(r, &p->trace, p->end - p->begin, emu->start) < 0)
		return -ERR_MEMORY;
	for (uint32_t i = 0; i < of->nstreams; i++)
		if (of->streams[i] >= p->begin && of->streams[i] < p->end)
			r->streams[r->nstreams++] = of->streams[i];
	for (uint32_t i = p->begin; i < p->end; i++) {
		struct stream *s = &p->trace.streams[i];
		s->trace = &p->trace;
		s->in.pool = &p->trace.readers;
	}
	return 0;
}

void
part_note(struct part *p, struct emu *machine, uint32_t begin, uint32_t end)
{
	p->machine = machine;
	p->begin = begin;
	p->end = end;
	p->reached = INT64_MAX;
}

/* Records that a feed of a part has room for. */
static size_t
count_room(uint32_t room)
{
	return (size_t)room * 2;
}

size_t
part_count_lent(const struct parts *m)
{
	return 2 * count_room(m->room);
}

void
part_lend(struct part *p, struct record *lent)
{
	const size_t n = count_room(p->all->room);
	feed_use_own(&p->emu.feed, lent, n);
	feed_use_own(&p->out, lent + n, n);
}

int
part_open(struct part *p, struct emu *machine, uint32_t begin, uint32_t end, uint32_t room)
{
	struct emu *emu = &p->emu;
	*emu = *machine;
	part_note(p, machine, begin, end);
	p->learned = *machine->learned;
	p->diag = (struct diag){ .program = machine->diag->program, .level = machine->diag->level, .hold = hold, .hold_arg = p };
	p->trace = machine->plan->trace;
	p->trace.arena = (struct arena){ 0 };
	p->trace.diag = p->trace.readers.diag = &p->diag;
	p->trace.options.unsorted = p->trace.options.unsorted ? &p->learned.unsorted : NULL;

	emu->part = p;
	emu->parts = NULL;
	emu->making = NULL;
	emu->learned = &p->learned;
	emu->diag = &p->diag;
	emu->arena = (struct arena){ 0 };
	emu->punctuals = NULL;
	emu->punctuals_cap = 0;
	emu->density = (struct density){ 0 };
	emu->watch_at = emu->raw ? 0 : INT64_MAX;
	emu->chans.arena = &emu->arena;
	emu->chans.dirty = make_dirty(p);
	p->times = arena_new(&emu->arena, int64_t, room);
	p->spare = arena_new(&emu->arena, int64_t, room);
	if (!emu->chans.dirty || !p->times || !p->spare || copy_models(p) < 0 || take_streams(p) < 0)
		return -ERR_MEMORY;
	int rc = feed_begin_own(&emu->feed, machine->feed.ncols, count_room(room));
	return rc < 0 ? rc : feed_begin_own(&p->out, machine->feed.ncols, count_room(room));
}

void
part_close(struct part *p)
{
	const struct plan *plan = p->machine->plan;
	for (uint32_t i = p->begin; i < p->end; i++) {
		plan->trace.streams[i].trace = &p->machine->making->trace;
		plan->trace.streams[i].in.pool = &p->machine->making->trace.readers;
	}
	while (p->first)
		part_drop_saying(p);
	feed_end_own(&p->emu.feed);
	feed_end_own(&p->out);
	arena_finish(&p->trace.arena);
	arena_finish(&p->emu.arena);
}
