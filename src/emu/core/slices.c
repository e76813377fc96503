/* SPDX-License-Identifier: MIT */
/* slices: all parts emulate a slice of time, and what they print (gather.c) and say is merged. */
#include "part.h"
#include "team.h"

enum {
	SLICE_OF_ROOM = 2, /* a slice should fill that part of the room of who has most to do, and no part should fill its own */
};

void
parts_say(struct parts *m, uint64_t end)
{
	for (;;) {
		struct part *first = NULL;
		uint64_t best = UINT64_MAX;
		for (uint32_t i = 0; i < m->n; i++) {
			const struct saying *n = m->part[i]->first;
			uint64_t key = n ? collate_key(m->base, n->time, i) : UINT64_MAX;
			first = key < best ? m->part[i] : first;
			best = key < best ? key : best;
		}
		if (!first || best >= end)
			return;
		part_tell(first);
	}
}

/* ---- Slices. ---- */

/* Chooses the length of the next slice by how many events and records were in this one. */
static void
adapt(struct parts *m)
{
	double least = (double)m->span / 4, most = (double)m->span * 4;
	double want = (double)m->span;
	if (m->most)
		want = (double)(m->bound - m->base) * m->room / SLICE_OF_ROOM / (double)m->most;
	want = want < least ? least : want > most ? most
						  : want;
	m->span = want < 1 ? 1 : want > (double)COLLATE_SPAN_MAX ? COLLATE_SPAN_MAX
								 : (int64_t)want;
	m->most = 0;
}

uint64_t
parts_first(const struct parts *m)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct round *r = &m->part[i]->emu.merge.round;
		if (r->nstreams && r->base < first)
			first = r->base;
	}
	return first;
}

/* Begins the next slice, where the first event is that is left. Returns whether there is one to be shown. */
static bool
begin_slice(struct parts *m)
{
	struct emu *emu = m->emu;
	uint64_t first = m->team ? team_first(m) : parts_first(m);
	if (first == UINT64_MAX || !cut_enter(emu, (int64_t)first - emu->start))
		return false;
	adapt(m);
	m->base = (int64_t)first - emu->start;
	if (__builtin_add_overflow(m->base, m->span, &m->bound))
		m->bound = INT64_MAX;
	m->bound = cut_bound(emu, m->bound);
	if (m->team)
		m->base = team_begin_slice(m);
	for (uint32_t i = 0; i < m->n; i++)
		m->part[i]->reached = m->part[i]->emu.merge.round.nstreams ? m->base : INT64_MAX;
	return true;
}

/* The part that is behind all others. */
static uint32_t
find_slowest(const struct parts *m)
{
	uint32_t slowest = 0;
	for (uint32_t i = 1; i < m->n; i++)
		if (m->part[i]->reached < m->part[slowest]->reached)
			slowest = i;
	return slowest;
}

static void
run_job(struct job *t)
{
	part_run((struct part *)t);
}

static void
end_job(struct job *t)
{
	((struct part *)t)->all->nbusy--;
}

static bool
are_done(void *parts)
{
	return ((struct parts *)parts)->nbusy == 0;
}

/* All parts that are behind emulate some of the slice. Before lines are made, as all wait for it. One that has something left to be
 * taken is ahead, and waits. */
static void
start(struct parts *m)
{
	struct crew *crew = flow_crew(m->emu->feed.flow);
	crew_lock(crew);
	for (uint32_t i = 0; i < m->n; i++) {
		struct part *p = m->part[i];
		if (p->reached >= m->bound || p->rc < 0 || p->ntimes)
			continue;
		p->job.run = run_job;
		p->job.done = end_job;
		m->nbusy++;
		crew_add(crew, &p->job);
	}
	crew_unlock(crew);
}

/* Waits for the parts, and for those who merge their records. */
static void
await(struct parts *m)
{
	struct crew *crew = flow_crew(m->emu->feed.flow);
	crew_lock(crew);
	crew_wait(crew, are_done, m, false);
	crew_unlock(crew);
}

/* Takes the events of a part up to a key, which is not in it. */
static void
take_events(struct parts *m, uint32_t part, uint64_t end)
{
	struct part *p = m->part[part];
	struct emu *emu = m->emu;
	uint32_t n = p->ntimes;
	while (n > p->ntaken && collate_key(m->base, p->times[n - 1], part) >= end)
		n--;
	p->nout_times = n - p->ntaken;
	if (!p->nout_times)
		return;
	p->out_times = p->times + p->ntaken;
	emu->nevents += p->nout_times;
	emu->time = p->times[n - 1] > emu->time ? p->times[n - 1] : emu->time;
	p->ntaken = n;
	if (n < p->ntimes)
		return;
	int64_t *times = p->spare;
	p->spare = p->times;
	p->times = times;
	p->ntimes = p->ntaken = 0;
}

void
parts_take(struct parts *m, uint32_t part, uint64_t end)
{
	struct part *p = m->part[part];
	struct feed *f = &p->emu.feed;
	size_t nrecords = (size_t)(f->next - f->own), nnotes = f->nnotes;
	uint64_t n = nrecords > p->ntimes ? nrecords : p->ntimes;
	bool drops = m->emu->feed.drops;
	m->most = n > m->most ? n : m->most;
	while (!drops && nrecords && collate_key(m->base, f->own[nrecords - 1].time, part) >= end)
		nrecords--;
	while (!drops && nnotes && collate_key(m->base, f->notes[nnotes - 1].time, part) >= end)
		nnotes--;
	feed_hand_over_own(f, &p->out, nrecords, nnotes);
	p->merged = drops ? nrecords : 0;
	p->noted = drops ? nnotes : 0;
	/* In a team records wait for a place where they can be divided; parts have to go on up to there. */
	take_events(m, part, drops || m->team ? UINT64_MAX : end);
	p->nout_times = drops ? 0 : p->nout_times;
}

/* Takes what all parts have done up to where the slowest one is. Returns 1 the slice is not over, 0 it is, <0: a part has failed,
 * and all that is before it was taken. */
static int
take(struct parts *m)
{
	uint32_t slowest = find_slowest(m);
	const struct part *p = m->part[slowest];
	bool over = p->reached >= m->bound;
	uint64_t end = over ? COLLATE_FAR : collate_key(m->base, p->reached, slowest) + 1;
	int rc = over ? 0 : p->rc < 0 ? p->rc
				      : 1;
	m->since = m->base;
	for (uint32_t i = 0; i < m->n; i++) {
		parts_take(m, i, end);
		rc = m->part[i]->emu.feed.lost ? -ERR_MEMORY : rc;
	}
	parts_say(m, end);
	return rc;
}

/* What one event after the other is looked at for in emu_run(). */
static int
look_up(const struct parts *m, bool over)
{
	const struct emu *emu = m->emu;
	const struct emu_options *o = &emu->plan->options;
	if (m->team && over && team_look_up(m) < 0)
		return team_look_up(m);
	if (!m->team && o->stop && *o->stop)
		return -ERR_INTERRUPTED;
	if (!m->team && feed_failed(&emu->feed))
		return -ERR_WRITE;
	if (o->progress)
		o->progress(emu, o->progress_arg);
	return 0;
}

/* A part has failed. What the run must know from its begin is in what that part has learned. */
static int
give_up(struct parts *m)
{
	struct learned *l = m->emu->learned;
	const struct part *p = m->part[find_slowest(m)];
	if (m->team) /* all know */
		return EMU_AGAIN;
	if (p->rc == EMU_AGAIN)
		*l = p->learned;
	else
		l->whole = true;
	return EMU_AGAIN;
}

static void
merge(struct parts *m)
{
	if (m->team)
		team_merge(m);
	else
		parts_merge(m);
}

int
parts_run(struct emu *emu)
{
	struct parts *m = emu->parts;
	if (m->team)
		team_begin(m, parts_first(m));
	int rc = begin_slice(m);
	while (rc > 0) {
		start(m);
		merge(m); /* what was taken before */
		await(m);
		rc = m->team ? team_take(m) : take(m);
		bool over = rc == 0;
		rc = rc < 0 ? give_up(m) : look_up(m, over);
		if (rc == 0)
			rc = over ? begin_slice(m) : 1;
	}
	if (!m->team || rc != EMU_AGAIN)
		merge(m);
	await(m);
	for (uint32_t i = 0; i < m->n; i++)
		part_add_up(m->part[i]);
	if (m->team && rc != EMU_AGAIN) {
		int bad = team_finish(m);
		rc = bad ? bad : rc;
	}
	if (rc == 0 && !emu->left)
		cut_end(emu);
	if (emu->density.n && !emu->feed.drops)
		(void)density_next(&emu->density, emu->time - emu->plan->window.zero, emu->nevents);
	return rc ? rc : emu->left;
}
