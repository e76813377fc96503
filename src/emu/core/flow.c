/* SPDX-License-Identifier: MIT */
#include "flow.h"

#include "arena.h"
#include "emu.h"
#include "flowing.h"
#include "pick.h"

enum {
	WORTH = 2, /* chunks: to wake a thread for one costs more than to let it wait for the next */
};

/* ---- Chunks. ---- */

void
flow_hand_over(struct flow *f)
{
	while (f->given < f->filled) {
		f->given++;
		for (struct station *s = f->stations; s < f->stations + f->nstations; s++) {
			if (s->takes && s->ops->formatter)
				press_take(&s->press);
			else if (s->takes)
				lane_go_on(&s->lane);
		}
	}
}

static bool
is_idle(void *chunk)
{
	return ((struct chunk *)chunk)->nusers == 0;
}

struct chunk *
flow_take(struct flow *f)
{
	struct chunk *c = flow_chunk(f, f->taken++);
	crew_lock(&f->crew);
	if (!is_idle(c))
		flow_hand_over(f);
	crew_wait(&f->crew, is_idle, c, true);
	crew_unlock(&f->crew);
	return c;
}

/* A chunk has all its records: it comes behind those that were taken before. With the lock. */
static void
fill(struct flow *f, struct chunk *c)
{
	c->full = true;
	while ((c = flow_chunk(f, f->filled))->full) {
		f->filled++;
		if (f->crew.stats)
			f->crew.stats->records += c->batch.n;
		for (const struct station *s = f->stations; s < f->stations + f->nstations; s++)
			c->nusers += s->takes;
		c->nusers -= c->lent;
		c->full = c->lent = false;
	}
}

void
flow_give(struct flow *f, struct chunk *c)
{
	if (f->pick)
		pick_apply(f->pick, c);
	crew_lock(&f->crew);
	if (f->crew.stats)
		f->crew.own->njobs++;
	fill(f, c);
	if (f->filled - f->given >= WORTH || !f->crew.nidle)
		flow_hand_over(f);
	crew_unlock(&f->crew);
}

uint64_t
flow_lend(struct flow *f, struct chunk *c)
{
	crew_lock(&f->crew);
	c->lent = true;
	c->nusers++;
	crew_unlock_quietly(&f->crew);
	return f->taken - 1;
}

void
flow_give_lent(struct flow *f, struct chunk *c)
{
	fill(f, c);
	flow_hand_over(f);
}

static bool
is_started(void *crew)
{
	return !((struct crew *)crew)->jobs;
}

void
flow_flush(struct flow *f)
{
	crew_lock(&f->crew);
	flow_hand_over(f);
	crew_wait(&f->crew, is_started, &f->crew, false);
	crew_unlock(&f->crew);
}

/* ---- Life. ---- */

struct crew *
flow_crew(struct flow *f)
{
	return &f->crew;
}

bool
flow_failed(const struct flow *f)
{
	return atomic_load_explicit(&f->failed, memory_order_relaxed);
}

int
flow_open(struct flow **flow, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink_ops *const *sinks, size_t nsinks)
{
	struct flow *f = *flow = block_alloc(sizeof(*f));
	if (!f)
		return diag_no_memory(d);
	f->diag = d;
	f->pick = emu ? emu->plan->pick : NULL;
	if (f->pick && f->pick->shown)
		emu = f->pick->shown;
	f->team = emu ? emu->plan->options.team : NULL;
	crew_init(&f->crew);
	f->crew.stats = emu ? emu->plan->options.stats : NULL;
	for (size_t i = 0; i < nsinks && i < FLOW_SINKS_MAX; i++) {
		struct station *s = &f->stations[f->nstations++];
		s->ops = sinks[i];
		s->self = block_alloc(s->ops->size ? s->ops->size : 1);
		if (!s->self)
			return diag_no_memory(d);
		int rc = s->ops->open(s->self, emu, dir);
		if (rc < 0)
			return rc;
		s->opened = true;
		s->takes = rc == 0 && (s->ops->write || s->ops->formatter);
	}
	return 0;
}

static bool
make_chunks(struct flow *f, unsigned n)
{
	f->ring = block_alloc(n * sizeof(struct chunk *));
	while (f->ring && f->nchunks < n && (f->ring[f->nchunks] = block_alloc(sizeof(struct chunk))))
		f->nchunks++;
	return f->nchunks == n;
}

int
flow_start(struct flow *f, unsigned n)
{
	if (!make_chunks(f, FLOW_CHUNKS + n))
		return diag_no_memory(f->diag);
	struct stats *stats = f->crew.stats;
	if (stats) {
		stats_begin(stats);
		crew_turn_to(&f->crew, &stats->stages[STAGE_EMULATE]);
	}
	for (struct station *s = f->stations; s < f->stations + f->nstations; s++) {
		if (s->takes && !s->ops->formatter)
			lane_init(&s->lane, f, s->ops, s->self);
		if (s->takes && s->ops->formatter && press_init(&s->press, f, s->ops, s->self, f->nchunks) < 0)
			return diag_no_memory(f->diag);
	}
	crew_start(&f->crew, n);
	if (stats)
		stats->nthreads = f->crew.nthreads + 1;
	return 0;
}

static bool
are_all_idle(void *flow)
{
	const struct flow *f = flow;
	unsigned nusers = 0;
	for (unsigned i = 0; i < f->nchunks; i++)
		nusers += f->ring[i]->nusers;
	return nusers == 0;
}

/* Returns 0, or the first error of a sink. */
static int
close_sinks(struct flow *f, int64_t duration)
{
	int rc = 0;
	for (struct station *s = f->stations; s < f->stations + f->nstations; s++) {
		int bad = press_finish(&s->press);
		bad = bad ? bad : s->lane.rc;
		rc = rc ? rc : bad;
	}
	for (struct station *s = f->stations; s < f->stations + f->nstations; s++) {
		int bad = s->opened ? s->ops->close(s->self, duration) : 0;
		rc = rc ? rc : bad;
		block_free(s->self);
	}
	return rc;
}

int
flow_close(struct flow *f, int64_t duration)
{
	if (!f)
		return 0;
	crew_lock(&f->crew);
	flow_hand_over(f);
	crew_wait(&f->crew, are_all_idle, f, false);
	crew_unlock(&f->crew);
	struct stats *stats = f->crew.stats;
	if (stats && stats->nstages) {
		crew_turn_to(&f->crew, f->crew.own); /* with what it has done up to now */
		stats_end(stats);
	}
	crew_finish(&f->crew);
	if (f->pick)
		pick_end(f->pick);
	int rc = close_sinks(f, duration);
	for (unsigned i = 0; i < f->nchunks; i++)
		block_free(f->ring[i]);
	block_free(f->ring);
	block_free(f);
	return rc;
}
