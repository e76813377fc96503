/* SPDX-License-Identifier: MIT */
#ifndef TOOL_SYNC_TABLE_H
#define TOOL_SYNC_TABLE_H

/* table: the tables that ovnisync writes; doc/format/trace.md, "Clock offsets". */

#include "diag.h"
#include "math.h"
#include "wbuf.h"

#include <stdbool.h>

/* A rank that is measured: the first one of its host. */
struct sync_node {
	int rank;
	const char *host;
	struct sync_sample *samples;
	struct sync_offset offset;
};

struct synctable {
	const char *path; /* set by the caller; borrowed */
	struct diag *diag;
	struct wbuf out;
	bool drift;
	bool begun;
};

/* Before anything is measured: it may fail early. Missing directories are created, and an
 * old table is kept until there is a new one. Returns 0, or <0 (reported). */
int synctable_open(struct synctable *t, struct diag *d, bool drift);

/* A measurement, at that clock of the reference. Of constants the first one is the table. */
void synctable_put(struct synctable *t, const struct sync_node *nodes, size_t n, int64_t clock);

/* Returns 0, or <0 when something was not written (reported if `report`). Accepts one that
 * was not opened. */
int synctable_close(struct synctable *t, bool report);

#endif
