/* SPDX-License-Identifier: MIT */
/* teamcut: where the records of a slice are divided between processes, and where their text has its place. */
#include "teamwork.h"

#include <assert.h>
#include <string.h>

enum {
	LOOK_BACK = 64,       /* ns before an instant in which a place to divide the records is sought */
	BINS_OF_PROCESS = 32, /* as exactly as that is time divided into pieces, */
	BINS_MAX = 4096,
	GENTLY = 4, /* shares change by that part of what seems to be wrong: times vary */
};

#define SHARE_LEAST 0.02 /* of an equal share: something by which to see whether it could be more */

/* ---- Where the records are divided. ---- */

/* Where bin k ends: clocks of a damaged trace may be anywhere, so it is kept within its type. */
static int64_t
end_of_bin(const struct teamwork *w, size_t k)
{
	assert(w->numbers.nbins);
	int64_t ahead, end;
	int64_t width = (w->to - w->from) / (int64_t)w->numbers.nbins + 1;
	if (__builtin_mul_overflow((int64_t)k + 1, width, &ahead) || __builtin_add_overflow(w->from, ahead, &end) || k + 1 == w->numbers.nbins)
		return w->to;
	return end < w->to ? end : w->to;
}

enum {
	NEVENTS,
	NREAD,
	SUMS,
};

int
teamwork_make_numbers(struct teamwork *w, size_t n)
{
	struct teamwork_numbers *d = &w->numbers;
	d->nbins = n * BINS_OF_PROCESS < BINS_MAX ? n * BINS_OF_PROCESS : BINS_MAX;
	d->nsums = SUMS + n * (SINK_FILES + 1) + d->nbins;
	d->sums = block_alloc((d->nsums + 2 * d->nbins) * sizeof(*d->sums));
	if (!d->sums)
		return -ERR_MEMORY;
	d->sizes = d->sums + SUMS;
	d->busy = d->sizes + n * SINK_FILES;
	d->bins = d->busy + n;
	d->marks = d->bins + d->nbins;
	return 0;
}

/* Gives those who are busy longer than others less to format. */
static void
share(struct parts *m, const uint64_t *busy)
{
	const unsigned n = m->team->n;
	double *shares = m->work->shares;
	double all = 0, sum = 0;
	for (unsigned r = 0; r < n; r++)
		all += (double)busy[r];
	for (unsigned r = 0; r < n; r++) {
		double mean = all / n, own = (double)busy[r];
		double most = mean > own ? mean : own;
		shares[r] *= most > 0 ? 1 + (mean - own) / most / GENTLY : 1;
		shares[r] = shares[r] < SHARE_LEAST ? SHARE_LEAST : shares[r];
		sum += shares[r];
	}
	for (unsigned r = 0; r < n; r++)
		shares[r] *= n / sum;
}

/* Instants at and before `time` as bits from the lowest on, of the records before r: at which one looks back, and with one in the nanosecond
 * before. */
static void
mark(const struct record *own, const struct record *r, int64_t time, uint64_t marks[2])
{
	for (; r > own && r[-1].time >= time - LOOK_BACK; r--) {
		int64_t ago = time - r[-1].time;
		if (ago < LOOK_BACK && chunk_looks_back(&r[-1]))
			marks[0] |= UINT64_C(1) << ago;
		if (ago > 0)
			marks[1] |= UINT64_C(1) << (ago - 1);
	}
}

/* Counts the records of a bin each, and marks where it ends: what is before belongs to the first one, what is behind to none. */
static void
look_at_records(const struct parts *m)
{
	const struct teamwork_numbers *d = &m->work->numbers;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct feed *f = &m->part[i]->emu.feed;
		const struct record *r = f->own;
		for (size_t k = 0; k < d->nbins; k++) {
			const struct record *end = collate_find_time(r, f->next, end_of_bin(m->work, k));
			d->bins[k] += (uint64_t)(end - r);
			r = end;
			mark(f->own, r, end_of_bin(m->work, k) - 1, &d->marks[2 * k]);
		}
	}
	for (size_t k = 0; k < d->nbins; k++) {
		int64_t time = end_of_bin(m->work, k) - 1;
		if (time >= 1 && time <= LOOK_BACK) /* first lines */
			d->marks[2 * k + 1] |= UINT64_C(1) << (time - 1);
	}
}

void
teamwork_join(struct parts *m, uint64_t *least, size_t n)
{
	struct team *t = m->team;
	struct teamwork *w = m->work;
	const struct teamwork_numbers *d = &w->numbers;
	memset(d->sums, 0, (d->nsums + 2 * d->nbins) * sizeof(*d->sums));
	look_at_records(m);
	flow_kept(m->emu->feed.flow, d->sizes + (size_t)t->rank * SINK_FILES);
	d->busy[t->rank] = teamwork_now() - w->since_ns - w->waited_ns;
	d->sums[NEVENTS] = m->emu->nevents;
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t s = m->part[i]->begin; team_has_part(m, i) && s < m->part[i]->end; s++)
			d->sums[NREAD] += stream_consumed(&m->emu->plan->trace.streams[s]);
	const struct team_numbers sets[] = { { TEAM_LEAST, least, n }, { TEAM_SUM, d->sums, d->nsums }, { TEAM_EITHER, d->marks, 2 * d->nbins } };
	t->reduce(t, sets, TEAM_SETS);
	t->settle(t); /* all have merged what they were given, and this process may write there */
}

void
teamwork_sum_up(struct parts *m)
{
	struct team *t = m->team;
	struct teamwork *w = m->work;
	const struct teamwork_numbers *d = &w->numbers;
	t->nevents = d->sums[NEVENTS];
	t->nread = d->sums[NREAD];
	flow_sizes at;
	for (unsigned i = 0; i < SINK_FILES; i++) {
		at[i] = w->written[i];
		for (unsigned r = 0; r < t->n; r++) {
			at[i] += r < t->rank ? d->sizes[(size_t)r * SINK_FILES + i] : 0;
			w->written[i] += d->sizes[(size_t)r * SINK_FILES + i];
		}
		at[i] = t->rank ? at[i] : w->written[i];
	}
	flow_place(m->emu->feed.flow, at, t->rank);
	if (w->since_ns)
		share(m, d->busy);
	w->since_ns = teamwork_now();
	w->waited_ns = 0;
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

/* The last bin at whose end all records are known, and may be divided; the number of bins: there is none. */
static size_t
find_last(const struct teamwork *w, int64_t until)
{
	const struct teamwork_numbers *d = &w->numbers;
	for (size_t k = d->nbins; k-- > 0;)
		if (end_of_bin(w, k) <= until && choose(end_of_bin(w, k) - 1, &d->marks[2 * k], w->begin, until, w->begin) > w->begin)
			return k;
	return d->nbins;
}

void
teamwork_divide(struct parts *m, int64_t until)
{
	const unsigned n = m->team->n;
	struct teamwork *w = m->work;
	const struct teamwork_numbers *d = &w->numbers;
	int64_t *cuts = w->cuts;
	size_t last = until == INT64_MAX ? d->nbins - 1 : find_last(w, until);
	uint64_t all = 0, sum = 0;
	for (size_t i = 0; i <= last && i < d->nbins; i++)
		all += d->bins[i];
	double want = w->shares[0]; /* of n, for the pieces up to the k-th, which ends with a bin */
	for (size_t i = 0, k = 1; k < n; i++) {
		sum += i < last ? d->bins[i] : all;
		for (; k < n && (i >= last || (double)sum * n >= (double)all * want); k++) {
			want += w->shares[k];
			cuts[k] = (int64_t)i;
		}
	}
	cuts[0] = w->begin;
	cuts[n] = until == INT64_MAX ? until : last == d->nbins ? w->begin
								: choose(end_of_bin(w, last) - 1, &d->marks[2 * last], w->begin, until, w->begin);
	for (unsigned k = n - 1; k >= 1; k--) {
		size_t i = (size_t)cuts[k];
		cuts[k] = i < last ? choose(end_of_bin(w, i) - 1, &d->marks[2 * i], w->begin, cuts[k + 1], cuts[k + 1]) : cuts[k + 1];
	}
	w->begin = cuts[n];
}
