/* SPDX-License-Identifier: MIT */
#include "feed.h"

#include "arena.h"
#include "emu.h"

#include <pthread.h>
#include <string.h>

struct chunk {
	unsigned readers; /* sinks that have not finished with it */
	bool flush;       /* nothing comes behind it for a while */
	size_t n[LANES];
	struct record records[LANES][FEED_RECORDS];
};

/* A sink. */
struct station {
	const struct sink_ops *ops;
	void *self;
	bool opened;
	int rc; /* of write */
};

/* A thread, the sinks it serves (every nworkers-th from its own number on) and the
 * chunks that wait for it. */
struct worker {
	struct feed_impl *impl;
	unsigned number;
	pthread_t thread;
	struct chunk *queue[FEED_CHUNKS];
	unsigned head, count;
};

struct feed_impl {
	struct diag *diag;
	struct station stations[FEED_SINKS_MAX];
	size_t nstations;
	struct worker workers[FEED_SINKS_MAX];
	unsigned nworkers;
	struct chunk *chunks[FEED_CHUNKS];
	struct chunk *idle[FEED_CHUNKS];
	unsigned nidle;
	bool done;
	atomic_bool failed;
	pthread_mutex_t lock;
	pthread_cond_t arrived; /* a chunk for some worker, or the end */
	pthread_cond_t freed;   /* a chunk became idle */
};

static bool
writes(const struct station *st)
{
	return st->ops->write || st->ops->write_all;
}

static void
write_chunk(struct feed_impl *im, unsigned worker, unsigned nworkers, const struct chunk *c)
{
	struct batch all;
	for (int i = 0; i < LANES; i++) {
		all.r[i] = c->records[i];
		all.n[i] = c->n[i];
	}
	unsigned writer = 0;
	for (size_t i = 0; i < im->nstations; i++) {
		struct station *st = &im->stations[i];
		if (!writes(st) || writer++ % nworkers != worker || st->rc < 0)
			continue;
		if (st->ops->write_all)
			st->rc = st->ops->write_all(st->self, &all);
		else if (c->n[LANE_ROWS])
			st->rc = st->ops->write(st->self, c->records[LANE_ROWS], c->n[LANE_ROWS]);
		if (c->flush && st->rc == 0 && st->ops->flush)
			st->rc = st->ops->flush(st->self);
		if (st->rc < 0)
			atomic_store(&im->failed, true);
	}
}

static void *
serve(void *arg)
{
	struct worker *w = arg;
	struct feed_impl *im = w->impl;
	pthread_mutex_lock(&im->lock);
	for (;;) {
		while (!w->count && !im->done)
			pthread_cond_wait(&im->arrived, &im->lock);
		if (!w->count)
			break;
		struct chunk *c = w->queue[w->head];
		unsigned nworkers = im->nworkers;
		pthread_mutex_unlock(&im->lock);

		write_chunk(im, w->number, nworkers, c);

		pthread_mutex_lock(&im->lock);
		w->head = (w->head + 1) % FEED_CHUNKS;
		w->count--;
		if (--c->readers == 0) {
			im->idle[im->nidle++] = c;
			pthread_cond_signal(&im->freed);
		}
	}
	pthread_mutex_unlock(&im->lock);
	return NULL;
}

static struct chunk *
take_idle(struct feed_impl *im)
{
	pthread_mutex_lock(&im->lock);
	while (!im->nidle)
		pthread_cond_wait(&im->freed, &im->lock);
	struct chunk *c = im->idle[--im->nidle];
	pthread_mutex_unlock(&im->lock);
	return c;
}

/* The chunk may be gone when this returns. */
static void
hand_over(struct feed_impl *im, struct chunk *c)
{
	pthread_mutex_lock(&im->lock);
	c->readers = im->nworkers;
	for (unsigned i = 0; i < im->nworkers; i++) {
		struct worker *w = &im->workers[i];
		w->queue[(w->head + w->count++) % FEED_CHUNKS] = c;
	}
	if (c->readers == 0) /* a run that failed before its threads began */
		im->idle[im->nidle++] = c;
	pthread_cond_broadcast(&im->arrived);
	pthread_mutex_unlock(&im->lock);
}

static void
use_chunk(struct feed *f, struct chunk *c)
{
	f->cur = c;
	c->flush = false;
	for (int i = 0; i < LANES; i++) {
		f->next[i] = c->records[i];
		f->end[i] = c->records[i] + FEED_RECORDS;
	}
}

/* Counts the records that may leave, in all: those up to two nanoseconds before the last. */
static size_t
settle(struct chunk *c, const size_t have[])
{
	int64_t last = 0;
	for (int i = 0; i < LANES; i++)
		if (have[i] && c->records[i][have[i] - 1].time > last)
			last = c->records[i][have[i] - 1].time;
	size_t all = 0;
	for (int i = 0; i < LANES; i++) {
		c->n[i] = have[i];
		while (c->n[i] && c->records[i][c->n[i] - 1].time >= last - 1)
			c->n[i]--;
		all += c->n[i];
	}
	return all;
}

/* When there are none that may leave, all leave; or, with `flush`, none. */
static void
roll(struct feed *f, bool flush)
{
	struct chunk *c = f->cur;
	size_t have[LANES];
	for (int i = 0; i < LANES; i++)
		have[i] = (size_t)(f->next[i] - c->records[i]);
	bool none = settle(c, have) == 0;
	if (none && flush)
		return;
	for (int i = 0; i < LANES && none; i++)
		c->n[i] = have[i];
	c->flush = flush;
	use_chunk(f, take_idle(f->impl));
	for (int i = 0; i < LANES; i++) {
		size_t k = c->n[i];
		memcpy(f->next[i], c->records[i] + k, (have[i] - k) * sizeof(struct record));
		f->next[i] += have[i] - k;
		if (k && c->records[i][k - 1].time > f->sent)
			f->sent = c->records[i][k - 1].time;
	}
	hand_over(f->impl, c);
}

static bool
is_full(const struct feed *f)
{
	bool full = false;
	for (int i = 0; i < LANES; i++)
		full = full || f->next[i] == f->end[i];
	return full;
}

void
feed_roll(struct feed *f)
{
	/* When only the other lane could give way, the second time everything does. */
	do {
		roll(f, false);
	} while (is_full(f));
}

void
feed_flush(struct feed *f)
{
	roll(f, true);
}

void
feed_insert(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value, unsigned flags)
{
	/* Room first: what follows must find the chunk as it will be. */
	if (f->next[LANE_ROWS] == f->end[LANE_ROWS])
		feed_roll(f);
	if (time < f->sent)
		time = f->sent;
	struct record *at = f->next[LANE_ROWS]++;
	for (; at > f->cur->records[LANE_ROWS] && at[-1].time > time; at--)
		*at = at[-1];
	*at = (struct record){
		.time = time,
		.value = value,
		.row = row,
		.col = (uint16_t)col,
		.event = (uint16_t)(f->event | flags),
		.chan = row * f->ncols + col,
	};
}

bool
feed_has(const struct feed *f, int64_t time, uint32_t row, uint32_t col)
{
	for (const struct record *r = f->next[LANE_ROWS]; r-- > f->cur->records[LANE_ROWS] && r->time >= time;)
		if ((r->row == row || (r->cpu && r->cpu == row)) && r->col == col)
			return true;
	return f->sent >= time;
}

bool
feed_failed(const struct feed *f)
{
	return atomic_load_explicit(&f->impl->failed, memory_order_relaxed);
}

int
feed_open(struct feed *f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink *sinks, size_t nsinks)
{
	*f = (struct feed){ .ncols = emu ? (uint32_t)emu->ncols : 0, .sent = -1 };
	struct feed_impl *im = f->impl = block_alloc(sizeof(*im));
	if (!im)
		return diag_no_memory(d);
	im->diag = d;
	pthread_mutex_init(&im->lock, NULL);
	pthread_cond_init(&im->arrived, NULL);
	pthread_cond_init(&im->freed, NULL);
	for (unsigned i = 0; i < FEED_CHUNKS; i++) {
		struct chunk *c = block_alloc(sizeof(*c));
		if (!c)
			return diag_no_memory(d);
		im->chunks[i] = c;
		im->idle[im->nidle++] = c;
	}
	use_chunk(f, im->idle[--im->nidle]);
	for (size_t i = 0; i < nsinks && i < FEED_SINKS_MAX; i++) {
		struct station *st = &im->stations[im->nstations++];
		st->ops = sinks[i].ops;
		st->self = block_alloc(st->ops->size ? st->ops->size : 1);
		if (!st->self)
			return diag_no_memory(d);
		int rc = st->ops->open(st->self, emu, dir, sinks[i].rows);
		if (rc < 0)
			return rc;
		st->opened = true;
	}
	return 0;
}

int
feed_start(struct feed *f, unsigned threads)
{
	struct feed_impl *im = f->impl;
	unsigned writers = 0;
	for (size_t i = 0; i < im->nstations; i++)
		writers += writes(&im->stations[i]);
	unsigned want = threads < 1 ? 1 : threads;
	want = want > writers ? writers : want;
	for (unsigned i = 0; i < want; i++) {
		struct worker *w = &im->workers[i];
		*w = (struct worker){ .impl = im, .number = i };
		int err = pthread_create(&w->thread, NULL, serve, w);
		if (err)
			return diag_error(im->diag, ERR_MEMORY, NULL, "cannot start a thread for the outputs: %s", strerror(err));
		pthread_mutex_lock(&im->lock);
		im->nworkers++;
		pthread_mutex_unlock(&im->lock);
	}
	return 0;
}

int
feed_close(struct feed *f, int64_t duration)
{
	struct feed_impl *im = f->impl;
	if (!im)
		return 0;
	if (f->cur) {
		for (int i = 0; i < LANES; i++)
			f->cur->n[i] = (size_t)(f->next[i] - f->cur->records[i]);
		hand_over(im, f->cur);
	}
	pthread_mutex_lock(&im->lock);
	im->done = true;
	pthread_cond_broadcast(&im->arrived);
	pthread_mutex_unlock(&im->lock);

	int rc = 0;
	for (unsigned i = 0; i < im->nworkers; i++)
		pthread_join(im->workers[i].thread, NULL);
	for (size_t i = 0; i < im->nstations && rc == 0; i++)
		rc = im->stations[i].rc;
	for (size_t i = 0; i < im->nstations; i++) {
		struct station *st = &im->stations[i];
		int err = st->opened ? st->ops->close(st->self, duration) : 0;
		if (rc == 0)
			rc = err;
		block_free(st->self);
	}
	for (unsigned i = 0; i < FEED_CHUNKS; i++)
		block_free(im->chunks[i]);
	pthread_mutex_destroy(&im->lock);
	pthread_cond_destroy(&im->arrived);
	pthread_cond_destroy(&im->freed);
	block_free(im);
	*f = (struct feed){ 0 };
	return rc;
}
