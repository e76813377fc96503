/* SPDX-License-Identifier: MIT */
#ifndef INPUT_PRISM_STREAM_H
#define INPUT_PRISM_STREAM_H

/* stream: the stream format of Prism (doc/format/prism.md, doc/prism.md).
 *
 * Every file is a stream, and stream n is CPU n. Its events have the letters and payloads
 *
 *   RM.  memory: u32 has, u8 type, u8 id, u16 bytes, u64 address
 *   RC.  compute: u32 has, u8 format, u8 op, u16 bytes, u8 arity, u8 nids, u8 id0-3
 *   RS + 'a' + type  synchronization: u64 for each word that its type has
 *   RX + 'a' + type  context: u64 id; functions, nets and operators are jumbo: str name
 *   RF.  control flow: u8 type
 *   RG.  level of detail: u8 target, u8 before, u8 after
 *   RE.  end of a buffer
 *   RW.  end of an interval of time
 *   RD.  end of a stream
 *
 * and their record is a struct prism_record. The model gets the struct prism from emu_input(), and includes this
 * header, which therefore has nothing of the emulator. Types that are
 * unknown, or not shown, have the letter 'a'. What an event does not show is 0 in its payload.
 *
 * RW. comes from a stream of its own, in front of all others, so that it comes before the
 * events of its time; it belongs to none. There are RW. only with PRISM_INTERVAL_TIME: at
 * multiples of the length since the first event, if the interval that ends there or the one
 * before it had events, and one behind everything else, at the time of the last event. RD.
 * has the time of the last event of its stream. */

#include "prism/threads.h"
#include "source/prism/source.h"

struct event;
struct format_options;
struct pollfd;
struct prism_hooks;
struct prism_stream; /* the format's own */
struct trace;
struct trace_thread;

enum prism_events {
	PRISM_EVENTS_AUTO, /* all up to PRISM_EVENTS_MANY events, else sync */
	PRISM_EVENTS_ALL,
	PRISM_EVENTS_SYNC,
	PRISM_EVENTS_NONE,
};

/* When the totals of an interval are shown. */
enum prism_interval {
	PRISM_INTERVAL_TIME, /* the default, every million ns */
	PRISM_INTERVAL_EVENTS,
	PRISM_INTERVAL_SYNC,
	PRISM_INTERVAL_FUNC,
};

enum {
	PRISM_EVENTS_MANY = 10000000,
	PRISM_INTERVAL_NS = 1000000, /* the default */
	PRISM_FILES = 64,            /* on the command line */
	PRISM_TOOLS = 16,
	PRISM_LISTS = 16, /* of names of functions */
	PRISM_ROWS = 256, /* threads of live input */
	PRISM_ROWS_MAX = 65535,
	PRISM_THREADS_MAX = 131072,
};

/* All strings are borrowed. Zeroed: the defaults. */
struct prism_options {
	struct prism_keys keys;
	const char *file[PRISM_FILES]; /* of the command line, in place of a directory; "-": stdin */
	size_t nfiles;
	const char *hooks[PRISM_TOOLS]; /* shared objects with their arguments (base/arguments.h) */
	size_t nhooks;
	bool needs_skip;
	bool lenient;
	/* Functions that are shown. */
	uint64_t min_ns; /* of a call; 0: all */
	uint32_t depth;  /* of its nesting, from 1; 0: all */
	const char *only[PRISM_LISTS];
	size_t nonly;
	const char *except[PRISM_LISTS];
	size_t nexcept;
	bool insn; /* also the channel of instructions */
	enum prism_events events;
	enum prism_interval interval;
	uint64_t length;  /* of an interval: ns or events; 0: the default */
	uint32_t threads; /* rows of live input, 0: PRISM_ROWS */
};

struct prism {
	struct trace *trace;
	const struct prism_options *options;
	struct prism_sources sources; /* by stream */
	struct prism_stream *streams;
	uint32_t nstreams;
	bool live;                /* threads are not known before their first event */
	bool shown;               /* there are timelines, and RW. for their intervals */
	enum prism_events events; /* never PRISM_EVENTS_AUTO */

	/* The format's own. */
	struct prism_threads threads;
	struct trace_thread *rows;
	bool many;            /* processes: labels of rows name them */
	struct pollfd *polls; /* of live streams */
	uint32_t *polled;
	uint32_t last;   /* stream of the last event */
	int64_t idle_ms; /* when the outputs were brought up to date, on some clock */
	bool primed;
	int64_t zero;          /* clock of the first event */
	int64_t length;        /* of an interval, ns */
	int64_t tick;          /* end of the current interval, since the first event */
	bool had;              /* the interval before `tick` has events */
	struct event *waiting; /* RW. that has not had its turn; NULL: none */
};

extern const struct format_options prismopts;

/* The code that ended a stream (lenient), told with RD.; 0: none. */
int prism_stopped_by(const struct prism *p, uint32_t stream);

/* Whether a stream has ended without an event: no RD. tells of its end. */
bool prism_is_empty(const struct prism *p, uint32_t stream);

/* Without timelines: whether the stream of the current event may have events of memory and compute which come before those
 * of all other streams. Then prism_more() makes the next one the current event, and returns true; false: that is done. */
bool prism_has_more(struct prism *p, uint32_t stream);
bool prism_more(struct prism *p, uint32_t stream);

/* In live input: gives a new thread, which has the next number, the next row. Returns 0, or <0:
 * there is none left (reported). */
int prism_row(struct prism *p, const struct prism_thread *t);

/* Tells what was found at the current event of a stream, or in front of it: strict errors
 * stop (<0, reported), warnings and what is lenient are counted, and the first told (0). */
int prism_issue(struct prism *p, uint32_t stream, enum prism_code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Loads the shared object of a tool, and copies its hooks. dlclose() of *handle is due unless that is NULL, also after
 * a failure. Returns 0, or <0 (reported). */
int prism_load(const struct prism *p, const char *file, void **handle, struct prism_hooks *to);

/* Copies hooks that a tool of that file adds. Returns 0, or <0 (reported): they are of another version. */
int prism_copy(const struct prism *p, const char *file, const struct prism_hooks *hooks, struct prism_hooks *to);

#endif
