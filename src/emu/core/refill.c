/* SPDX-License-Identifier: MIT */
#include "refill.h"

#include "crew.h"
#include "emu.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	SECOND_ALL = 24 * 1024 * 1024, /* second windows together, at most, in bytes */
	FRONT = 8,                     /* that part of a window is left free for what the last one still holds */
};

#define NONE UINT32_MAX

enum state {
	IDLE,
	ASKED, /* it is in the list, and to be read */
	READING,
	READ,
};

/* The second window of a stream. The lock of the crew guards its state, and the list. */
struct second {
	uint8_t *buf;
	bool lent;    /* as that of a reader */
	uint64_t pos; /* where in the file it is read, */
	ssize_t n;    /* and how many bytes came */
	enum state state;
	bool listed;
	uint32_t next; /* of the list */
};

struct refill {
	struct job job;
	struct crew *crew;
	struct trace *trace;
	size_t window;
	bool busy;            /* the job was added */
	uint32_t first, last; /* ranks of streams, as they asked */
	struct second *seconds;
};

static uint32_t
pop(struct refill *f)
{
	uint32_t rank = f->first;
	if (rank != NONE) {
		f->first = f->seconds[rank].next;
		f->seconds[rank].listed = false;
	}
	return rank;
}

/* Reads all windows that were asked for. */
static void
run(struct job *t)
{
	struct refill *f = (struct refill *)t;
	size_t front = f->window / FRONT;
	crew_lock(f->crew);
	for (uint32_t rank = pop(f); rank != NONE; rank = pop(f)) {
		struct second *s = &f->seconds[rank];
		if (s->state != ASKED)
			continue;
		s->state = READING;
		crew_unlock(f->crew);
		do
			s->n = pread(f->trace->streams[rank].in.fd, s->buf + front, f->window - front, (off_t)s->pos);
		while (s->n < 0 && errno == EINTR);
		crew_lock(f->crew);
		s->state = READ;
	}
	crew_unlock(f->crew);
}

/* One may have been asked for since. */
static void
done(struct job *t)
{
	struct refill *f = (struct refill *)t;
	f->busy = f->first != NONE;
	if (f->busy)
		crew_add(f->crew, t);
}

static bool
is_read(void *second)
{
	return ((struct second *)second)->state != READING;
}

/* See reader.h. */
static bool
take(void *arg, struct reader *r)
{
	struct refill *f = arg;
	struct second *s = &f->seconds[((struct stream *)r)->rank];
	size_t front = f->window / FRONT;
	size_t have = (size_t)(r->end - r->p);
	crew_lock(f->crew);
	crew_wait(f->crew, is_read, s, false);
	bool good = s->state == READ && s->n > 0 && have <= front;
	s->state = IDLE;
	crew_unlock(f->crew);
	if (!good)
		return false;
	uint8_t *buf = s->buf;
	bool lent = s->lent;
	s->buf = r->buf;
	s->lent = r->lent;
	r->base = reader_offset(r) + have - front; /* modulo 2^64: the front of the first window is before the stream */
	if (have)
		memcpy(buf + front - have, r->p, have);
	r->buf = buf;
	r->lent = lent;
	r->cap = f->window; /* the other one may have grown */
	r->p = buf + front - have;
	r->end = buf + front + s->n;
	r->file_pos += (uint64_t)s->n;
	return true;
}

/* See reader.h. */
static void
ask(void *arg, const struct reader *r)
{
	struct refill *f = arg;
	uint32_t rank = ((const struct stream *)r)->rank;
	struct second *s = &f->seconds[rank];
	if (r->file_pos >= r->file_size)
		return;
	crew_lock(f->crew);
	s->state = ASKED;
	s->pos = r->file_pos;
	if (!s->listed) {
		*(f->first == NONE ? &f->first : &f->seconds[f->last].next) = rank;
		f->last = rank;
		s->next = NONE;
		s->listed = true;
	}
	if (!f->busy)
		crew_add(f->crew, &f->job);
	f->busy = true;
	crew_unlock_quietly(f->crew);
}

static bool
is_plain(const struct refill *f, const struct reader *r)
{
	return r->keep_open && !r->codec && !r->parts && r->cap == f->window;
}

/* Gives streams second windows. Returns 0, or -ERR_MEMORY (reported). */
static int
add_seconds(struct refill *f, size_t n)
{
	struct trace *t = f->trace;
	size_t apart = f->window + READER_APART;
	uint8_t *buf = arena_new(&t->arena, uint8_t, n * apart);
	f->seconds = arena_new(&t->arena, struct second, t->nstreams);
	if (!buf || !f->seconds)
		return diag_no_memory(t->diag);
	for (size_t i = 0; i < t->nstreams; i++) {
		struct reader *in = &t->streams[i].in;
		in->ahead = is_plain(f, in);
		f->seconds[i] = (struct second){ .buf = in->ahead ? buf : NULL, .lent = true };
		buf += in->ahead ? apart : 0;
	}
	return 0;
}

int
refill_open(struct emu *emu)
{
	struct trace *t = emu->merge.trace;
	struct refill *f;
	struct crew *crew = flow_crew(emu->feed.flow);
	struct refill like = { .job.run = run, .job.done = done, .crew = crew, .trace = t, .window = t->readers.window, .first = NONE };
	size_t n = 0;
	for (size_t i = 0; i < t->nstreams; i++)
		n += is_plain(&like, &t->streams[i].in);
	if (n == 0 || n > SECOND_ALL / like.window || crew->nthreads != 1 || emu->parts || emu->ahead)
		return 0;
	f = emu->refill = arena_new(&t->arena, struct refill, 1);
	if (!f)
		return diag_no_memory(emu->diag);
	*f = like;
	int rc = add_seconds(f, n);
	if (rc < 0)
		return rc;
	if (crew->stats) {
		crew->stats->stages[STAGE_EMULATE].name = "merging, emulating";
		f->job.stage = stats_add(crew->stats, "reading", 1);
	}
	t->readers.take = take;
	t->readers.ask = ask;
	t->readers.other = f;
	for (size_t i = 0; i < t->nstreams; i++)
		if (t->streams[i].in.ahead)
			ask(f, &t->streams[i].in);
	return 0;
}

void
refill_close(struct refill *f)
{
	for (size_t i = 0; f && f->seconds && i < f->trace->nstreams; i++)
		if (!f->seconds[i].lent)
			block_free(f->seconds[i].buf);
}
