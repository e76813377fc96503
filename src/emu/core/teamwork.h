/* SPDX-License-Identifier: MIT */
#ifndef TEAMWORK_H
#define TEAMWORK_H

/* teamwork: what a process of a team keeps for its parts; to be included by team*.c. */

#include "parcel.h"
#include "part.h"
#include "keep.h"
#include "team.h"

struct teamwork {
	bool wants_all;               /* rank 0 wants all records */
	bool lost;                    /* there was no memory to give something to the others */
	int stopped;                  /* <0: the run is to stop behind this slice */
	int64_t begin;                /* all records before that time have left */
	int64_t *cuts;                /* pieces of the slice, and where the last one ends */
	double *shares;               /* of each process, compared with an equal one */
	uint64_t since_ns, waited_ns; /* when the last step ended, and how long others were awaited since */
	const struct record **ends;   /* of what was taken of each part */
	flow_sizes written;           /* bytes of the files that have a place */
	uint64_t *numbers;            /* for what all exchange */
	struct parcel *give;          /* to each process */
	struct team_box *boxes;       /* the same, and what they gave */
};

/* Now, in ns. */
uint64_t teamwork_now(void);

/* As team.reduce. */
void teamwork_reduce(struct parts *m, enum team_op op, uint64_t *v, size_t n);

/* How many numbers n processes exchange, at most. */
size_t teamwork_numbers(size_t n);

/* Sums up work->numbers, of which so many are those of the caller, with what has become of the last step. Then the text that is kept
 * has its place. When the flow is settled. */
void teamwork_sum_up(struct parts *m, size_t n);

/* Finds the pieces of a slice: cuts[k] to cuts[k + 1] is that of process k. All records before `until` are known, and the last one is
 * at `last`. What is before the last cut can leave. */
void teamwork_divide(struct parts *m, int64_t until, int64_t last);

/* The first record that is not before a time, of some that are in order. */
const struct record *team_find_time(const struct record *r, const struct record *end, int64_t time);

/* Fills boxes with parcels, swaps them, and empties the parcels. Returns the boxes that were taken, by process. */
const struct team_box *teamwork_swap(struct parts *m);

/* Hands what parts have to say before a time over to rank 0. */
void teamwork_say(struct parts *m, int64_t until);

/* Tells rank 0 what it has to report in the end. Returns 0, or -ERR_MEMORY (reported). */
int teamwork_report(struct parts *m);

/* What a box holds, to be taken out. */
static inline struct parcel
teamwork_open(const struct team_box *box)
{
	return (struct parcel){ .data = box->data, .size = box->size };
}

#endif
