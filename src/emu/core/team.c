/* SPDX-License-Identifier: MIT */
/* team: the slices of several processes. */
#include "teamwork.h"

#include <assert.h>
#include <string.h>

enum {
	LOOK_BACK = 64,       /* ns before an instant in which a place to divide the records is sought */
	BINS_OF_PROCESS = 32, /* as exactly as that is time divided into pieces of the same work, */
	BINS_MAX = 4096,
	DONE = 2,
	LEFT_MAX = 1 << 22, /* records that a process may keep while there is no such place */
};

/* What all agree on behind each step: the least of what each has, or, of a complement, the most. */
enum agreed {
	SLOWEST,    /* key of the slowest part that has not done with the slice; the last bit: it has not failed */
	UNTIL,      /* all records before that time are known */
	NOT_MOST,   /* as parts.most */
	NOT_LAST,   /* time of the last record */
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

uint32_t
team_first_part(const struct parts *m, unsigned rank)
{
	assert(m->team->n);
	return (uint32_t)((uint64_t)m->nparts * rank / m->team->n);
}

bool
team_has_part(const struct parts *m, uint32_t part)
{
	return part >= team_first_part(m, m->team->rank) && part < team_first_part(m, m->team->rank + 1);
}

/* The first record that is not before a time, of some that are in order. */
static const struct record *
find_time(const struct record *r, const struct record *end, int64_t time)
{
	while (r < end) {
		const struct record *middle = r + (end - r) / 2;
		if (middle->time < time)
			r = middle + 1;
		else
			end = middle;
	}
	return r;
}

/* ---- What all agree on. ---- */

/* No record of the part before that time will come. */
static int64_t
known_until(const struct parts *m, const struct part *p)
{
	const struct round *r = &p->emu.merge.round;
	if (p->rc < 0 || p->reached < m->bound)
		return p->reached;
	return r->nstreams ? (int64_t)r->base - m->emu->start : INT64_MAX;
}

static void
look_at_part(const struct parts *m, uint32_t i, uint64_t v[AGREED])
{
	const struct part *p = m->part[i];
	const struct feed *f = &p->emu.feed;
	uint64_t nrecords = (uint64_t)(f->next - f->own);
	uint64_t key = p->reached < m->bound ? parts_key(m, p->reached, i) << 1 | (p->rc >= 0) : UINT64_MAX;
	uint64_t until = (uint64_t)known_until(m, p);
	uint64_t most = nrecords > p->ntimes ? nrecords : p->ntimes;
	v[NOT_MOST] = ~most < v[NOT_MOST] ? ~most : v[NOT_MOST];
	v[SLOWEST] = key < v[SLOWEST] ? key : v[SLOWEST];
	v[UNTIL] = until < v[UNTIL] ? until : v[UNTIL];
	v[NOT_LEFT] -= nrecords;
	if (nrecords && ~(uint64_t)f->next[-1].time < v[NOT_LAST])
		v[NOT_LAST] = ~(uint64_t)f->next[-1].time;
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
	for (uint32_t i = 0; i < m->n; i++)
		if (team_has_part(m, i))
			look_at_part(m, i, v);
	v[NOT_MOST] = ~m->most < v[NOT_MOST] ? ~m->most : v[NOT_MOST];
	bool lacks = m->work->lost || flow_lacks_text(f->flow);
	v[NOT_FAILED] = ~(uint64_t)(lacks ? FAILED_TEXT : feed_failed(f) ? FAILED_SINK
									 : 0);
	v[NOT_STOP] = ~(uint64_t)*t->stop;
	t->reduce(t, TEAM_LEAST, v, AGREED);
	m->most = ~v[NOT_MOST];
}

/* All learn what the part has learned that has failed. */
static int
fail(struct parts *m, uint64_t slowest)
{
	struct team *t = m->team;
	struct learned *l = m->emu->learned;
	enum {
		WORDS = (sizeof(*l) + sizeof(uint64_t) - 1) / sizeof(uint64_t),
	};
	uint64_t v[WORDS + 1] = { 0 };
	for (uint32_t i = 0; i < m->n; i++) {
		const struct part *p = m->part[i];
		if (!team_has_part(m, i) || p->reached >= m->bound || parts_key(m, p->reached, i) != slowest >> 1 || p->rc != EMU_AGAIN)
			continue;
		v[WORDS] = 1;
		memcpy(v, &p->learned, sizeof(*l));
	}
	t->reduce(t, TEAM_EITHER, v, WORDS + 1);
	if (v[WORDS])
		memcpy(l, v, sizeof(*l));
	else
		l->whole = true;
	return EMU_AGAIN;
}

/* ---- Where the records are divided. ---- */

/* Adds the records of a bin each, up to `end`. */
static void
count_records(const struct parts *m, uint64_t *bins, size_t n, int64_t width)
{
	const struct teamwork *w = m->work;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct feed *f = &m->part[i]->emu.feed;
		const struct record *r = f->own;
		for (size_t k = 0; k < n && r < f->next; k++) {
			const struct record *end = k + 1 < n ? find_time(r, f->next, w->begin + (int64_t)(k + 1) * width) : f->next;
			bins[k] += (uint64_t)(end - r);
			r = end;
		}
	}
}

/* Exchanges the sizes of texts and what was done, too; then what is kept has its place. */
static void
sum_up(struct parts *m, uint64_t *v, size_t nbins)
{
	struct team *t = m->team;
	struct teamwork *w = m->work;
	struct flow *f = m->emu->feed.flow;
	uint64_t *sizes = v + nbins;
	uint64_t *done = sizes + (size_t)t->n * SINK_FILES; /* events, bytes */
	flow_settle(f);
	flow_kept(f, sizes + (size_t)t->rank * SINK_FILES);
	done[0] = m->emu->nevents;
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t s = m->part[i]->begin; team_has_part(m, i) && s < m->part[i]->end; s++)
			done[1] += stream_consumed(&m->emu->plan->trace.streams[s]);
	t->reduce(t, TEAM_SUM, v, nbins + (size_t)t->n * SINK_FILES + DONE);
	t->nevents = done[0];
	t->nread = done[1];
	flow_sizes at;
	for (unsigned i = 0; i < SINK_FILES; i++) {
		at[i] = w->written[i];
		for (unsigned r = 0; r < t->n; r++) {
			at[i] += r < t->rank ? sizes[(size_t)r * SINK_FILES + i] : 0;
			w->written[i] += sizes[(size_t)r * SINK_FILES + i];
		}
	}
	flow_place(f, at);
}

/* Instants at and before `time` as bits from the lowest on: at which a record looks back, and with a record in the nanosecond before. */
static void
mark(const struct parts *m, int64_t time, uint64_t marks[2])
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct feed *f = &m->part[i]->emu.feed;
		const struct record *r = find_time(f->own, f->next, time + 1);
		for (; r > f->own && r[-1].time >= time - LOOK_BACK; r--) {
			int64_t ago = time - r[-1].time;
			if (ago < LOOK_BACK && chunk_looks_back(&r[-1]))
				marks[0] |= UINT64_C(1) << ago;
			if (ago > 0)
				marks[1] |= UINT64_C(1) << (ago - 1);
		}
	}
	if (time >= 1 && time <= LOOK_BACK) /* first lines */
		marks[1] |= UINT64_C(1) << (time - 1);
}

/* The last instant from `time` back at which the records may be divided, behind `begin` and not behind `end`; `none` without one. */
static int64_t
choose(int64_t time, const uint64_t marks[2], int64_t begin, int64_t end, int64_t none)
{
	for (int ago = 0; ago < LOOK_BACK && time - ago > begin; ago++)
		if (!(marks[0] & marks[1] & UINT64_C(1) << ago) && time - ago <= end)
			return time - ago;
	return none;
}

/* Finds the pieces: cuts[k] to cuts[k + 1] is that of process k. All before the last one leaves. */
static void
divide(struct parts *m, int64_t until, int64_t last)
{
	const struct team *t = m->team;
	struct teamwork *w = m->work;
	const unsigned n = t->n;
	size_t nbins = (size_t)n * BINS_OF_PROCESS < BINS_MAX ? (size_t)n * BINS_OF_PROCESS : BINS_MAX;
	int64_t end = last < until ? last + 1 : until;
	int64_t width = end > w->begin ? (end - w->begin) / (int64_t)nbins + 1 : 1;
	uint64_t *v = w->numbers;
	memset(v, 0, w->nnumbers * sizeof(*v));
	count_records(m, v, nbins, width);
	sum_up(m, v, nbins);
	uint64_t all = 0;
	for (size_t i = 0; i < nbins; i++)
		all += v[i];
	uint64_t sum = 0;
	int64_t *cuts = w->cuts;
	for (size_t i = 0, k = 1; k <= n; i++) {
		sum += i < nbins ? v[i] : 0;
		for (; k <= n && (i >= nbins || (double)sum >= (double)all * w->shares[k]); k++) {
			cuts[k] = w->begin + (int64_t)(i + 1) * width;
			cuts[k] = k == n || cuts[k] >= until ? until - 1 : cuts[k];
		}
	}
	memset(v, 0, w->nnumbers * sizeof(*v));
	for (unsigned k = 1; k <= n; k++)
		mark(m, cuts[k], &v[2 * k - 2]);
	m->team->reduce(m->team, TEAM_EITHER, v, 2 * (size_t)n);
	cuts[n] = until == INT64_MAX ? until : choose(cuts[n], &v[2 * n - 2], w->begin, until, w->begin);
	for (unsigned k = n - 1; k >= 1; k--)
		cuts[k] = choose(cuts[k], &v[2 * k - 2], w->begin, cuts[k + 1], cuts[k + 1]);
	cuts[0] = w->begin;
	w->begin = cuts[n];
}

/* ---- Who gets them. ---- */

const struct team_box *
teamwork_swap(struct parts *m)
{
	struct team *t = m->team;
	struct teamwork *w = m->work;
	for (unsigned r = 0; r < t->n; r++) {
		struct parcel *p = &w->give[r];
		w->boxes[r] = (struct team_box){ p->data, p->failed ? 0 : p->used };
		w->lost = w->lost || p->failed;
	}
	t->swap(t, w->boxes, w->boxes + t->n);
	for (unsigned r = 0; r < t->n; r++)
		w->give[r].used = 0;
	return w->boxes + t->n;
}

/* Records of a part that were taken, in some pieces. */
static const struct record *
find_pieces(const struct parts *m, uint32_t part, unsigned first, unsigned end, const struct record **behind)
{
	const struct teamwork *w = m->work;
	const struct record *r = find_time(m->part[part]->out.own, w->ends[part], w->cuts[first]);
	*behind = find_time(r, w->ends[part], w->cuts[end]);
	return r;
}

/* Gives the records of parts to the process that formats them, and all to rank 0, if it wants them. */
static void
give_records(struct parts *m)
{
	const struct team *t = m->team;
	struct teamwork *w = m->work;
	for (unsigned r = 0; r < t->n; r++) {
		unsigned last = r == 0 && w->wants_all ? t->n : r + 1;
		const struct record *end;
		if (r == t->rank)
			continue;
		for (int pass = 0; pass < 2; pass++) /* how many of each part, then these */
			for (uint32_t i = team_first_part(m, t->rank); i < team_first_part(m, t->rank + 1); i++) {
				const struct record *first = find_pieces(m, i, r, last, &end);
				if (pass)
					parcel_put(&w->give[r], first, (size_t)(end - first) * sizeof(*first));
				else
					parcel_put_number(&w->give[r], (uint64_t)(end - first));
			}
	}
}

/* The parts of the others have the records that these gave. */
static void
take_records(struct parts *m, const struct team_box *boxes)
{
	for (unsigned r = 0; r < m->team->n; r++) {
		if (r == m->team->rank)
			continue;
		struct parcel box = teamwork_open(&boxes[r]);
		uint32_t first = team_first_part(m, r), end = team_first_part(m, r + 1);
		struct record *own = (struct record *)((uint8_t *)box.data + (end - first) * sizeof(uint64_t));
		for (uint32_t i = first; i < end; i++) {
			struct feed *out = &m->part[i]->out;
			out->own = box.size ? own : NULL;
			own += parcel_get_number(&box);
			out->next = box.size ? own : NULL;
		}
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
	give_records(m);
	take_records(m, teamwork_swap(m));
	for (uint32_t i = 0; i < m->n; i++)
		w->ends[i] = m->part[i]->out.next;
	for (unsigned k = t->rank; k < (all ? t->n : t->rank + 1); k++) {
		if (w->cuts[k] == w->cuts[k + 1])
			continue;
		for (uint32_t i = 0; i < m->n; i++) {
			struct part *p = m->part[i];
			const struct record *end;
			p->merged = (size_t)(find_pieces(m, i, k, k + 1, &end) - p->out.own);
			p->out.next = p->out.own + (end - p->out.own);
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

void
team_begin(struct parts *m)
{
	struct teamwork *w = m->work;
	const struct flow *f = m->emu->feed.flow;
	uint64_t v[1 + SINK_FILES] = { flow_wants_all(f) };
	flow_begun(f, v + 1);
	m->team->reduce(m->team, TEAM_SUM, v, 1 + SINK_FILES);
	w->wants_all = v[0];
	memcpy(w->written, v + 1, sizeof(w->written));
}

int64_t
team_base(const struct parts *m)
{
	return m->base < m->work->begin ? m->base : m->work->begin;
}

uint64_t
team_find_first(const struct parts *m, uint64_t first)
{
	m->team->reduce(m->team, TEAM_LEAST, &first, 1);
	return first;
}

int
team_take(struct parts *m)
{
	struct teamwork *w = m->work;
	uint64_t v[AGREED];
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
	int64_t until = w->stopped ? INT64_MAX : (int64_t)v[UNTIL];
	if (~v[NOT_SAID])
		teamwork_say(m, until);
	parts_say(m, parts_key(m, until, 0));
	divide(m, until, (int64_t)~v[NOT_LAST]);
	m->since = m->base;
	for (uint32_t i = 0; i < m->n; i++) {
		struct part *p = m->part[i];
		if (!team_has_part(m, i))
			continue;
		parts_take(m, i, parts_key(m, w->cuts[m->team->n], 0));
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
	memset(w->numbers, 0, w->nnumbers * sizeof(*w->numbers));
	sum_up(m, w->numbers, 0);
	flow_settle(f);
	flow_unite(f, m->team);
	int rc = teamwork_report(m);
	uint64_t failed = rc < 0 || w->lost || flow_lacks_text(f);
	m->team->reduce(m->team, TEAM_EITHER, &failed, 1);
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
	size_t nbins = n * BINS_OF_PROCESS < BINS_MAX ? n * BINS_OF_PROCESS : BINS_MAX;
	w->nnumbers = nbins + n * SINK_FILES + DONE;
	w->numbers = block_alloc(w->nnumbers * sizeof(*w->numbers));
	w->cuts = block_alloc((n + 1) * sizeof(*w->cuts));
	w->shares = block_alloc((n + 1) * sizeof(*w->shares));
	w->give = block_alloc(n * sizeof(*w->give));
	w->boxes = block_alloc(2 * n * sizeof(*w->boxes));
	w->ends = block_alloc(m->nparts * sizeof(const struct record *));
	if (!w->ends || !w->numbers || !w->cuts || !w->shares || !w->give || !w->boxes)
		return -ERR_MEMORY;
	for (size_t k = 0; k <= n; k++)
		w->shares[k] = (double)k / (double)n;
	return 0;
}

void
team_close(struct parts *m)
{
	struct teamwork *w = m->work;
	if (!w)
		return;
	for (unsigned r = 0; w->give && r < m->team->n; r++)
		block_free(w->give[r].data);
	block_free(w->ends);
	block_free(w->numbers);
	block_free(w->cuts);
	block_free(w->shares);
	block_free(w->give);
	block_free(w->boxes);
	block_free(w);
}
