/* SPDX-License-Identifier: MIT */
#ifndef MODEL_H
#define MODEL_H

/* model: what an emulation model declares.
 *
 * A model is one .c file with three tables (channels, states, events) and, for what is
 * not a plain pair, hooks. From the tables the core derives version probe, dispatch,
 * channels and tracking, labels, views, payload checks and end-of-thread lint. See
 * doc/howto-model.md. */

#include "trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct emu;

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

struct label {
	int64_t value;
	const char *text;
};

/* How Paraver opens a channel. Without a file there is no view. */
struct view_decl {
	const char *file;         /* name without .cfg, in cfg/{thread,cpu}/MODEL/ */
	const char *thread_title; /* NULL: made of the title and the tracking */
	const char *cpu_title;
	const char *palette; /* "value:r,g,b value:r,g,b ...", NULL: the standard one */
	bool gradient;       /* for identifiers and counts */
	bool draw_random;    /* 0 counts too, so that idle rows are seen */
	bool next_value;     /* an interval shows the value at its end, not at its start */
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
	int64_t idle;               /* what a CPU row shows while no thread is tracked */
	int64_t initial;            /* value before the first event, 0: none */
	const struct label *labels; /* of values that no state declares */
	size_t nlabels;
	struct view_decl view;
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
};

enum op_kind {
	OP_HOOK, /* the default: needs .hook */
	OP_IGNORE,
	OP_SET,   /* channel := value */
	OP_CLEAR, /* channel := nothing */
	OP_PUSH,
	OP_POP,
	OP_PUNCTUAL, /* the value happens and leaves the state; default view only */
};

/* How a payload is compared with the arguments of the signature. */
enum payload_rule {
	PAYLOAD_AT_LEAST, /* the arguments, or more */
	PAYLOAD_EXACT,    /* the arguments and nothing else */
	PAYLOAD_FIRST,    /* the first argument is enough */
	PAYLOAD_ANY,      /* any bytes */
};

typedef int event_hook(struct emu *emu, const struct event *ev);

struct event_decl {
	const char *sig;  /* "MCV(type name, ...)"; '+' behind the MCV: jumbo */
	const char *text; /* in words; %{name} is an argument */
	event_hook *hook; /* 0, or <0 (reported with emu_error()) */
	enum op_kind op;
	enum payload_rule payload;
	bool any_value; /* for every third letter */
	bool unlisted;  /* accepted, but not in the reference of events */
	int chan;       /* of the operation */
	int64_t value;
};

/* Required state of the thread of an event, by model. */
enum need {
	NEED_NOTHING = 0,
	NEED_RUNNING = 1,
	NEED_ACTIVE = 2,
	NEED_IN_CPU = 4, /* not taken out of its CPU by the kernel */
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
	/* Whether the trace can have the breakdown: 1 yes, 0 no, <0 error (reported). NULL:
	 * always. */
	int (*suits)(struct emu *emu);
	struct view_decl view;
};

struct model {
	char id; /* first letter of its events */
	const char *name;
	const char *version;
	unsigned need;
	bool always;  /* enabled even if no thread requires it */
	bool foreign; /* not of the runtime: not enabled by threads without requirements */
	const struct chan_decl *chans;
	size_t nchans;
	const struct state_decl *states;
	size_t nstates;
	const struct event_decl *events;
	size_t nevents;
	size_t data_size;   /* private memory of an emulator, zeroed */
	size_t proc_size;   /* private memory of a process, zeroed */
	size_t thread_size; /* private memory of a thread, zeroed */

	/* Before the channels are laid out: may add some with emu_add_chan(), from the
	 * metadata. Returns 0, or <0 (reported). */
	int (*connect)(struct emu *emu);

	/* After the last event, also when the run failed: may label values with
	 * emu_add_label(). Returns 0, or <0 (reported). */
	int (*finish)(struct emu *emu);

	const struct breakdown_decl *breakdown; /* NULL: it has none */
};

#define CHANS(t) .chans = (t), .nchans = sizeof(t) / sizeof((t)[0])
#define STATES(t) .states = (t), .nstates = sizeof(t) / sizeof((t)[0])
#define EVENTS(t) .events = (t), .nevents = sizeof(t) / sizeof((t)[0])
#define LABELS(t) .labels = (t), .nlabels = sizeof(t) / sizeof((t)[0])

/* Changes from hooks, to channels of the event's thread. `chan` is an index into the model's
 * own channels. All return 0, or <0 (reported). */
int emu_set(struct emu *emu, const struct event *ev, int chan, int64_t value);
int emu_clear(struct emu *emu, const struct event *ev, int chan);
int emu_push(struct emu *emu, const struct event *ev, int chan, int64_t value);
int emu_pop(struct emu *emu, const struct event *ev, int chan, int64_t value);
int emu_punctual(struct emu *emu, const struct event *ev, int chan, int64_t value);

/* Pops all values of a stack above the depth, as one change. */
int emu_truncate(struct emu *emu, const struct event *ev, int chan, uint32_t depth);

/* Replaces the value on top of a stack, as one change. */
int emu_replace(struct emu *emu, const struct event *ev, int chan, int64_t value);

/* Returns the top of a stack; 0: it is empty. */
int64_t emu_top(const struct emu *emu, int chan);

/* Chooses the thread whose channels the calls above change, in place of that of the event.
 * For formats whose streams are not threads. */
void emu_choose(struct emu *emu, uint32_t thread);

/* Sets, or gives a punctual value to, a channel of a CPU row that tracks no thread
 * (TRACK_OWN). An equal value is no change. */
void emu_set_cpu(struct emu *emu, uint32_t cpu, int chan, int64_t value);
int emu_punctual_cpu(struct emu *emu, uint32_t cpu, int chan, int64_t value);

/* Report an error at the event. Returns <0. */
int emu_error(struct emu *emu, const struct event *ev, enum error code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Private memory of the model that is being called. */
void *emu_data(struct emu *emu);
void *emu_proc_data(struct emu *emu, uint32_t proc);
void *emu_thread_data(struct emu *emu, uint32_t thread);

/* In connect(): adds a channel behind the declared ones; `decl` must live as long as
 * the emulator. Returns its index, or <0 (reported). */
int emu_add_chan(struct emu *emu, const struct chan_decl *decl);

/* In connect(): adds a property of the trace, "MODEL.NAME"; both strings live as long as the
 * emulator. All beyond EMU_PROPERTIES are dropped. */
void emu_add_property(struct emu *emu, const char *key, const char *value);

/* During the run: tells the text of a value of VALUES_TEXT, before the value is first set.
 * The text lives as long as the emulator. Returns 0, or <0 (reported). */
int emu_add_text(struct emu *emu, int64_t value, const char *text);

/* During the run, or in finish(): labels a value of a channel. The same label may be given again; another one
 * for the value is an error. */
int emu_add_label(struct emu *emu, int chan, int64_t value, const char *text);

/* Arguments of an event, by offset in the payload; the signature has been checked. */
#define EVENT_ARG(name, T)                                                \
	static inline T event_##name(const struct event *ev, uint32_t at) \
	{                                                                 \
		T v;                                                      \
		memcpy(&v, ev->payload + at, sizeof(v));                  \
		return v;                                                 \
	}
EVENT_ARG(u32, uint32_t)
EVENT_ARG(i32, int32_t)
EVENT_ARG(u64, uint64_t)
EVENT_ARG(i64, int64_t)
#undef EVENT_ARG

#endif
