/* SPDX-License-Identifier: MIT */
/* OVNI_CLOCK=tsc: within 100 ns of the system's clock, never back; else the system's, with a word. */
#include <pthread.h>
#include <time.h>
#include "kit.h"

enum {
	MOST_OFF = 100, /* ns */
};

static uint64_t
system_now(void)
{
	struct timespec ts;
	CHECK(clock_gettime(CLOCK_MONOTONIC, &ts) == 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *
compare(void *arg)
{
	uint64_t last = 0, far = 0, n = 0, until = system_now() + 1000000000u;
	for (uint64_t after = 0; after < until; n++) {
		uint64_t before = system_now();
		uint64_t t = ovni_clock_now();
		after = system_now();
		CHECK(t >= last);
		last = t;
		/* Who is interrupted here takes both sides of it. */
		if (t + MOST_OFF < before || t > after + MOST_OFF)
			far++;
		if (n % 100000 == 99999)
			(void)usleep(30000); /* longer than a line holds */
	}
	if (far > 0)
		(void)fprintf(stderr, "%llu of %llu are farther than %d ns\n", (unsigned long long)far, (unsigned long long)n, MOST_OFF);
	CHECK(far == 0);
	return arg;
}

static void
counter(void)
{
	pthread_t t;
	size_t size;
	CHECK(setenv("OVNI_CLOCK", "tsc", 1) == 0);
	uint64_t before = ovni_clock_now();
	kit_begin(1);
	CHECK(ovni_clock_now() + MOST_OFF >= before);
	CHECK(pthread_create(&t, NULL, compare, NULL) == 0);
	(void)compare(NULL);
	CHECK(pthread_join(t, NULL) == 0);
	kit_emit("OB.", ovni_clock_now());
	kit_end();
	/* A machine whose counter is not for use says so. */
	uint8_t *err = kit_read("err", &size);
	CHECK(err != NULL && (strstr((char *)err, "OVNI_CLOCK=tsc: the counter") != NULL || kit_says(1, "\"source\": \"tsc\"")));
	free(err);
}

static void
unknown(void)
{
	CHECK(setenv("OVNI_CLOCK", "sundial", 1) == 0);
	kit_begin(1);
	uint64_t before = system_now(), t = ovni_clock_now();
	CHECK(before <= t && t <= system_now());
	kit_end();
	CHECK(!kit_says(1, "clock"));
}

static void
plain(void)
{
	CHECK(setenv("OVNI_CLOCK", "monotonic", 1) == 0);
	kit_begin(1);
	kit_end();
	CHECK(!kit_says(1, "clock"));
}

int
main(void)
{
	RUNS_SAYING(counter, "");
	RUNS_SAYING(unknown, "OVNI_CLOCK=sundial is not known");
	RUNS(plain);
	return 0;
}
