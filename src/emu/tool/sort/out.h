/* SPDX-License-Identifier: MIT */
#ifndef TOOL_SORT_OUT_H
#define TOOL_SORT_OUT_H

/* out: a file is replaced as a whole or not at all.
 *
 * The new bytes go to a file beside it, which is synced and takes its place; until then,
 * and after any failure, the old file is as it was. A file ending in .zst, .lz4 or .gz is
 * given plain bytes and stays compressed. */

#include "diag.h"
#include "wbuf.h"

#include <limits.h>
#include <stddef.h>
#include <sys/stat.h>

struct sortpack;

struct sortout {
	struct diag *diag;
	const char *path;    /* as in messages; borrowed */
	char real[PATH_MAX]; /* the file itself, if the path is a link */
	char temp[PATH_MAX];
	struct stat before; /* of the old file */
	struct wbuf out;
	struct sortpack *pack; /* NULL: plain */
	bool open;
};

/* Begins to replace the file. The path is borrowed. Returns 0, or <0 (reported). */
int sortout_open(struct sortout *o, struct diag *d, const char *path);

void sortout_put(struct sortout *o, const void *bytes, size_t n);

/* Whether writing failed, so that going on makes no sense; sortout_commit() reports it. */
bool sortout_failed(const struct sortout *o);

/* The new bytes are complete: the file is replaced. Returns 0, or <0 (reported), and
 * then the old file is untouched. In both cases o is closed. */
int sortout_commit(struct sortout *o);

/* Gives up: removes what was written. Accepts one that is not open. */
void sortout_abandon(struct sortout *o);

#endif
