/* SPDX-License-Identifier: MIT */
/* clock: nanoseconds of CLOCK_MONOTONIC, from the system or out of the counter of the processor.
 *
 * With OVNI_CLOCK=tsc a thread reads the counter and converts it by a line: nanoseconds = ns +
 * (ticks - base) * mult / 2^32. A line holds for SPAN at most; then both clocks are read anew, and the next line goes through
 * that point with the rate of the last tenth of a second. So errors do not add up, and changes of rate
 * (NTP) are followed. In a thread time never goes back: what would is the last value again. */
#include <time.h>
#include "rt.h"
#include "ticks.h"

#define SEC UINT64_C(1000000000)

enum {
	SPAN = 10 * 1000 * 1000, /* ns a line holds */
	FIRST_SPAN = 200 * 1000, /* ns for the first rate */
	RATE_SPAN = 5 * SPAN,    /* ns over which a rate is measured, at least */
};

struct rt_clock {
	uint64_t base;  /* ticks; */
	uint64_t span;  /* up to base + span the line holds; 0: there is none */
	uint64_t ns;    /* at base */
	uint64_t mult;  /* ns of a tick, * 2^32 */
	uint64_t last;  /* ns told last */
	uint64_t error; /* ns it was off at most, where one line follows another */
	bool busy;      /* a signal handler must not disturb the change of lines */
	struct ticks_point older, newer;
};

static _Atomic bool counter;     /* threads use it */
static struct ticks_point first; /* when the process began to */
static _Thread_local struct rt_clock mine __attribute__((tls_model("initial-exec")));

static uint64_t
system_now(void)
{
	struct timespec ts;

	if (RT_UNLIKELY(clock_gettime(CLOCK_MONOTONIC, &ts) != 0))
		rt_die("ovni_clock_now", "cannot read CLOCK_MONOTONIC:");
	return (uint64_t)ts.tv_sec * SEC + (uint64_t)ts.tv_nsec;
}

static uint64_t
on_line(const struct rt_clock *c, uint64_t ticks)
{
	return c->ns + ((ticks - c->base) * c->mult >> 32);
}

static void
next_line(struct rt_clock *c)
{
	struct ticks_point now = ticks_read_both(system_now);

	if (c->mult == 0)
		c->older = c->newer = first;
	else if (now.ticks - c->base < 2 * c->span) {
		uint64_t told = on_line(c, now.ticks);
		uint64_t error = told > now.ns ? told - now.ns : now.ns - told;
		c->error = error > c->error ? error : c->error;
	}
	if (now.ns - c->newer.ns > RATE_SPAN) {
		c->older = c->newer;
		c->newer = now;
	}
	double ticks = (double)(now.ticks - c->older.ticks), ns = (double)(now.ns - c->older.ns);
	c->mult = (uint64_t)(ns / ticks * (double)(UINT64_C(1) << 32));
	c->base = now.ticks;
	c->ns = now.ns;
	c->span = (uint64_t)(ns < SPAN ? ticks : ticks / ns * SPAN);
}

static uint64_t
tell(struct rt_clock *c, uint64_t ns)
{
	c->last = ns > c->last ? ns : c->last;
	return c->last;
}

static __attribute__((noinline, cold)) uint64_t
now_slow(struct rt_clock *c)
{
	if (c->busy)
		return tell(c, system_now());
	c->busy = true;
	c->span = 0;
	atomic_signal_fence(memory_order_seq_cst);
	struct rt_clock next = *c;
	next_line(&next);
	next.last = c->last;
	uint64_t span = next.span;
	next.span = 0;
	*c = next;
	atomic_signal_fence(memory_order_seq_cst);
	c->span = span;
	c->busy = false;
	return tell(c, on_line(c, ticks_now()));
}

uint64_t
ovni_clock_now(void)
{
	struct rt_clock *c = &mine;
	uint64_t span = c->span;

	if (span == 0 && !atomic_load_explicit(&counter, memory_order_acquire))
		return system_now();
	uint64_t past = ticks_now() - c->base;
	if (RT_UNLIKELY(past >= span))
		return now_slow(c);
	return tell(c, c->ns + (past * c->mult >> 32));
}

bool
rt_clock_error(uint64_t *ns)
{
	*ns = mine.error;
	return counter;
}

void
rt_clock_begin(void)
{
	const char *wish = rt_env("OVNI_CLOCK");

	counter = false;
	if (wish == NULL || strcmp(wish, "monotonic") == 0)
		return;
	if (strcmp(wish, "tsc") != 0) {
		rt_warn("OVNI_CLOCK=%s is not known, the clock is CLOCK_MONOTONIC (monotonic, tsc)", wish);
		return;
	}
	const char *why = ticks_why_not();
	if (why != NULL) {
		rt_warn("OVNI_CLOCK=tsc: the counter of the processor is not used, %s; the clock is CLOCK_MONOTONIC", why);
		return;
	}
	first = ticks_read_both(system_now);
	while (system_now() - first.ns < FIRST_SPAN)
		continue;
	counter = true;
}
