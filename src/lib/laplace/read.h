/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_READ_H
#define LAPLACE_READ_H

/* read: the records of one file, whatever its format, one at a time. Memory is a window,
 * whatever the size. The rules of strict and lenient reading (the codes LR, LT and LK of
 * laplace.h) are applied here: records of lapread_next() are always in order and in range. */

#include "laplace.h"
#include "source.h"

struct lapread_options {
	const char *file; /* its name in messages; borrowed until closed */
	enum lap_format format;
	enum lap_endian endian;
	enum lap_dialect dialect;
	uint32_t space; /* of the records of a per-process file */
	uint32_t cpu;   /* of the records */
	uint64_t size;  /* of the file in bytes, 0: not known; for LAP_AUTO */
};

struct lapread {
	struct lapsource source;
	struct lapread_options options;
	struct lap_log *log;
	uint64_t last_ts;
	uint64_t records; /* given so far */
	uint64_t line;    /* of the record given last, from 1; 0: binary */
	uint64_t offset;  /* of that record */
	bool ended;       /* the end event (e) was read */
	struct lap_event event;
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

/* Place of the record given last, for messages of its user. */
struct lap_place lapread_place(const struct lapread *r);

#endif
