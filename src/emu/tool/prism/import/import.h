/* SPDX-License-Identifier: MIT */
#ifndef TOOL_PRISM_IMPORT_IMPORT_H
#define TOOL_PRISM_IMPORT_IMPORT_H

/* import: traces of other tools as Prism streams.
 *
 * A format is a struct import_format in a file of its own: it tells whether bytes are of it, and takes one line or
 * record at a time, from which it makes events of the thread that they belong to. Each thread gets a stream,
 * with a description and, if the format has times, a file of timestamps. */

#include "intake.h"
#include "idmap.h"
#include "little.h"
#include "prism/table.h"
#include "tool.h"

struct import;

struct import_format {
	const char *name;
	const char *hint; /* what is often wrong when a line is not of it; NULL: nothing */
	unsigned record;  /* bytes of a record; 0: lines */
	unsigned state;   /* bytes of the format's own, zeroed, at im->state */
	uint8_t mem;      /* level of detail of memory */
	bool timed;       /* there are times */
	/* Takes a line, without its end, or a record. NULL, or the problem with it. */
	const char *(*take)(struct import *im, const char *p, const char *end);
	/* Likewise behind the last one. NULL: nothing is kept until then. */
	const char *(*finish)(struct import *im);
	/* Whether a line, or the first records, are surely of it. */
	bool (*is)(const char *p, const char *end);
};

enum {
	IMPORT_FORMATS = 6,
};

/* Their names. */
extern const char *const import_words[IMPORT_FORMATS];

extern const struct import_format import_lackey;
extern const struct import_format import_drmemtrace;
extern const struct import_format import_champsim;
extern const struct import_format import_perf;
extern const struct import_format import_uftrace;
extern const struct import_format import_uftrace_chrome;

struct import_name {
	uint32_t number; /* place in the table of names */
};

/* A function that a thread has entered. */
struct import_frame {
	const struct import_name *name;
	uint32_t depth; /* as the source counts it */
};

struct import_stream {
	struct wbuf *bytes; /* own, or the standard output */
	struct wbuf own;
	struct wbuf times;
	bool timed;
	bool begun;   /* the first timestamps are written */
	uint64_t now; /* ns, of the next events */
	struct import_frame *frames;
	size_t nframes;
	size_t room; /* for frames */
	int64_t process;
	uint64_t thread;
	const char *path, *times_path, *json_path;
	struct import_stream *next;
};

struct import {
	struct ptool *tool;
	const struct import_format *format;
	struct intake in;
	void *state;
	const char *dir; /* NULL: the only stream is the standard output */
	struct idmap threads;
	struct prismtable names;     /* -> struct import_name */
	struct wbuf table;           /* of those names, a file of all streams */
	const char *table_path;      /* NULL: no function yet */
	uint32_t table_size;         /* bytes */
	struct import_stream *first; /* in the order of appearance, */
	struct import_stream **last;
	struct import_stream *current; /* that of the key: the thread of the line before */
	uint64_t key;
	uint32_t nstreams;
	uint64_t at;      /* line or record, from 1 */
	uint64_t events;  /* written, without those that begin and end a stream */
	uint64_t bad;     /* lines or records that are none */
	uint64_t left;    /* those of kinds that a stream has no event for */
	uint64_t wide;    /* addresses of more than 56 bits, */
	uint64_t wide_at; /* the first of them */
	bool failed;      /* reported: nothing more can be taken */
};

/* ---- Streams. ---- */

enum {
	IMPORT_THREADS = 4096, /* a stream has files that are open */
	IMPORT_NAMES = 1 << 20,
	IMPORT_NUMBER = 4, /* bytes of the number of a name */
	IMPORT_DEPTH = 1 << 16,
	IMPORT_THREAD_MAX = INT32_MAX,
	IMPORT_SIZE_MAX = 65536, /* bytes of an access */
};

/* Why it is not taken, for what import_format.take returns. */
extern const char import_no_thread[];
extern const char import_too_many[];
extern const char import_goes_back[];
extern const char import_no_room[]; /* reported */

/* Opens the stream of a new thread. NULL: im->failed, or there are too many. */
struct import_stream *importstream_add(struct import *im, uint64_t key, int64_t process, uint64_t thread);

/* The stream of a thread; a key is of one thread. NULL: as above. */
static inline struct import_stream *
import_thread(struct import *im, uint64_t key, int64_t process, uint64_t thread)
{
	if (__builtin_expect(im->current && im->key == key, 1))
		return im->current;
	struct import_stream *s = idmap_find(&im->threads, key);
	im->current = s ? s : importstream_add(im, key, process, thread);
	im->key = key;
	return im->current;
}

/* The events that begin a stream have the time of the first one behind them. */
void importstream_begin(struct import_stream *s, uint64_t ns);

/* The time of the events that follow: for formats with times, before the first event too. NULL, or the problem. */
static inline const char *
import_at(struct import_stream *s, uint64_t ns)
{
	if (ns < s->now)
		return import_goes_back;
	if (__builtin_expect(!s->begun, 0))
		importstream_begin(s, ns);
	s->now = ns;
	return NULL;
}

/* Opens the table of names. Returns 0, or <0 (im->failed). */
int importstream_open_table(struct import *im);

/* Whether what was written so far reached the files. */
bool importstream_good(const struct import *im);

/* Ends and closes all, and writes their descriptions. Returns rc, or <0 (reported). */
int importstream_close(struct import *im, int rc);

/* ---- Events. ---- */

/* One more event is written. */
static inline void
import_count(struct import *im, struct import_stream *s)
{
	im->events++;
	if (s->timed) {
		char *p = wbuf_reserve(&s->times, sizeof(s->now));
		memcpy(p, &s->now, sizeof(s->now));
		wbuf_commit(&s->times, p + sizeof(s->now));
	}
}

/* Counts an address that a stream does not hold. */
static inline void
import_check(struct import *im, uint64_t addr)
{
	if (__builtin_expect((int64_t)(addr << 8) >> 8 != (int64_t)addr, 0) && im->wide++ == 0)
		im->wide_at = im->at;
}

/* A byte, and seven of an address. */
static inline void
import_address(struct import *im, struct import_stream *s, unsigned first, uint64_t addr)
{
	uint64_t bytes = first | addr << 8;
	char *p = wbuf_reserve(s->bytes, sizeof(bytes));
	memcpy(p, &bytes, sizeof(bytes));
	wbuf_commit(s->bytes, p + sizeof(bytes));
	import_check(im, addr);
	import_count(im, s);
}

static inline void
import_instruction(struct import *im, struct import_stream *s, uint64_t addr)
{
	import_address(im, s, PRISM_CXT << 5 | PRISM_INSN, addr);
}

/* An access without a size. */
static inline void
import_touch(struct import *im, struct import_stream *s, unsigned type, uint64_t addr)
{
	import_address(im, s, PRISM_MEM << 5 | type << 3, addr);
}

/* An access of any size up to IMPORT_SIZE_MAX, as accesses of powers of two. */
static inline void
import_access(struct import *im, struct import_stream *s, unsigned type, uint64_t addr, uint64_t size)
{
	while (size) {
		unsigned power = size >= 128 ? 7 : 31 - (unsigned)__builtin_clz((unsigned)size);
		import_address(im, s, PRISM_MEM << 5 | type << 3 | power, addr);
		addr += UINT64_C(1) << power;
		size -= UINT64_C(1) << power;
	}
}

/* ---- Functions. ---- */

/* The one copy of a name, cut as streams have names. NULL: no memory (reported), or there are too many. */
const struct import_name *import_name(struct import *im, const char *text, size_t n);

/* Enters a function at a depth: leaves those at that depth and deeper before. NULL, or the problem. */
const char *import_enter(struct import *im, struct import_stream *s, const struct import_name *name, uint32_t depth);

/* Leaves functions until `keep` are entered. */
void import_leave(struct import *im, struct import_stream *s, size_t keep);

#endif
