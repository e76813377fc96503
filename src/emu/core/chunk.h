/* SPDX-License-Identifier: MIT */
#ifndef CHUNK_H
#define CHUNK_H

/* chunk: records that are handed over together. */

#include "sink.h"

enum {
	FLOW_RECORDS = 8192, /* in a chunk, */
	FLOW_NOTES = 4096,   /* and most notes */
};

struct chunk {
	unsigned nusers; /* sinks that have not finished with it, and the job that fills it; */
	bool lent;       /* to a job, */
	bool full;       /* and it has all its records, as long as one taken before has not */
	struct batch batch;
	uint32_t odd[FLOW_RECORDS];
	struct record records[FLOW_RECORDS];
	struct note notes[FLOW_NOTES];
};

/* Whether a line of a record may be 1 ns before it. */
bool chunk_looks_back(const struct record *r);

/* Returns the largest number of records from the first of n on that is a batch apart (struct batch), n being no such number;
 * 0: there is none. */
size_t chunk_find_apart(const struct chunk *c, size_t n);

#endif
