/* SPDX-License-Identifier: MIT */
#ifndef TICKS_H
#define TICKS_H

/* ticks: the counter of the processor, which is read in half the time of a clock. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static inline uint64_t
ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

/* Whether a file has a word. */
static inline bool
ticks_file_has(const char *path, const char *word)
{
	char text[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		(void)close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return strstr(text, word) != NULL;
}

/* Why the counter is not for use; NULL: it is. The kernel tests it on all processors. */
static inline const char *
ticks_why_not(void)
{
	if (!ticks_file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"))
		return "the clock of the kernel is another";
	if (!ticks_file_has("/proc/cpuinfo", " constant_tsc ") || !ticks_file_has("/proc/cpuinfo", " nonstop_tsc "))
		return "its rate is not constant";
	return NULL;
}
#elif defined(__aarch64__)
static inline uint64_t
ticks_now(void)
{
	uint64_t t;
	__asm__ volatile("mrs %0, cntvct_el0"
			 : "=r"(t));
	return t;
}

static inline const char *
ticks_why_not(void)
{
	return NULL;
}
#else
static inline uint64_t
ticks_now(void)
{
	return 0;
}

static inline const char *
ticks_why_not(void)
{
	return "this processor is not known";
}
#endif

/* The counter and a clock at one time. */
struct ticks_point {
	uint64_t ticks, ns;
};

/* Reads both, as close to each other as can be: of some readings the quickest counts, and those that took too many ticks
 * were disturbed. */
static inline struct ticks_point
ticks_read_both(uint64_t (*clock)(void))
{
	enum {
		TRIES = 3,
		INTERRUPTED = 300, /* ticks */
		TRIES_MAX = 20,
	};
	struct ticks_point best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES || (least > INTERRUPTED && i < TRIES_MAX); i++) {
		uint64_t before = ticks_now();
		uint64_t ns = clock();
		uint64_t took = ticks_now() - before;
		if (took < least) {
			least = took;
			best = (struct ticks_point){ before + took / 2, ns };
		}
	}
	return best;
}

#endif
