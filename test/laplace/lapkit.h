/* SPDX-License-Identifier: MIT */
#ifndef LAPKIT_H
#define LAPKIT_H

/* lapkit: bytes in memory as an input, and a log that keeps what it is told. */

#include "check.h"
#include "laplace/read.h"

struct lapkit_bytes {
	const uint8_t *p;
	size_t n;
	size_t step; /* most bytes a read gives; 0: all */
	int fail;    /* errno instead of the end */
};

ptrdiff_t lapkit_read(void *self, void *buf, size_t n);

enum {
	LAPKIT_ISSUES = 64,
};

struct lapkit_log {
	struct lap_log log;
	struct lap_issue issues[LAPKIT_ISSUES];
	bool fatal[LAPKIT_ISSUES];
	size_t n; /* may be more than are kept */
};

void lapkit_log_init(struct lapkit_log *l, bool lenient);

/* Reads all; the records go to rec if it is not NULL, up to max. Returns how many there are,
 * or what lapread gave. */
int lapkit_read_all(struct lapkit_bytes bytes, const struct lapread_options *options, struct lapkit_log *l,
	struct lap_record *rec, size_t max);

#endif
