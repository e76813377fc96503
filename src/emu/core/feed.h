/* SPDX-License-Identifier: MIT */
#ifndef FEED_H
#define FEED_H

/* feed: the records that an emulator prints.
 *
 * Records are appended to a chunk, and a full one flows on (flow.h). A chunk ends between two events of the
 * trace: only an event that has more records than a chunk is cut, each FLOW_RECORDS. Those of a part of the machine
 * stay with it, until they are merged with those of other parts (parts.h). */

#include "flow.h"

struct feed {
	struct record *next; /* where the next record goes */
	struct record *end;
	struct record *event; /* the first of the current event; NULL: it has left */
	uint32_t ncols;
	bool drops;     /* no record leaves */
	bool elsewhere; /* those that leave are formatted by another process */
	struct chunk *cur;
	struct flow *flow;
	struct record *own; /* of a part: a block of memory in place of chunks, which grows, */
	struct note *notes; /* and another one; */
	size_t nnotes, notes_cap;
	bool lent; /* the block is another one's; */
	bool lost; /* there was no memory for it */
};

/* Opens the sinks. Returns 0, or <0 (reported); feed_close() is due in both cases. */
int feed_open(struct feed *f, struct diag *d, const struct emu *emu, const char *dir,
	const struct sink_ops *const *sinks, size_t nsinks);

/* Starts threads, so that there are `threads` with the one that calls. From now on records may be added.
 * Returns 0, or <0 (reported). */
int feed_start(struct feed *f, unsigned threads);

/* Hands over the full chunk. Returns with room for records, always. */
void feed_roll(struct feed *f);

/* Begins the feed of a part, with room for n records at first. Returns 0, or -ERR_MEMORY (not reported); feed_end_own() is
 * due in both cases. */
int feed_begin_own(struct feed *f, uint32_t ncols, size_t n);
void feed_end_own(struct feed *f);

/* Lends other memory for n records to the feed of a part, which has none yet. */
void feed_use_own(struct feed *f, struct record *lent, size_t n);

/* Hands the first records of a part, and the first notes, over to `out`, whose memory it takes in turn. */
void feed_hand_over_own(struct feed *f, struct feed *out, size_t nrecords, size_t nnotes);

/* Appends a record of another feed, of any kind, and wherever the chunk ends. Returns the one behind it. */
const struct record *feed_append_odd(struct feed *f, const struct record *r);

/* Appends records of another feed as long as they are of the instant of the first one. Returns the one behind them. */
static inline const struct record *
feed_append(struct feed *f, const struct record *r, const struct record *end)
{
	int64_t time = r->time;
	struct record *to = f->next, *event = f->event, *room = f->end;
	do {
		if (__builtin_expect(to == room || !record_is_state(r->kind), 0)) {
			f->next = to;
			f->event = event;
			r = feed_append_odd(f, r);
			to = f->next;
			event = f->event;
			room = f->end;
			continue;
		}
		event = r->begins ? to : event;
		*to++ = *r++;
	} while (r < end && r->time == time);
	f->next = to;
	f->event = event;
	return r;
}

/* Appends records of two other feeds in the order of time, those of `a` first in an instant, until one of them has no more. */
void feed_append_two(struct feed *f, const struct record **a, const struct record *a_end, const struct record **b, const struct record *b_end);

/* Between two events, while live input waits: hands over all but the last instant, which may
 * go on, so that the files can be read now. */
void feed_flush(struct feed *f);

/* Between two events, where records may be divided (batch.apart): hands over all. */
void feed_cut(struct feed *f);

/* The chunk is filled by a job, with `to` as its feed: records for which there is room, up to a place where they are apart (batch.apart). Returns the
 * number of the chunk. feed_renew() is due, as soon as the job can be done: f goes on behind it. */
uint64_t feed_lend(struct feed *f, struct feed *to);
void feed_renew(struct feed *f);

/* The job is done. With the lock of the crew. */
void feed_give_lent(struct feed *to);

/* From now on records are dropped, or no longer: those that have not left are. */
void feed_drop(struct feed *f, bool drops);

/* Begins the records of another event. */
static inline void
feed_begin(struct feed *f)
{
	f->event = f->next;
}

/* Adds a state of one row, or of a thread and a CPU: record_what() in a column; `alone`: as the first record of its event. Times must not decrease. */
static inline void
feed_put_both(struct feed *f, int64_t time, uint32_t row, uint32_t cpu, uint32_t what, int64_t value, bool alone)
{
	if (__builtin_expect(f->next == f->end, 0))
		feed_roll(f);
	struct record *r = f->next++;
	r->time = time;
	r->value = value;
	r->row = row;
	r->what = what;
	r->begins = alone || r == f->event;
	r->chan = row * f->ncols + (uint16_t)what;
	r->cpu = cpu;
}

static inline void
feed_put(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value)
{
	feed_put_both(f, time, row, 0, record_what(col, RECORD_STATE), value, false);
}

/* Adds a punctual value; `before` is the state of the row. */
void feed_put_punctual(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value, int64_t before);

/* Adds the first state of a row that came during the run. */
void feed_put_late(struct feed *f, int64_t time, uint32_t row, uint32_t col, int64_t value);

/* Adds the event itself, as two records, behind the others of it: row of its thread, `letters`
 * (model, category << 8) as column, first 8 bytes of the payload; then size of the payload as row, third
 * letter as column, next 8 bytes. */
void feed_put_event(struct feed *f, int64_t time, uint32_t thread, const uint8_t mcv[3], uint32_t size, const uint64_t payload[2]);

/* Adds a note behind the last record. */
void feed_put_note(struct feed *f, const struct note *n);

/* Whether a sink has failed, so that the run should stop. */
bool feed_failed(const struct feed *f);

/* Hands over the rest, waits for the sinks, closes them all and frees.
 * Returns 0, or the first error of a sink (reported). Accepts a zeroed feed. */
int feed_close(struct feed *f, int64_t duration);

#endif
