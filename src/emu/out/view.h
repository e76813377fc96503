/* SPDX-License-Identifier: MIT */
#ifndef VIEW_H
#define VIEW_H

/* view: the text of a file from which Paraver opens a timeline, or histograms of one. Bytes in doc/format/prv.md. */

#include "out.h"

/* Stands in every view, to tell those of an earlier run from views that a user saved. */
#define VIEW_MARK "written by ovniemu"

/* What is in a view. All is borrowed. */
struct view {
	const struct chan_decl *decl;
	const char *title;
	const char *label; /* of its type */
	const struct palette *palette;
	unsigned height; /* of its window */
};

/* Returns the height of a window for that many rows. */
unsigned view_height(uint32_t nrows);

/* Writes a timeline. */
typedef void view_put_fn(struct wbuf *w, const struct view *v);
view_put_fn view_put;

/* Whether a histogram has a column for each value: they have labels, and are neither identifiers nor hashes. */
bool view_has_histogram(const struct view *v);

/* Writes tables of rows by values: time in per cent and absolute, number, mean duration. */
view_put_fn view_put_histograms;

#endif
