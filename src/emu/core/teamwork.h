/* SPDX-License-Identifier: MIT */
#ifndef TEAMWORK_H
#define TEAMWORK_H

/* teamwork: what a process of a team keeps for its parts; to be included by team*.c. */

#include "parcel.h"
#include "part.h"
#include "keep.h"
#include "team.h"

/* What all exchange behind each step, beside enum agreed of team.c. */
struct teamwork_numbers {
	size_t nbins;
	uint64_t *sums;  /* nsums: of all, then */
	uint64_t *sizes; /* of texts, by process and file, */
	uint64_t *busy;  /* ns since the step before, by process, */
	uint64_t *bins;  /* and records in each bin */
	uint64_t *marks; /* two for each bin */
	size_t nsums;
};

struct teamwork {
	bool wants_all;               /* rank 0 wants all records */
	bool lost;                    /* there was no memory to give something to the others */
	int stopped;                  /* <0: the run is to stop behind this slice */
	uint64_t first;               /* as team_first() */
	int64_t begin;                /* all records before that time have left */
	int64_t from, to;             /* time that is divided into bins, at whose ends pieces may end: what the next step should emulate */
	int64_t *cuts;                /* pieces of the slice, and where the last one ends */
	double *shares;               /* of each process, compared with an equal one */
	uint64_t since_ns, waited_ns; /* when the last step ended, and how long others were awaited since */
	const struct record **ends;   /* of what was taken of each part */
	flow_sizes written;           /* bytes of the files that have a place */
	struct teamwork_numbers numbers;
	struct parcel *parcels; /* for each process, */
	size_t *one;            /* of which each gives one to all, */
	size_t *nparts;         /* and boxes with the records of its parts */
	struct team_box *give, *take;
};

/* Now, in ns. */
uint64_t teamwork_now(void);

/* Makes room for the numbers of n processes. Returns 0, or -ERR_MEMORY. */
int teamwork_make_numbers(struct teamwork *w, size_t n);

/* Joins the numbers, with the least of others. When the flow is settled. */
void teamwork_join(struct parts *m, uint64_t *least, size_t n);

/* Takes over the sums: the text that is kept has its place. */
void teamwork_sum_up(struct parts *m);

/* Finds the pieces of a step: cuts[k] to cuts[k + 1] is that of process k. All records before `until` are known. What is before
 * the last cut can leave. */
void teamwork_divide(struct parts *m, int64_t until);

/* Swaps the parcels, and empties them. Returns the boxes that were taken, by process. */
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
