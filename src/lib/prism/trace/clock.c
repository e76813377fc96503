/* SPDX-License-Identifier: MIT */
/* clock: nanoseconds of CLOCK_MONOTONIC, out of the counter of the processor where the kernel uses that itself.
 *
 * Times are on a line: ns + (ticks - base) * mult / 2^32. It holds for SPAN; then the clock is read, and the next line begins where
 * this one ends and is bent towards the clock. All threads have copies of the same lines, so what one does behind
 * another has a later time, and times never go back. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SPAN = 10 * 1000 * 1000,  /* ns a line holds */
	FIRST_SPAN = 1000 * 1000, /* ns for the first rate */
	RATE_SPAN = 5 * SPAN,     /* ns over which a rate is measured, at least */
};

static bool counter; /* it is used */

/* Under the lock: */
static struct ticks_point older, newer; /* the rate is that since `older` */
static double known;                    /* the rate of the last line, ns of a tick; 0: that was not good */
static struct tracer_line line;         /* the last one */

static uint64_t
system_now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void
tracer_clock_begin(void)
{
	const char *wish = secure_getenv("PRISM_TRACE_CLOCK");
	counter = !(wish && strcmp(wish, "monotonic") == 0) && !ticks_why_not();
	older = newer = ticks_read_both(system_now);
}

/* The rate up to now. One that differs from the last is none: the machine was suspended, and it is measured anew. */
static double
rate_at(struct ticks_point now)
{
	if (now.ns - newer.ns > RATE_SPAN) {
		older = newer;
		newer = now;
	}
	double rate = (double)(now.ns - older.ns) / (double)(now.ticks - older.ticks);
	if (known <= 0 || (rate > known * 0.999 && rate < known * 1.001))
		return known = rate;
	rate = known;
	known = 0;
	older = newer = now;
	return rate;
}

/* Makes the line behind the last one, if that has ended. */
static void
next_line(void)
{
	const double one = (double)(UINT64_C(1) << 32);
	struct ticks_point now = ticks_read_both(system_now);
	uint64_t end = line.base + line.span;
	uint64_t told = line.ns + (line.span * line.mult >> 32);
	if (now.ticks - line.base < line.span)
		return;
	uint64_t ns = now.ns - older.ns < SPAN ? now.ns - older.ns : SPAN;
	double rate = rate_at(now);
	uint64_t span = (uint64_t)((double)ns / rate);
	if (now.ticks - end > span) { /* nobody has asked for long */
		line = (struct tracer_line){ now.ticks, span, now.ns > told ? now.ns : told, (uint64_t)(rate * one) };
		return;
	}
	double aim = (double)now.ns + (double)ns - (double)told;
	span += now.ticks - end;
	line = (struct tracer_line){ end, span, told, aim > 0 ? (uint64_t)(aim / (double)span * one) : 0 };
}

uint64_t
tracer_clock_slow(void)
{
	if (!counter)
		return system_now();
	uint64_t now = system_now();
	if (!line.span && now - older.ns < FIRST_SPAN)
		return now;
	struct tracer_calm calm;
	tracer_calm(&calm);
	tracer_lock();
	next_line();
	tracer_self.line = line;
	tracer_unlock();
	tracer_resume(&calm);
	return tracer_now();
}
