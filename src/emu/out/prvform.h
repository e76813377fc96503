/* SPDX-License-Identifier: MIT */
#ifndef PRVFORM_H
#define PRVFORM_H

/* prvform: which lines records become, in order of time; of a file, or of one of threads and one of CPUs at once.
 *
 * A punctual value becomes two lines: the value 1 ns before, and at its time what the row goes on
 * with. Both are at its time when that is 0, or when the row has a line of that type there. So the
 * records of the last nanosecond are held back until a later one, or the end, shows that
 * nothing comes between them. Text and failures are in the buffers of the lines. */

#include "prvline.h"

enum {
	PRV_ENOUGH = 2048, /* with more, release what need not be held */
};

struct prv_form {
	struct prv_lines lines;
	struct prv_lines *cpus; /* of the second file; NULL: there is none */

	/* Lines that may get company, in their order; of two files those of both. */
	struct record *held; /* before the last instant, */
	size_t nheld;
	struct record *now; /* and in it, behind its last cut */
	size_t nnow;
	int64_t in_instant; /* the last instant */
	int64_t cut;        /* an instant that was written in parts; -1: none */
};

/* Returns 0, or -1 when memory is exhausted. */
int prvform_init(struct prv_form *p, struct arena *a, const struct prv_texts *texts, const struct prv_texts *cpus);

/* Takes records, none of them RECORD_EVENT, and writes the lines of those that are of its rows. */
void prvform_write(struct prv_form *p, const struct batch *b);

/* Takes one record. */
void prvform_put(struct prv_form *p, const struct record *r);

/* Writes what is held back up to where a record at `time` or later may come between. */
void prvform_release(struct prv_form *p, int64_t time);

/* Writes what is held back: the records that follow are apart from those before (struct batch), or there are none. */
void prvform_settle(struct prv_form *p);

#endif
