/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H
#define BENCH_H

/* bench: what the measures of the emulator share: bytes of events, and what a run costs.
 * Every failure ends the program with a message. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cost {
	double wall; /* seconds that passed while it was waited for */
	double cpu;  /* seconds, of all threads, user and system */
	long rss;    /* KiB, at most */
};

/* Says what failed, and why (errno). */
_Noreturn void bench_fail(const char *what);

/* Make the bytes of an event at p. Return how many they are. */
size_t bench_put(uint8_t *p, const char *mcv, int64_t clock, const void *payload, unsigned size);
size_t bench_put_pair(uint8_t *p, const char *mcv, int64_t clock, uint32_t a, uint32_t b);
/* A task type of nOS-V. */
size_t bench_put_type(uint8_t *p, int64_t clock, uint32_t id, const char *label);

/* Where traces go: in memory if there is room, as what a disk does to the figures is
 * not ours. */
const char *bench_place(void);

/* Removes a directory and all in it, if it is there. */
void bench_remove(const char *dir);

/* Waits for a child, which must end well. */
struct cost bench_wait(pid_t pid);

/* How many times slower the machine is, now, than the one where limits in ns were set: a work of the same
 * kind as that of the tools (steps that wait for the last one, memory in the cache, jumps of which half
 * are guessed wrong) took so much longer than there. At least 1. */
double bench_slowness(void);

/* "plain", what a measure is compared to: one pass that reads a file, or all of a directory, looks
 * at each 8 bytes, and writes as many bytes as `sizes` tells to files OUT.0, OUT.1... */
struct cost bench_plain(const char *input, const char *out, const off_t *sizes, int n);

/* Emulates a trace: what to write (-f), and one more option or NULL. */
struct cost bench_run(const char *emu, const char *trace, const char *out, const char *outputs, const char *option);

#endif
