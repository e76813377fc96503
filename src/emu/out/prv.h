/* SPDX-License-Identifier: MIT */
#ifndef PRV_H
#define PRV_H

/* prv: a Paraver trace of records that come one by one, in order of time. Used by breakdowns and rows of processes,
 * and by tools: it needs no emulator. */

#include "gzip.h"
#include "prvfile.h"
#include "prvform.h"

struct prv {
	struct arena arena;
	struct prv_file file;
	struct prv_texts texts;
	struct prv_form form;
	struct gzip gzip;
};

/* Creates the file. Returns 0, or <0 (reported); prv_finish() is due in both cases. */
int prv_start(struct prv *p, const struct prv_options *o);

/* Takes one record. Returns 0, or <0 (reported). */
int prv_put(struct prv *p, const struct record *r);

/* Writes what is held back up to where a record at `time` or later may come between, and all of it
 * to the file. Returns 0, or <0 (reported). */
int prv_release(struct prv *p, int64_t time);

/* How many rows have come, of those that may. Before prv_finish(). */
void prv_set_rows(struct prv *p, uint32_t n);

/* Writes what is held back, completes the header and frees. Returns 0, or <0 (reported). */
int prv_finish(struct prv *p, int64_t duration);

#endif
