/* SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

/* check: the only assertion of the tests. Unlike assert() it stays in release builds,
 * and exit() rather than abort() tells a failed test from one that crashed. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(cond)                                                                              \
	do {                                                                                     \
		if (!(cond)) {                                                                   \
			(void)fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
			exit(1);                                                                 \
		}                                                                                \
	} while (0)

/* What is done very often is done for one of so many: TEST_SHARE in the environment, or 1. */
static inline int
check_share(void)
{
	const char *text = getenv("TEST_SHARE");
	int n = text ? atoi(text) : 1;
	return n > 0 ? n : 1;
}

/* Where tests write: TMPDIR, or a file system in memory if there is one. */
static inline const char *
check_tmp(void)
{
	const char *dir = getenv("TMPDIR");
	if (dir && *dir)
		return dir;
	return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

#endif
