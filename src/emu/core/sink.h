/* SPDX-License-Identifier: MIT */
#ifndef SINK_H
#define SINK_H

/* sink: what an output implements.
 *
 * The emulator prints records; sinks make files of them. write gets all records in order of time, now on this
 * thread and now on that; open and close run on the thread of the emulator, before the first and after
 * the last write.
 * During the run a sink may read what does not change: rows, columns and their labels; in close
 * also labels that models added. With live input a sink knows the rows up to that of its last
 * record, in close all. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu;
struct label;
struct team;
struct textbuf;

/* Kinds of records. All but states are odd: few, and struct batch lists their places. */
enum record_kind {
	RECORD_STATE, /* the row shows the value from its time on */

	/* States, too, of the stack of a thread: how the value came on top. Values equal to the one below do not count. */
	RECORD_REPLACE,   /* in place of what was on top */
	RECORD_TOP,       /* the row shows the stack anew: over those that stand in notes before it, if an output wants notes */
	RECORD_ENTER = 4, /* over what was there: OP_PUSH */
	RECORD_LEAVE,     /* it was there, and what was over it has left: OP_POP */

	RECORD_PUNCTUAL, /* the value happens at its time; the row goes on with `before` */
	RECORD_LATE,     /* RECORD_STATE, the first of a row that came while it ran: it shows that 1 ns before */
	RECORD_EVENT,    /* an event of the trace itself: see feed_put_event() */
};

static inline bool
record_is_state(unsigned kind)
{
	return kind <= RECORD_LEAVE;
}

/* Nearly all values are shown by a thread and by its CPU at once: one record stands for
 * both, and is formatted once. */
struct record {
	int64_t time;  /* ns since the first event */
	int64_t value; /* as printed: nothing is 0 */
	uint32_t row;  /* threads first, then CPUs, then the system, looms and processes; from 0 */
	union {
		struct {
			uint16_t col;
			uint8_t kind; /* enum record_kind */
			bool begins;  /* the first record of an event of the trace */
		};
		uint32_t what; /* these as one word: record_what() */
	};
	union {
		struct {
			uint32_t chan; /* of the row: row * columns + col */
			uint32_t cpu;  /* row of a CPU that shows it too, behind the thread; 0: none */
		};
		int64_t before; /* RECORD_PUNCTUAL */
	};
};

/* Kinds of notes. */
enum note_kind {
	NOTE_UNDER,    /* a value that stands under the next RECORD_TOP of that stack; the lowest one comes first */
	NOTE_LEFT,     /* one that was on top of that stack has left it; more follow, or a record */
	NOTE_CREATED,  /* a task of model number `col` is created by the thread, */
	NOTE_EXECUTED, /* or is first executed */
	NOTE_LABEL,    /* a label of a value of that column; of no row */
};

/* What stands between records, for outputs that want it (detail.h). */
struct note {
	int64_t time;
	int64_t value;
	const struct label *label; /* NOTE_LABEL */
	uint32_t row;
	uint32_t at; /* it stands before that record of its batch */
	uint16_t col;
	uint8_t kind; /* enum note_kind */
};

enum {
	COLUMNS_MAX = UINT16_MAX,
};

static inline uint32_t
record_what(uint32_t col, enum record_kind kind)
{
	return col | (uint32_t)kind << 16;
}

enum row_class {
	ROW_THREAD,
	ROW_CPU,
	ROW_PROC, /* of processes, looms and the system; none without channels of them */
	ROW_CLASSES,
};

enum {
	RAW_JUMBO = UINT8_MAX, /* as the size of an event: its value is the length */
};

/* Records that are handed over together, in order of time; those of an event stay together,
 * but for an event that is longer than a batch. */
struct batch {
	const struct record *r;
	size_t n;
	const uint32_t *odd; /* places of the odd ones in r, ascending */
	size_t nodd;
	const struct note *notes;
	size_t nnotes;
	bool whole;     /* the last event ends here, not in the next batch */
	bool apart;     /* all that follows is later than the last record here, and so is the nanosecond before a punctual or late one */
	bool elsewhere; /* another process makes text of them (team.h) */
	bool flush;     /* live input waits: none follows for a while, */
	int64_t next;   /* and no record before this time */
};

/* The row of a CPU that shows a state, of a machine with that many threads; 0: none does. */
static inline uint32_t
record_cpu(const struct record *r, uint32_t nthreads)
{
	return r->cpu ? r->cpu : r->row >= nthreads ? r->row
						    : 0;
}

enum {
	SINK_FILES = 2,
};

struct sink_ops {
	const char *name; /* of the work, for --stats */
	size_t size;      /* private memory, zeroed */

	/* Creates the files in `dir` (borrowed until close). Returns 0, 1 if the sink wants no
	 * records, <0 (reported). */
	int (*open)(void *self, const struct emu *emu, const char *dir);
	/* Takes records; NULL: it wants none, or formats them. 0, or <0 (reported); it is not called again. */
	int (*write)(void *self, const struct batch *b);
	/* While live input waits: makes what was written visible in the files; no record
	 * before `time` follows. NULL: nothing to do. 0, or <0 (reported). */
	int (*flush)(void *self, int64_t time);

	/* Instead of write and flush, for files of text: several formatters make text of batches on several threads at the
	 * same time, and put() writes it in the order of the batches. A formatter that gets a batch gets all that follow up to one
	 * that is apart, in order; then any. */
	size_t formatter; /* memory of one, zeroed; 0: there are none */
	unsigned nfiles;  /* SINK_FILES at most */
	int (*format_open)(void *formatter, void *self);
	/* Appends text of each file. */
	int (*format)(void *formatter, const struct batch *b, struct textbuf *texts);
	/* Writes the text of a file, and empties it; on one thread at a time for each file. Returns 0, or <0, which close reports. */
	int (*put)(void *self, unsigned file, struct textbuf *text);
	void (*format_close)(void *formatter, void *self);

	/* Where several processes write the files (team.h), of which one creates them: how many bytes this one has written in its open, */
	uint64_t (*begun)(const void *self, unsigned file);
	/* and in place of put(): writes the text at a place. Returns as put(). */
	int (*place)(void *self, unsigned file, struct textbuf *text, uint64_t at);
	/* Before close: what the formatters of this process have found out becomes known to all. */
	void (*unite)(void *self, struct team *t);

	/* Completes the files, also after an error elsewhere; `duration` is the time of the
	 * last event. Due whenever open succeeded. 0, or <0 (reported). */
	int (*close)(void *self, int64_t duration);
};

#endif
