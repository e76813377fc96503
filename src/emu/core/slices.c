/* SPDX-License-Identifier: MIT */
/* slices: all parts emulate a slice of time, and what they print and say is merged. */
#include "part.h"

enum {
	SLICE_OF_ROOM = 2, /* a slice should fill that part of the room of who has most to do, and no part should fill its own */
};

#define PART_MASK ((UINT64_C(1) << PART_BITS) - 1)
#define KEY_FAR (UINT64_MAX - PART_MASK) /* and above: later than this slice, or nothing at all */
#define SPAN_MAX (INT64_C(1) << (62 - PART_BITS))

/* ---- Order: (time, part). ---- */

static inline uint64_t
key_of(int64_t base, int64_t time, uint32_t part)
{
	uint64_t ahead = time < base ? 0 : (uint64_t)time - (uint64_t)base;
	return (ahead < (uint64_t)SPAN_MAX * 2 ? ahead << PART_BITS : KEY_FAR) | part;
}

/* The end of the records of a part that stand before its next note. */
static inline const struct record *
end_of_records(const struct part *p)
{
	const struct feed *f = &p->emu.feed;
	return __builtin_expect(p->noted < f->nnotes, 0) ? f->own + f->notes[p->noted].at : f->next;
}

/* The key of the next record of a part, or note. */
static inline uint64_t
next_key(const struct parts *m, uint32_t part)
{
	const struct part *p = m->part[part];
	const struct feed *f = &p->emu.feed;
	const struct record *r = f->own + p->merged;
	if (__builtin_expect(r < end_of_records(p), 1))
		return key_of(m->base, r->time, part);
	return p->noted < f->nnotes ? key_of(m->base, f->notes[p->noted].time, part) : UINT64_MAX;
}

/* ---- A tree of losers, as in merge.c. ---- */

int
slices_init(struct parts *m, uint32_t n)
{
	m->nleaves = 1;
	while (m->nleaves < n)
		m->nleaves *= 2;
	m->losers = block_alloc(m->nleaves * sizeof(*m->losers));
	return m->losers ? 0 : -ERR_MEMORY;
}

static uint64_t
play(struct parts *m, uint32_t node)
{
	if (node >= m->nleaves)
		return node - m->nleaves < m->n ? next_key(m, node - m->nleaves) : UINT64_MAX;
	uint64_t a = play(m, node * 2);
	uint64_t b = play(m, node * 2 + 1);
	m->losers[node] = a < b ? b : a;
	return a < b ? a : b;
}

/* Puts the new key of a part in its place. Returns the lowest of all. */
static inline uint64_t
replay(uint64_t *restrict losers, uint32_t node, uint64_t key)
{
	for (; node >= 1; node /= 2) {
		uint64_t other = losers[node];
		uint64_t best = other < key ? other : key;
		losers[node] = other ^ key ^ best;
		key = best;
	}
	return key;
}

/* Hands over a part's records of an instant, which follow each other, or a note. */
static inline void
hand_over(struct feed *to, struct part *p)
{
	const struct feed *f = &p->emu.feed;
	const struct record *r = f->own + p->merged;
	const struct record *end = end_of_records(p);
	if (__builtin_expect(r < end, 1))
		p->merged = (size_t)(feed_append(to, r, end) - f->own);
	else
		feed_put_note(to, &f->notes[p->noted++]);
}

/* Hands over records and notes up to a key. */
static void
merge_records(struct parts *m, uint64_t limit)
{
	const uint32_t nleaves = m->nleaves;
	struct feed *f = &m->emu->feed;
	uint64_t key = play(m, 1);
	limit = limit < KEY_FAR ? limit : KEY_FAR - 1;
	while (key <= limit) {
		uint32_t i = (uint32_t)(key & PART_MASK);
		hand_over(f, m->part[i]);
		key = replay(m->losers, (i + nleaves) / 2, next_key(m, i));
	}
}

/* Before the window that is shown: all parts drop what they have. */
static void
drop_records(struct parts *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		struct part *p = m->part[i];
		p->merged = (size_t)(p->emu.feed.next - p->emu.feed.own);
		p->noted = p->emu.feed.nnotes;
	}
}

/* Passes on what parts have to say up to a key. */
static void
merge_sayings(struct parts *m, uint64_t limit)
{
	for (;;) {
		struct part *first = NULL;
		uint64_t best = UINT64_MAX;
		for (uint32_t i = 0; i < m->n; i++) {
			const struct saying *n = m->part[i]->first;
			uint64_t key = n ? key_of(m->base, n->time, i) : UINT64_MAX;
			first = key < best ? m->part[i] : first;
			best = key < best ? key : best;
		}
		if (!first || best > limit)
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
	m->span = want < 1 ? 1 : want > (double)SPAN_MAX ? SPAN_MAX
							 : (int64_t)want;
	m->most = 0;
}

/* Begins the next slice, where the first event is that is left. Returns whether there is one to be shown. */
static bool
begin_slice(struct parts *m)
{
	struct emu *emu = m->emu;
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct round *r = &m->part[i]->emu.merge.round;
		if (r->nstreams && r->base < first)
			first = r->base;
	}
	if (first == UINT64_MAX || !cut_enter(emu, (int64_t)first - emu->start))
		return false;
	adapt(m);
	m->base = (int64_t)first - emu->start;
	if (__builtin_add_overflow(m->base, m->span, &m->bound))
		m->bound = INT64_MAX;
	m->bound = cut_bound(emu, m->bound);
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

/* All parts that are behind emulate some of the slice. Before everything else, as all wait for it. */
static void
emulate(struct parts *m)
{
	struct crew *crew = flow_crew(m->emu->feed.flow);
	crew_lock(crew);
	for (uint32_t i = 0; i < m->n; i++) {
		struct part *p = m->part[i];
		p->ntimes = 0;
		if (p->reached >= m->bound || p->rc < 0)
			continue;
		p->job.run = run_job;
		p->job.done = end_job;
		m->nbusy++;
		crew_add(crew, &p->job);
	}
	crew_unlock(crew);
	crew_lock(crew);
	crew_wait(crew, are_done, m);
	crew_unlock(crew);
}

/* Emulates some of the slice, and hands over what all parts have done. Returns 1 the slice is not over, 0 it is, <0: a part has
 * failed, and all that is before it was handed over. */
static int
step(struct parts *m)
{
	struct emu *emu = m->emu;
	emulate(m);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct part *p = m->part[i];
		uint64_t n = (uint64_t)(p->emu.feed.next - p->emu.feed.own);
		n = n > p->ntimes ? n : p->ntimes;
		emu->nevents += p->ntimes;
		m->most = n > m->most ? n : m->most;
		if (emu->density.n && !emu->feed.drops)
			density_count(&emu->density, p->times, p->ntimes, emu->plan->window.zero);
	}
	uint32_t slowest = find_slowest(m);
	const struct part *p = m->part[slowest];
	uint64_t limit = p->reached < m->bound ? key_of(m->base, p->reached, slowest) : KEY_FAR - 1;
	merge_sayings(m, limit);
	if (emu->feed.drops)
		drop_records(m);
	else
		merge_records(m, limit);
	return p->reached >= m->bound ? 0 : p->rc < 0 ? p->rc
						      : 1;
}

/* What one event after the other is looked at for in emu_run(). */
static int
look_up(const struct parts *m, bool over)
{
	const struct emu *emu = m->emu;
	const struct emu_options *o = &emu->plan->options;
	if (over && o->stop && *o->stop)
		return -ERR_INTERRUPTED;
	if (over && feed_failed(&emu->feed))
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
	if (p->rc == EMU_AGAIN)
		*l = p->learned;
	else
		l->whole = true;
	return EMU_AGAIN;
}

int
parts_run(struct emu *emu)
{
	struct parts *m = emu->parts;
	int rc = 0;
	while (rc == 0 && begin_slice(m)) {
		for (uint32_t i = 0; i < m->n; i++)
			m->part[i]->reached = m->part[i]->emu.merge.round.nstreams ? m->base : INT64_MAX;
		do
			rc = step(m);
		while (rc > 0 && (rc = look_up(m, false)) == 0);
		rc = rc < 0 ? give_up(m) : look_up(m, true);
	}
	emu->nevents = 0;
	for (uint32_t i = 0; i < m->n; i++)
		part_add_up(m->part[i]);
	if (rc == 0 && !emu->left)
		cut_end(emu);
	if (emu->density.n && !emu->feed.drops)
		(void)density_next(&emu->density, emu->time - emu->plan->window.zero, emu->nevents);
	return rc ? rc : emu->left;
}
