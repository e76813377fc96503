/* SPDX-License-Identifier: MIT */
#ifndef PART_H
#define PART_H

/* part: one of the parts of a machine; to be included where parts are made, emulated and merged. */

#include "crew.h"
#include "emu.h"
#include "parts.h"

enum {
	PART_BITS = 6,
};

/* What a part has to say to all, when its turn comes. */
struct saying {
	struct saying *next;
	int64_t time;
	struct emu_text *shown; /* a text that a value stands for; NULL: this is a message */
	struct model_part *few; /* one of the first `most` of that model of the machine; NULL: of any number */
	unsigned most;
	bool warning;
	bool has_place;
	struct place at;
	uint8_t mcv[3];
	char text[];
};

struct part {
	struct job job; /* emulates some of a slice */
	struct parts *all;
	struct emu emu;
	struct emu *machine;
	struct diag diag;
	struct trace trace; /* with the diag and the options of the part: its streams are in it */
	struct learned learned;
	struct saying *first, *last;
	struct model_part *few; /* of the message that is being noted, */
	unsigned most;          /* see struct saying */
	uint32_t begin, end;    /* ranks of its streams */
	int64_t *times;         /* of the events of this step */
	uint32_t ntimes;
	struct feed out; /* what it has handed over of the last one, and the machine merges while the part goes on: records and notes, */
	size_t merged;   /* of which so many have left, */
	size_t noted;
	int64_t *out_times; /* and times of events */
	uint32_t nout_times;
	int64_t reached; /* its events before that time are emulated; INT64_MAX: all are */
	int rc;          /* <0: it has failed, at `reached` */
};

struct parts {
	struct emu *emu; /* the machine */
	struct part **part;
	uint32_t n;
	uint32_t room;  /* for records, and times of events, of a part in a step */
	int64_t span;   /* length of a slice, ns */
	int64_t base;   /* time at which it begins, */
	int64_t bound;  /* and at which it ends */
	uint64_t most;  /* events and records in it, of the part that has most */
	int64_t since;  /* `base` of the slice whose records are merged */
	uint32_t nbusy; /* parts whose jobs are not done */
	uint32_t nleaves;
	uint64_t *losers; /* tree of keys, to merge records */
};

/* Makes the part of streams begin to end - 1, with room for some records. Returns 0, or -ERR_MEMORY (not
 * reported); part_close() is due in both cases. */
int part_open(struct part *p, struct emu *machine, uint32_t begin, uint32_t end, uint32_t room);
void part_close(struct part *p);

/* Emulates the events of the slice that are left, or some of them: as many as there is room for. Touches nothing of other
 * parts. */
void part_run(struct part *p);

/* Says what the first note of a part is about. */
void part_tell(struct part *p);

/* Adds up what parts have counted. */
void part_add_up(struct part *p);

/* Memory to merge the records of n parts. Returns 0, or -ERR_MEMORY (not reported). */
int slices_init(struct parts *m, uint32_t n);

#endif
