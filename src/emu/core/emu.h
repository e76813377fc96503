/* SPDX-License-Identifier: MIT */
#ifndef EMU_H
#define EMU_H

/* emu: the emulator of one part of the machine.
 *
 * Its state is in struct emu, what it shares with other parts in struct plan; there are no
 * globals. One part is the whole machine, or others do its work (parts.h). The life of a run is
 *
 *   emu_open()     trace, system, models, channels, clock gate
 *   emu_connect()  outputs, first lines
 *   emu_run()      every event: emu_apply()
 *   emu_close()    end checks, outputs complete
 *
 * and emu_apply() is the three phases of an event: the operation of its model changes
 * channels (pre), what changed becomes records (emit), outputs that want events see it (post). Hooks
 * in the other phases, and observers, are called by ops_run_phases(). */

#include "arena.h"
#include "chan.h"
#include "cut.h"
#include "detail.h"
#include "diag.h"
#include "feed.h"
#include "idmap.h"
#include "merge.h"
#include "ops.h"
#include "plan.h"
#include "run.h"
#include "watch.h"

#include <stdbool.h>
#include <stdint.h>

/* Text that a value stands for. The list only grows, and sinks read it on their threads: the
 * text of a value is added before the first record with that value. */
struct emu_text {
	const struct model *model;
	int64_t value;
	const char *text;
	_Atomic(struct emu_text *) next;
};

struct late_label {
	struct label label;
	struct late_label *next;
};

/* Labels that models added to a column during the run, in that order. */
struct late_labels {
	struct late_label *first;
	struct late_label *last;
	struct idmap by_value;
};

/* A model in a part. */
struct model_part {
	const struct model *model;
	const struct col *cols; /* of its channels, once all columns are there */
	uint32_t first_col;     /* column of its channel 0 */
	uint32_t nchans;
	bool connected; /* finish() must be called */
	void *data;
	char *proc_data;
	char *thread_data;
	struct task_table *task_tables; /* by process; of a model with tasks */
	struct task_stack *task_stacks; /* by thread */
	struct often warned;            /* emu_warn_often() */
	unsigned told;                  /* emu_warn_few() */
};

/* What was missing in the trace of a program that died, or could not be done. */
struct emu_tallies {
	struct often tasks, types; /* made up */
	struct often ends;         /* of what a ring did not tell to be open */
	struct often skipped;      /* events of models that are not there */
	struct often not_ended;    /* threads */
};

enum {
	EMU_AGAIN = TRACE_AGAIN, /* options.learned has changed: close, and begin anew */
};

struct emu {
	struct part *part;   /* NULL: it is the whole machine, */
	struct parts *parts; /* which may be emulated in parts; NULL: it is not */
	const struct plan *plan;
	struct plan *making;     /* writable, for connect.c, finish.c and threads of live input */
	struct learned *learned; /* that of the options, or a copy; NULL: what is missing is an error */
	struct diag *diag;
	struct arena arena;
	struct merge merge;
	struct ahead *ahead;       /* makes its rounds; NULL: nobody does */
	struct refill *refill;     /* reads for it; NULL: nobody does */
	struct model_part *models; /* one for each of the plan */
	struct model_part *cur;    /* the model that is being called */
	const char *stage;         /* its function, if it is no hook of an event: "create()" */

	/* State. */
	struct chans chans;
	struct thread_run *threads; /* behind them the one of streams that are none */
	struct cpu_run *cpus;
	struct thread_run **run_of_stream;
	const struct dispatch *dispatch;  /* of the plan, */
	int64_t start;                    /* and its clock of the first event; */
	bool compat;                      /* copies of options.compat, */
	uint32_t first_cpu;               /* row of CPU 0, */
	const uint32_t *thread_of_stream; /* and of sys.thread_of_stream: each event reads them */

	/* Output. */
	int64_t *printed;            /* what each row printed last, by channel id */
	uint8_t *shown[ROW_CLASSES]; /* --compat: columns that some row has printed */
	struct punctual *punctuals;  /* of the current event */
	uint32_t npunctuals;
	size_t punctuals_cap;
	struct emu_text no_text;
	struct emu_text *texts;     /* that one, then those of the models */
	struct emu_text *last_text; /* NULL: none yet */
	struct late_labels *labels; /* by column */
	size_t labels_cap;
	struct watch *watches; /* of observers */
	size_t nwatches;
	uint32_t *first_watch; /* by column, from 1; 0: none */
	bool *watched;         /* by column: somebody asks for its changes, or for roles that follow from them */
	size_t watches_cap;
	struct roles *roles; /* NULL: nobody asks for them */
	struct feed feed;
	bool detail;            /* an output wants notes */
	struct density density; /* without memory: no output wants to know of events */
	int64_t watch_at;       /* time from which watch_event() is due; INT64_MAX: never */
	int64_t next_bucket;    /* end of the density's current bucket */

	/* The current event. */
	const struct event *event; /* NULL: none yet */
	int failed;                /* <0: what its hooks have reported */
	bool shut;                 /* channels may not change: it has failed, is past the phase pre, or no event is there yet */
	bool late;                 /* past the phase emit: no punctual values either */
	bool raw;                  /* some output has the events themselves */
	struct thread_run *run;    /* of its thread */
	uint32_t thread;
	int64_t time; /* ns since the first event of the trace */
	uint64_t nevents;
	struct emu_tallies tallies;
	bool refused;  /* the last one was refused */
	bool complete; /* the run reached the end of the trace, */
	bool left;     /* or that of the window that is shown: events are left behind it */
};

/* Opens the trace and prepares everything but the outputs. `dir` and the strings of the
 * options are borrowed until emu_close(). Returns 0, or <0 (reported); emu_close() is
 * due in both cases. */
int emu_open(struct emu *emu, struct diag *d, const char *dir, const struct emu_options *o);

/* Opens the outputs and prints the first lines. Returns 0, or <0 (reported). */
int emu_connect(struct emu *emu, const struct sink_ops *const *sinks, size_t nsinks);

/* Emulates all events up to the end of the trace, or of the window (cut.h). Returns 0, or <0 (reported): EMU_AGAIN, or an error. The
 * outputs then hold everything up to the event before. */
int emu_run(struct emu *emu);

/* Emulates one event. Returns 0, or <0 (reported). */
int emu_apply(struct emu *emu, struct event *ev);

/* Some events, that a part of the machine emulates at once. */
struct emu_leg {
	int64_t *times; /* of the events are noted here, with room for the most */
	uint32_t n, most;
	size_t records; /* its feed of its own has as many, or more, when an event ends: then the leg is full, too, */
	size_t notes;   /* or as many notes */
};

/* Emulates events until a leg is full, which is not before the first one. Returns 1 it is, 0 no event is left below the bound of the rounds, <0 (reported). */
int emu_run_leg(struct emu *emu, struct emu_leg *leg);

/* As emu_apply(); now and then also looks whether to stop, and shows the progress. */
int emu_step(struct emu *emu, struct event *ev);

/* Calls finish() of all connected models, also after failures: late labels, and memory to free. emu_close() does it
 * unless it was done. Returns 0, or <0 (reported). */
int emu_finish_models(struct emu *emu);

/* Checks how the threads ended, completes the outputs and frees. `rc` is what emu_run()
 * gave. Returns rc, or the first error found here (reported). */
int emu_close(struct emu *emu, int rc);

/* Reports an error at the current event. Returns <0. */
int event_error(struct emu *emu, enum error code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Tells a warning of a model, or passes it on to the machine, if it is one of the first `most`. */
void say_few(struct emu *emu, struct model_part *m, unsigned most, const struct place *at, const char *text);

/* Makes a text known to the sinks. */
void emu_publish_text(struct emu *emu, struct emu_text *text);

/* Where the current event is. There must be one. */
struct place event_place(const struct emu *emu);

/* What calls the model now, in words: "create()", "a hook of the phase pre". */
static inline const char *
emu_stage(const struct emu *emu)
{
	if (!emu->event)
		return emu->stage;
	if (emu->late)
		return "a hook of the phase post";
	return emu->shut && emu->failed == 0 ? "a hook of the phase emit" : "a hook of the phase pre";
}

/* Keeps a result that is <0: what a hook does after it has no effect. Returns rc. */
static inline int
emu_fail(struct emu *emu, int rc)
{
	if (rc < 0 && emu->failed == 0)
		emu->failed = rc;
	emu->shut = emu->shut || rc < 0;
	return rc;
}

/* Whether the event has changed channels, or has punctual values, that the emit phase has yet to print. */
static inline bool
emu_has_changes(const struct emu *emu)
{
	return (emu->chans.ndirty | emu->npunctuals) != 0;
}

/* Adds a punctual value of a row, for the emit phase. Returns 0, or <0 (reported). */
int emu_add_punctual(struct emu *emu, uint32_t row, uint32_t col, int64_t value);

/* Why a hook may not change a channel or a thread now, reported if it is not known yet. Returns <0. */
int emu_refuse_change(struct emu *emu);

/* Label of a row, threads first, then CPUs, then those of rows.h. */
const char *emu_row_label(const struct emu *emu, uint32_t row);

/* Most rows of a class: all threads that live input may bring, for one. */
static inline uint32_t
emu_nrows(const struct emu *emu, enum row_class rows)
{
	const struct system *sys = &emu->plan->sys;
	return rows == ROW_THREAD ? sys->nthreads : rows == ROW_CPU ? sys->ncpus
								    : emu->plan->rows.n;
}

/* Rows of a class so far: live input brings threads during the run. */
static inline uint32_t
emu_nknown(const struct emu *emu, enum row_class rows)
{
	return rows == ROW_THREAD ? emu->plan->sys.nknown : emu_nrows(emu, rows);
}

/* The first row of a class. */
static inline uint32_t
emu_first_row(const struct emu *emu, enum row_class rows)
{
	const struct system *sys = &emu->plan->sys;
	return rows == ROW_THREAD ? 0 : rows == ROW_CPU ? sys->nthreads
							: sys->nthreads + sys->ncpus;
}

#endif
