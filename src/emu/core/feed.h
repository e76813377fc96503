/* SPDX-License-Identifier: MIT */
#ifndef FEED_H
#define FEED_H

/* feed: the records of an emulator on their way to the sinks.
 *
 * Records are appended to a chunk, those of rows and events of the trace apart. Full chunks go
 * through bounded queues to the threads of the sinks, so that formatting and writing
 * overlap with emulation and memory does not grow with the trace. A chunk ends
 * between two instants, and keeps the last nanosecond back, so that a punctual value can
 * still be inserted there; only an instant longer than a chunk is split. */

#include "diag.h"
#include "sink.h"

#include <stdatomic.h>

enum {
	FEED_RECORDS = 8192, /* of a lane in a chunk: few wake-ups, and it fits in a cache */
	FEED_CHUNKS = 4,     /* in all; what bounds the memory */
	FEED_SINKS_MAX = 16,
};

struct chunk;
struct feed_impl;

struct feed {
	struct record *next[LANES]; /* where the next record goes */
	struct record *end[LANES];
	uint32_t ncols;
	int64_t sent;   /* time of the last record that was handed over; -1 none */
	uint16_t event; /* of the records that are added now */
	struct chunk *cur;
	struct feed_impl *impl;
};

/* Opens the sinks. Returns 0, or <0 (reported); feed_close() is due in both cases. */
int feed_open(struct feed *f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink *sinks, size_t nsinks);

/* Starts up to `threads` threads (one at least, one a sink at most) that serve the sinks;
 * a sink stays with its thread. Returns 0, or <0 (reported). */
int feed_start(struct feed *f, unsigned threads);

/* Hands over the full chunk. Returns with room for records, always. */
void feed_roll(struct feed *f);

/* While nothing comes: hands over what will not change any more, for who reads the files
 * now. */
void feed_flush(struct feed *f);

/* Adds a record to a lane, of one row or of a thread and a CPU. Times must not decrease. */
static inline void
feed_put_both(struct feed *f, enum lane lane, int64_t time, uint32_t row, uint32_t cpu, uint32_t col, int64_t value)
{
	if (__builtin_expect(f->next[lane] == f->end[lane], 0))
		feed_roll(f);
	struct record *r = f->next[lane]++;
	r->time = time;
	r->value = value;
	r->row = row;
	r->col = (uint16_t)col;
	r->event = f->event;
	r->cpu = cpu;
	r->chan = row * f->ncols + col;
}

static inline void
feed_put(struct feed *f, enum lane lane, int64_t time, uint32_t row, uint32_t col, int64_t value)
{
	feed_put_both(f, lane, time, row, 0, col, value);
}

/* Inserts a record behind those of its time, which may be up to 1 ns before the last one;
 * later if that was handed over already. flags: RECORD_PUNCTUAL, or 0. */
void feed_insert(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value, unsigned flags);

/* Whether the row may have a record of that column at `time`, which is that of the last
 * record or later. Looks back in the chunk over the current instant. */
bool feed_has(const struct feed *f, int64_t time, uint32_t row, uint32_t col);

/* Whether a sink has failed: the run may as well stop. */
bool feed_failed(const struct feed *f);

/* Hands over the rest, waits for the sinks, closes them all and frees.
 * Returns 0, or the first error of a sink (reported). Accepts a zeroed feed. */
int feed_close(struct feed *f, int64_t duration);

#endif
