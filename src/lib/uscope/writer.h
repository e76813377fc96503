/* SPDX-License-Identifier: MIT */
#ifndef WRITER_H
#define WRITER_H

/* writer: one file being written. From the ground up: latest.c and frameout.c
 * encode the items of a frame, closeout.c writes the tables at the end of the file, writeropen.c
 * makes the writer, writer.c has cycles and segments; applications call writerops.c for each
 * change, or cycles.c with many phrases (phrases.c) at once, and tellstate.c for checkpoints of their own. */

#include "fileout.h"
#include "latest.h"
#include "layout.h"
#include "lz4frames.h"
#include "pyramid.h"
#include "schema.h"
#include "segmentout.h"
#include "state.h"
#include "textset.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define MAX_TIME (UINT64_MAX - 1) /* so that the end, which is exclusive, exists */

enum writer_mode {
	MODE_CYCLE,    /* inside a cycle */
	MODE_BEGUN,    /* inside, but the frame begins with its first item (drop_empty) */
	MODE_IDLE,     /* between cycles */
	MODE_REFUSED,  /* inside a cycle that was refused: what comes is ignored */
	MODE_SHUT,     /* inside, with a frame, and a second begin was refused: what comes is ignored */
	MODE_CALLBACK, /* inside the checkpoint callback */
	MODE_DONE,     /* finished, or failed for good */
};

/* struct state_field.mark */
enum {
	MARK_BOOL = 1,    /* values are 0 and 1 */
	MARK_NO_ADD = 2,  /* of a type without a sum */
	MARK_DENSITY = 4, /* a SET is counted by the summary */
	MARK_COUNTER = 8, /* an ADD is */
};

/* Marks what a SET or ADD of a field does besides storing the value. */
static inline void
mark_field(struct state_field *f)
{
	f->cut = ~(UINT64_MAX >> (64 - 8 * f->size));
	if (f->type == USCOPE_BOOL) {
		f->cut = ~UINT64_C(1);
		f->mark = MARK_BOOL | MARK_NO_ADD;
	} else if (f->type == USCOPE_ENUM || f->type == USCOPE_STRING_REF) {
		f->mark = MARK_NO_ADD;
	}
}

/* A field of a storage that a compact operation can name: all that most SETs need, in one place. */
struct plain_field {
	uint8_t *data;  /* of slot 0 */
	uint8_t *valid; /* with num_valid: of struct state_storage */
	uint32_t *num_valid;
	uint64_t head; /* of a compact SET: all but the slot and the value */
	uint32_t slot_size;
	uint32_t num_slots;
	uint32_t most; /* a SET of a value below this needs nothing but its operation, and is compact; 0: none */
	uint8_t size;
};

struct plain_storage {
	struct plain_field *fields;
	uint32_t num_fields;
};

enum {
	LEBS_MAX = 2048,
	LEB_BYTES_SHIFT = 28, /* where a number of them is, up to 3 */
};

struct uscope_writer {
	/* Touched by every operation. */
	uint8_t *p;     /* end of the deltas */
	uint8_t *limit; /* an operation has room in the segment and in the record while p <= limit */
	struct plain_storage *plain;
	uint32_t nfast;        /* storages that the fast path takes: 0 outside of a compact record of v0.2 */
	uint32_t nplain;       /* what nfast is in a compact record; 0 with v0.1 and only_changes */
	uint32_t ncompared;    /* the same for only_changes; 0 without */
	enum writer_mode mode; /* see writer_mode() */
	bool v01;              /* frames of version 0.1 */
	bool wide;             /* the record, or the last one, is encoded with wide operations */
	uint8_t op_bytes;      /* of an operation of the record */
	uint8_t head_bytes;    /* of a record: between its time and its first item */
	uint32_t needs;        /* not 0: some operation of it does not fit a compact one */
	struct state_storage *storages;
	uint32_t nstorages;

	/* Touched by every cycle. */
	uint8_t *full; /* a frame has room, and is of this segment by its size, while p < full; NULL: the segment has none yet */

	/* The record: a frame, or a part of one with too many items. */
	uint8_t *record;  /* what follows the time in the deltas */
	uint8_t *counted; /* nitems has the items up to here; behind it are operations, all of one size */
	uint8_t *room;    /* an operation has room in the segment while p <= room */
	uint32_t nitems;  /* operations (v0.1), or operations and events; see `counted` */
	uint32_t nevents; /* in the record; v0.1: of the whole frame, in `events` */
	uint8_t *events;  /* v0.1: they go behind the operations */
	size_t events_size;
	size_t events_cap;

	/* The frame and the segment. */
	uint64_t time;       /* of the cycle or the last one, ps */
	uint64_t min_time;   /* that the next cycle may have: that of the last, or 1 more */
	uint64_t next_grid;  /* the first point of the grid after `last_frame` */
	uint64_t base_time;  /* the next frame counts from here */
	uint64_t end;        /* set by the application */
	uint64_t last_frame; /* time of the last frame; cycles without one may be later */
	struct segment *segment;
	struct segment segments[2]; /* the second is for the thread */
	size_t most;                /* bytes of deltas that a segment can have */
	uint64_t position;          /* of the segment's deltas, for phrases; those of others are far */
	struct latest latest;       /* what they have set */
	uint64_t tick;              /* ps */
	uint32_t lebs[LEBS_MAX];    /* by ticks: LEB128 of that time, and its bytes */
	uint32_t nlebs;
	bool has_frames; /* the file */
	bool has_cycles;

	struct uscope_state *state;
	struct plain_field *plain_fields; /* of all storages */
	const uscope_schema_t *schema;
	struct pyramid *summary; /* NULL: none */
	int32_t *counter_of;     /* by storage: its automatic counter */
	struct textset strings;
	uscope_checkpoint_fn callback;
	void *user;
	struct segmentout *out;
	struct file_to to;
	struct extra {
		uint8_t *bytes;
		size_t n;
		uint16_t type;
	} extra[SECTIONS_EXTRA]; /* sections of the application */
	int nextra;
	uint8_t head[FILE_HEADER_SIZE]; /* of the file */
	struct xxh64 rest;              /* sum of what lies in the file besides segments */
	uscope_writer_options_t options;
	uscope_writer_stats_t stats;
	uscope_error_t error; /* the first */
	bool fatal;           /* it ends the trace */
	bool finished;
};

/* Changes the mode. The fast path is closed until the next record. */
static inline void
writer_mode(uscope_writer_t *w, enum writer_mode mode)
{
	w->mode = mode;
	w->nfast = 0;
}

/* A call without effect. Returns the status. */
int writer_misuse(uscope_writer_t *w, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The end of the trace: E_IO, E_NOMEM, E_LIMIT. Returns the status. */
int writer_fail(uscope_writer_t *w, int status, const char *reason);
/* An operation or event is asked for while not in MODE_CYCLE: true inside of a cycle. */
bool writer_enter(uscope_writer_t *w, const char *what);

/* MODE_BEGUN becomes MODE_CYCLE. false after writer_fail. */
bool writer_begin_frame(uscope_writer_t *w);

/* ---- frameout.c ---- */

/* Sets the form of operations from now on. */
void frame_form(uscope_writer_t *w, bool wide);
/* Sets room, limit and full, after a change of the room or of nitems. */
void frame_limits(uscope_writer_t *w);
/* All return false after writer_fail. */
bool frame_begin(uscope_writer_t *w, uint64_t delta);
bool frame_end(uscope_writer_t *w);
/* Room for one more item of n bytes in the record, or in a new one if it is full. */
bool frame_room(uscope_writer_t *w, size_t n);
/* An operation that is not compact. Has room. */
bool frame_wide(uscope_writer_t *w, uint64_t head, uint64_t value, uint32_t needs);
/* Returns the place for the payload; NULL after writer_fail. */
uint8_t *frame_event(uscope_writer_t *w, uint16_t type, uint32_t size);

/* ---- closeout.c ---- */

/* Strings, summary, tables, and the header that makes the file complete. total: the time
 * in it. 0, or E_IO, E_NOMEM, E_LIMIT, which writer_fail has got. */
int closeout_write(uscope_writer_t *w, uint64_t total);

/* ---- writeropen.c ---- */

/* Frees a writer, even one that is half open, and closes its file. */
void writer_free(uscope_writer_t *w);

#endif
