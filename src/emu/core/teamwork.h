/* SPDX-License-Identifier: MIT */
#ifndef TEAMWORK_H
#define TEAMWORK_H

/* teamwork: what a process of a team keeps for its parts; to be included by team*.c. */

#include "parcel.h"
#include "part.h"
#include "keep.h"
#include "team.h"

struct teamwork {
	bool wants_all;             /* rank 0 wants all records */
	bool lost;                  /* there was no memory to give something to the others */
	int stopped;                /* <0: the run is to stop behind this slice */
	int64_t begin;              /* all records before that time have left */
	int64_t *cuts;              /* pieces of the slice, and where the last one ends */
	double *shares;             /* of the records before these pieces */
	const struct record **ends; /* of what was taken of each part */
	flow_sizes written;         /* bytes of the files that have a place */
	uint64_t *numbers;          /* for what all exchange: */
	size_t nnumbers;            /* room */
	struct parcel *give;        /* to each process */
	struct team_box *boxes;     /* the same, and what they gave */
};

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
