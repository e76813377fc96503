/* SPDX-License-Identifier: MIT */
/* shift: preloaded into a program, it makes it run on another node, which exists nowhere
 * else: with a name of its own and a clock that is off, and drifts.
 *
 *   SHIFT_HOST    what gethostname() says
 *   SHIFT_NS      added to CLOCK_MONOTONIC
 *   SHIFT_PPM     how much faster it runs
 *   SHIFT_EPOCH   the true clock at which the two differ by SHIFT_NS */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts);
int gethostname(char *name, size_t size);

static int64_t
number(const char *name)
{
	const char *text = getenv(name);
	return text ? strtoll(text, NULL, 10) : 0;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*next)(clockid_t, struct timespec *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	int rc = next(id, ts);
	if (rc != 0 || id != CLOCK_MONOTONIC)
		return rc;
	int64_t t = (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;
	t += number("SHIFT_NS") + (t - number("SHIFT_EPOCH")) / 1000000 * number("SHIFT_PPM");
	ts->tv_sec = (time_t)(t / 1000000000);
	ts->tv_nsec = (long)(t % 1000000000);
	return 0;
}

int
gethostname(char *name, size_t size)
{
	const char *host = getenv("SHIFT_HOST");
	strncpy(name, host ? host : "nowhere", size);
	return 0;
}
