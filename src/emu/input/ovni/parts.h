/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OVNI_PARTS_H
#define INPUT_OVNI_PARTS_H

/* parts: what the files of the input of runtime traces share. The table is runtime_format, of
 * stream.c; bytes and keys are defined in doc/format/trace.md. */

#include "trace.h"

#include <stdio.h>

/* ---- find.c: which files of a directory tree belong to a trace ---- */

struct found_list {
	struct stream_file *files;
	size_t n;
	size_t cap;
};

/* What stands beside a stream.json, where the whole directory was listed: each name need not be asked for. */
enum {
	BESIDE_LISTED = 1,
	BESIDE_OBS = 2,    /* a stream.obs that is no link to nowhere */
	BESIDE_BUFFER = 4, /* something that has the name of a tail or a ring */
};

struct found {
	struct found_list json; /* stream.json: metadata version 3 */
	struct found_list old;  /* thread.N, thread.N.obs[.zst|.lz4|.gz]: versions 1 and 2 */
	struct found_list obs;  /* stream.obs[.zst|.lz4|.gz], only if metadata may be missing */
};

/* Walks the trace directory, following links, each file once. The lists are in the
 * arena and in path order. Returns 0, or <0 (reported). */
int find_streams(struct trace *t, struct found *f);

/* Whether an error of the system is one of the machine, not of the trace: it always stops the run. */
bool is_grave(int err);

/* ---- runs.c ---- */

/* If all streams are in one trace directory below the one of the trace, that one takes its place; if they are in several,
 * a warning names them. Returns 0, or <0 (reported). */
int runs_look(struct trace *t, struct found *f);

/* ---- tail.c: the newest events of a thread that did not finish ---- */

/* Lets the stream go on with what its stream.tail or stream.ring (lib/ovni/tail.h) has beyond it. One that may
 * not be read, is no tail or is damaged gives a warning, and an error under -l; EIO is always one. Returns 0, or <0 (reported). */
int tail_apply(struct stream *s);

/* Whether a directory has events of a thread, or may have some: a program that ends while its threads
 * begin leaves directories without. */
bool tail_has_begun(const char *dir);

/* ---- windows.c: streams that begin with what was open at their begin ---- */

/* Brings what such streams tell of their processes (types, tasks) to the begin of the trace, since threads whose
 * streams begin earlier may refer to it. Offsets of clocks must be known. Returns 0, or <0 (reported). */
int windows_share(struct trace *t);

/* ---- sorted.c: events that come late between OU[ and OU] ---- */

/* From now on the streams are sorted while they are read. To be called before drift_install().
 * Returns 0, or <0 (reported). */
int sorted_install(struct trace *t);

/* ---- metadata.c: into struct thread_meta. Return 0, or <0 (reported) ---- */

/* Version 3: the stream.json beside the stream. `root`: its tree, which is taken over; NULL: it is to be read. */
int tmeta_load_v3(struct stream *s, const char *json_path, struct cJSON *root);

/* Versions 1 and 2: the path is the identity, and the process has a metadata.json.
 * Streams must be in path order. */
int tmeta_load_old(struct trace *t);

/* ---- early.c: metadata files that are read before their turn ---- */

struct early;

/* Begins to read n files, borrowed, in this order on a second thread. NULL: it does not pay, or may or can not be. */
struct early *early_begin(const struct trace *t, const struct stream_file *files, size_t n);

/* Takes the tree of the next file, to be freed with cJSON_Delete(). NULL: there is none, it could not be read (nothing was said),
 * or the file has another path. */
struct cJSON *early_take(struct early *e, const char *path);

/* Ends the thread. Accepts NULL. */
void early_end(struct early *e);

/* ---- bare.c: streams with or without their metadata, for tools that look at events only ---- */

/* Opens a stream for every stream file that was found, of any version of the metadata; loom, process
 * and thread are taken from the metadata or, where they are missing there, from the path
 * (loom.NAME/proc.PID/thread.TID). A stream that cannot be opened is reported and failed.
 * Returns 0, or <0 (reported): memory is exhausted. */
int bare_open(struct trace *t, struct found *f);

/* Fills in from the path of a stream file what the metadata does not tell. Returns 0, or <0 (reported). */
int bare_guess(struct trace *t, struct thread_meta *m, const char *path, bool old);

/* ---- mend.c: what metadata lacks, with the option of that name ---- */

/* Adds a stream.json that is not there for each stream whose path says who the thread is. Returns 0, or <0 (reported). */
int mend_find(struct trace *t, struct found *f);

/* As tmeta_load_v3(), for one that may be missing or damaged. */
int mend_load(struct stream *s, const char *json_path);

/* Gives processes the app_id that no thread of them tells, and those that must have a rank a free one. The streams have their
 * metadata. Returns 0, or <0 (reported). */
int mend_processes(struct trace *t);

/* ---- clkoff.c, drift.c: tables of clock offsets between hosts ---- */

/* The offset of one host as it was measured several times, and where the last clock was among
 * the measurements. Between two of them it moves linearly, before the first and behind the last one it
 * stays. A corrected clock never goes back when the clock of the host does not. */
struct drift {
	const int64_t *local;  /* clock of the host at each one, ascending */
	const int64_t *offset; /* what to add to it */
	size_t n;              /* 0: the offset is constant */
	size_t at;             /* local[at] <= last clock < local[at + 1], as far as they exist */
};

struct clock_entry {
	const char *host;
	int64_t offset;
	struct drift drift; /* instead of the offset, if it has measurements */
	size_t line;
	bool used;
};

/* A table while it is read. */
struct clock_table {
	struct trace *trace;
	const char *path;
	FILE *f;
	const char *columns; /* of a line, for messages */
	size_t line;         /* the current one, from 1 */
	struct clock_entry *entries;
	size_t n;
	size_t cap;
};

/* Reads the table named by the options, or clock-offsets.txt of the trace if it is
 * there, and sets the offset of every stream of the hosts in it. The host of a loom is
 * its name up to the first dot. Returns 0, or <0 (reported). */
int clkoff_apply(struct trace *t);

/* Reports what is wrong in the current line. Returns <0. */
int clkoff_bad(const struct clock_table *tab, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds a host whose name has n bytes. Returns 0, or <0 (reported). */
int clkoff_add(struct clock_table *tab, const char *host, size_t n, int64_t offset);

/* Whether the file begins like a table of drifts. Rewinds it. */
bool drift_probe(FILE *f);

/* Reads such a table, into the arena of the trace. Returns 0, or <0 (reported). */
int drift_parse(struct clock_table *tab);

/* The offset to add to a clock of the host. Moves d->at; O(1) for clocks that ascend. */
int64_t drift_offset(struct drift *d, int64_t clock);

/* From now on the streams that have a drift get their offset from it, event by event.
 * Streams without one pay nothing if no stream has. Returns 0, or <0 (reported). */
int drift_install(struct trace *t);

#endif
