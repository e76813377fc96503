/* SPDX-License-Identifier: MIT */
#ifndef TOOL_SORT_STREAM_H
#define TOOL_SORT_STREAM_H

/* stream: sorts the late events of one stream, or looks whether there are some.
 *
 * Late events stand in regions, from OU[ to OU]. When a region ends, its events and all
 * before them down to the last one that is lower than all of the region are sorted by
 * clock. Defined in ovnisort(1). */

#include "kit/progress.h"
#include "trace.h"
#include "sortwin.h"

#include <signal.h>

struct sortstream_options {
	uint64_t reach; /* events that can be sorted together */
	bool all;       /* the whole stream, whatever its regions */
	bool dry_run;   /* nothing is written */
	volatile sig_atomic_t *stop;
	struct progress *progress; /* NULL: none is shown */
	uint64_t before;           /* bytes of the streams that are done */
};

struct sortstream_result {
	uint64_t events;
	uint64_t regions; /* that were not empty */
	uint64_t empty;   /* regions */
	uint64_t moved;   /* places in the file that have another event now, at each sort */
	uint64_t back;    /* check: clocks that go back */
};

/* Sorts the stream, which has just been opened. Its file is replaced as a whole, or, after
 * an error or when nothing moves, left alone. The window is scratch, zeroed or used before.
 * A stream that ends inside an event is sorted and keeps these bytes, and is an error.
 * Returns 0, or <0 (reported). */
int sortstream_sort(struct stream *s, struct sortwin *w, const struct sortstream_options *o, struct sortstream_result *r);

/* Reports each clock that is below that of the event before, as unsigned integers.
 * Returns 0, also when there are some, or <0 (reported). */
int sortstream_check(struct stream *s, const struct sortstream_options *o, struct sortstream_result *r);

#endif
