/* SPDX-License-Identifier: MIT */
#ifndef PLAN_H
#define PLAN_H

/* plan: what does not change once an emulator is connected: the trace, who is in it, the columns, what
 * events do, the options. Parts of the machine (parts.h) share it and do not write it.
 * Live input is the exception: its threads come while it runs, and it has one part. */

#include "arena.h"
#include "chan.h"
#include "cut.h"
#include "diag.h"
#include "dispatch.h"
#include "modelset.h"
#include "ovniscope/model.h"
#include "rows.h"
#include "sink.h"
#include "system.h"
#include "trace.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct emu;
struct stats;
struct team;
struct chosen;
struct pick;

/* Outputs, as bits. */
enum output {
	OUTPUT_PRV = 1 << 0,
	OUTPUT_USCOPE = 1 << 1,
	OUTPUT_PERFETTO = 1 << 2,
	OUTPUT_HTML = 1 << 3,
	OUTPUTS_OF_USCOPE = OUTPUT_USCOPE | OUTPUT_HTML, /* made of the µScope file */
};

/* Options of the µScope file. */
struct uscope_options {
	bool asked;      /* requested by the user, not by default: it is an error if it cannot be written */
	int compression; /* enum uscope_compression */
	bool lz4_prefix; /* write the size in front of each LZ4 block: a viewer needs it */
	bool raw_events; /* also write the events themselves */
	uint16_t labels; /* slots of the table of labels */
};

/* What a run has found out that must be known before its first event. A tool that keeps it
 * emulates the trace again when emu_run() returns EMU_AGAIN. */
struct learned {
	bool models[UINT8_MAX + 1];            /* by letter: they are enabled, required or not */
	uint8_t kept[UINT8_MAX + 1][EMU_KEPT]; /* what models note, by letter */
	bool unsorted;                         /* events between OU[ and OU] come late */
	bool whole;                            /* in parts the run fails: as one part it finds out how */
	char note[256];                        /* for the user: the last of them */
};

struct emu_options {
	bool compat;             /* print what the peer prints */
	bool lint;               /* extra checks at the end */
	bool mend;               /* go on where metadata is missing (trace_options.mend) */
	bool all_models;         /* enable all models, not only the required ones */
	struct learned *learned; /* borrowed; NULL: what is missing is an error */
	bool breakdown;          /* also write the breakdowns of the models */
	unsigned outputs;        /* enum output; 0: the trace is only looked at */
	struct uscope_options uscope;
	bool gzip;           /* compress the Paraver timelines */
	bool perfetto_gzip;  /* compress the Perfetto trace */
	uint64_t html_limit; /* bytes of data up to which all of them are in ovni.html */
	struct stats *stats; /* filled with where the time goes; NULL: nobody asks */
	unsigned threads;    /* in all */
	struct team *team;   /* other processes that emulate the same trace; NULL: there are none */
	unsigned parts;      /* most parts of the machine that are emulated side by side; 0: as many as pay */
	unsigned part_room;  /* records that a part may have; 0: as it pays */
	struct cut_options cut;
	const char *rows;  /* those that are shown (choose.h); NULL: all */
	const char *types; /* and the columns */
	const char *clock_table;
	const struct trace_input *inputs;  /* what traces may be; borrowed */
	const struct model_set *models;    /* what events may be of; borrowed */
	const char *outdir;                /* NULL: the trace directory */
	const volatile sig_atomic_t *stop; /* set by a signal: end after the current event */
	/* Called every some thousand events while running; may be NULL. */
	void (*progress)(const struct emu *emu, void *arg);
	void *progress_arg;
};

/* A fact about the whole trace from a model, for outputs that have properties. */
struct emu_property {
	const char *key;
	const char *value;
};

enum {
	EMU_PROPERTIES = 8,
};

/* Declarations of the base columns. */
extern const struct chan_decl base_chans[ROW_CLASSES][NBASE];

struct plan {
	struct emu_options options;
	struct arena arena;
	struct trace trace;
	struct system sys;

	/* Columns: base ones, then those of each enabled model. */
	struct col *cols;
	size_t ncols;
	size_t cols_cap;
	struct model_run *models; /* one for each of options.models, in its order */
	size_t nmodels;
	struct proc_rows rows; /* of processes, looms and the system */
	struct dispatch dispatch;
	struct emu_property properties[EMU_PROPERTIES];
	size_t nproperties;
	struct overlap *overlap;     /* of processes; NULL: nobody asks */
	int64_t start;               /* clock of the first event */
	struct cut_window window;    /* what of the time is shown */
	struct pick *pick;           /* NULL: all is shown as it is printed */
	const struct chosen *chosen; /* of a part that outputs see: its columns; NULL: all */
	bool unfinished;             /* a program died, and what it did not write is made up */
	bool ring;                   /* of some threads only the last events are there */
	bool lacks_models;           /* threads require models that are not there: their events are skipped */
};

enum {
	MANY_THREADS = 4,
};

/* Whether one of the threads only compresses and writes the µScope file, which is the longest job that goes in order. */
static inline bool
plan_compresses_apart(const struct emu_options *o)
{
	return o->outputs & OUTPUTS_OF_USCOPE && o->threads >= MANY_THREADS;
}

#endif
