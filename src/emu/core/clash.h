/* SPDX-License-Identifier: MIT */
#ifndef CLASH_H
#define CLASH_H

/* clash: finds declarations that cannot be used, or contradict each other. A model may come from a file
 * of the user, so nothing of it is taken for granted but that its pointers are good or NULL. Models with one
 * letter would share events, with one PRV type lines, with one name requirements and views. */

#include "modelset.h"

/* PRV types that no model may declare: those of the base columns are below CLASH_BASE, and marks
 * get theirs as the trace defines them. */
enum {
	CLASH_BASE = 7,
	CLASH_MARKS = 100,
	CLASH_MARKS_END = 200,
};

/* Look for the first thing that is wrong in a model, or between two. Return whether there is one;
 * `text` then names the model, or both with their owners, and says it; *decl (NULL: it is not wanted) is the channel, state,
 * event or breakdown, NULL the head of the model; *member what the second one would have to change: its letter or name, or that
 * member of a channel or of its breakdown. */
bool clash_within(const struct model *m, char *text, size_t size, const void **decl);
bool clash_between(const struct owned_model *a, const struct owned_model *b, char *text, size_t size, const void **member);

/* Whether a channel asks for what only those of threads have, although it is of others; `text` says what. */
bool clash_in_rows(const struct chan_decl *k, char *text, size_t size);

#endif
