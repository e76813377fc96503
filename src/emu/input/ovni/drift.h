/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OVNI_DRIFT_H
#define INPUT_OVNI_DRIFT_H

/* drift: a table of clock offsets that were measured several times.
 *
 * Between two measurements the offset of a host moves linearly, before the first and
 * behind the last one it stays. A corrected clock never goes back when the clock of the
 * host does not. Defined in doc/format/trace.md, "Drift". */

#include "trace.h"

#include <stdio.h>

/* The measurements of one host, and where the last clock was among them. */
struct drift {
	const int64_t *local;  /* clock of the host at each one, ascending */
	const int64_t *offset; /* what to add to it */
	size_t n;              /* at least 1 */
	size_t at;             /* local[at] <= last clock < local[at + 1], as far as they exist */
};

struct drift_table {
	const char **hosts;
	size_t nhosts;
	struct drift *drifts; /* of each host */
};

/* Whether the file begins like a table of this kind. Rewinds it. */
bool drift_probe(FILE *f);

/* Reads it, into the arena of the trace. Returns 0, or <0 (reported). */
int drift_parse(struct trace *t, const char *path, FILE *f, struct drift_table *tab);

/* The offset to add to a clock of the host. Moves d->at; O(1) for clocks that ascend. */
int64_t drift_offset(struct drift *d, int64_t clock);

/* From now on the streams that have a drift get their offset from it, event by event.
 * Streams without one pay nothing if no stream has. Returns 0, or <0 (reported). */
int drift_install(struct trace *t);

#endif
