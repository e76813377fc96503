/* SPDX-License-Identifier: MIT */
/* gather: what parts have printed is merged, most of it by several threads: the records of a step are cut into chunks, at instants
 * that nothing reaches across, and each is a job. */
#include "part.h"

enum {
	GATHERINGS = 16, /* jobs of a step, at most; the rest is merged at once */
	TRIES = 16,      /* to find where a chunk ends */
	WORTH = 4,       /* that part of a chunk is worth a job */
};

/* The job of a chunk. */
struct gathering {
	struct job job;
	struct parts *all;
	struct collation collation;
	struct feed to;
};

static void
run(struct job *t)
{
	struct gathering *g = (struct gathering *)t;
	collate_run(&g->collation, &g->to, g->all->since);
}

static void
done(struct job *t)
{
	struct gathering *g = (struct gathering *)t;
	feed_give_lent(&g->to);
	g->all->nbusy--;
}

/* Takes from what is left of the parts the records before a time. Returns how many there are; *apart: none is in the nanosecond before
 * it. */
static size_t
take_before(const struct collation *left, struct collate_source *first, int64_t time, bool *apart)
{
	size_t n = 0;
	*apart = true;
	for (uint32_t i = 0; i < left->n; i++) {
		const struct collate_source *s = &left->of[i];
		first[i] = *s;
		first[i].end = collate_find_time(s->r, s->end, time);
		n += (size_t)(first[i].end - s->r);
		*apart = *apart && (first[i].end == s->own || first[i].end[-1].time < time - 1);
	}
	return n;
}

/* Takes about as many of the first records as there is room for, so that what follows is apart from them. Returns whether there are enough
 * for a job. */
static bool
take_chunk(const struct collation *left, struct collate_source *first, size_t room)
{
	size_t all = 0, most = 0;
	const struct record *guide = NULL; /* records of the part that has most */
	for (const struct collate_source *s = left->of; s < left->of + left->n; s++) {
		size_t n = (size_t)(s->end - s->r);
		all += n;
		guide = n > most ? s->r : guide;
		most = n > most ? n : most;
	}
	if (most == 0 || all < room / WORTH)
		return false;
	/* The records of the next step are not known: those of the last instant stay for them. */
	size_t at = all > room ? most * (room - room / 16) / all : most - 1;
	for (int i = 0; i < TRIES && at; i++) {
		int64_t time = guide[at].time;
		bool apart;
		size_t n = take_before(left, first, time, &apart);
		if (n > room)
			at = at * room / n * 7 / 8;
		else if (n && apart)
			return true;
		else
			while (at && guide[at].time >= time)
				at--;
	}
	return false;
}

/* Gives the first records to jobs, as long as they are many. */
static void
give_jobs(struct parts *m)
{
	struct feed *f = &m->emu->feed;
	struct crew *crew = flow_crew(f->flow);
	struct collation *left = &m->collation;
	const size_t most = m->emu->plan->options.part_room ? m->emu->plan->options.part_room : FLOW_RECORDS;
	for (struct gathering *g = m->gatherings; g < m->gatherings + GATHERINGS; g++) {
		size_t room = (size_t)(f->end - f->next);
		if (!take_chunk(left, g->collation.of, room < most ? room : most))
			return;
		for (uint32_t i = 0; i < left->n; i++)
			left->of[i].r = g->collation.of[i].end;
		g->job.age = feed_lend(f, &g->to);
		crew_lock(crew);
		m->nbusy++;
		crew_add(crew, &g->job);
		crew_unlock(crew);
		feed_renew(f);
	}
}

/* Counts the events of a part, and passes its records and notes on. Returns whether there are notes. */
static bool
pass(struct emu *machine, struct part *p, struct collate_source *to)
{
	const struct feed *out = &p->out;
	const size_t merged = p->merged, noted = p->noted;
	if (machine->density.n) {
		density_count(&machine->density, p->out_times, p->nout_times, machine->plan->window.zero);
		p->nout_times = 0;
	}
	*to = (struct collate_source){ .own = out->own, .r = out->own, .end = out->next, .note = out->notes, .notes_end = out->notes };
	p->merged = (size_t)(out->next - out->own);
	p->noted = out->nnotes;
	/* No sum of nothing and 0. */
	if (p->merged)
		to->r += merged;
	if (p->noted) {
		to->note += noted;
		to->notes_end += out->nnotes;
	}
	return noted < p->noted;
}

void
parts_merge(struct parts *m)
{
	bool notes = false;
	for (uint32_t i = 0; i < m->n; i++)
		notes = pass(m->emu, m->part[i], &m->collation.of[i]) || notes;
	if (m->gatherings && !notes)
		give_jobs(m);
	collate_run(&m->collation, &m->emu->feed, m->since);
}

int
gather_init(struct parts *m, uint32_t n)
{
	const struct plan *plan = m->emu->plan;
	struct stats *stats = plan->options.stats;
	int rc = collate_init(&m->collation, n);
	/* Processes divide the records themselves, what is done to records before they are shown goes from one to the next, and where compressed
	 * files have members must not depend on the parts. */
	if (rc < 0 || m->team || plan->pick || plan->options.gzip)
		return rc;
	if (stats)
		stats->stages[STAGE_DIVIDE].name = "dividing records of looms";
	m->gatherings = block_alloc(GATHERINGS * sizeof(*m->gatherings));
	if (!m->gatherings)
		return -ERR_MEMORY;
	for (struct gathering *g = m->gatherings; g < m->gatherings + GATHERINGS && rc == 0; g++) {
		g->job = (struct job){ .run = run, .done = done, .stage = stats ? &stats->stages[STAGE_MERGE] : NULL };
		g->all = m;
		rc = collate_init(&g->collation, n);
	}
	return rc;
}

void
gather_finish(struct parts *m)
{
	collate_finish(&m->collation);
	for (int i = 0; m->gatherings && i < GATHERINGS; i++)
		collate_finish(&m->gatherings[i].collation);
	block_free(m->gatherings);
}
