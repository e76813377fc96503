/* SPDX-License-Identifier: MIT */
#ifndef TRACE_H
#define TRACE_H

/* trace: a directory of streams, found, ranked by path, and described.
 *
 * A stream is one source of events, today one thread. Its rank is its position in the
 * byte order of the paths. Every format enters through one struct stream_format, so
 * that merge and player do not know which one they read. The formats are in src/emu/input. */

#include "arena.h"
#include "diag.h"
#include "option.h"
#include "ovniscope/event.h"
#include "reader.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct drift;
struct stream;
struct trace;

/* Options of the command line that are a format's. Theirs is a struct of `size` bytes, a copy of
 * `defaults` at first, which is given to each function. */
struct format_options {
	struct cli_group group;
	const void *defaults;
	size_t size;
	/* The option that has named the trace, in place of a directory; NULL: none has. */
	const char *(*names_trace)(const void *options);
	/* Called when the trace is of another format. Returns 0, or <0 (reported): the options ask for
	 * what cannot be done then. NULL: that cannot be. */
	int (*foreign)(const void *options, struct diag *d);
	/* The option for a file of that name, as "prism"; NULL: it does not look like one of this format. */
	const char *(*takes)(const char *name);
};

struct stream_format {
	const char *name;
	const char *holds;                    /* how to know one, for a directory that holds none */
	const struct format_options *options; /* NULL: there are none */

	/* Whether the directory holds a trace of this format: 1 yes, 0 no, <0 error. It may
	 * leave its findings in t->found for open(), in the arena. */
	int (*probe)(struct trace *t);
	/* Finds the streams and describes their threads. 0, or <0 (reported). */
	int (*open)(struct trace *t);
	/* Opens for tools that look at events only: metadata that is missing or wrong is a
	 * warning; a stream that cannot be read is reported, and failed. NULL: as open. */
	int (*open_events)(struct trace *t);
	/* The next event of a stream, before the clock offset. *ev stays where it is until the
	 * next call for the stream: when it is the last that has not had its turn, its clock
	 * may still be moved forward.
	 * 1 event, 0 end, <0 error (reported). */
	int (*next)(struct stream *s, struct event *ev);
	/* Puts letters and payload in the place of the record that next() has given last for the
	 * stream: for outputs of bytes and texts. NULL: next() does. */
	void (*describe)(const struct stream *s, struct event *ev);
	/* The window of a stream holds its events as in wire.h: readers that cannot afford a
	 * call for each take whole ones there (window.h). */
	bool wire;
	/* Frees what the format keeps in t->data. NULL: nothing. */
	void (*close)(struct trace *t);
	/* Where the current event is, if it is not at an offset of the stream. */
	void (*place)(const struct stream *s, struct place *at);
	/* Threads need not end with the trace. */
	bool open_ended;
	/* Clocks of streams that are far apart are meant to be. */
	bool one_clock;
};

/* A thread of a format whose streams are not one thread each. Its model says in each event
 * to which of them it belongs. Strings are in the trace's arena. */
struct trace_thread {
	int pid; /* of its process; all are in the loom of stream 0 */
	int tid;
	const char *label; /* of its row */
	bool pseudo;       /* it never runs: its row shows what is set, always */
};

struct cpu_meta {
	int index; /* logical, in the loom */
	int phyid; /* of the operating system */
};

struct require_meta {
	const char *model;
	const char *version;
};

enum finished {
	FINISHED_UNKNOWN, /* the format does not tell */
	FINISHED_NO,
	FINISHED_YES,
};

/* How a stream ended whose thread was not freed. */
enum ended {
	ENDED_UNSEEN, /* the program was killed, or still runs */
	ENDED_DUMPED, /* the thread went on behind the end of the stream */
	ENDED_WHOLE,  /* the library saw the thread or the program end, and wrote all of it */
};

/* What a thread does not tell and a trace that is mended has to have, as bits. */
enum made_up {
	MADE_UP_ALL = 1,    /* it has no metadata: the path tells who it is */
	MADE_UP_APP_ID = 2, /* no thread of its process tells it */
	MADE_UP_RANK = 4,   /* other processes of its loom have ranks */
};

/* The metadata of one thread. Strings and arrays are in the trace's arena. */
struct thread_meta {
	const char *part; /* "thread", or something we do not know */
	const char *loom; /* NULL when the stream is in no loom: it is set aside */
	int pid;
	int tid;
	int app_id; /* 0: this stream does not say */
	int rank;   /* -1: this stream does not say */
	int nranks;
	enum finished finished;
	struct cpu_meta *cpus; /* CPUs of the loom that this stream tells */
	size_t ncpus;
	bool has_require; /* false: any model may occur */
	uint8_t made_up;  /* enum made_up: with the option mend only */
	bool ring;        /* the stream begins with what was open at its begin: what was before is not there */
	uint8_t ended;    /* enum ended: of a thread that is not finished */
	uint32_t shared;  /* of a ring: bytes of its first events, of its process */
	struct require_meta *require;
	size_t nrequire;
	const char *lib_version; /* NULL when not told */
	struct cJSON *attrs;     /* what models read: "ovni" and the rest; owned by the trace */
};

/* Events that the writer of a stream could not keep. */
struct loss {
	uint64_t n;
	int64_t since; /* clock of the first; 0: not known */
};

struct stream {
	struct reader in;     /* what is read for every event comes first */
	int64_t clock_offset; /* ns, added to every clock */
	int64_t last_clock;   /* corrected clock of the previous event */
	struct trace *trace;
	uint32_t rank;       /* position in path order */
	const char *relpath; /* names it in messages: relative to the trace directory */
	struct thread_meta meta;
	struct drift *drift; /* sets clock_offset for each event; NULL: it is constant */
	bool silent;         /* it may have no events, and nobody needs to know of it */
	bool was_cut;        /* it ended inside an event; a warning was given */
	bool failed;         /* nothing more can be read of it: reported. Only with events_only */
	bool has_tail;       /* the newest events are, or were, in a file beside it, and what is read has them all */
};

/* Each event touches it, so that its size is a power of two. */
_Static_assert(sizeof(struct stream) == 256 || sizeof(void *) != 8, "a stream is found by a shift");

/* A format that traces may have. A list ends with one whose format is NULL. */
struct trace_input {
	const struct stream_format *format;
	void *options; /* NULL: the defaults */
};

enum {
	TRACE_AGAIN = -ERR_COUNT, /* not reported: the options have changed, and the trace is to be opened anew */
};

struct trace_options {
	bool strict;                       /* unfinished and truncated streams are errors */
	bool lint;                         /* so are threads without metadata */
	bool peer_ties;                    /* equal clocks in the order of the peer, not by rank */
	const char *clock_table;           /* NULL: clock-offsets.txt of the trace, if it is there */
	bool shows_nothing;                /* there are no timelines: no events that are only for them */
	bool events_only;                  /* go on without metadata, and without streams that fail */
	bool mend;                         /* make up what metadata lacks, where the rest of the trace tells enough */
	bool raw_clocks;                   /* no table of offsets is looked at */
	unsigned threads;                  /* that may open it; 0: one */
	const struct trace_input *inputs;  /* borrowed */
	const volatile sig_atomic_t *stop; /* set by a signal: live input is not waited for; or NULL */
	/* Events between OU[ and OU] may come late. Not set: when one does, it is set, and the error is that
	 * of TRACE_AGAIN; set: they are sorted while they are read. NULL: an event that is late is an error. */
	bool *unsorted;
};

struct trace {
	struct diag *diag;
	struct arena arena;
	struct reader_pool readers;
	const struct stream_format *format;
	const void *format_options; /* borrowed; NULL: the defaults */
	void *found;                /* of the format, between probe() and open() */
	const char *dir;            /* without slashes at its end */
	struct trace_options options;
	int metadata_version;
	bool has_clock_table;   /* offsets of clocks are told, if only as 0 */
	struct stream *streams; /* in path order: the index is the rank */
	size_t nstreams;
	struct loss *losses;                /* by stream; NULL: there are none */
	uint64_t bytes;                     /* size of all streams on disk, for the progress */
	bool unwatched;                     /* only the model of the format looks at events: it may take several at once */
	uint64_t nmore;                     /* records that were in an event with another one, without those of the last */
	const struct trace_thread *threads; /* in the order of the rows; NULL: each stream is one */
	size_t nthreads;
	/* Live input: threads that come while it runs get the rows behind the others. late() is
	 * called when threads[row] is filled. */
	size_t nreserved; /* rows that are left */
	const int *pids;  /* processes that they may be of */
	size_t npids;
	int (*late)(void *arg, uint32_t row); /* 0, or <0 (reported) */
	int (*idle)(void *arg);               /* called now and then while nothing comes: 0, <0 stop (reported) */
	void *live_arg;
	void *data;                            /* of the format, until its close() */
	const struct stream_format *base;      /* the format itself, below those that sort or correct clocks */
	const struct stream_format *undrifted; /* below `format`, when some stream has a drift */
};

/* Finds and opens every stream of the directory and reads the metadata. The inputs are tried in
 * their order. NULL: the options of one name the trace. `dir` is borrowed. Returns 0, or <0 (reported); trace_close() is due in both cases. */
int trace_open(struct trace *t, struct diag *d, const char *dir, const struct trace_options *o);

/* The option by which the options of an input name a trace; NULL: they name none. */
static inline const char *
trace_named_by(const struct trace_input *in)
{
	const struct format_options *o = in->format->options;
	return o && in->options ? o->names_trace(in->options) : NULL;
}

/* The streams that somebody wrote. */
size_t trace_nstreams(const struct trace *t);

/* The metadata that only models need (attrs) is freed; call it once they are connected. */
void trace_forget_attrs(struct trace *t);

void trace_close(struct trace *t);

/* Reports a clock that is out of range or goes back. Returns <0. */
int stream_bad_clock(struct stream *s, const struct event *ev, bool overflow);

/* Corrects and checks the clock of the event that the format gave: clocks must not be
 * negative nor go back. Returns 1, or <0 (reported). */
static inline int
stream_correct(struct stream *s, struct event *ev)
{
	bool overflow = __builtin_add_overflow(ev->clock, s->clock_offset, &ev->clock);
	if (__builtin_expect(overflow || ev->clock < s->last_clock, 0))
		return stream_bad_clock(s, ev, overflow);
	s->last_clock = ev->clock;
	return 1;
}

/* The next event of a stream, corrected. 1 event, 0 end of the stream, <0 error (reported). */
static inline int
stream_next(struct stream *s, struct event *ev)
{
	int rc = s->trace->format->next(s, ev);
	return __builtin_expect(rc <= 0, 0) ? rc : stream_correct(s, ev);
}

/* Sees to it that the last event of a stream has its payload. */
static inline void
stream_describe(const struct stream *s, struct event *ev)
{
	if (s->trace->format->describe)
		s->trace->format->describe(s, ev);
}

/* Corrects the clock of an event behind one with the clock `last`, and tells whether it is good. */
static inline bool
stream_is_good(const struct stream *s, int64_t last, int64_t *clock)
{
	return !__builtin_add_overflow(*clock, s->clock_offset, clock) && *clock >= last;
}

/* Where the last event of a stream is, for messages; without it, where the next one is. */
struct place stream_place(const struct stream *s, const struct event *ev);

/* As stream_place(), of an event whose offset is known. */
struct place stream_place_at(const struct stream *s, const struct event *ev, uint64_t offset);

/* Says that a stream has no events, unless that is as it should be: its thread shows nothing. */
void stream_warn_empty(const struct stream *s);

/* Gives up a stream whose error was reported: nothing more is read of it. */
void stream_fail(struct stream *s);

/* Bytes of a stream on disk that were consumed, for the progress. */
uint64_t stream_consumed(const struct stream *s);

/* A file that may be a stream. */
struct stream_file {
	const char *path;    /* to open it */
	const char *relpath; /* names the stream */
	uint64_t dev;        /* which file it is, whatever its name */
	uint64_t ino;
	unsigned beside; /* what the format knows of its directory */
};

/* For formats: opens the files as the streams of the trace, in the order of their
 * relpath. The strings are in the trace's arena. Returns 0, or <0 (reported). */
int trace_open_streams(struct trace *t, struct stream_file *files, size_t n);

/* For formats whose events are of one model and whose streams are not one thread each: makes n
 * streams without a file, of one loom. The first tells of its CPUs, 0 to ncpus - 1. relpath is to
 * be set. Returns 0, or <0 (reported). */
int trace_make_streams(struct trace *t, size_t n, const char *loom, size_t ncpus, const struct require_meta *model);

/* Notes that the writer of a stream has lost events. Returns 0, or <0 (reported). */
int stream_has_lost(struct stream *s, uint64_t n, int64_t since);

#endif
