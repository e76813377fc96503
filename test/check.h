/* SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

/* check: the only assertion of the tests. Unlike assert() it stays in release builds,
 * and exit() rather than abort() tells a failed test from one that crashed. */

#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond)                                                                              \
	do {                                                                                     \
		if (!(cond)) {                                                                   \
			(void)fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
			exit(1);                                                                 \
		}                                                                                \
	} while (0)

#endif
