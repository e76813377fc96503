/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_H
#define LAPLACE_H

/* laplace: the records of traces of the Laplace simulator, and the list of errors in them.
 *
 * A trace is memory references (ref.h) and kernel events (kernel.h), read record by record
 * (read.h), in order of several files (merge.h). A machine (machine.h) follows tasks, address spaces and pages through them. The bytes are defined in
 * doc/format/laplace.md. Nothing here prints, and nothing is global. */

#include "laplace_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lap_endian {
	LAP_LITTLE,
	LAP_BIG,
};

/* Variants of the kernel trace, in order of their age. */
enum lap_dialect {
	LAP_LAPLACE,
	LAP_KVMTRACE_04,
	LAP_KVMTRACE_05,
	LAP_KVMTRACE_06,
	LAP_DIALECTS,
};

/* The format of a file. */
enum lap_format {
	LAP_AUTO,    /* the reader finds it */
	LAP_BINARY,  /* references of 18 bytes */
	LAP_TEXT,    /* references, a line each */
	LAP_KERNEL,  /* kernel events, a line each */
	LAP_MIXED,   /* plain interleave: lines of both kinds */
	LAP_BASIC,   /* basic merge: kind and canonical page */
	LAP_PROCESS, /* a file of the per-process merge */
	LAP_FORMATS,
};

/* Kind of a letter: 1 load, 2 store, 3 fetch; 4, 5, 6 these re-referenced; 0: no kind. */
extern const uint8_t lap_kinds[256];

/* Makes room for one more item of `size` bytes in an array of n. Returns the array, perhaps moved, or
 * NULL: no memory, and the array is as before. */
void *lap_grow(void *items, size_t n, size_t *cap, size_t size);

/* Asks for huge pages for a block of memory where each access is somewhere else, so that it does not miss the TLB as well. */
void lap_huge(void *p, size_t size);

/* ---- Errors. ---- */

/* X(code, text, cost to a lenient reader, whether it is a warning): what is none stops a strict reader. */
#define LAP_CODE_LIST(X)                                                                         \
	X(LR01, "the size is not a multiple of 18", "partial record at the end dropped", false)  \
	X(LR02, "unknown kind of reference", "record skipped", false)                            \
	X(LR03, "a reference of length 0", "record skipped", false)                              \
	X(LR04, "a reference goes beyond ffffffff", "cut at ffffffff", false)                    \
	X(LR05, "the timestamp is lower than the one before", "the one before is used", false)   \
	X(LT01, "wrong number of fields", "line skipped", false)                                 \
	X(LT02, "a field is not hexadecimal", "line skipped", false)                             \
	X(LT03, "a field has too many digits", "line skipped", false)                            \
	X(LT04, "the first field is longer than one character", "line skipped", false)           \
	X(LT05, "a line is over 8192 bytes or has a NUL", "line skipped", false)                 \
	X(LT06, "the last line has no newline", "used if it is complete", true)                  \
	X(LK01, "unknown tag", "line skipped", false)                                            \
	X(LK02, "the name is missing or over 4095 bytes", "name replaced by ? or cut", false)    \
	X(LK03, "a range is empty or wraps", "record ignored", false)                            \
	X(LK04, "a record follows the end of trace", "record ignored", false)                    \
	X(LM01, "an event of a task never seen", "task created, parent unknown", true)           \
	X(LM02, "a fork makes a task that lives", "task restarted", false)                       \
	X(LM03, "an exit of or a switch to a dead task", "record ignored", false)                \
	X(LM04, "a reference in another address space than the running task's", "counted", true) \
	X(LM05, "a reference outside of all mappings", "counted", true)                          \
	X(LM06, "an address space that is not known", "created, or ignored if it ends", true)    \
	X(LJ01, "the manifest lacks a key or has a wrong value", "", false)

enum lap_code {
	LAP_OK,
#define LAP_X(name, ...) LAP_##name,
	LAP_CODE_LIST(LAP_X)
#undef LAP_X
		LAP_CODES,
	/* Errors outside of the format. */
	LAP_E_IO = LAP_CODES,
	LAP_E_MEMORY,
	LAP_E_FORMAT, /* not recognised, or not what this call can take */
	LAP_E_FILTER, /* a filter failed, and told why */
};

struct lap_code_info {
	const char *name;    /* "LR01" and so on */
	const char *text;    /* a clause */
	const char *lenient; /* empty: nothing helps */
	bool warning;
};

/* A code of either sign; never NULL. */
const struct lap_code_info *lap_code(int code);

/* An error or a warning, and its place. */
struct lap_issue {
	int code;
	const char *file;
	uint64_t offset; /* bytes from the start of the file */
	uint64_t line;   /* from 1; 0 in binary files */
	char text[200];  /* one line; bytes of the input are cleaned */
};

/* Log of one trace, shared by its readers and its machine; one thread at a time. Zeroed:
 * strict and silent. */
struct lap_log {
	bool lenient;
	/* Called for each issue; fatal: it stops the run. NULL: issues are only counted. */
	void (*tell)(void *self, const struct lap_issue *issue, bool fatal);
	void *self;
	uint64_t texts; /* most issues of a kind that tell() gets with text; 0: all */
	uint64_t counts[LAP_CODES];
	uint64_t unknown[256]; /* events of each tag that is in no catalogue, and that were passed on */
	int last;              /* code of the last issue; its reader resets it to 0 */
};

/* Counts and tells an issue. Returns 0 if work goes on, else -code. */
int lap_raise(struct lap_log *log, const struct lap_place *at, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Tells an issue that stops nothing, and is not counted. */
void lap_note(struct lap_log *log, const struct lap_place *at, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
