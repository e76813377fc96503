/* SPDX-License-Identifier: MIT */
#ifndef PART_H
#define PART_H

/* part: one of the parts of a machine; to be included where parts are made, emulated and merged. */

#include "crew.h"
#include "emu.h"
#include "collate.h"
#include "parts.h"

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
	int64_t *times, *spare; /* of the events of its last step, and of the one before */
	uint32_t ntimes;        /* 0: it may go on */
	uint32_t ntaken;        /* of these */
	struct feed out;        /* what it has handed over of the last one, and the machine merges while the part goes on: records and notes, */
	size_t merged;          /* of which so many have left, */
	size_t noted;
	const int64_t *out_times; /* and times of events */
	uint32_t nout_times;
	size_t left;     /* records that it could not hand over: in a team they have to wait for a place to be divided */
	int64_t reached; /* its events before that time are emulated; INT64_MAX: all are */
	int rc;          /* <0: it has failed, at `reached` */
};

struct parts {
	struct emu *emu;       /* the machine */
	struct team *team;     /* other processes that have some of the parts; NULL: there are none */
	struct teamwork *work; /* and what it takes */
	struct part **part;
	uint32_t n;                   /* that are there, */
	uint32_t nparts;              /* and that there will be */
	uint32_t room;                /* for records, and times of events, of a part in a step */
	int64_t span;                 /* length of a slice, ns */
	int64_t base;                 /* time at which it begins, */
	int64_t bound;                /* and at which it ends */
	uint64_t most;                /* events and records in it, of the part that has most */
	int64_t since;                /* `base` of the slice whose records are merged */
	uint32_t nbusy;               /* jobs that are not done: of parts, and those that merge */
	struct collation collation;   /* of records, on the thread that emulates, */
	struct gathering *gatherings; /* and by jobs; NULL: all are merged there */
};

/* Makes the part of streams begin to end - 1, with room for some records. Returns 0, or -ERR_MEMORY (not
 * reported); part_close() is due in both cases. */
int part_open(struct part *p, struct emu *machine, uint32_t begin, uint32_t end, uint32_t room);
void part_close(struct part *p);

/* Lends memory for part_count_lent() records to a part that has none yet. */
void part_lend(struct part *p, struct record *lent);
size_t part_count_lent(const struct parts *m);

/* Emulates the events of the slice that are left, or some of them: as many as there is room for. Touches nothing of other
 * parts. */
void part_run(struct part *p);

/* Adds what a part has to say, now. Returns 0, or -ERR_MEMORY. */
int part_add_saying(struct part *p, const struct saying *n, const char *text);

/* Says what the first note of a part is about; or forgets it. */
void part_tell(struct part *p);
void part_drop_saying(struct part *p);

/* Whether streams, or a loom, are of the part. */
static inline bool
part_has_stream(const struct part *p, uint32_t rank)
{
	return rank >= p->begin && rank < p->end;
}

bool part_has_loom(const struct part *p, uint32_t loom);

/* Adds what was counted elsewhere, later in the order of parts. */
void part_join_often(struct often *to, const struct often *of);

/* Adds up what parts have counted, but for events. */
void part_add_up(struct part *p);

/* A part of another process, of which only that is known. */
void part_note(struct part *p, struct emu *machine, uint32_t begin, uint32_t end);

/* The lowest clock of the events that are left; UINT64_MAX: there are none. */
uint64_t parts_first(const struct parts *m);

/* Takes what a part has up to a key, which is not in it, so that it can go on. What is before the window that is shown is dropped. */
void parts_take(struct parts *m, uint32_t part, uint64_t end);

/* Hands over what was taken of all parts, which may go on meanwhile. Some of it is on its way when this returns: nbusy tells. */
void parts_merge(struct parts *m);

/* Passes on what parts have to say before a key. */
void parts_say(struct parts *m, uint64_t end);

/* Memory to merge the records of n parts. Returns 0, or -ERR_MEMORY (not reported); gather_finish() is due in both cases. */
int gather_init(struct parts *m, uint32_t n);
void gather_finish(struct parts *m);

#endif
