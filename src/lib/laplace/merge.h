/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_MERGE_H
#define LAPLACE_MERGE_H

/* merge: the records of several files in one order: by timestamp; where that is equal,
 * kernel traces (also interleaves that begin with an event) come first, then the file that
 * was added first. Within a file the order stays. Records of a basic
 * merge have the stamps that lapread gives them. */

#include "kway.h"
#include "read.h"

struct lapmerge {
	struct lapread *readers; /* borrowed */
	struct lap_record *next; /* one of each reader */
	struct kway order;
	size_t nreaders;
	bool taken; /* the top of the heap was given: replace it */
	int failed; /* a code */
};

/* Reads the first record of each. Returns 0, -LAP_E_MEMORY, or the code of
 * a reader, which its log was told. lapmerge_close() is called in any case. */
int lapmerge_open(struct lapmerge *m, struct lapread *readers, size_t nreaders);

/* Gives the next record and its reader (may be NULL). Borrowed until the next call. Returns
 * 1, 0 at the end, <0 a code. */
int lapmerge_next(struct lapmerge *m, const struct lap_record **rec, const struct lapread **of);

/* The record that the next call of lapmerge_next() gives. Returns as it does. */
int lapmerge_peek(struct lapmerge *m, const struct lap_record **rec, const struct lapread **of);

/* Frees, but not the readers. Accepts a zeroed struct. */
void lapmerge_close(struct lapmerge *m);

#endif
