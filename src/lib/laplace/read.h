/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_READ_H
#define LAPLACE_READ_H

/* read: the records of one file, whatever its format, one at a time. Memory is a window,
 * whatever the size. The rules of strict and lenient reading (the codes LR, LT and LK of
 * laplace.h) are applied here: records of lapread_next() are always in order and in range. */

#include "laplace.h"
#include "source.h"

/* Looks at each record before it is given, and may change or drop it. */
struct lap_filter {
	/* ev: that of the record, NULL: it is a reference. Returns 1: it is given, 0: it is dropped, <0 a code (reported). */
	int (*take)(void *self, const struct lap_place *at, enum lap_dialect dialect, uint64_t least, struct lap_record *rec, struct lap_event *ev);
	void *self;
};

struct lapread_options {
	const char *file; /* its name in messages; borrowed until closed */
	enum lap_format format;
	enum lap_endian endian;
	enum lap_dialect dialect;
	uint32_t space;                  /* of the records of a per-process file */
	uint32_t cpu;                    /* of the records */
	bool pass_unknown;               /* events whose tag is not in the catalogue are given, as LAP_OTHER */
	uint64_t size;                   /* of the file in bytes, 0: not known; for LAP_AUTO */
	const struct lap_filter *filter; /* borrowed; NULL: there is none */
};

struct lapread {
	struct lapsource source;
	struct lapread_options options;
	struct lap_log *log;
	struct lap_place at; /* of the record given last */
	uint64_t last_ts;
	uint64_t given_ts; /* of the record that the filter let pass last */
	uint64_t records;  /* read so far */
	bool ended;        /* the end event (e) was read */
	bool plain;        /* binary without a filter */
	struct lap_event event;
	char *name; /* of the event, if a filter gave it another one */
};

/* The log is borrowed. LAP_AUTO looks at the first bytes, and options.format of the reader
 * is then what was found. Returns 0, or a code, which the log was told; lapread_close() is
 * called in any case. */
int lapread_open(struct lapread *r, struct lap_log *log, const struct lap_input *input,
	const struct lapread_options *options);

/* The next record. Returns 1, 0 at the end, <0 a code, which the log was told; after an
 * error only lapread_close() may be called. rec->event lives until the next call. */
int lapread_next(struct lapread *r, struct lap_record *rec);

/* Frees. Accepts a zeroed struct. */
void lapread_close(struct lapread *r);

/* ---- The format of a file. ---- */

enum {
	LAPPROBE_HEAD = 2 * (LAP_LINE_MAX + 1), /* bytes that are enough */
};

/* By suffix of a name of n bytes: .lrb .lrt .lkt .lmt .lbm; LAP_AUTO: another one. */
enum lap_format lapprobe_name(const char *name, size_t n);

/* By content: text if the first two lines (or all, if there are fewer) are records; else
 * binary if the size (0: not known) is a multiple of LAP_RECORD_SIZE and the first byte a
 * kind of reference. `head` has the first n bytes of the file, LAPPROBE_HEAD if it is that
 * long. Returns LAP_MIXED (all text is read so), LAP_BINARY, or LAP_AUTO: neither. */
enum lap_format lapprobe_bytes(const uint8_t *head, size_t n, uint64_t size, enum lap_dialect dialect);

#endif
