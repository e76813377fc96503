/* SPDX-License-Identifier: MIT */
#ifndef PRV_H
#define PRV_H

/* prv: writes records as a Paraver trace, in order of time. Used by the sinks of rows and
 * by the breakdowns, and by tools: it needs no emulator. Bytes in doc/format/prv.md.
 *
 * A punctual value becomes two lines: the value 1 ns before, and at its time what the row goes on
 * with. Both are at its time when that is 0, or when the row has a line of that type there. So the
 * records of the last nanosecond are held back until a later one, or the end, shows that
 * nothing comes between them. */

#include "arena.h"
#include "diag.h"
#include "fmt.h"
#include "sink.h"
#include "wbuf.h"

enum {
	PRV_HIGH_SIZE = 16, /* most bytes of the time without its last four digits */
	PRV_SMALL = 1000,   /* values below have their text ready: most do */
	PRV_LARGE = 256,    /* others that are remembered: types, threads and tasks come back */
	PRV_INSTANT = 8192, /* lines of an instant that are grouped by rows; more are written in parts */
	PRV_HELD = 4 * PRV_INSTANT,
	PRV_ENOUGH = 2048, /* with more, release what need not be held */
};

/* Options of a Paraver trace. */
struct prv_options {
	struct diag *diag;
	const char *path; /* borrowed until prv_finish() */
	uint32_t first_row;
	uint32_t nrows;   /* most rows, with those that may come late */
	bool late_rows;   /* the number is known at the end only: prv_set_rows() */
	const int *types; /* PRV type of each column */
	size_t ntypes;
	bool coalesce; /* the default view: all pairs of a row at an instant in a line */
	bool silent;   /* no warning of values that Paraver cannot show */
};

/* Parts of a line as texts, sized for one or two moves. */
struct type_text {
	char text[14]; /* ":type:" */
	uint8_t size;
	bool odd_values; /* some that Paraver cannot label */
};

struct row_text {
	char text[23]; /* "2:0:1:1:row" */
	uint8_t size;
};

struct value_text {
	char text[3];
	uint8_t size;
};

struct large_text {
	int64_t value; /* 0: none */
	char text[FMT_MAX];
	uint8_t size;
};

struct prv {
	struct diag *diag;
	struct arena arena;
	struct wbuf out;
	uint32_t first_row;
	uint32_t nrows;
	uint32_t nknown; /* what the header says */
	bool late_rows;
	bool coalesce;
	bool silent;
	bool told;               /* that it cannot be written */
	bool odd_values;         /* some that Paraver cannot label were written lately */
	struct type_text *types; /* of each column */
	size_t ntypes;
	struct row_text *row_texts;
	struct value_text small[PRV_SMALL];
	struct large_text large[PRV_LARGE];

	/* Text of the current instant, ":time": the digits above the last four seldom change
	 * where there are many events. */
	int64_t time;
	int64_t time_high; /* multiple of 10^4 below the time */
	char high[1 + FMT_MAX];
	size_t high_size;
	uint64_t low;
	size_t low_size;

	/* Grouping of an instant by rows: the records of a row are a list. */
	uint32_t *last; /* of each row: its last record, if seen[] is this instant */
	uint64_t *seen;
	uint64_t instant;
	uint32_t *order; /* first record of each group */
	uint32_t *next;

	/* Lines that may get company, in their order; of two files those of both. */
	struct record *held; /* before the last instant, */
	size_t nheld;
	struct record *now; /* and in it, behind its last cut */
	size_t nnow;
	int64_t in_instant; /* the last instant */
	int64_t cut;        /* an instant that was written in parts; -1: none */
};

/* Creates the file. Returns 0, or <0 (reported); prv_finish() is due in both cases. */
int prv_start(struct prv *p, const struct prv_options *o);

/* Takes records, none of them RECORD_EVENT, and writes the lines of those that are of its rows.
 * `cpus`: another file, of the rows of CPUs, while p is of those of threads: what both show is
 * formatted once; NULL: there is none. Returns 0, or <0 (reported). */
int prv_write(struct prv *p, struct prv *cpus, const struct batch *b);

/* Takes one record. Returns 0, or <0 (reported). */
int prv_put(struct prv *p, const struct record *r);

/* Writes what is held back up to where a record at `time` or later may come between, and all of it
 * to the files. Returns 0, or <0 (reported). */
int prv_release(struct prv *p, struct prv *cpus, int64_t time);

/* Writes what is held back; no more records come. Returns 0, or <0 (reported). */
int prv_settle(struct prv *p, struct prv *cpus);

/* With late_rows: how many there are. Before prv_finish(). */
void prv_set_rows(struct prv *p, uint32_t n);

/* Settles, completes the header and frees; of two files that of CPUs goes first, after
 * prv_settle() for both. Returns 0, or <0 (reported). */
int prv_finish(struct prv *p, int64_t duration);

/* ---- prvline.c: states as lines. They are put together from texts that are made once: rows, types, small
 * values, and the digits of the time that seldom change. ---- */

/* Makes the texts of all rows and types (p->nrows, p->ntypes) and of time 0. */
void prvline_prepare(struct prv *p, const int *types);

/* Writes states that are in order of time: whole instants, or parts of long ones, of at most PRV_HELD
 * records. Failures are kept in p->out. */
void prvline_put(struct prv *p, const struct record *r, const struct record *end);

/* Writes them to a file of threads and to one of CPUs (NULL: there is none): a line that both show is
 * formatted once. */
void prvline_put_both(struct prv *p, struct prv *cpus, const struct record *r, const struct record *end);

#endif
