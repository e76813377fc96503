/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec ts = { 0 };
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void
progress_init(struct progress *p)
{
	bool terminal = isatty(STDERR_FILENO);
	errno = 0; /* which that leaves behind, and which is no reason for anything */
	*p = (struct progress){ .wanted = terminal, .terminal = terminal, .begin = now() };
	p->last = terminal ? p->begin : 0;
}

bool
progress_due(struct progress *p)
{
	double at = now();
	if (!p->wanted || at - p->last < (p->terminal ? 0.2 : 1.0))
		return false;
	p->last = at;
	return true;
}

double
progress_took(const struct progress *p)
{
	return now() - p->begin;
}
