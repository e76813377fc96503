/* SPDX-License-Identifier: MIT */
#include "flow.h"

#include "arena.h"
#include "emu.h"

#include <pthread.h>
#include <string.h>

/* A sink. */
struct station {
	const struct sink_ops *ops;
	void *self;
	bool opened;
	unsigned load;   /* 0: it wants no records */
	unsigned worker; /* number of its thread */
	int rc;          /* of write */
};

/* A thread, and the chunks that wait for it. */
struct worker {
	struct flow *flow;
	unsigned number;
	unsigned load; /* of its sinks */
	pthread_t thread;
	struct chunk *queue[FLOW_CHUNKS];
	unsigned head, count;
};

struct flow {
	struct diag *diag;
	struct station stations[FLOW_SINKS_MAX];
	size_t nstations;
	struct worker workers[FLOW_SINKS_MAX];
	unsigned nworkers;
	struct chunk *chunks[FLOW_CHUNKS];
	struct chunk *idle[FLOW_CHUNKS];
	unsigned nidle;
	bool done;
	atomic_bool failed;
	pthread_mutex_t lock;
	pthread_cond_t arrived; /* a chunk for some worker, or the end */
	pthread_cond_t freed;   /* a chunk became idle */
};

static void
write_chunk(struct flow *f, unsigned worker, const struct chunk *c)
{
	for (size_t i = 0; i < f->nstations; i++) {
		struct station *st = &f->stations[i];
		if (!st->load || st->worker != worker || st->rc < 0)
			continue;
		st->rc = st->ops->write(st->self, &c->batch);
		if (c->flush && st->rc == 0 && st->ops->flush)
			st->rc = st->ops->flush(st->self, c->next);
		if (st->rc < 0)
			atomic_store(&f->failed, true);
	}
}

static void *
serve(void *arg)
{
	struct worker *w = arg;
	struct flow *f = w->flow;
	pthread_mutex_lock(&f->lock);
	for (;;) {
		while (!w->count && !f->done)
			pthread_cond_wait(&f->arrived, &f->lock);
		if (!w->count)
			break;
		struct chunk *c = w->queue[w->head];
		pthread_mutex_unlock(&f->lock);

		write_chunk(f, w->number, c);

		pthread_mutex_lock(&f->lock);
		w->head = (w->head + 1) % FLOW_CHUNKS;
		w->count--;
		if (--c->readers == 0) {
			f->idle[f->nidle++] = c;
			pthread_cond_signal(&f->freed);
		}
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

struct chunk *
flow_take(struct flow *f)
{
	pthread_mutex_lock(&f->lock);
	while (!f->nidle)
		pthread_cond_wait(&f->freed, &f->lock);
	struct chunk *c = f->idle[--f->nidle];
	pthread_mutex_unlock(&f->lock);
	return c;
}

void
flow_give(struct flow *f, struct chunk *c)
{
	pthread_mutex_lock(&f->lock);
	c->readers = f->nworkers;
	for (unsigned i = 0; i < f->nworkers; i++) {
		struct worker *w = &f->workers[i];
		w->queue[(w->head + w->count++) % FLOW_CHUNKS] = c;
	}
	if (c->readers == 0) /* the run failed before its threads began */
		f->idle[f->nidle++] = c;
	pthread_cond_broadcast(&f->arrived);
	pthread_mutex_unlock(&f->lock);
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
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->arrived, NULL);
	pthread_cond_init(&f->freed, NULL);
	for (unsigned i = 0; i < FLOW_CHUNKS; i++) {
		struct chunk *c = block_alloc(sizeof(*c));
		if (!c)
			return diag_no_memory(d);
		f->chunks[i] = c;
		f->idle[f->nidle++] = c;
	}
	for (size_t i = 0; i < nsinks && i < FLOW_SINKS_MAX; i++) {
		struct station *st = &f->stations[f->nstations++];
		st->ops = sinks[i];
		st->self = block_alloc(st->ops->size ? st->ops->size : 1);
		if (!st->self)
			return diag_no_memory(d);
		int rc = st->ops->open(st->self, emu, dir);
		if (rc < 0)
			return rc;
		st->opened = true;
		st->load = rc == 0 ? st->ops->load : 0;
	}
	return 0;
}

/* Gives the heaviest sink that has no thread yet to the thread with the least to do. false:
 * all have one. */
static bool
deal(struct flow *f, bool dealt[], unsigned nworkers)
{
	struct station *heaviest = NULL;
	for (size_t i = 0; i < f->nstations; i++)
		if (f->stations[i].load && !dealt[i] && (!heaviest || f->stations[i].load > heaviest->load))
			heaviest = &f->stations[i];
	if (!heaviest)
		return false;
	struct worker *least = f->workers;
	for (unsigned i = 1; i < nworkers; i++)
		if (f->workers[i].load < least->load)
			least = &f->workers[i];
	dealt[heaviest - f->stations] = true;
	heaviest->worker = (unsigned)(least - f->workers);
	least->load += heaviest->load;
	return true;
}

int
flow_start(struct flow *f, unsigned threads)
{
	unsigned writers = 0;
	for (size_t i = 0; i < f->nstations; i++)
		writers += f->stations[i].load > 0;
	unsigned want = threads < 1 ? 1 : threads;
	want = want > writers ? writers : want;
	bool dealt[FLOW_SINKS_MAX] = { false };
	while (deal(f, dealt, want))
		continue;
	for (unsigned i = 0; i < want; i++) {
		struct worker *w = &f->workers[i];
		w->flow = f;
		w->number = i;
		int err = pthread_create(&w->thread, NULL, serve, w);
		if (err)
			return diag_error(f->diag, ERR_MEMORY, NULL, "cannot start a thread for the outputs: %s", strerror(err));
		pthread_mutex_lock(&f->lock);
		f->nworkers++;
		pthread_mutex_unlock(&f->lock);
	}
	return 0;
}

int
flow_close(struct flow *f, int64_t duration)
{
	if (!f)
		return 0;
	pthread_mutex_lock(&f->lock);
	f->done = true;
	pthread_cond_broadcast(&f->arrived);
	pthread_mutex_unlock(&f->lock);

	int rc = 0;
	for (unsigned i = 0; i < f->nworkers; i++)
		pthread_join(f->workers[i].thread, NULL);
	for (size_t i = 0; i < f->nstations && rc == 0; i++)
		rc = f->stations[i].rc;
	for (size_t i = 0; i < f->nstations; i++) {
		struct station *st = &f->stations[i];
		int err = st->opened ? st->ops->close(st->self, duration) : 0;
		if (rc == 0)
			rc = err;
		block_free(st->self);
	}
	for (unsigned i = 0; i < FLOW_CHUNKS; i++)
		block_free(f->chunks[i]);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->arrived);
	pthread_cond_destroy(&f->freed);
	block_free(f);
	return rc;
}
