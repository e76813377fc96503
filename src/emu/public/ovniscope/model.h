/* SPDX-License-Identifier: MIT */
#ifndef OVNISCOPE_MODEL_H
#define OVNISCOPE_MODEL_H

/* model: what an emulation model declares, and what its hooks may call. Models need no other header
 * of the emulator, whether they are in the tree or in a file of their own.
 *
 * A model is one .c file with three tables (channels, states, events) and, for what is
 * not a plain pair, hooks. From the tables the core derives version probe, dispatch,
 * channels and tracking, labels, views, payload checks and end-of-thread lint. See
 * doc/howto-model.md.
 *
 * Errors stick: the first one that a hook reports, or that a call below reports, ends the run before
 * the event. Until the hook returns, further changes do nothing; what calls return may be ignored. */

#include "ovniscope/event.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;
struct emu;
struct emu_map;

/* Stands for no thread and no CPU. */
#define NO_INDEX UINT32_MAX

/* Stands for no value: no channel can be set to this number. */
#define NO_VALUE INT64_MIN

/* How a channel is written; part of the output format. Punctual values may happen on all. */
enum chan_kind {
	CHAN_SINGLE,   /* set */
	CHAN_STACK,    /* push and pop; shows the top */
	CHAN_PUNCTUAL, /* punctual values only: it has no state */
};

/* When a row shows a channel. The first is the default of both rows. */
enum track {
	TRACK_RUNNING, /* the thread is running */
	TRACK_ACTIVE,  /* the thread is running, cooling or warming */
	TRACK_ANY,     /* thread rows only: always */
	TRACK_HIDDEN,  /* never: the row does not have it */
	TRACK_OWN,     /* CPU rows only: it has a value of its own, of emu_set_cpu() */
};

/* Of what a channel is: which rows there are for it. */
enum chan_of {
	OF_THREAD, /* threads, and the CPUs in which they are */
	OF_PROC,   /* processes: these have rows in proc.prv, */
	OF_LOOM,   /* as have looms, */
	OF_SYSTEM, /* and the whole trace, one row: see emu_set_row() */
};

/* Writing the value that a channel already has. */
enum dup {
	DUP_ERROR, /* the program is inconsistent */
	DUP_SKIP,  /* nothing happens */
	DUP_ALLOW, /* it counts as a change; --compat: see enum repeat */
};

/* --compat only: what a row does with a value equal to the one it printed last. The
 * default view never repeats. */
enum repeat {
	REPEAT_SKIP,   /* with DUP_ALLOW: as REPEAT_VALUES */
	REPEAT_VALUES, /* nulls are dropped, values repeated */
	REPEAT_ALL,
};

/* Kind of values that a channel holds. */
enum chan_values {
	VALUES_DECLARED, /* states and labels if there are any, else identifiers below 2^32 */
	VALUES_TEXT,     /* hashes of labels: models tell the labels with emu_add_text() */
	VALUES_ANY,
};

/* What a state says about the thread that is in it, for observers: whether it works, and if not, why. */
enum role {
	ROLE_NONE,          /* nothing */
	ROLE_USEFUL,        /* work of the program */
	ROLE_RUNTIME,       /* work of a runtime or a library for it */
	ROLE_COMMUNICATION, /* with other processes, waiting for them included */
	ROLE_WAITING,       /* for work, for other threads, for a lock */
	ROLE_TRACING,       /* written into the trace by the tracer itself */
	ROLE_PREEMPTED,     /* the kernel has taken the thread out of its CPU */
	ROLES,
};

struct label {
	int64_t value;
	const char *text;
};

/* How Paraver opens a channel. Without a file there is no view. */
struct view_decl {
	const char *file;         /* name without .cfg, in cfg/{thread,cpu}/MODEL/ */
	const char *thread_title; /* NULL: made of the title and the tracking */
	const char *cpu_title;
	const char *palette; /* "value:r,g,b value:r,g,b ..."; other labelled values get colours that are free */
	bool gradient;       /* for identifiers and counts */
	bool draw_random;    /* 0 counts too, so that idle rows are seen */
	bool next_value;     /* an interval shows the value at its end, not at its start */

	uintptr_t reserved[6]; /* zero: room for members to come, as the struct is a part of others */
};

struct chan_decl {
	const char *name;
	const char *title; /* label in the PCF; the tracking is added behind */
	int prv_type;      /* part of the output format: never renumber */
	enum chan_kind kind;
	enum dup dup;
	enum repeat repeat;
	enum chan_values values;
	enum track thread_track;
	enum track cpu_track;
	bool drained;               /* lint: a stack that is empty when the thread ends */
	bool bare_title;            /* the title is the whole label */
	int64_t idle;               /* what the row of a physical CPU shows while no thread is tracked */
	int64_t initial;            /* value before the first event, 0: none */
	const struct label *labels; /* of values that no state declares */
	size_t nlabels;
	enum role role; /* of all values whose states do not say */
	struct view_decl view;

	/* Other than threads have, beside these two, only name, title, prv_type, values, labels, initial, view, and
	 * the kinds CHAN_SINGLE and CHAN_PUNCTUAL. */
	enum chan_of of;
	bool sum; /* the rows of looms and the system show the sum of what is below them */
};

/* A state is entered and left: enter pushes the value (or sets it), leave pops it (or
 * sets nothing). The value is part of the output format: never renumber. */
struct state_decl {
	int chan;
	int64_t value;
	const char *enter; /* MCV */
	const char *leave; /* MCV, NULL when no event leaves it */
	const char *label;
	const char *text; /* "does|undoes something": the two events in words */
	enum role role;   /* ROLE_NONE: that of the channel */
};

enum op_kind {
	OP_HOOK, /* the default: needs .hook */
	OP_IGNORE,
	OP_SET,   /* channel := value */
	OP_CLEAR, /* channel := nothing */
	OP_PUSH,
	OP_POP,
	OP_PUNCTUAL, /* the value happens and leaves the state; default view only */

	/* The same with the argument of the event that `.arg` names: `value` is added to a number; of a text, what
	 * stands for it is a hash, with the text as label (the channel has VALUES_TEXT). */
	OP_SET_ARG,
	OP_PUSH_ARG,
	OP_POP_ARG,
	OP_PUNCTUAL_ARG,
	OP_ADD_ARG, /* channel := what it has, nothing is 0, plus the number */
	OP_LABEL,   /* the number gets the text of `.text_arg` as label in the channel, which does not change */

	OP_ADD, /* channel := what it has, nothing is 0, plus the value */
	OP_KINDS,
};

/* How a payload is compared with the arguments of the signature. */
enum payload_rule {
	PAYLOAD_AT_LEAST, /* the arguments, or more */
	PAYLOAD_EXACT,    /* the arguments and nothing else */
	PAYLOAD_FIRST,    /* the first argument is enough */
	PAYLOAD_ANY,      /* any bytes */
};

/* Called for an event, in one of its phases:
 *
 *   pre   changes states of threads and channels
 *   emit  what changed is about to be shown: may look at it, and add punctual values
 *   post  what changed was shown: before the next event
 *
 * Reports what is wrong with emu_error(), or a call that failed has reported it: the run then ends before
 * this event. */
typedef void event_hook(struct emu *emu, const struct event *ev);

struct event_decl {
	const char *sig;  /* "MCV(type name, ...)"; '+' behind the MCV: jumbo */
	const char *text; /* in words; %{name} is an argument */
	event_hook *hook; /* of OP_HOOK, in pre */
	enum op_kind op;
	enum payload_rule payload;
	bool any_value; /* for every third letter */
	bool unlisted;  /* accepted, but not in the reference of events */
	int chan;       /* of the operation */
	int64_t value;
	const char *arg; /* of the operation: arguments by their names in the signature */
	const char *text_arg;
	unsigned need;    /* enum need, in place of that of the model; 0: the same */
	event_hook *emit; /* in these phases, after the operation or the hook; NULL: none */
	event_hook *post;
};

/* Required state of the thread of an event, by model. */
enum need {
	NEED_NOTHING = 0,
	NEED_RUNNING = 1,
	NEED_ACTIVE = 2,
	NEED_IN_CPU = 4, /* not taken out of its CPU by the kernel */
	NEED_NONE = 8,   /* of one event: nothing, whatever the model needs */
};

/* A breakdown: how many CPUs are in each state, as rows that are sorted by value. The
 * value of a CPU is, of what its row shows:
 *
 *   the idle state, unless it is `progressing`  (if there is an idle channel)
 *   the task type, if the state is `in_body`    (0: in any state)
 *   the state, or `unknown` if there is none */
struct breakdown_decl {
	const char *file;  /* stem of its files */
	const char *title; /* label of its type */
	int prv_type;
	int state; /* channels of the model; -1: none */
	int task;
	int idle;
	int64_t progressing;
	int64_t in_body;
	int64_t unknown;
	/* Whether the trace can have the breakdown; false also after an error (reported). NULL: it always
	 * can. */
	bool (*suits)(struct emu *emu);
	struct view_decl view;
};

/* A model of another number is refused: what is here has changed its meaning. A model of a smaller
 * size is of an older ovniscope, and has zeros in place of what is new. */
enum {
	OVNISCOPE_ABI = 1,
};

struct model {
	uint32_t abi;  /* OVNISCOPE_ABI, */
	uint32_t size; /* and bytes of this struct: by ABI */
	char id;       /* first letter of its events */
	const char *name;
	const char *version;
	unsigned need; /* enum need, of all events */
	bool always;   /* enabled even if no thread requires it */
	bool foreign;  /* not of the runtime: not enabled by threads without requirements */
	bool tasks;    /* it has tasks: see below. Channels of VALUES_TEXT get their types as labels */

	/* Tables, with the size of a row. */
	const struct chan_decl *chans;
	size_t nchans, chan_size;
	const struct state_decl *states;
	size_t nstates, state_size;
	const struct event_decl *events;
	size_t nevents, event_size;

	size_t data_size;   /* private memory of an emulator, zeroed */
	size_t proc_size;   /* private memory of a process, zeroed */
	size_t thread_size; /* private memory of a thread, zeroed */

	/* Hooks for all events of its letter, by phase, after those of the event; NULL: none. And for events of
	 * the models with the letters of `observes`, after their hooks; "*": of all that are not observers. */
	event_hook *pre;
	event_hook *emit;
	event_hook *post;
	const char *observes; /* NULL: none */
	/* A model in a file of its own without states and events is enabled in every run, unless it is foreign. */

	/* Of the life of a run; NULL: nothing to do. In this order: */

	/* Whether the trace has something for the model, which no thread requires: it is then enabled. There is no
	 * memory yet. */
	bool (*probe)(struct emu *emu);
	/* May add channels with emu_add_chan(), from the metadata. */
	void (*create)(struct emu *emu);
	/* All channels and threads are there, as they are before the first event: may look for channels of other models
	 * with emu_find_chan(). */
	void (*connect)(struct emu *emu);
	/* After the last event, also when the run failed: may label values with emu_add_label(). */
	void (*finish)(struct emu *emu);

	const struct breakdown_decl *breakdown; /* NULL: it has none */
	size_t breakdown_size;
};

/* What a file of its own exports, for --model. */
extern const struct model ovniscope_model __attribute__((visibility("default")));

#define MODEL_ABI .abi = OVNISCOPE_ABI, .size = (uint32_t)sizeof(struct model)
#define CHANS(t) .chans = (t), .nchans = sizeof(t) / sizeof((t)[0]), .chan_size = sizeof((t)[0])
#define STATES(t) .states = (t), .nstates = sizeof(t) / sizeof((t)[0]), .state_size = sizeof((t)[0])
#define EVENTS(t) .events = (t), .nevents = sizeof(t) / sizeof((t)[0]), .event_size = sizeof((t)[0])
#define BREAKDOWN(b) .breakdown = &(b), .breakdown_size = sizeof(b)
#define LABELS(t) .labels = (t), .nlabels = sizeof(t) / sizeof((t)[0])

/* ---- Changes, from hooks, to channels of the event's thread. ---- */

/* `chan` is an index into the model's own channels. All return 0, or <0 (reported). */
int emu_set(struct emu *emu, int chan, int64_t value);
int emu_clear(struct emu *emu, int chan);
int emu_push(struct emu *emu, int chan, int64_t value);
int emu_pop(struct emu *emu, int chan, int64_t value);
int emu_punctual(struct emu *emu, int chan, int64_t value);

/* Pops all values of a stack above the depth, as one change. */
int emu_truncate(struct emu *emu, int chan, uint32_t depth);

/* Replaces the value on top of a stack, as one change. */
int emu_replace(struct emu *emu, int chan, int64_t value);

/* Returns the value of a channel, of a stack the top; 0: it shows nothing, or there is no such channel (reported). */
int64_t emu_value(struct emu *emu, int chan);

/* Chooses the thread whose channels the calls above change, in place of that of the event.
 * For formats whose streams are not threads. */
void emu_choose(struct emu *emu, uint32_t thread);

/* Sets, or gives a punctual value to, a channel of a CPU row that tracks no thread
 * (TRACK_OWN). An equal value is no change; NO_VALUE clears it. */
void emu_set_cpu(struct emu *emu, uint32_t cpu, int chan, int64_t value);
int emu_punctual_cpu(struct emu *emu, uint32_t cpu, int chan, int64_t value);

/* ---- Changes, from hooks, to channels of processes, looms and the system. ---- */

/* `index` is a process, a loom, or 0 for the system, as the channel declares; `chan` as above. There 0 is a value, and
 * not nothing; without VALUES_ANY none is below it. The operations of events do the same for the process or the loom of
 * their thread. Return 0, or <0 (reported). O(1). */

/* An equal value is no change. */
int emu_set_row(struct emu *emu, uint32_t index, int chan, int64_t value);
int emu_add_row(struct emu *emu, uint32_t index, int chan, int64_t n);
int emu_punctual_row(struct emu *emu, uint32_t index, int chan, int64_t value);

/* Returns the value, 0 if there is no such channel or index. */
int64_t emu_row_value(const struct emu *emu, uint32_t index, int chan);

/* ---- What other models show: for observers. ---- */

/* In connect(): finds the channel of a model by both names, "nosv.subsystem", or a base channel of threads: "thread.state",
 * "thread.cpu", "thread.tid". Returns it, or <0: there is none, or its model is not enabled. */
int emu_find_chan(const struct emu *emu, const char *name);

/* Of the channels of all models, those that are not enabled too, the name that is nearest to `name`: `name` itself if there is
 * such a channel, and otherwise the one that may be meant. NULL: none is near. To tell a name that is wrong from a model
 * that the trace has nothing of. The text lives as long as the emulator. */
const char *emu_nearest_chan(struct emu *emu, const char *name);

/* The value that a channel found so has in a thread, 0: nothing; or in that process or loom, 0 for the system, if it is of
 * those. 0 if there is no such channel or thread (reported). */
int64_t emu_look(struct emu *emu, int found, uint32_t thread);

/* A change of a channel; new members come behind the last one. */
struct chan_change {
	int found; /* the channel */
	uint32_t thread;
	int64_t before; /* 0: nothing */
	int64_t now;
	void *arg;      /* of emu_watch() */
	uint32_t index; /* the thread; of a channel of processes, looms or the system which of those */
};

/* Called in the phase pre, when an event has changed a channel, whether it is shown or not. The calls that change
 * channels of threads then are for that thread; it is that of the event when the channel is of no thread. */
typedef void chan_hook(struct emu *emu, const struct chan_change *change);

/* In connect(): asks for the changes of a channel found so. Returns 0, or <0 (reported). */
int emu_watch(struct emu *emu, int found, chan_hook *hook, void *arg);

/* A change of the role of a thread: of the roles that the values of its channels have, over all models, the last in the order of
 * enum role. New members come behind the last one. */
struct role_change {
	uint32_t thread;
	enum role before;
	enum role now;
	void *arg; /* of emu_watch_roles() */
};

/* Called as a chan_hook is. */
typedef void role_hook(struct emu *emu, const struct role_change *change);

/* In connect(): asks for the changes of the roles of all threads. Returns 0, or <0 (reported). */
int emu_watch_roles(struct emu *emu, role_hook *hook, void *arg);

/* The role of a thread now, for who asks for the changes. ROLE_NONE if there is no such thread (reported). */
enum role emu_thread_role(struct emu *emu, uint32_t thread);

/* ---- Messages. ---- */

/* Reports an error, at the current event if there is one. `name` is in the message, in brackets:
 * lower-case words with dashes, as ovniemu(1) lists those that exist. Returns <0. */
int emu_error(struct emu *emu, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Reports an error in the metadata of a thread, as create() finds it. Returns <0. */
int emu_metadata_error(struct emu *emu, uint32_t thread, const char *name, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Reports an error in a file that is no part of the trace, such as one that an option names. Returns <0. */
int emu_file_error(struct emu *emu, const char *file, const char *name, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Reports that memory is exhausted. Returns <0. */
int emu_no_memory(struct emu *emu);

/* Ends the run as an error of that name does; who found what is wrong, such as the format, has reported it. Returns
 * <0. */
int emu_stop(struct emu *emu, const char *name);

/* Whether the hook, or a call from it, has reported an error: for loops that would report more of them. */
bool emu_has_failed(const struct emu *emu);

/* Tell something: a warning, or one with the place of the current event; not with -q; with -v only. */
void emu_warn(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emu_warn_here(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One that repeats, of create() for threads, of hooks for events: it is told at the end of that phase, with the place
 * of the first and how many more there were. */
void emu_warn_often(struct emu *emu, uint32_t thread, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* For hooks of events: the first `most` of all that the model tells with this, in the whole run, the last of which says so; and
 * the first alone, with the place of the current event. A model uses one of them. */
void emu_warn_few(struct emu *emu, unsigned most, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void emu_warn_once(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emu_info(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emu_debug(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- Memory, zeroed, which lives as long as the emulator. ---- */

/* Private memory of the model that is being called. */
void *emu_data(struct emu *emu);
void *emu_proc_data(struct emu *emu, uint32_t proc);
void *emu_thread_data(struct emu *emu, uint32_t thread);

/* More of it. NULL when memory is exhausted (reported). */
void *emu_alloc(struct emu *emu, size_t size);
char *emu_strndup(struct emu *emu, const char *text, size_t n);
/* Makes room for one more item in an array of n; `items` is the address of the pointer to it, zero at
 * first as *cap is. false when memory is exhausted (reported). */
bool emu_grow(struct emu *emu, void *items, size_t n, size_t *cap, size_t size);

/* A table of pointers by number. A slot is NULL at first, and moves when another one is added. NULL when memory is
 * exhausted (reported). */
struct emu_map *emu_map_new(struct emu *emu);
void **emu_map_slot(struct emu *emu, struct emu_map *map, uint64_t key);
void *emu_map_find(const struct emu_map *map, uint64_t key);

char *emu_printf(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- Facts. ---- */

/* The data of the format of the trace, for the model of that format: input/NAME/stream.h declares it. NULL: the
 * trace is of another format than the one of that name. */
void *emu_input(struct emu *emu, const char *format);

/* The model that is being called: for hooks that several models share. */
const struct model *emu_model(const struct emu *emu);

int64_t emu_time(const struct emu *emu);                    /* of the event, ns since the first event of the trace */
int64_t emu_time_of(const struct emu *emu, uint64_t clock); /* of a clock of the event's stream, as an argument has it */
uint32_t emu_thread(const struct emu *emu);                 /* of the event, or chosen */

/* Rows: threads, processes, looms, CPUs (virtual ones included) are numbers from 0. */
uint32_t emu_nthreads(const struct emu *emu);
uint32_t emu_nprocs(const struct emu *emu);
uint32_t emu_nlooms(const struct emu *emu);
uint32_t emu_ncpus(const struct emu *emu);
int emu_tid(const struct emu *emu, uint32_t thread);
uint32_t emu_proc(const struct emu *emu, uint32_t thread);
bool emu_is_pseudo(const struct emu *emu, uint32_t thread); /* its row never runs, and always shows its channels */
int emu_pid(const struct emu *emu, uint32_t proc);
int emu_app(const struct emu *emu, uint32_t proc);
int emu_rank(const struct emu *emu, uint32_t proc); /* of MPI; -1: it has none */
uint32_t emu_loom(const struct emu *emu, uint32_t proc);
const char *emu_loom_name(const struct emu *emu, uint32_t loom);
uint32_t emu_loom_ncpus(const struct emu *emu, uint32_t loom); /* without virtual ones */

/* The thread of that tid, first in the process and then in its loom; NO_INDEX: there is none. */
uint32_t emu_find_thread(const struct emu *emu, uint32_t proc, int32_t tid);

/* The CPU with an index in the loom of a thread, -1 for the virtual one; NO_INDEX: there is none. */
uint32_t emu_find_cpu(const struct emu *emu, uint32_t thread, int32_t index);

/* The member of a thread's metadata below those keys, the last of which is followed by NULL; NULL: there is
 * none. Only in probe(), create() and connect(). */
const struct cJSON *emu_attr(const struct emu *emu, uint32_t thread, ...) __attribute__((sentinel));

bool emu_may_use(const struct emu *emu, uint32_t thread);  /* it requires the model that is called, or does not say */
bool emu_has_died(const struct emu *emu, uint32_t thread); /* its stream was never finished */
bool emu_is_ring(const struct emu *emu, uint32_t thread);  /* its last events are all that was kept (OVNI_RING) */

bool emu_is_compat(const struct emu *emu);     /* what is written must be as the peer writes it */
bool emu_is_strict(const struct emu *emu);     /* --compat or -l: rules of the peer hold */
bool emu_is_unfinished(const struct emu *emu); /* the program died: what it did not write may be made up */

/* ---- Before and after the events. ---- */

enum {
	EMU_KEPT = 128,
};

/* What create() should have known and only an event tells: a hook notes it in EMU_KEPT bytes of the model, zero at
 * first, and has the trace emulated again; create() then finds it there. NULL: this run cannot begin
 * again. emu_begin_again() says why to the user; it returns <0, and the hook is to return. */
uint8_t *emu_kept(struct emu *emu);
int emu_begin_again(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* In create(): adds a channel behind the declared ones; `decl` must live as long as
 * the emulator. Returns its index, or <0 (reported). */
int emu_add_chan(struct emu *emu, const struct chan_decl *decl);

/* In create() or connect(): adds a property of the trace, "MODEL.NAME"; both strings live as long as the
 * emulator. All beyond a few are dropped. */
void emu_add_property(struct emu *emu, const char *key, const char *value);

/* During the run: tells the text of a value of VALUES_TEXT, before the value is first set.
 * The text lives as long as the emulator. Returns 0, or <0 (reported). */
int emu_add_text(struct emu *emu, int64_t value, const char *text);

/* During the run, or in finish(): labels a value of a channel; the text is copied. The same label may be given
 * again; another one for the value is an error. Returns 0, or <0 (reported). */
int emu_add_label(struct emu *emu, int chan, int64_t value, const char *text);

/* ---- States of threads, for models that tell what threads do. ---- */

/* Part of the output format. */
enum thread_state {
	TH_UNKNOWN,
	TH_RUNNING,
	TH_PAUSED,
	TH_DEAD,
	TH_COOLING,
	TH_WARMING,
	TH_STATES,
};

enum thread_state emu_state(const struct emu *emu, uint32_t thread);
const char *emu_state_name(enum thread_state st);                      /* "Running" */
bool emu_meets(const struct emu *emu, uint32_t thread, unsigned need); /* all of enum need */
uint32_t emu_cpu(const struct emu *emu, uint32_t thread);              /* NO_INDEX: in none */

/* Changes of state of the event's thread. Illegal transitions are reported with the state
 * found and the states allowed. All return 0, or <0 (reported). */
int run_create(struct emu *emu, uint32_t cpu); /* unknown to paused, in a CPU */
int run_execute(struct emu *emu, uint32_t cpu);
int run_end(struct emu *emu);
int run_kill(struct emu *emu); /* to dead, from whatever state that has a CPU */
int run_pause(struct emu *emu);
int run_resume(struct emu *emu);
int run_cool(struct emu *emu);
int run_warm(struct emu *emu);

/* Moves a thread that has a CPU to another one. Returns 0, or <0 (reported). */
int run_migrate(struct emu *emu, uint32_t thread, uint32_t cpu);

/* The kernel takes the thread of the event out of its CPU, or gives it back. */
void run_set_in_cpu(struct emu *emu, bool in);

/* ---- Tasks, of models that have them (.tasks). Rules in doc/rules.md, "Tasks". ---- */

enum task_flags {
	TASK_PARALLEL = 1,  /* it may have many bodies */
	TASK_PAUSE = 2,     /* bodies may be paused */
	TASK_RESURRECT = 4, /* a body that ended may be executed again */
	TASK_RELAXED = 8,   /* another body may be executed over one that runs */
};

/* One execution of a task; new members come behind the last one. */
struct task_body {
	uint32_t task; /* id */
	uint32_t id;   /* 1 for a task that is not parallel */
	int64_t type;  /* value of its type: a hash of the label */
	bool running;  /* false: it is paused, or has ended */
};

/* The hook of a jumbo event that creates a type, (u32 typeid, str label). An empty label becomes
 * "(unlabeled task type ID)". */
void task_type_create(struct emu *emu, const struct event *ev);

/* The value of a type; 0 if there is none (reported). */
int64_t task_type_value(struct emu *emu, uint32_t type);

/* Creates a task of the process of the event's thread. Returns 0, or <0 (reported). */
int task_create(struct emu *emu, uint32_t id, uint32_t type, unsigned flags);

/* A body of a task goes on the stack of the event's thread and runs; is paused; runs again; ends and leaves
 * the stack. `body` is 0 for a task that is not parallel. All return it, or NULL (reported): borrowed, until it has ended and
 * another task is created. */
const struct task_body *task_execute(struct emu *emu, uint32_t task, uint32_t body);
const struct task_body *task_pause(struct emu *emu, uint32_t task, uint32_t body);
const struct task_body *task_resume(struct emu *emu, uint32_t task, uint32_t body);
const struct task_body *task_end(struct emu *emu, uint32_t task, uint32_t body);

/* The body on top of the stack of the event's thread, NULL: there is none. */
const struct task_body *task_top(struct emu *emu);

#ifdef __cplusplus
}
#endif

#endif
