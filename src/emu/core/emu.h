/* SPDX-License-Identifier: MIT */
#ifndef EMU_H
#define EMU_H

/* emu: the emulator of one partition of the machine.
 *
 * All state is in struct emu; there are no globals. The life of a run is
 *
 *   emu_open()     trace, system, models, channels, clock gate
 *   emu_connect()  outputs, first lines
 *   emu_run()      every event: emu_apply()
 *   emu_close()    end checks, outputs complete
 *
 * and emu_apply() is the three phases of an event: the operation of its model changes
 * channels (pre), what changed is printed (emit), what was noted is forgotten (post). */

#include "arena.h"
#include "chan.h"
#include "diag.h"
#include "dispatch.h"
#include "feed.h"
#include "merge.h"
#include "model.h"
#include "run.h"
#include "system.h"
#include "trace.h"
#include "watch.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Outputs, as bits. */
enum output {
	OUTPUT_PRV = 1 << 0,
	OUTPUT_USCOPE = 1 << 1,
};

/* Of the µScope file. */
struct uscope_options {
	bool asked;      /* by the user, and not by default: it is an error when it cannot be */
	int compression; /* enum uscope_compression */
	bool lz4_prefix; /* as a viewer needs it */
	bool raw_events; /* also the events themselves */
	uint16_t labels; /* slots of the table of labels */
};

struct emu_options {
	bool compat;      /* print what the peer prints */
	bool lint;        /* extra checks at the end */
	bool all_models;  /* not only the required ones */
	bool breakdown;   /* also those of the models that have one */
	unsigned outputs; /* enum output */
	struct uscope_options uscope;
	unsigned threads; /* in all; 2 at least: one emulates, the others write */
	const char *clock_table;
	const struct trace_input *inputs;  /* what traces may be; borrowed */
	const char *outdir;                /* NULL: the trace directory */
	const volatile sig_atomic_t *stop; /* set by a signal: end after the current event */
	/* Called every some thousand events while running; may be NULL. */
	void (*progress)(const struct emu *emu, void *arg);
	void *progress_arg;
};

/* A text that a value stands for. The list only grows, and sinks read it on their threads:
 * the text of a value is there before the first record that has it. */
struct emu_text {
	const struct model *model;
	int64_t value;
	const char *text;
	_Atomic(struct emu_text *) next;
};

/* What a model tells of the trace as a whole, for outputs that have a place for it. */
struct emu_property {
	const char *key;
	const char *value;
};

enum {
	EMU_PROPERTIES = 8,
};

/* Declarations of the base columns; the unused ones have no name. */
extern const struct chan_decl base_chans[ROW_CLASSES][NBASE];

struct emu {
	struct diag *diag;
	struct emu_options options;
	struct arena arena;
	struct trace trace;
	struct system sys;
	struct merge merge;

	/* Columns: base ones, then those of each enabled model. */
	struct col *cols;
	size_t ncols;
	size_t cols_cap;
	struct model_run *models; /* one for each of model_list[], in its order */
	size_t nmodels;
	struct model_run *cur; /* the model that is being called */
	struct emu_property properties[EMU_PROPERTIES];
	size_t nproperties;

	/* State. */
	struct chans chans;
	struct thread_run *threads;
	struct cpu_run *cpus;
	struct dispatch dispatch;

	/* Output. */
	int64_t *printed;            /* what each row printed last, by channel id */
	uint8_t *shown[ROW_CLASSES]; /* --compat: columns that some row has printed */
	struct punctual *punctuals;  /* of the current event */
	size_t npunctuals;
	size_t punctuals_cap;
	struct emu_text texts;      /* an empty one, then those of the models */
	struct emu_text *last_text; /* NULL: none yet */
	struct feed feed;
	struct density density; /* without memory: no output wants to know of events */
	int64_t watch_at;       /* when an event is to be noted for it; INT64_MAX: never */
	int64_t next_bucket;    /* of the density */

	/* The current event. */
	uint32_t thread;
	int64_t start; /* clock of the first event */
	int64_t time;  /* of the current event, ns since the first */
	uint64_t nevents;
	bool refused;  /* the last of them */
	bool complete; /* the end of the trace was reached */
};

/* Opens the trace and prepares everything but the outputs. `dir` and the strings of the
 * options are borrowed until emu_close(). Returns 0, or <0 (reported); emu_close() is
 * due in both cases. */
int emu_open(struct emu *emu, struct diag *d, const char *dir, const struct emu_options *o);

/* Opens the outputs and prints the first lines. Returns 0, or <0 (reported). */
int emu_connect(struct emu *emu, const struct sink_ops *const *sinks, size_t nsinks);

/* Emulates all events. Returns 0 at the end of the trace, or <0 (reported). The outputs
 * then hold everything up to the event before. */
int emu_run(struct emu *emu);

/* Emulates one event. Returns 0, or <0 (reported). */
int emu_apply(struct emu *emu, const struct event *ev);

/* Checks how the threads ended, completes the outputs and frees. `rc` is what emu_run()
 * gave. Returns rc, or the first error found here (reported). */
int emu_close(struct emu *emu, int rc);

/* Label of a row, threads first, then CPUs. */
const char *emu_row_label(const struct emu *emu, uint32_t row);

/* Rows that there may be. */
static inline uint32_t
emu_nrows(const struct emu *emu, enum row_class rows)
{
	return rows == ROW_THREAD ? emu->sys.nthreads : emu->sys.ncpus;
}

/* Rows that there are: threads of live input come while it runs. */
static inline uint32_t
emu_nknown(const struct emu *emu, enum row_class rows)
{
	return rows == ROW_THREAD ? emu->sys.nknown : emu->sys.ncpus;
}

#endif
