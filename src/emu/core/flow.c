/* SPDX-License-Identifier: MIT */
#include "flow.h"

#include "arena.h"
#include "emu.h"
#include "pick.h"

/* A sink, as a job: the next chunk. */
struct lane {
	struct job job; /* its age is the number of the next chunk */
	struct flow *flow;
	const struct sink_ops *ops;
	void *self;
	bool opened;
	bool takes; /* records */
	bool busy;  /* its job was added */
	int rc;     /* of write */
};

/* Chunks are counted from 0; number n is in the ring at n % nchunks. */
struct flow {
	struct diag *diag;
	struct pick *pick;
	struct lane lanes[FLOW_SINKS_MAX];
	size_t nlanes;
	struct chunk **ring;
	unsigned nchunks;
	uint64_t taken, given;
	atomic_bool failed;
	struct crew crew;
};

static struct chunk *
chunk_of(const struct flow *f, uint64_t number)
{
	return f->ring[number % f->nchunks];
}

/* ---- A sink takes a chunk. ---- */

static void
run_lane(struct job *t)
{
	struct lane *l = (struct lane *)t;
	const struct chunk *c = chunk_of(l->flow, t->age);
	if (l->rc < 0)
		return;
	l->rc = l->ops->write(l->self, &c->batch);
	if (c->flush && l->rc == 0 && l->ops->flush)
		l->rc = l->ops->flush(l->self, c->next);
	if (l->rc < 0)
		atomic_store(&l->flow->failed, true);
}

/* Adds the job of a sink that is not at it, if there is a chunk for it. */
static void
go_on(struct lane *l)
{
	l->busy = l->job.age < l->flow->given;
	if (l->busy)
		crew_add(&l->flow->crew, &l->job);
}

static void
end_lane(struct job *t)
{
	struct lane *l = (struct lane *)t;
	chunk_of(l->flow, t->age++)->nusers--;
	go_on(l);
}

/* ---- Chunks. ---- */

static bool
is_idle(void *chunk)
{
	return ((struct chunk *)chunk)->nusers == 0;
}

struct chunk *
flow_take(struct flow *f)
{
	struct chunk *c = chunk_of(f, f->taken++);
	crew_lock(&f->crew);
	crew_wait(&f->crew, is_idle, c);
	crew_unlock(&f->crew);
	return c;
}

void
flow_give(struct flow *f, struct chunk *c)
{
	if (f->pick)
		pick_apply(f->pick, c);
	crew_lock(&f->crew);
	f->given++;
	for (struct lane *l = f->lanes; l < f->lanes + f->nlanes; l++) {
		c->nusers += l->takes;
		if (l->takes && !l->busy)
			go_on(l);
	}
	crew_unlock(&f->crew);
}

/* ---- Life. ---- */

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
	crew_init(&f->crew);
	for (size_t i = 0; i < nsinks && i < FLOW_SINKS_MAX; i++) {
		struct lane *l = &f->lanes[f->nlanes++];
		*l = (struct lane){ .job = { .run = run_lane, .done = end_lane }, .flow = f, .ops = sinks[i] };
		l->self = block_alloc(l->ops->size ? l->ops->size : 1);
		if (!l->self)
			return diag_no_memory(d);
		int rc = l->ops->open(l->self, emu, dir);
		if (rc < 0)
			return rc;
		l->opened = true;
		l->takes = rc == 0 && l->ops->write;
	}
	return 0;
}

int
flow_start(struct flow *f, unsigned n)
{
	unsigned nchunks = FLOW_CHUNKS + n;
	f->ring = block_alloc(nchunks * sizeof(struct chunk *));
	for (; f->ring && f->nchunks < nchunks; f->nchunks++)
		if (!(f->ring[f->nchunks] = block_alloc(sizeof(struct chunk))))
			break;
	if (f->nchunks < nchunks)
		return diag_no_memory(f->diag);
	crew_start(&f->crew, n);
	return 0;
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
	crew_wait(&f->crew, is_started, &f->crew);
	crew_unlock(&f->crew);
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

int
flow_close(struct flow *f, int64_t duration)
{
	if (!f)
		return 0;
	crew_lock(&f->crew);
	crew_wait(&f->crew, are_all_idle, f);
	crew_unlock(&f->crew);
	crew_finish(&f->crew);
	if (f->pick)
		pick_end(f->pick);

	int rc = 0;
	for (size_t i = 0; i < f->nlanes && rc == 0; i++)
		rc = f->lanes[i].rc;
	for (size_t i = 0; i < f->nlanes; i++) {
		struct lane *l = &f->lanes[i];
		int err = l->opened ? l->ops->close(l->self, duration) : 0;
		if (rc == 0)
			rc = err;
		block_free(l->self);
	}
	for (unsigned i = 0; i < f->nchunks; i++)
		block_free(f->ring[i]);
	block_free(f->ring);
	block_free(f);
	return rc;
}
