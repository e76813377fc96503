/* SPDX-License-Identifier: MIT */
#include "feed.h"

#include "arena.h"
#include "emu.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

struct chunk {
	unsigned readers; /* threads that have not finished with it */
	bool flush;       /* no chunk follows for a while, */
	int64_t next;     /* and no record before this time */
	struct batch batch;
	uint32_t odd[FEED_RECORDS];
	struct record records[FEED_RECORDS];
};

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
	struct feed_impl *impl;
	unsigned number;
	unsigned load; /* of its sinks */
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

static void
write_chunk(struct feed_impl *im, unsigned worker, const struct chunk *c)
{
	for (size_t i = 0; i < im->nstations; i++) {
		struct station *st = &im->stations[i];
		if (!st->load || st->worker != worker || st->rc < 0)
			continue;
		st->rc = st->ops->write(st->self, &c->batch);
		if (c->flush && st->rc == 0 && st->ops->flush)
			st->rc = st->ops->flush(st->self, c->next);
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
		pthread_mutex_unlock(&im->lock);

		write_chunk(im, w->number, c);

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
	if (c->readers == 0) /* the run failed before its threads began */
		im->idle[im->nidle++] = c;
	pthread_cond_broadcast(&im->arrived);
	pthread_mutex_unlock(&im->lock);
}

/* ---- Records. ---- */

static void
use_chunk(struct feed *f, struct chunk *c)
{
	f->cur = c;
	c->flush = false;
	c->batch = (struct batch){ .r = c->records, .odd = c->odd };
	f->next = f->event = c->records;
	f->end = c->records + FEED_RECORDS;
}

/* Hands over the first n records; moves the others to another chunk. */
static void
hand_over_some(struct feed *f, size_t n)
{
	struct chunk *c = f->cur;
	size_t have = (size_t)(f->next - c->records);
	size_t nodd = c->batch.nodd;
	use_chunk(f, take_idle(f->impl));
	memcpy(f->next, c->records + n, (have - n) * sizeof(struct record));
	f->next += have - n;
	while (c->batch.nodd && c->odd[c->batch.nodd - 1] >= n)
		c->batch.nodd--;
	for (size_t i = c->batch.nodd; i < nodd; i++)
		f->cur->odd[f->cur->batch.nodd++] = c->odd[i] - (uint32_t)n;
	c->batch.n = n;
	hand_over(f->impl, c);
}

void
feed_roll(struct feed *f)
{
	struct chunk *c = f->cur;
	size_t n = f->event ? (size_t)(f->event - c->records) : 0;
	bool whole = n > 0;
	c->batch.whole = whole;
	hand_over_some(f, whole ? n : (size_t)(f->next - c->records));
	if (!whole)
		f->event = NULL;
}

void
feed_flush(struct feed *f)
{
	struct chunk *c = f->cur;
	size_t n = (size_t)(f->next - c->records);
	c->next = n ? f->next[-1].time : 0;
	while (n && c->records[n - 1].time == c->next)
		n--;
	if (n == 0)
		return;
	c->batch.whole = c->flush = true;
	hand_over_some(f, n);
}

/* Adds an odd record. There must be room. */
static void
put_odd(struct feed *f, struct record r)
{
	struct batch *b = &f->cur->batch;
	assert(f->next && f->next < f->end);
	r.begins = f->next == f->event;
	f->cur->odd[b->nodd++] = (uint32_t)(f->next - f->cur->records);
	*f->next++ = r;
}

void
feed_put_odd(struct feed *f, const struct record *r)
{
	if (f->next == f->end)
		feed_roll(f);
	put_odd(f, *r);
}

size_t
feed_insert(struct feed *f, size_t at, const struct record *r)
{
	if (f->next == f->end)
		feed_roll(f);
	if (!f->event)
		return 0;
	struct record *to = f->event + at;
	uint32_t place = (uint32_t)(to - f->cur->records);
	struct batch *b = &f->cur->batch;
	size_t odd = b->nodd++;
	for (; odd && f->cur->odd[odd - 1] >= place; odd--)
		f->cur->odd[odd] = f->cur->odd[odd - 1] + 1;
	f->cur->odd[odd] = place;
	memmove(to + 1, to, (size_t)(f->next - to) * sizeof(*to));
	f->next++;
	*to = *r;
	to->begins = at == 0;
	to[1].begins = false;
	return 1;
}

void
feed_put_punctual(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value, int64_t before)
{
	feed_put_odd(f, &(struct record){ .time = time, .value = value, .row = row, .col = (uint16_t)col, .kind = RECORD_PUNCTUAL, .before = before });
}

void
feed_put_late(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value)
{
	const struct record r = { .time = time, .value = value, .row = row, .col = (uint16_t)col, .kind = RECORD_LATE };
	feed_put_odd(f, &r);
	f->next[-1].chan = row * f->ncols + col;
}

void
feed_put_event(struct feed *f, int64_t time, uint32_t thread, const uint8_t mcv[3], uint32_t size, const uint64_t payload[2])
{
	/* Both records must be in one chunk: hand over one that has room for one only. */
	if (f->end - f->next < 2)
		feed_roll(f);
	const struct record r = { .time = time, .kind = RECORD_EVENT };
	put_odd(f, r);
	put_odd(f, r);
	f->next[-2].value = (int64_t)payload[0];
	f->next[-2].row = thread;
	f->next[-2].col = (uint16_t)(mcv[0] | mcv[1] << 8);
	f->next[-1].value = (int64_t)payload[1];
	f->next[-1].row = size;
	f->next[-1].col = mcv[2];
}

/* ---- Life. ---- */

bool
feed_failed(const struct feed *f)
{
	return atomic_load_explicit(&f->impl->failed, memory_order_relaxed);
}

int
feed_open(struct feed *f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink_ops *const *sinks, size_t nsinks)
{
	*f = (struct feed){ .ncols = emu ? (uint32_t)emu->plan->ncols : 0 };
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
deal(struct feed_impl *im, bool dealt[], unsigned nworkers)
{
	struct station *heaviest = NULL;
	for (size_t i = 0; i < im->nstations; i++)
		if (im->stations[i].load && !dealt[i] && (!heaviest || im->stations[i].load > heaviest->load))
			heaviest = &im->stations[i];
	if (!heaviest)
		return false;
	struct worker *least = im->workers;
	for (unsigned i = 1; i < nworkers; i++)
		if (im->workers[i].load < least->load)
			least = &im->workers[i];
	dealt[heaviest - im->stations] = true;
	heaviest->worker = (unsigned)(least - im->workers);
	least->load += heaviest->load;
	return true;
}

int
feed_start(struct feed *f, unsigned threads)
{
	struct feed_impl *im = f->impl;
	unsigned writers = 0;
	for (size_t i = 0; i < im->nstations; i++)
		writers += im->stations[i].load > 0;
	unsigned want = threads < 1 ? 1 : threads;
	want = want > writers ? writers : want;
	bool dealt[FEED_SINKS_MAX] = { false };
	while (deal(im, dealt, want))
		continue;
	for (unsigned i = 0; i < want; i++) {
		struct worker *w = &im->workers[i];
		w->impl = im;
		w->number = i;
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
	if (f->cur && f->next > f->cur->records) {
		f->cur->batch.n = (size_t)(f->next - f->cur->records);
		f->cur->batch.whole = true;
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
