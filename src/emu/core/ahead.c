/* SPDX-License-Identifier: MIT */
#include "ahead.h"

#include "crew.h"
#include "emu.h"

enum {
	THREADS_MIN = 3,    /* of two one emulates, and the other has enough to do with lines and windows (refill.h), */
	MANY_STREAMS = 256, /* unless each event of so many streams misses the cache: then it is worth it for two */
	EVENTS = 1 << 14,   /* read ahead, about, */
	RING_MIN = 4,       /* in so many rounds at least: if these are larger, there are too many streams, */
	RING_MAX = 32,      /* or at most */
	LINE = 64,          /* bytes that are loaded at a time */
};

struct ahead {
	struct job job;
	struct crew *crew;
	struct trace *trace;
	struct diag mute;  /* the job says nothing: what fails is done again */
	struct round next; /* is made */
	bool busy;         /* the job was added */
	uint32_t nring;
	uint64_t made, given; /* rounds out of the ring */
	struct round ring[RING_MAX];
};

/* Makes rounds while there is room for them and nothing may fail. */
static void
run(struct job *t)
{
	struct ahead *a = (struct ahead *)t;
	struct diag *d = a->trace->readers.diag;
	uint64_t room = 0;
	bool goes_on = true;
	a->trace->readers.diag = &a->mute;
	a->next.looks = a->next.copying = true;
	do {
		if (room == 0) {
			crew_lock(a->crew);
			room = a->nring - (a->made - a->given);
			crew_unlock(a->crew);
		}
		goes_on = room && round_next(&a->next, a->trace) == 1;
		if (goes_on) {
			round_swap(&a->next, &a->ring[a->made % a->nring]);
			crew_lock(a->crew);
			a->made++;
			crew_unlock(a->crew);
			room--;
		}
	} while (goes_on && !a->next.due);
	a->next.looks = false;
	a->trace->readers.diag = d;
}

static void
done(struct job *t)
{
	((struct ahead *)t)->busy = false;
}

static bool
is_ready(void *ahead)
{
	const struct ahead *a = ahead;
	return a->made > a->given || !a->busy;
}

static bool
is_at_rest(void *ahead)
{
	return !((struct ahead *)ahead)->busy;
}

/* Has rounds made when somebody has nothing else to do, and there is room for many: he has to be woken. With the lock. */
static void
start(struct ahead *a)
{
	if (a->busy || !a->crew->nidle || a->next.due || a->made - a->given > a->nring / 2)
		return;
	a->busy = true;
	crew_add(a->crew, &a->job);
}

/* Loads a round into the cache, as another processor has made it and its events are not taken in the order in which they lie. */
static void
load(const struct round *r)
{
	for (const struct event *ev = r->events; ev < r->events + r->n; ev += LINE / sizeof(*ev))
		__builtin_prefetch(ev);
}

/* See merge.h. */
static int
fetch(void *arg, struct round *r)
{
	struct ahead *a = arg;
	crew_lock(a->crew);
	crew_wait(a->crew, is_ready, a, false);
	bool ready = a->made > a->given;
	if (!ready)
		a->next.copying = a->crew->nidle > 0;
	if (ready) {
		load(&a->ring[a->given % a->nring]);
		round_swap(&a->ring[a->given++ % a->nring], r);
		start(a);
	}
	crew_unlock(a->crew);
	if (ready)
		return 1;
	/* While all are busy, this is as with one thread. */
	int rc = round_next(&a->next, a->trace);
	if (rc > 0)
		round_swap(&a->next, r);
	if (rc > 0 && !r->pinned) {
		crew_lock(a->crew);
		start(a);
		crew_unlock(a->crew);
	}
	return rc;
}

static int
make_ring(struct ahead *a, struct round *first)
{
	uint32_t n = EVENTS / first->target;
	a->nring = n < RING_MAX ? n : RING_MAX;
	a->next = *first;
	int rc = round_add_copies(&a->next, a->trace);
	for (uint32_t i = 0; i <= a->nring && rc == 0; i++) {
		struct round *r = i < a->nring ? &a->ring[i] : first;
		*r = (struct round){ .cap = a->next.cap };
		rc = round_add_copies(r, a->trace);
	}
	return rc;
}

int
ahead_open(struct emu *emu)
{
	struct merge *m = &emu->merge;
	struct crew *crew = flow_crew(emu->feed.flow);
	const unsigned least = m->trace->nstreams < MANY_STREAMS ? THREADS_MIN : 2;
	if (!m->rounds || crew->nthreads + 1 < least || EVENTS / m->round.target < RING_MIN)
		return 0;
	struct ahead *a = emu->ahead = arena_new(&emu->arena, struct ahead, 1);
	if (!a)
		return diag_no_memory(emu->diag);
	*a = (struct ahead){ .job = { .run = run, .done = done }, .crew = crew, .trace = m->trace, .mute = { .level = DIAG_MUTE } };
	if (crew->stats) {
		crew->stats->stages[STAGE_EMULATE].name = "emulating";
		a->job.stage = stats_add(crew->stats, "reading, merging", 1);
	}
	m->fetch = fetch;
	m->fetch_arg = a;
	return make_ring(a, &m->round);
}

void
ahead_rest(struct ahead *a)
{
	if (!a)
		return;
	crew_lock(a->crew);
	crew_wait(a->crew, is_at_rest, a, false);
	crew_unlock(a->crew);
}
