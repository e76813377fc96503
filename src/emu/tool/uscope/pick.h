/* SPDX-License-Identifier: MIT */
#ifndef PICK_H
#define PICK_H

/* pick: what --scope, --storage and --event choose. A pattern (with * ? [ ]) is compared
 * with the name, or with the whole path when it has a slash. --storage alone leaves no
 * events, --event alone no storages; --scope keeps what is below it of both. */

#include "pathlist.h"

enum pick_kind {
	PICK_SCOPE,
	PICK_STORAGE,
	PICK_EVENT,
	PICK_KINDS,
};

enum {
	PICK_MAX = 64, /* patterns of a kind */
};

struct pick {
	const char *patterns[PICK_KINDS][PICK_MAX]; /* borrowed */
	size_t n[PICK_KINDS];
};

/* The choice, by id. */
struct picked {
	bool *storages;
	bool *events;
	uint32_t nstorages; /* that are chosen */
	uint32_t nevents;
};

/* false: too many. */
bool pick_add(struct pick *p, enum pick_kind kind, const char *pattern);
/* The choice lives in the arena. 0, or -1: out of memory, or *unmatched is the pattern that fits
 * nothing. */
int pick_from(const struct pick *p, const struct pathlist *paths, struct arena *a, struct picked *out, const char **unmatched);

#endif
