/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

uint64_t
stats_now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct stage *
stats_add(struct stats *s, const char *name, unsigned at_once)
{
	if (s->nstages < STATS_STAGES)
		s->stages[s->nstages++] = (struct stage){ .name = name, .at_once = at_once };
	return &s->stages[s->nstages - 1];
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
		if (share(s, g->busy_ns, g->at_once) > share(s, most->busy_ns, most->at_once))
			most = g;
	}
	double whole = share(s, all, s->nthreads);
	bool one = share(s, most->busy_ns, most->at_once) > whole;
	(void)fprintf(to, "bound by %s: %u of %u threads busy %.0f %%\n", one ? most->name : "all stages", one ? most->at_once : s->nthreads, s->nthreads,
		one ? share(s, most->busy_ns, most->at_once) : whole);
}

void
stats_print(const struct stats *s, FILE *to, uint64_t events)
{
	(void)fprintf(to, "%" PRIu64 " events, %" PRIu64 " records, %u threads, %.3f s, of which the thread that emulates waited %.3f s\n", events, s->records, s->nthreads,
		(double)(s->end_ns - s->begin_ns) / 1e9, (double)s->waited_ns / 1e9);
	(void)fprintf(to, "%-28s %8s %10s %8s %12s\n", "stage", "threads", "busy s", "jobs", "bytes");
	for (const struct stage *g = s->stages; g < s->stages + s->nstages; g++)
		(void)fprintf(to, "%-28s %8u %10.3f %8" PRIu64 " %12" PRIu64 "\n", g->name, g->at_once, (double)g->busy_ns / 1e9, g->njobs, g->bytes);
	print_bound(s, to);
}
