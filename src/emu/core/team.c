/* SPDX-License-Identifier: MIT */
/* team: the slices of several processes. */
#include "teamwork.h"

#include <assert.h>
#include <string.h>
#include <time.h>

enum {
	PARTS_OF_BUSY = 4,  /* of two processes the first one has one of so many parts, if it has much else to do */
	LEFT_MAX = 1 << 22, /* records that a process may keep while there is no such place */
};

/* What all agree on behind each step: the least of what each has, or, of a complement, the most. */
enum agreed {
	SLOWEST,    /* key of the slowest part that has not done with the slice; the last bit: it has not failed */
	UNTIL,      /* all records before that time are known; INT64_MAX: all of the slice */
	FIRST,      /* as parts_first() */
	NOT_MOST,   /* as parts.most */
	NOT_LEFT,   /* records that are kept */
	NOT_FAILED, /* enum failure */
	NOT_STOP,   /* signal */
	NOT_SAID,   /* whether a part that is not of rank 0 has something to say */
	AGREED,
};

enum failure {
	FAILED_SINK = 1, /* of rank 0: it knows what that means, and has told */
	FAILED_TEXT,
};

/* ---- Parts. ---- */

/* Whether rank 0 writes files that only one thread can write, and has no other threads for the rest. */
static bool
is_uneven(const struct emu_options *o)
{
	return o->threads < MANY_THREADS && (o->outputs & OUTPUTS_OF_USCOPE || o->breakdown);
}

uint32_t
team_count_parts(const struct emu_options *o, uint32_t each)
{
	uint32_t n = each * o->team->n;
	return o->team->n == 2 && is_uneven(o) ? n * 2 : n;
}

/* Rank 0 has few, if it has much else to do. */
uint32_t
team_first_part(const struct parts *m, unsigned rank)
{
	const unsigned n = m->team->n;
	uint32_t first = !is_uneven(&m->emu->plan->options) ? m->nparts / n : n == 2 ? m->nparts / PARTS_OF_BUSY
										     : 0;
	assert(n > 1);
	return rank ? first + (uint32_t)((uint64_t)(m->nparts - first) * (rank - 1) / (n - 1)) : 0;
}

bool
team_has_part(const struct parts *m, uint32_t part)
{
	return part >= team_first_part(m, m->team->rank) && part < team_first_part(m, m->team->rank + 1);
}

/* ---- What all agree on. ---- */

uint64_t
teamwork_now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
look_at_part(const struct parts *m, uint32_t i, uint64_t v[AGREED])
{
	const struct part *p = m->part[i];
	const struct feed *f = &p->emu.feed;
	uint64_t nrecords = (uint64_t)(f->next - f->own);
	uint64_t key = p->reached < m->bound ? collate_key(m->base, p->reached, i) << 1 | (p->rc >= 0) : UINT64_MAX;
	uint64_t until = p->reached < m->bound ? (uint64_t)p->reached : INT64_MAX;
	uint64_t most = nrecords > p->ntimes ? nrecords : p->ntimes;
	v[NOT_MOST] = ~most < v[NOT_MOST] ? ~most : v[NOT_MOST];
	v[SLOWEST] = key < v[SLOWEST] ? key : v[SLOWEST];
	v[UNTIL] = until < v[UNTIL] ? until : v[UNTIL];
	v[NOT_LEFT] -= nrecords;
	if (p->first && m->team->rank)
		v[NOT_SAID] = ~UINT64_C(1);
}

static void
agree(struct parts *m, uint64_t v[AGREED])
{
	struct team *t = m->team;
	const struct feed *f = &m->emu->feed;
	memset(v, 0xff, AGREED * sizeof(*v));
	v[UNTIL] = INT64_MAX;
	v[FIRST] = parts_first(m);
	for (uint32_t i = 0; i < m->n; i++)
		if (team_has_part(m, i))
			look_at_part(m, i, v);
	v[NOT_MOST] = ~m->most < v[NOT_MOST] ? ~m->most : v[NOT_MOST];
	bool lacks = m->work->lost || flow_lacks_text(f->flow);
	v[NOT_FAILED] = ~(uint64_t)(lacks ? FAILED_TEXT : feed_failed(f) ? FAILED_SINK
									 : 0);
	v[NOT_STOP] = ~(uint64_t)*t->stop;
	teamwork_join(m, v, AGREED);
	m->most = ~v[NOT_MOST];
	m->work->first = v[FIRST];
}

/* All learn what the part has learned that has failed. */
static int
fail(struct parts *m, uint64_t slowest)
{
	struct learned *l = m->emu->learned;
	enum {
		WORDS = (sizeof(*l) + sizeof(uint64_t) - 1) / sizeof(uint64_t),
	};
	uint64_t v[WORDS + 1] = { 0 };
	for (uint32_t i = 0; i < m->n; i++) {
		const struct part *p = m->part[i];
		if (!team_has_part(m, i) || p->reached >= m->bound || collate_key(m->base, p->reached, i) != slowest >> 1 || p->rc != EMU_AGAIN)
			continue;
		v[WORDS] = 1;
		memcpy(v, &p->learned, sizeof(*l));
	}
	team_reduce(m->team, TEAM_EITHER, v, WORDS + 1);
	if (v[WORDS])
		memcpy(l, v, sizeof(*l));
	else
		l->whole = true;
	return EMU_AGAIN;
}

/* ---- Who gets them. ---- */

/* Swaps boxes: n[r] of process r. */
static void
swap(struct parts *m, const size_t *n)
{
	struct teamwork *w = m->work;
	uint64_t begin = teamwork_now();
	m->team->swap(m->team, n, w->give, w->take);
	w->waited_ns += teamwork_now() - begin;
}

const struct team_box *
teamwork_swap(struct parts *m)
{
	struct team *t = m->team;
	struct teamwork *w = m->work;
	for (unsigned r = 0; r < t->n; r++) {
		struct parcel *p = &w->parcels[r];
		w->give[r] = (struct team_box){ p->data, p->failed ? 0 : p->used };
		w->lost = w->lost || p->failed;
	}
	swap(m, w->one);
	t->settle(t);
	for (unsigned r = 0; r < t->n; r++)
		w->parcels[r].used = 0;
	return w->take;
}

/* Records of a part that were taken, in some pieces. */
static struct team_box
find_pieces(const struct parts *m, uint32_t part, unsigned first, unsigned end)
{
	const struct teamwork *w = m->work;
	struct record *own = m->part[part]->out.own;
	const struct record *r = collate_find_time(own, w->ends[part], w->cuts[first]);
	const struct record *behind = collate_find_time(r, w->ends[part], w->cuts[end]);
	return (struct team_box){ own + (r - own), (size_t)(behind - r) * sizeof(*r) };
}

/* Swaps the records of parts, which go to the process that formats them, and all to rank 0, if it wants them. */
static void
swap_records(struct parts *m)
{
	const struct team *t = m->team;
	struct teamwork *w = m->work;
	struct team_box *to = w->give;
	for (unsigned r = 0; r < t->n; r++)
		for (uint32_t i = team_first_part(m, t->rank); i < team_first_part(m, t->rank + 1); i++)
			*to++ = find_pieces(m, i, r, r == 0 && w->wants_all ? t->n : r + 1);
	swap(m, w->nparts);
	for (uint32_t i = 0; i < m->n; i++) {
		struct feed *out = &m->part[i]->out;
		if (team_has_part(m, i))
			continue;
		out->own = w->take[i].data;
		out->next = out->own + w->take[i].size / sizeof(struct record);
	}
}

void
team_merge(struct parts *m)
{
	const struct team *t = m->team;
	struct teamwork *w = m->work;
	struct feed *f = &m->emu->feed;
	bool all = w->wants_all && t->rank == 0;
	if (w->cuts[0] == w->cuts[t->n]) { /* there are no records */
		parts_merge(m);
		return;
	}
	for (uint32_t i = 0; i < m->n; i++)
		w->ends[i] = m->part[i]->out.next;
	swap_records(m);
	for (uint32_t i = 0; i < m->n; i++)
		w->ends[i] = m->part[i]->out.next;
	for (unsigned k = t->rank; k < (all ? t->n : t->rank + 1); k++) {
		if (w->cuts[k] == w->cuts[k + 1])
			continue;
		for (uint32_t i = 0; i < m->n; i++) {
			struct part *p = m->part[i];
			struct team_box piece = find_pieces(m, i, k, k + 1);
			struct record *first = piece.data;
			p->merged = (size_t)(first - p->out.own);
			p->out.next = first + piece.size / sizeof(*first);
		}
		f->elsewhere = k != t->rank;
		parts_merge(m);
		feed_cut(f);
	}
	f->elsewhere = false;
	for (uint32_t i = 0; i < m->n; i++) {
		struct part *p = m->part[i];
		if (!team_has_part(m, i))
			p->out = (struct feed){ 0 };
		p->out.next = p->out.own;
		p->merged = 0;
	}
	parts_merge(m); /* counts events, if there was no piece for this process */
}

/* ---- Slices. ---- */

/* The parts of this process keep their records where the others can read them, if they can. */
static void
share_records(struct parts *m)
{
	struct team *t = m->team;
	const size_t n = part_count_lent(m);
	struct record *records = t->share(t, m->work->nparts[t->rank] * n * sizeof(*records));
	for (uint32_t i = 0; records && i < m->n; i++) {
		if (!team_has_part(m, i))
			continue;
		part_lend(m->part[i], records);
		records += n;
	}
}

void
team_begin(struct parts *m, uint64_t first)
{
	struct teamwork *w = m->work;
	share_records(m);
	const struct flow *f = m->emu->feed.flow;
	uint64_t v[1 + SINK_FILES] = { flow_wants_all(f) };
	flow_begun(f, v + 1);
	team_reduce(m->team, TEAM_SUM, v, 1 + SINK_FILES);
	team_reduce(m->team, TEAM_LEAST, &first, 1);
	w->first = first;
	w->wants_all = v[0];
	memcpy(w->written, v + 1, sizeof(w->written));
}

int64_t
team_begin_slice(struct parts *m)
{
	struct teamwork *w = m->work;
	w->from = m->base;
	w->to = m->bound;
	return m->base < w->begin ? m->base : w->begin;
}

uint64_t
team_first(const struct parts *m)
{
	return m->work->first;
}

/* The slice is not over, as it has more records than there is room for: another step as long as this one is divided next, not all that is left. */
static void
narrow(struct parts *m, int64_t until)
{
	struct teamwork *w = m->work;
	int64_t step = until > w->from ? until - w->from : 1;
	w->from = until > w->from ? until : w->from;
	if (__builtin_add_overflow(w->from, step, &w->to) || w->to > m->bound)
		w->to = m->bound;
}

int
team_take(struct parts *m)
{
	struct teamwork *w = m->work;
	uint64_t v[AGREED];
	flow_settle(m->emu->feed.flow); /* here, as all wait for the last in agree() */
	agree(m, v);
	bool over = v[SLOWEST] == UINT64_MAX;
	if (~v[NOT_FAILED] == FAILED_TEXT || ~v[NOT_LEFT] > LEFT_MAX) {
		m->emu->learned->whole = true;
		return EMU_AGAIN;
	}
	if (!(v[SLOWEST] & 1))
		return fail(m, v[SLOWEST]);
	if (over && ~v[NOT_STOP]) {
		*m->team->stop = (sig_atomic_t)~v[NOT_STOP];
		w->stopped = -ERR_INTERRUPTED;
	} else if (over && ~v[NOT_FAILED]) {
		w->stopped = -ERR_WRITE;
	}
	int64_t until = !over ? (int64_t)v[UNTIL] : w->stopped || w->first == UINT64_MAX ? INT64_MAX
											 : m->bound;
	teamwork_sum_up(m);
	if (~v[NOT_SAID])
		teamwork_say(m, until);
	parts_say(m, collate_key(m->base, until, 0));
	teamwork_divide(m, until);
	if (!over)
		narrow(m, until);
	m->since = m->base;
	for (uint32_t i = 0; i < m->n; i++) {
		struct part *p = m->part[i];
		if (!team_has_part(m, i))
			continue;
		parts_take(m, i, collate_key(m->base, w->cuts[m->team->n], 0));
		p->left = (size_t)(p->emu.feed.next - p->emu.feed.own);
		w->lost = w->lost || p->emu.feed.lost;
	}
	return over ? 0 : 1;
}

int
team_look_up(const struct parts *m)
{
	return m->work->stopped;
}

int
team_finish(struct parts *m)
{
	struct teamwork *w = m->work;
	struct flow *f = m->emu->feed.flow;
	feed_cut(&m->emu->feed); /* first lines, if there was no event */
	flow_settle(f);
	uint64_t none = 0;
	teamwork_join(m, &none, 1);
	teamwork_sum_up(m);
	flow_settle(f);
	flow_unite(f, m->team);
	int rc = teamwork_report(m);
	uint64_t failed = rc < 0 || w->lost || flow_lacks_text(f);
	team_reduce(m->team, TEAM_EITHER, &failed, 1);
	if (!failed)
		return 0;
	m->emu->learned->whole = true;
	return EMU_AGAIN;
}

/* ---- Life. ---- */

int
team_open(struct parts *m)
{
	size_t n = m->team->n;
	struct teamwork *w = m->work = block_alloc(sizeof(*w));
	if (!w)
		return -ERR_MEMORY;
	w->cuts = block_alloc((n + 1) * sizeof(*w->cuts));
	w->shares = block_alloc(n * sizeof(*w->shares));
	w->parcels = block_alloc(n * sizeof(*w->parcels));
	w->one = block_alloc(n * sizeof(*w->one));
	w->nparts = block_alloc(n * sizeof(*w->nparts));
	w->give = block_alloc(n * (m->nparts + 1) * sizeof(*w->give));
	w->take = block_alloc((n + m->nparts) * sizeof(*w->take));
	w->ends = block_alloc(m->nparts * sizeof(const struct record *));
	if (teamwork_make_numbers(w, n) < 0 || !w->ends || !w->cuts || !w->shares)
		return -ERR_MEMORY;
	if (!w->parcels || !w->one || !w->nparts || !w->give || !w->take)
		return -ERR_MEMORY;
	for (unsigned r = 0; r < n; r++) {
		w->shares[r] = 1;
		w->one[r] = 1;
		w->nparts[r] = team_first_part(m, r + 1) - team_first_part(m, r);
	}
	return 0;
}

void
team_close(struct parts *m)
{
	struct teamwork *w = m->work;
	if (!w)
		return;
	for (unsigned r = 0; w->parcels && r < m->team->n; r++)
		block_free(w->parcels[r].data);
	block_free(w->ends);
	block_free(w->numbers.sums);
	block_free(w->cuts);
	block_free(w->shares);
	block_free(w->parcels);
	block_free(w->one);
	block_free(w->nparts);
	block_free(w->give);
	block_free(w->take);
	block_free(w);
}
