/* SPDX-License-Identifier: MIT */
#ifndef BASE_WALK_H
#define BASE_WALK_H

/* walk: the entries of a directory tree, links followed. As fts(3), and in less than half of its time: what a
 * directory tells of its entries is not asked for again. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum walk_kind {
	WALK_ENTER,    /* a directory, before what it holds */
	WALK_LEAVE,    /* and behind */
	WALK_FILE,     /* a regular file */
	WALK_OTHER,    /* something else that can be opened */
	WALK_NOWHERE,  /* a link whose end cannot be inspected */
	WALK_UNKNOWN,  /* the system tells nothing of it: see err */
	WALK_UNLISTED, /* in place of WALK_LEAVE: what the directory holds, or some of it, is not known: see err */
};

struct walk_entry {
	enum walk_kind kind;
	int err;          /* errno of WALK_UNKNOWN and WALK_UNLISTED */
	size_t level;     /* directories above it in the tree; 0: what the walk began with */
	const char *path; /* of the walk, until the next entry */
	size_t length;    /* of the path; that of a parent is the begin of it */
	const char *name; /* its last part */
	bool inspected;   /* what follows is known; walk_inspect() */
	mode_t mode;
	dev_t dev;
	ino_t ino;
	struct walk_entry *parent; /* the directory, which is the same one until it is left; never NULL */
	bool skip;                 /* set it at WALK_ENTER: WALK_LEAVE follows at once */
	long number;               /* the caller's, 0 at first; the entry at WALK_LEAVE is that of WALK_ENTER */
};

struct walk;

/* Begins at a path, borrowed. NULL when memory is exhausted. */
struct walk *walk_begin(const char *path);

/* The next entry: those of a directory in path order, where a slash follows the names of directories. NULL: that was all.
 * Exhausted memory is WALK_UNLISTED with ENOMEM. Directories that link to each other are not found out: skip what was seen. */
struct walk_entry *walk_next(struct walk *w);

/* Inspects the newest entry, if it is not yet. Returns 0, or errno. */
int walk_inspect(struct walk_entry *e);

/* Accepts NULL. */
void walk_end(struct walk *w);

#endif
