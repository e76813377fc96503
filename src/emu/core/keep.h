/* SPDX-License-Identifier: MIT */
#ifndef KEEP_H
#define KEEP_H

/* keep: text of a file that other processes write, too (team.h). It is kept, piece by piece, until its place in the file is known.
 * That of the first process is known before: behind all text of the step before. It is written at once, while it is in the cache. */

#include "crew.h"
#include "sink.h"
#include "textbuf.h"

struct flow;
struct press;
struct team;

/* Texts of a file. */
struct texts {
	struct textbuf *texts; /* n of them; behind are empty ones */
	unsigned n, cap;
	uint64_t size; /* in bytes */
};

/* A file of a press. */
struct keep {
	struct job job; /* writes what leaves */
	struct press *press;
	unsigned file;
	struct texts kept;    /* as it is made, */
	struct texts leaving; /* and what has its place: */
	uint64_t at;          /* of the first process: where the next text has its place */
	bool busy;
	int rc; /* <0: something could not be written */
};

void keep_init(struct keep *k, struct press *press, unsigned file);
void keep_finish(struct keep *k);

/* Keeps a text, or writes it, and empties it. Returns 0, -ERR_MEMORY or -ERR_WRITE. */
int keep_text(struct keep *k, struct textbuf *text);

/* ---- Of a flow. ---- */

/* Sums of bytes, or places, of the files of the press of a flow; 0 without one. */
typedef uint64_t flow_sizes[SINK_FILES];

/* Where the text of the first process begins in the files, as they were created. */
void flow_begun(const struct flow *f, flow_sizes sizes);

/* Waits until the chunks that were given are text, and what has its place is written. */
void flow_settle(struct flow *f);

/* What has come since the last flow_place(). When the flow is settled. */
void flow_kept(const struct flow *f, flow_sizes sizes);

/* Writes what is kept at its place, as jobs; of the first process, what comes has its place there. Processes that write to the same file of a
 * node wait for each other, awake: not all ranks begin with the same file, and every other one writes before it emulates. When the flow
 * is settled. */
void flow_place(struct flow *f, const flow_sizes at, unsigned rank);

/* Whether text is lost, or could not be written. */
bool flow_lacks_text(const struct flow *f);

/* Whether some output wants all records in order. */
bool flow_wants_all(const struct flow *f);

/* What formatters have found out becomes known to all processes. When the flow is settled, and nothing follows. */
void flow_unite(struct flow *f, struct team *t);

#endif
