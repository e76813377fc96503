/* SPDX-License-Identifier: MIT */
#ifndef PRVLINE_H
#define PRVLINE_H

/* prvline: states as lines of a Paraver trace, in memory. They are put together from texts that are made once: rows, types, small
 * values, and the digits of the time that seldom change. */

#include "arena.h"
#include "diag.h"
#include "fmt.h"
#include "sink.h"
#include "textbuf.h"

enum {
	PRV_HIGH_SIZE = 16, /* room for the time without its last six digits */
	PRV_THREE = 3,
	PRV_THREES = 1000,  /* numbers of three digits */
	PRV_SMALL = 1000,   /* values below have their text ready: most do */
	PRV_LARGE = 256,    /* others that are remembered: types, threads and tasks come back */
	PRV_INSTANT = 8192, /* lines of an instant that are grouped by rows; more are written in parts */
	PRV_HELD = 4 * PRV_INSTANT,
};

/* Options of a Paraver trace. */
struct prv_options {
	struct diag *diag;
	const char *path; /* borrowed until the file is closed */
	uint32_t first_row;
	uint32_t nrows;   /* most rows, with those that may come late */
	const int *types; /* PRV type of each column */
	size_t ntypes;
	bool gzip;     /* the file is compressed, and `path` ends in PARAVER_GZIP */
	bool coalesce; /* the default view: all pairs of a row at an instant in a line */
	bool joins;    /* another process creates the file, and completes it: this one writes lines at their places; what fails is not reported */
	bool silent;   /* no warning of values that Paraver cannot show */
};

/* Parts of a line as texts, sized for one or two moves. */
struct type_text {
	char text[15]; /* ":type:" */
	uint8_t size;
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

/* What all lines of a file are made of: constant, for any thread. */
struct prv_texts {
	uint32_t first_row;
	uint32_t nrows;
	bool coalesce;
	struct type_text *types; /* of each column */
	size_t ntypes;
	bool *odd_types; /* some values of the column cannot be labelled by Paraver: see prvline_finish() */
	struct row_text *rows;
	struct value_text small[PRV_SMALL];
	char threes[PRV_THREES][PRV_THREE + 1]; /* with zeros in front; four bytes are one move */
};

/* A maker of lines, for one thread. */
struct prv_lines {
	const struct prv_texts *texts;
	struct textbuf out; /* of the caller */
	uint32_t first_row; /* copies */
	uint32_t nrows;
	bool coalesce;
	bool *odd_types; /* as in the texts */
	struct large_text large[PRV_LARGE];

	/* ":time" without its last six digits, which seldom changes. */
	int64_t time_high; /* multiple of 10^6 below the time; negative: none yet */
	char high[1 + FMT_MAX];
	size_t high_size;

	/* Grouping of an instant by rows: the records of a row are a list. */
	uint32_t *last; /* of each row: its last record, if seen[] is this instant */
	uint64_t *seen;
	uint64_t instant;
	uint32_t *order; /* first record of each group */
	uint32_t *next;
};

/* Makes the texts of all rows and types. Returns 0, or -1 when memory is exhausted. */
int prv_texts_init(struct prv_texts *k, struct arena *a, const struct prv_options *o);

/* The texts are borrowed. Returns 0, or -1 when memory is exhausted. */
int prvline_init(struct prv_lines *p, struct arena *a, const struct prv_texts *k);

/* Writes states that are in order of time: whole instants, or parts of long ones, of at most PRV_HELD
 * records. Failures are kept in p->out. */
void prvline_put(struct prv_lines *p, const struct record *r, const struct record *end);

/* Writes them to a file of threads and to one of CPUs (NULL: there is none): a line that both show is
 * formatted once. */
void prvline_put_both(struct prv_lines *p, struct prv_lines *cpus, const struct record *r, const struct record *end);

/* Notes in the texts which columns had values that Paraver cannot label. */
void prvline_finish(const struct prv_lines *p, struct prv_texts *k);

#endif
