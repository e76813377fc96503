/* SPDX-License-Identifier: MIT */
#ifndef TOOL_TOP_COUNT_H
#define TOOL_TOP_COUNT_H

/* count: the events of a trace, counted by one of their properties.
 *
 * Streams are read one after the other: the order of events between them does not matter. */

#include "idmap.h"
#include "look/catalog.h"
#include "look/play.h"

enum top_by {
	TOP_EVENT,
	TOP_THREAD,
	TOP_PROCESS,
	TOP_LOOM,
	TOP_MODEL,
	TOP_TIME,
};

struct tally {
	uint64_t events;
	uint64_t bytes; /* in the streams, before compression */
};

static inline void
tally_add(struct tally *to, const struct tally *from)
{
	to->events += from->events;
	to->bytes += from->bytes;
}

/* A row of the result: the count of a name, or of an interval by its beginning. */
struct top_row {
	struct tally tally;
	uint8_t mcv[3];              /* TOP_EVENT; the first one is that of TOP_MODEL */
	const char *name;            /* of a model that is known, or of thread, process or loom */
	const struct stream *stream; /* one of them, for its metadata */
	uint64_t time;               /* TOP_TIME: ns since the first event */
	bool early;                  /* TOP_TIME: before it */
};

struct top {
	struct trace *trace;
	struct filter *filter;
	enum top_by by;
	bool only_events; /* bytes and clocks are not asked for, and may be left out */
	struct catalog catalog;

	struct tally *kinds;   /* by kind of the catalog */
	struct tally *streams; /* by rank */
	struct tally models[256];
	struct idmap odd; /* tallies of names that are no operation of their own, by their letters in 24 bits */

	/* Intervals, from the first event on. */
	struct tally *bins;
	size_t nbins;
	size_t bins_cap;
	int64_t width;      /* of a bin, ns */
	int64_t step;       /* of a row, ns; 0: chosen at the end */
	struct tally early; /* before the first event: clocks went back */

	int64_t origin; /* clock of the first event of the trace */
	int64_t first;  /* lowest and highest clock counted */
	int64_t last;
	struct tally all;

	struct top_row *rows; /* sorted, by top_rows() */
	size_t nrows;

	struct progress *progress; /* NULL: none is shown */
};

/* Prepares: trace, filter, by, only_events, step and progress are set. Memory comes from the arena of the
 * trace. Returns 0, or <0 (reported); top_close() is due in both cases. */
int top_init(struct top *top);

/* Reads all streams. Returns 0, or <0 (reported): memory, or too many intervals. */
int top_count(struct top *top);

/* Makes the rows: the most events first, then by name; intervals by time. Returns 0, or <0
 * (reported). */
int top_rows(struct top *top);

void top_close(struct top *top);

#endif
