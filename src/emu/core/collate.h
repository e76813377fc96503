/* SPDX-License-Identifier: MIT */
#ifndef COLLATE_H
#define COLLATE_H

/* collate: records of several parts of the machine in one order, that of (time, part).
 *
 * The records of each part are in order of time. Those of an instant that follow each other stay together, and so do the two of an
 * event of the trace itself. */

#include "feed.h"

enum {
	COLLATE_PART_BITS = 10, /* of the number of a part */
};

/* What is left of a part. */
struct collate_source {
	const struct record *own; /* its first record: the places of notes count from here */
	const struct record *r, *end;
	const struct note *note, *notes_end;
};

struct collation {
	struct collate_source *of; /* by part; to be set before collate_run(), which leaves all at their ends */
	uint64_t *losers;          /* tree of keys */
	uint32_t n;
	uint32_t nleaves; /* power of two, at least n */
};

/* Memory for n parts, all without records. Returns 0, or -ERR_MEMORY (not reported); collate_finish() is due in both
 * cases, and accepts a zeroed one. */
int collate_init(struct collation *c, uint32_t n);
void collate_finish(struct collation *c);

/* Appends all that is left of the parts, at `since` or later. */
void collate_run(struct collation *c, struct feed *to, int64_t since);

/* The first record that is not before a time, of some that are in order. */
const struct record *collate_find_time(const struct record *r, const struct record *end, int64_t time);

/* The place of (time, part) in the order, for times from `base` on. Those too far from it have none, and are behind all others. */
uint64_t collate_key(int64_t base, int64_t time, uint32_t part);

/* Keys from here on are of no place. */
#define COLLATE_PART_MASK ((UINT64_C(1) << COLLATE_PART_BITS) - 1)
#define COLLATE_FAR (UINT64_MAX - COLLATE_PART_MASK)
#define COLLATE_SPAN_MAX (INT64_C(1) << (62 - COLLATE_PART_BITS)) /* ns; two of them have a place */

#endif
