/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <inttypes.h>
#include <time.h>

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec t;
	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t
stats_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

struct stage *
stats_add(struct stats *s, const char *name, unsigned most)
{
	if (s->nstages < STATS_STAGES)
		s->stages[s->nstages++] = (struct stage){ .name = name, .at_once = most, .most = most, .since = s->begin_ns };
	return &s->stages[s->nstages - 1];
}

void
stats_begin(struct stats *s)
{
	*s = (struct stats){ .begin_ns = read_clock(CLOCK_MONOTONIC) };
	(void)stats_add(s, "reading, merging, emulating", 1);
	(void)stats_add(s, "merging records of looms", 1);
	(void)stats_add(s, "merging records of looms", 0);
}

/* Adds the time since the last change to what the stage did in it. */
static void
add_up(struct stage *g, uint64_t now)
{
	uint64_t ns = now - g->since;
	g->since = now;
	if (g->nbusy)
		g->busy_ns += ns * g->nbusy;
	else
		g->waited_ns[g->nqueued ? WAIT_THREAD : g->full ? WAIT_ROOM
								: WAIT_INPUT] += ns;
}

void
stats_turn(struct stage *g, int nbusy, int nqueued)
{
	add_up(g, read_clock(CLOCK_MONOTONIC));
	g->nbusy += (unsigned)nbusy;
	g->nqueued += (unsigned)nqueued;
}

void
stats_end(struct stats *s)
{
	s->end_ns = read_clock(CLOCK_MONOTONIC);
	for (struct stage *g = s->stages; g < s->stages + s->nstages; g++)
		add_up(g, s->end_ns);
}

/* How many threads may be at a stage. */
static unsigned
threads_of(const struct stats *s, const struct stage *g)
{
	return g->at_once && g->at_once < s->nthreads ? g->at_once : s->nthreads;
}

/* Part of the time that the threads which may do it were busy with it, in per cent. */
static double
share(const struct stats *s, uint64_t busy_ns, unsigned nthreads)
{
	uint64_t wall = s->end_ns > s->begin_ns ? s->end_ns - s->begin_ns : 1;
	return 100.0 * (double)busy_ns / (double)wall / nthreads;
}

/* Names what is busy all the time: a stage that goes on one thread, or all threads together. */
static void
print_bound(const struct stats *s, FILE *to)
{
	const struct stage *most = s->stages;
	uint64_t all = 0;
	for (const struct stage *g = s->stages; g < s->stages + s->nstages; g++) {
		all += g->busy_ns;
		if (share(s, g->busy_ns, threads_of(s, g)) > share(s, most->busy_ns, threads_of(s, most)))
			most = g;
	}
	double whole = share(s, all, s->nthreads);
	double part = share(s, most->busy_ns, threads_of(s, most));
	bool one = part > whole;
	(void)fprintf(to, "bound by %s: %u of %u threads busy %.0f %%\n", one ? most->name : "all stages", one ? threads_of(s, most) : s->nthreads, s->nthreads, one ? part : whole);
}

/* Names the stage that no number of threads makes faster. */
static void
print_least(const struct stats *s, FILE *to)
{
	const struct stage *least = s->stages;
	double ns = 0;
	for (const struct stage *g = s->stages; g < s->stages + s->nstages; g++)
		if (g->most && (double)g->busy_ns / g->most > ns) {
			ns = (double)g->busy_ns / g->most;
			least = g;
		}
	(void)fprintf(to, "with more threads at least %.3f s, by %s\n", ns / 1e9, least->name);
}

void
stats_print(const struct stats *s, FILE *to, uint64_t events)
{
	(void)fprintf(to, "%" PRIu64 " events, %" PRIu64 " records, %u threads, %.3f s\n", events, s->records, s->nthreads, (double)(s->end_ns - s->begin_ns) / 1e9);
	(void)fprintf(to, "%-28s %8s %10s %9s %29s\n", "", "", "", "", "waiting, s, for");
	(void)fprintf(to, "%-28s %8s %10s %9s %9s %9s %9s %8s %12s\n", "stage", "threads", "busy, s", "CPU, s", "input", "a thread", "room", "jobs", "bytes");
	for (const struct stage *g = s->stages; g < s->stages + s->nstages; g++) {
		if (!g->njobs)
			continue;
		(void)fprintf(to, "%-28s %8u %10.3f %9.3f", g->name, threads_of(s, g), (double)g->busy_ns / 1e9, (double)g->cpu_ns / 1e9);
		for (int i = 0; i < WAITS; i++)
			(void)fprintf(to, " %9.3f", (double)g->waited_ns[i] / 1e9);
		(void)fprintf(to, " %8" PRIu64 " %12" PRIu64 "\n", g->njobs, g->bytes);
	}
	print_bound(s, to);
	print_least(s, to);
}
