/* SPDX-License-Identifier: MIT */
#ifndef PRESS_H
#define PRESS_H

/* press: a sink whose files are text. Each chunk is a job for a formatter, on any thread at the same time as others;
 * its text waits until that of the chunk before is written, which is a job for each file.
 *
 * Chunks that are not apart (struct batch) are formatted one after the other by the same formatter. */

#include "crew.h"
#include "keep.h"
#include "sink.h"
#include "textbuf.h"

#include <stdatomic.h>

struct flow;
struct press;

/* A chunk as text. */
struct piece {
	struct job job; /* formats it; its age is the number of the chunk */
	struct press *press;
	void *formatter; /* NULL: any */
	bool formatted;
	unsigned nwriters; /* files that lack it */
	struct textbuf texts[SINK_FILES];
};

struct press_file {
	struct job job; /* its age is the number of the next chunk */
	struct press *press;
	bool busy;        /* its job was added */
	int rc;           /* of put: the other files go on */
	struct keep keep; /* in a team: the text that has no place yet */
};

struct press {
	struct flow *flow;
	const struct sink_ops *ops;
	void *self;
	atomic_int rc;        /* of formatters */
	struct piece *pieces; /* a ring as that of the chunks */
	struct press_file files[SINK_FILES];

	/* The last chunk was not apart: all that were given up to it, and of the same formatter, */
	bool joined;
	bool waits;    /* are formatted, */
	void *waiting; /* by this one; NULL: there was no memory for it */

	void **idle; /* formatters */
	unsigned nidle;
};

/* For `nchunks` in the ring. Returns 0, or -1 when memory is exhausted. */
int press_init(struct press *p, struct flow *f, const struct sink_ops *ops, void *self, unsigned nchunks);

/* A chunk was given. With the lock of the crew. */
void press_take(struct press *p);

/* Ends the formatters, when all chunks are apart and formatted. */
void press_close_idle(struct press *p);

/* Ends the formatters and frees. Accepts a zeroed object. Returns 0, or the first error (reported). */
int press_finish(struct press *p);

#endif
