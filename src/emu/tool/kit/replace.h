/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_REPLACE_H
#define TOOL_KIT_REPLACE_H

/* replace: a file is replaced as a whole or not at all.
 *
 * The new bytes go to a file beside it, which is synced and takes its place; until then,
 * and after any failure, the old file is as it was. A file ending in .zst, .lz4 or .gz is
 * given plain bytes and stays compressed. */

#include "diag.h"
#include "wbuf.h"

#include <limits.h>
#include <stddef.h>
#include <sys/stat.h>

struct pack;

struct replace {
	struct diag *diag;
	const char *path;    /* as in messages; borrowed */
	const char *done;    /* to it, in messages: "sorted" */
	char real[PATH_MAX]; /* the file itself, if the path is a link */
	char temp[PATH_MAX];
	struct stat before; /* of the old file, or of the one that a new one is like */
	bool is_new;
	struct wbuf out;
	struct pack *pack; /* NULL: plain */
	bool open;
};

/* Begins to replace the file, or with `like` to create it, with the owner and the mode of that one. path and done
 * are borrowed. Returns 0, or <0 (reported). */
int replace_open(struct replace *o, struct diag *d, const char *path, const char *like, const char *done);

void replace_put(struct replace *o, const void *bytes, size_t n);

/* Whether writing failed, so that going on makes no sense; replace_commit() reports it. */
bool replace_failed(const struct replace *o);

/* The new bytes are complete: the file is replaced. Returns 0, or <0 (reported), and
 * then the old file is untouched. In both cases o is closed. */
int replace_commit(struct replace *o);

/* Gives up: removes what was written. Accepts one that is not open. */
void replace_abandon(struct replace *o);

#endif
