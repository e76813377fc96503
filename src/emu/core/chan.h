/* SPDX-License-Identifier: MIT */
#ifndef CHAN_H
#define CHAN_H

/* chan: the values of all channels of a partition, and which ones an event changed.
 *
 * A row is a thread or a CPU: threads first, then CPUs; or a process, a loom or the system, behind
 * those (rows.h). A column is a channel; all rows have the same columns. The first ones are the base
 * columns, which differ between threads and CPUs and are written by run_*(); the rest are the channels
 * of the models, written in the rows of what they are of: CPU rows derive theirs (track.h), except those
 * that are their own.
 *
 * Everything is an array indexed by row * ncols + col. Stacks share one pool. The dirty
 * list keeps the order of first touch, which the output shows. */

#include "arena.h"
#include "diag.h"
#include "ovniscope/model.h"
#include "sink.h"

#include <stdbool.h>
#include <stdint.h>

#define CHAN_NULL NO_VALUE

enum {
	CHAN_STACK_MAX = 512, /* values a stack holds, as in the peer */
};

/* Base columns. */
enum thread_col {
	COL_CPU,   /* CPU row, from 1 */
	COL_STATE, /* enum thread_state */
	COL_TID,   /* while active */
	NBASE,
};

enum cpu_col {
	COL_RUN_TID, /* of the unique running thread */
	COL_RUN_PID,
	COL_NRUNNING,
};

/* Only in struct col: the kind of a channel that is of no thread. */
enum {
	CHAN_OF_ROWS = CHAN_PUNCTUAL + 1,
};

/* Only in struct op: what the thread of every event meets, if its stream is one. In struct col: needs that no thread meets. */
enum {
	NEED_THREAD = 1 << 5,
	NEED_OWN = 1 << 6,   /* the row has a value of its own */
	NEED_NEVER = 1 << 7, /* the row does not have the column */
};

/* A column, as channels and tracking need it; names and labels are in struct chan_decl. */
struct col {
	unsigned kind; /* enum chan_kind, or CHAN_OF_ROWS */
	enum dup dup;
	enum repeat repeat;
	unsigned thread_need; /* what a thread must meet for its row to show the column, */
	unsigned cpu_need;    /* and for its CPU row to follow it: enum need */
	unsigned quick_need;  /* union of both, default view: when met, both rows show the column */
	uint64_t direct;      /* what a change of it adds to ndirect, see there */
	int64_t idle;
	uint32_t stack;     /* which of the stacks of a row */
	uint32_t first_row; /* of what the channel is of: 0 for threads */
	const struct chan_decl *decl;
	const struct model *model; /* NULL: base */
};

struct chan_stack {
	int64_t *values; /* [0] is CHAN_NULL, shown when empty; [depth] is the top */
	uint16_t depth;
	uint16_t cap;
};

/* A change by an event: of a channel, or, as column CHAN_ROW, of what its row shows. */
struct chan_ref {
	uint32_t row;
	union {
		struct {
			uint16_t col;
			uint8_t kind; /* of the record: enum record_kind */
		};
		uint32_t what; /* both: record_what() */
	};
};

#define CHAN_ROW UINT16_MAX

/* Parts of ndirect, each far above what an event changes. */
#define CHAN_ROW_DIRECT (UINT64_C(1) << 16)
#define CHAN_HIDDEN (UINT64_C(1) << 40)

struct chans {
	struct arena *arena;
	const struct col *cols;
	uint32_t ncols;
	uint32_t nthreads;
	uint32_t nstacks; /* stack columns */
	int64_t *value;
	struct chan_stack *stacks;
	uint64_t *touched;      /* by channel: number of the last event that wrote it */
	uint64_t *row_touched;  /* by row: number of the last event that marked it dirty */
	uint64_t event;         /* number of the current one, from 1 */
	struct chan_ref *dirty; /* changes of the current event, in order of first touch */
	uint32_t ndirty;
	uint64_t ndirect; /* not 0: untracked columns, whole rows or several threads changed; CHAN_ROW_DIRECT for each whole row, CHAN_HIDDEN for each channel that no row shows */
	bool rewrite;     /* an event may set a channel twice; the last value counts (default view) */
};

static inline size_t
chan_id(const struct chans *c, uint32_t row, uint32_t col)
{
	return (size_t)row * c->ncols + col;
}

/* All channels of `nrows` rows, of which `nthreads` are threads, as null.
 * Returns 0, or -ERR_MEMORY (not reported). */
int chan_init(struct chans *c, struct arena *a, const struct col *cols, uint32_t ncols, uint32_t nrows, uint32_t nthreads);

/* Pushes a value on a stack, or pops it (`leaves`), if that is all there is to it: no value is repeated, and no memory needed.
 * *value is that of the channel. Returns whether it is done. */
static inline bool
chan_step_quickly(struct chan_stack *s, int64_t *value, int64_t v, bool leaves)
{
	/* No predictor tells pushes from pops: one condition serves both, and arithmetic
	 * replaces a branch. */
	bool plain = (*value == v) == leaves && s->depth < s->cap;
	if (__builtin_expect(!plain, 0))
		return false;
	s->values[s->depth + 1] = v;
	s->depth = (uint16_t)(s->depth + 1 - 2 * leaves);
	*value = s->values[s->depth];
	return true;
}

/* Changes of a model channel. Return 0, or -ERR_CHAN_REPEATED, -ERR_CHAN_TWICE,
 * -ERR_STACK_FULL, -ERR_STACK_EMPTY, -ERR_STACK_MISMATCH, -ERR_MEMORY; not reported:
 * the caller knows the event. Nothing changes on error. O(1). */
int chan_set(struct chans *c, uint32_t row, uint32_t col, int64_t v);
int chan_push(struct chans *c, uint32_t row, uint32_t col, int64_t v);
int chan_pop(struct chans *c, uint32_t row, uint32_t col, int64_t v);

/* Pops all values above the depth, as one change; none if there are none. Returns 0, or
 * -ERR_CHAN_TWICE. */
int chan_truncate(struct chans *c, uint32_t row, uint32_t col, uint32_t depth);

/* Replaces the value on top, as one change. Returns 0, -ERR_STACK_EMPTY, or -ERR_CHAN_TWICE. */
int chan_replace(struct chans *c, uint32_t row, uint32_t col, int64_t v);

/* Change a channel as the only change of an event, which the caller prints: the channel does
 * not become dirty. Return as above, or 1: the channel had the value already. */
int chan_set_alone(struct chans *c, uint32_t row, uint32_t col, int64_t v);
int chan_step_alone(struct chans *c, uint32_t row, uint32_t col, int64_t v, bool leaves); /* pop, or push */

/* Sets a base column, unchecked. An equal value is no change. */
void chan_put(struct chans *c, uint32_t row, uint32_t col, int64_t v);

/* As chan_put(), for a column that a CPU row shows untracked (TRACK_OWN). */
void chan_put_own(struct chans *c, uint32_t row, uint32_t col, int64_t v);

/* Marks a whole row dirty: it shows other columns, or those of another thread. */
void chan_touch_row(struct chans *c, uint32_t row);

/* Depth of a stack column. */
uint32_t chan_depth(const struct chans *c, uint32_t row, uint32_t col);

static inline bool
chan_is_dirty(const struct chans *c, size_t id)
{
	return c->touched[id] == c->event;
}

static inline bool
chan_row_is_dirty(const struct chans *c, uint32_t row)
{
	return c->row_touched[row] == c->event;
}

/* Adds a channel to the dirty list; it must not be there. */
static inline void
chan_touch(struct chans *c, size_t id, uint32_t row, uint32_t col, enum record_kind kind)
{
	c->touched[id] = c->event;
	c->dirty[c->ndirty++] = (struct chan_ref){ .row = row, .what = record_what(col, kind) };
	c->ndirect += c->cols[col].direct;
}

/* Sets a channel if that is its first change by the event, and allowed. Returns whether it is done. */
static inline bool
chan_set_quickly(struct chans *c, size_t id, uint32_t row, uint32_t col, int64_t v)
{
	bool repeats = c->value[id] == v && c->cols[col].dup != DUP_ALLOW;
	if (__builtin_expect(repeats || chan_is_dirty(c, id), 0))
		return false;
	c->value[id] = v;
	chan_touch(c, id, row, col, RECORD_STATE);
	return true;
}

/* Forgets the changes of an event. */
static inline void
chan_clean(struct chans *c)
{
	c->event++;
	c->ndirty = 0;
	c->ndirect = 0;
}

#endif
