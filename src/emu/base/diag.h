/* SPDX-License-Identifier: MIT */
#ifndef DIAG_H
#define DIAG_H

/* diag: what the tools say on stderr, and the names of all errors.
 *
 * An error is reported once, where its cause is known, and its code travels up
 * unchanged as a negative return value. The place is data: the reader of a stream fills
 * a struct place and diag prints it:
 *
 *   ovniemu: error[mark-mismatch]: pop of 3 in mark type 5, but the top is 2
 *     at loom.n1/proc.42/thread.43 +0x1f40, clock 1234567890 ns, event OM]
 *     hint: if the stream is not sorted, run ovnisort
 *
 * A message is one write, so that those of several threads do not mix. */

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Identifier, stable name, what it means. test/cli/bad/ holds a case for each name. */
#define ERROR_LIST(X)                                                                                     \
	X(USAGE, "usage", "the command line is wrong")                                                    \
	X(MEMORY, "memory", "memory is exhausted")                                                        \
	X(READ, "read", "a file or directory cannot be read")                                             \
	X(WRITE, "write", "an output cannot be written")                                                  \
	X(NO_TRACE, "no-trace", "the trace directory is missing")                                         \
	X(NO_STREAM, "no-stream", "the directory holds no stream")                                        \
	X(JSON, "json", "a file is not valid JSON")                                                       \
	X(METADATA, "metadata", "a metadata key is missing or has a wrong type or value")                 \
	X(METADATA_VERSION, "metadata-version", "the metadata version is unknown, or versions are mixed") \
	X(METADATA_CONFLICT, "metadata-conflict", "two streams disagree on a fact they share")            \
	X(PART, "part", "a stream that is not a thread has events")                                       \
	X(DUPLICATE_THREAD, "duplicate-thread", "two streams claim the same thread")                      \
	X(CPU_INDEX, "cpu-index", "the CPU indices of a loom are not 0..n-1, each once")                  \
	X(NO_CPUS, "no-cpus", "a loom has no physical CPUs")                                              \
	X(MODEL_VERSION, "model-version", "a thread requires a model version that is not available")      \
	X(MODEL, "model", "a model cannot be loaded, or what it declares is wrong")                       \
	X(MODEL_CLASH, "model-clash", "two models share a letter, a name or a PRV type")                  \
	X(CLOCK_TABLE, "clock-table", "the clock offset table is wrong")                                  \
	X(CLOCK_GATE, "clock-gate", "streams start more than one hour apart")                             \
	X(CLOCK_NEGATIVE, "clock-negative", "a corrected clock is negative")                              \
	X(CLOCK_BACKWARDS, "clock-backwards", "the clock of a stream goes back")                          \
	X(STREAM_HEADER, "stream-header", "a stream does not begin with a known header")                  \
	X(STREAM_TRUNCATED, "stream-truncated", "a stream ends inside an event")                          \
	X(STREAM_CORRUPT, "stream-corrupt", "a compressed stream cannot be decoded")                      \
	X(SORT_WINDOW, "sort-window", "an event is later than the window of ovnisort reaches back")       \
	X(UNFINISHED, "unfinished", "the thread of a stream never finished")                              \
	X(UNKNOWN_MODEL, "unknown-model", "no model has the letter of an event")                          \
	X(MODEL_DISABLED, "model-disabled", "no thread requires the model of an event")                   \
	X(UNKNOWN_EVENT, "unknown-event", "the model of an event does not know it")                       \
	X(PAYLOAD, "payload", "the payload of an event is shorter or longer than declared")               \
	X(THREAD_STATE, "thread-state", "an event is illegal in the state of its thread")                 \
	X(OUT_OF_CPU, "out-of-cpu", "the kernel had taken the thread out of its CPU")                     \
	X(CPU_UNKNOWN, "cpu-unknown", "an event names a CPU that its loom does not have")                 \
	X(CPU_BUSY, "cpu-busy", "two threads run in one physical CPU (--compat)")                         \
	X(THREAD_UNKNOWN, "thread-unknown", "an event names a thread that its loom does not have")        \
	X(SAME_CPU, "same-cpu", "a thread is moved to the CPU it is in (-l, --compat)")                   \
	X(CHAN_VALUE, "chan-value", "a channel cannot hold the value")                                    \
	X(CHAN_REPEATED, "chan-repeated", "a channel is set to the value it has")                         \
	X(CHAN_TWICE, "chan-twice", "one event writes a channel twice")                                   \
	X(STACK_FULL, "stack-full", "a stack holds no more values")                                       \
	X(STACK_EMPTY, "stack-empty", "a pop finds the stack empty")                                      \
	X(STACK_MISMATCH, "stack-mismatch", "a pop names another value than the top")                     \
	X(MARK_TYPE, "mark-type", "a mark event has an undefined type, or does not suit its kind")        \
	X(TASK_TYPE, "task-type", "a task type is unknown, or exists already")                            \
	X(TASK, "task", "a task is unknown, or exists already")                                           \
	X(TASK_STATE, "task-state", "a task cannot do that as it is")                                     \
	X(NOT_DEAD, "not-dead", "a thread does not end, although its stream is finished")                 \
	X(NOT_DRAINED, "not-drained", "a stack is not empty when its thread ends (-l)")                   \
	X(LAPLACE, "laplace", "a Laplace trace or its manifest breaks a rule; the message has its code")  \
	X(HOOKS, "hooks", "a tool of the user cannot be loaded, calls what it may not, or stops the run") \
	X(PRISM, "prism", "a Prism stream or its description breaks a rule; the message has its code")    \
	X(LABEL_COLLISION, "label-collision", "two labels share one value")                               \
	X(INTERRUPTED, "interrupted", "the user stopped the run")

enum error {
	ERR_NONE,
#define X(id, name, text) ERR_##id,
	ERROR_LIST(X)
#undef X
		ERR_COUNT,
};

/* Stable name of an error, "?" when the code is none. Accepts either sign. */
const char *error_name(int code);

/* The code of a name; ERR_NONE when it is the name of none. */
enum error error_code(const char *name);

/* Where something happened. Zero or NULL members are not printed. */
struct place {
	const char *file; /* stream, or other file; relative to the trace directory */
	bool has_offset;
	bool has_clock;
	uint64_t offset;    /* of the event in its (decompressed) stream, bytes */
	uint64_t line;      /* of a text, from 1; 0: none */
	int64_t clock;      /* corrected, ns */
	const uint8_t *mcv; /* three bytes */
};

enum diag_level {
	DIAG_MUTE = -1, /* nothing at all: for a look ahead */
	DIAG_QUIET,     /* errors and warnings only */
	DIAG_NORMAL,
	DIAG_VERBOSE,
};

/* One per run; shared by its threads. Zeroed plus `program` is ready. */
struct diag {
	const char *program;
	enum diag_level level;
	atomic_uint warnings;
	atomic_uint errors;
	atomic_bool progress_shown; /* a progress line is on the terminal */
	bool soften;                /* errors are warnings: the tool goes on without what failed */
	atomic_uint said;           /* messages of this attempt, */
	unsigned heard;             /* of which so many were printed by the one before */

	/* Takes what is said, but errors, until its turn comes to be said by another diag (level as here). NULL: it is printed. */
	void (*hold)(void *arg, bool warning, const struct place *at, const char *text);
	void *hold_arg;

	/* Outputs that failed for one cause, see diag_repeats(). */
	atomic_flag lock;
	char cause[200];     /* of the first */
	char unwritten[600]; /* paths of the others, with commas */
	unsigned nunwritten;
};

/* Messages that repeat: one line tells the first, and how many more there were. */
struct often {
	uint64_t n;
	struct place at; /* of the first; its file is borrowed */
	char text[256];
};

/* Report an error at a place (NULL: none). The first line of the text is the message;
 * the lines behind go below the place, indented. Returns -code, never 0. */
int diag_error(struct diag *d, enum error code, const struct place *at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* An error of any family, by its name; NULL: a warning. */
void diag_say(struct diag *d, const char *error, const struct place *at, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

/* What is told to who may not know that a program waits for him. */
#define STDIN_ON_TERMINAL "reading the standard input, a terminal: Ctrl-D ends it"

/* The common special cases. */
int diag_no_memory(struct diag *d);
/* verb: "open", "write"... ; err: errno. */
int diag_io(struct diag *d, enum error code, const char *verb, const char *path, int err);

/* Whether an output failed already with that cause, such as a full disk: then this one needs no error of its own, and
 * diag_list_unwritten() names it. The cause may stand behind other words. Of any thread. */
bool diag_repeats(struct diag *d, const char *path, const char *cause);
void diag_list_unwritten(struct diag *d);

void diag_warn(struct diag *d, const struct place *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Counts a warning, and keeps the text of the first. */
void often_add(struct often *t, const struct place *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Prints what was counted, if anything was: "text (and 5 more threads)". */
void often_report(struct diag *d, const struct often *t, const char *things);
/* Says why (unless that is empty) all that was done will be done again; messages that were printed are not printed twice. */
void diag_begin_again(struct diag *d, const char *why);
/* Printed from a level on: not with -q, or with -v only. */
void diag_tell(struct diag *d, enum diag_level least, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define diag_info(d, ...) diag_tell((d), DIAG_NORMAL, __VA_ARGS__)
#define diag_debug(d, ...) diag_tell((d), DIAG_VERBOSE, __VA_ARGS__)
/* A line that the next message, or the end of the progress, replaces on a terminal. */
void diag_progress(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_end_progress(struct diag *d);

#endif
