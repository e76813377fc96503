/* SPDX-License-Identifier: MIT */
#ifndef TOOL_FIX_FIX_H
#define TOOL_FIX_FIX_H

/* fix: a trace is emulated as in the default view, which makes up what its program did not live to write; all that was
 * made up is then written to the trace. Until fix_write() nothing is. */

#include "emu.h"

#include <signal.h>

/* Kinds of repairs, in the order in which they are told. */
enum repair {
	REPAIR_TAIL,
	REPAIR_HEADER,
	REPAIR_CUT,
	REPAIR_NEVER,
	REPAIR_END,
	REPAIR_REGION,
	REPAIR_MADE_UP,
	REPAIR_APP_ID,
	REPAIR_RANK,
	REPAIR_CPUS,
	REPAIR_REQUIRE,
	REPAIR_MARK,
	REPAIR_LOST,
	REPAIR_FINISHED,
	REPAIRS,
};

/* What is done to a stream. */
struct fix_stream {
	uint64_t letters[4]; /* bit set: models of its events */
	uint8_t *ends;       /* events that are put behind the others; in the arena */
	size_t nends;
	size_t cap;
	int64_t since;   /* of a ring: its first clock */
	bool in_region;  /* it ends behind OU[ */
	bool tells_cpus; /* it tells the CPUs of its loom that no thread tells */
	bool stream;     /* its file of events is written, */
	bool meta;       /* and its metadata */
};

enum {
	MARK_TYPES = 100, /* types of marks, of which the model ovni keeps a note where nobody defines them */
	MARK_MODEL = 'O',
};

/* Clocks of its streams, without an offset; INT64_MAX and -1: they have no events. */
struct fix_loom {
	int64_t first;
	int64_t last;
};

struct fix {
	struct diag *diag; /* that of the emulator is another one, which tells what is wrong and nothing else */
	struct arena arena;
	struct emu emu;
	const char *outdir; /* NULL: in place */
	bool dry_run;
	const volatile sig_atomic_t *stop;
	struct fix_stream *streams; /* by rank */
	struct fix_loom *looms;
	uint32_t mark_stream[MARK_TYPES]; /* the first stream with marks of a type that nobody defines, from 1; 0: none */
	bool stays_open;                  /* only an unfinished trace may have what was made up */
	struct often done[REPAIRS];
	size_t nfixed; /* streams that are repaired */
};

/* look.c: emulates all events, and notes what the streams have. The emulator is connected. Returns 0, or <0 (reported), or
 * EMU_AGAIN. */
int fix_look(struct fix *f);

/* ends.c: makes the events that end a thread, and what is open in it; they are applied to the emulator, too. Returns 0, or <0
 * (reported): memory is exhausted. */
int fix_end_thread(struct fix *f, uint32_t thread);

/* meta.c: notes what the metadata of a stream lacks. */
void fix_look_at_meta(struct fix *f, uint32_t rank);

/* meta.c: writes the metadata of a stream to a file, which is new or replaced. Returns 0, or <0 (reported). */
int fix_write_meta(struct fix *f, uint32_t rank, const char *to, bool is_new);

/* write.c: whole events of a stream, and bytes behind them that are no event. Returns 0, or <0 (reported). */
int fix_measure(const struct stream *s, uint64_t *whole, uint64_t *torn);

/* write.c: the clock of the first event, as it is in the stream; 0: it has none. Returns 0, or <0 (reported). */
int fix_first_clock(const struct stream *s, int64_t *clock);

/* write.c: writes what fix_look() has noted. Streams come first and metadata last: an interrupted repair can be repeated. Returns
 * 0, or <0 (reported). */
int fix_write(struct fix *f);

/* Counts a repair, and keeps the text of the first. */
void fix_note(struct fix *f, enum repair kind, const struct stream *s, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
