/* SPDX-License-Identifier: MIT */
#ifndef SINK_H
#define SINK_H

/* sink: what an output implements.
 *
 * The emulator prints records; sinks make files of them. A sink that has a write member
 * runs it on another thread, always the same, which gets all records in order of time; open and
 * close run on the thread of the emulator, before the first and after the last write.
 * What a sink may read of the emulator meanwhile does not change: rows, columns and
 * their labels (labels that models add while running may be read in close). Of live input
 * the rows up to the one of a record are known to who has the record, all in close. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu;

/* A value that a row shows from a time on. Nearly all are shown by a thread and by its CPU at
 * once: those are one record, so that they are formatted once. */
struct record {
	int64_t time;  /* ns since the first event */
	int64_t value; /* as printed: nothing is 0 */
	uint32_t row;  /* threads first, then CPUs; from 0 */
	uint16_t col;
	uint16_t event; /* counts events, to tell those of one instant apart; RECORD_PUNCTUAL */
	uint32_t chan;  /* of the row: row * columns + col */
	uint32_t cpu;   /* row of a CPU that shows it too, behind the thread; 0: none */
};

enum {
	COLUMNS_MAX = UINT16_MAX,
	RECORD_PUNCTUAL = 0x8000, /* the value shows for 1 ns, the state does not change */
};

enum row_class {
	ROW_THREAD,
	ROW_CPU,
	ROW_CLASSES,
};

/* Records that are handed over together: of the rows, and the events of the trace if they
 * are wanted. An event is two records: value is the first 8 bytes of its payload, row its
 * thread, col its model and category; value the next 8 bytes, row the size of the payload,
 * col the third letter. */
enum lane {
	LANE_ROWS,
	LANE_EVENTS,
	LANES,
};

enum {
	RAW_JUMBO = UINT8_MAX, /* as a size: the value is the length */
};

struct batch {
	const struct record *r[LANES];
	size_t n[LANES];
};

/* The row of a CPU that shows a record, of a machine with that many threads; 0: none does. */
static inline uint32_t
record_cpu(const struct record *r, uint32_t nthreads)
{
	return r->cpu ? r->cpu : r->row >= nthreads ? r->row
						    : 0;
}

struct sink_ops {
	const char *name;
	size_t size; /* private memory, zeroed */

	/* Creates the files in `dir` (borrowed until close). 0, or <0 (reported). */
	int (*open)(void *self, const struct emu *emu, const char *dir, enum row_class rows);
	/* Records of all rows in order of time. The next call begins at a later time, unless
	 * one instant was too long for the queue. 0, or <0 (reported); it is not called again. */
	int (*write)(void *self, const struct record *r, size_t n);
	/* The same with the events too, instead of write: what is in a batch is earlier than
	 * what is in the next, in all its lanes. */
	int (*write_all)(void *self, const struct batch *b);
	/* Who reads the files now shall see what was written. NULL: nothing to do for it. 0, or
	 * <0 (reported). */
	int (*flush)(void *self);
	/* Completes the files, also after an error elsewhere; `duration` is the time of the
	 * last event. Due whenever open succeeded. 0, or <0 (reported). */
	int (*close)(void *self, int64_t duration);
};

struct sink {
	const struct sink_ops *ops;
	enum row_class rows;
};

#endif
