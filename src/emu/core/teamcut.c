/* SPDX-License-Identifier: MIT */
/* teamcut: where the records of a slice are divided between processes, and where their text has its place. */
#include "teamwork.h"

#include <string.h>

enum {
	LOOK_BACK = 64,       /* ns before an instant in which a place to divide the records is sought */
	BINS_OF_PROCESS = 32, /* as exactly as that is time divided into pieces, */
	BINS_MAX = 4096,
	GENTLY = 4, /* shares change by that part of what seems to be wrong: times vary */
};

#define SHARE_LEAST 0.02 /* of an equal share: something by which to see whether it could be more */

const struct record *
team_find_time(const struct record *r, const struct record *end, int64_t time)
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

/* ---- Where the records are divided. ---- */

/* Where bin k of the pieces ends, kept within its type: clocks of a damaged trace may be anywhere. */
static int64_t
end_of_bin(const struct teamwork *w, size_t k, int64_t width)
{
	int64_t ahead, end;
	if (__builtin_mul_overflow((int64_t)k + 1, width, &ahead) || __builtin_add_overflow(w->begin, ahead, &end))
		return INT64_MAX;
	return end;
}

/* Adds the records of a bin each; the last one has all that are left. */
static void
count_records(const struct parts *m, uint64_t *bins, size_t n, int64_t width)
{
	const struct teamwork *w = m->work;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct feed *f = &m->part[i]->emu.feed;
		const struct record *r = f->own;
		for (size_t k = 0; k < n && r < f->next; k++) {
			const struct record *end = k + 1 < n ? team_find_time(r, f->next, end_of_bin(w, k, width)) : f->next;
			bins[k] += (uint64_t)(end - r);
			r = end;
		}
	}
}

/* What all exchange with the numbers of each step. */
struct done {
	uint64_t *sizes; /* of texts, by process and file */
	uint64_t *busy;  /* ns since the step before, by process */
	uint64_t *sums;  /* of all: events, bytes */
};

enum {
	NEVENTS,
	NREAD,
	SUMS,
};

size_t
teamwork_numbers(size_t n)
{
	size_t nbins = n * BINS_OF_PROCESS < BINS_MAX ? n * BINS_OF_PROCESS : BINS_MAX;
	return nbins + n * (SINK_FILES + 1) + SUMS;
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

void
teamwork_sum_up(struct parts *m, size_t nbins)
{
	struct team *t = m->team;
	struct teamwork *w = m->work;
	struct flow *f = m->emu->feed.flow;
	struct done d = { .sizes = w->numbers + nbins };
	d.busy = d.sizes + (size_t)t->n * SINK_FILES;
	d.sums = d.busy + t->n;
	memset(d.sizes, 0, (size_t)(d.sums + SUMS - d.sizes) * sizeof(*d.sizes));
	flow_kept(f, d.sizes + (size_t)t->rank * SINK_FILES);
	uint64_t now = teamwork_now();
	d.busy[t->rank] = now - w->since_ns - w->waited_ns;
	d.sums[NEVENTS] = m->emu->nevents;
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t s = m->part[i]->begin; team_has_part(m, i) && s < m->part[i]->end; s++)
			d.sums[NREAD] += stream_consumed(&m->emu->plan->trace.streams[s]);
	teamwork_reduce(m, TEAM_SUM, w->numbers, (size_t)(d.sums + SUMS - w->numbers));
	t->nevents = d.sums[NEVENTS];
	t->nread = d.sums[NREAD];
	flow_sizes at;
	for (unsigned i = 0; i < SINK_FILES; i++) {
		at[i] = w->written[i];
		for (unsigned r = 0; r < t->n; r++) {
			at[i] += r < t->rank ? d.sizes[(size_t)r * SINK_FILES + i] : 0;
			w->written[i] += d.sizes[(size_t)r * SINK_FILES + i];
		}
	}
	flow_place(f, at, t->rank); /* two processes that write to the same file of a node wait for each other */
	if (w->since_ns)
		share(m, d.busy);
	w->since_ns = teamwork_now();
	w->waited_ns = 0;
}

/* Instants at and before `time` as bits from the lowest on: at which a record looks back, and with a record in the nanosecond before. */
static void
mark(const struct parts *m, int64_t time, uint64_t marks[2])
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct feed *f = &m->part[i]->emu.feed;
		const struct record *r = team_find_time(f->own, f->next, time + 1);
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

void
teamwork_divide(struct parts *m, int64_t until, int64_t last)
{
	const struct team *t = m->team;
	struct teamwork *w = m->work;
	const unsigned n = t->n;
	size_t nbins = (size_t)n * BINS_OF_PROCESS < BINS_MAX ? (size_t)n * BINS_OF_PROCESS : BINS_MAX;
	int64_t end = last < until ? last + 1 : until;
	int64_t width = end > w->begin ? (end - w->begin) / (int64_t)nbins + 1 : 1;
	uint64_t *v = w->numbers;
	memset(v, 0, nbins * sizeof(*v));
	count_records(m, v, nbins, width);
	teamwork_sum_up(m, nbins);
	uint64_t all = 0;
	for (size_t i = 0; i < nbins; i++)
		all += v[i];
	uint64_t sum = 0;
	double want = w->shares[0]; /* of n, for the pieces up to the k-th */
	int64_t *cuts = w->cuts;
	for (size_t i = 0, k = 1; k <= n; i++) {
		sum += i < nbins ? v[i] : 0;
		for (; k <= n && (i >= nbins || (double)sum * n >= (double)all * want); k++) {
			want += k < n ? w->shares[k] : 0;
			cuts[k] = end_of_bin(w, i, width);
			cuts[k] = k == n || cuts[k] >= until ? until - 1 : cuts[k];
		}
	}
	memset(v, 0, 2 * (size_t)n * sizeof(*v));
	for (unsigned k = 1; k <= n; k++)
		mark(m, cuts[k], &v[2 * k - 2]);
	teamwork_reduce(m, TEAM_EITHER, v, 2 * (size_t)n);
	cuts[n] = until == INT64_MAX ? until : choose(cuts[n], &v[2 * n - 2], w->begin, until, w->begin);
	for (unsigned k = n - 1; k >= 1; k--)
		cuts[k] = choose(cuts[k], &v[2 * k - 2], w->begin, cuts[k + 1], cuts[k + 1]);
	cuts[0] = w->begin;
	w->begin = cuts[n];
}
