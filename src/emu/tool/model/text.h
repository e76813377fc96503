/* SPDX-License-Identifier: MIT */
#ifndef TOOL_MODEL_TEXT_H
#define TOOL_MODEL_TEXT_H

/* text: a trace of the runtime as text, in the language that ovniscope-model(1) defines: what the text
 * says of its threads, and their events as bytes. All memory but that of events is of the arena. */

#include "tool.h"

#include "idmap.h"
#include "trace.h"

#include <stdio.h>

struct json;

struct text_cpu {
	int index;
	int phyid;
};

struct text_cpus {
	struct text_cpu *items;
	size_t n, cap;
};

/* A key of the metadata, with dots; the JSON text of its value. */
struct text_edit {
	struct text_edit *next;
	const char *key;
	const char *value; /* NULL: it is removed */
};

struct text_label {
	const char *value;
	const char *text;
};

struct text_mark {
	const char *type;
	const char *kind;
	const char *title;
	struct text_label *labels;
	size_t n, cap;
};

struct text_loom {
	struct text_loom *next;
	const char *name;
	struct text_cpus cpus;
};

struct text_proc {
	struct text_proc *next;
	struct text_loom *loom;
	int pid;
	int app;  /* 0: not told */
	int rank; /* -1: none */
	int nranks;
	bool nometa;
	struct text_edit *edits;
};

struct text_thread {
	struct text_thread *next;
	struct text_thread *alike; /* another one with the tid */
	struct text_proc *proc;
	int tid;
	struct require_meta *require;
	size_t nrequire, cap_require;
	bool norequire;
	bool told; /* what it requires is all */
	bool unfinished;
	bool crashed;
	bool carries; /* it tells the CPUs of the loom, */
	bool nofile;
	bool nometa;
	struct text_cpus cpus; /* or these */
	const char *relpath;   /* NULL: as its names are */
	struct text_mark *marks;
	size_t nmarks, cap_marks;
	struct text_edit *edits;
	uint8_t *data; /* the stream; block_alloc() */
	size_t size, cap;
};

/* A line of clock-offsets.txt, or a file of its own. */
struct text_file {
	struct text_file *next;
	const char *path;
	const char *bytes;
	size_t size;
};

struct text {
	struct mtool *tool;
	const char *file; /* name of the text */
	uint64_t line;
	int version;
	bool bare;
	struct text_loom *looms, *last_loom;
	struct text_proc *procs, *last_proc;
	struct text_thread *threads, *last_thread;
	struct text_file *offsets, *last_offset; /* path: the host; bytes: the median */
	struct text_file *files, *last_file;
	struct idmap by_tid;
	struct often unknown; /* events of no model */
};

/* Words of a line: quotes '' or "" hold blanks and '#', which begins a comment otherwise. */
struct words {
	char *buf; /* a copy of the line, with a NUL behind each */
	size_t cap;
	char **items;
	size_t n, cap_items;
};

/* Reports what is wrong with the line. Returns -1. */
int text_error(struct text *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Takes a line apart. Returns 0, or <0 (reported). */
int words_split(struct text *x, struct words *w, const char *line);
void words_free(struct words *w);

/* Reads a number, decimal or 0x..., '_' allowed, with its sign apart. false: it is none. */
bool text_number(const char *word, bool *negative, uint64_t *value);
/* The same as an int. Returns 0, or <0 (reported). */
int text_int(struct text *x, const char *what, const char *word, int *to);

/* Takes the directive of the words; `line` is the whole. Returns 0, or <0 (reported). */
int text_directive(struct text *x, const struct words *w, const char *line);

/* Reads all lines. Returns 0, or <0 (reported). */
int text_read(struct text *x, FILE *f);
void text_free(struct text *x);

/* Adds to the stream of a thread. Returns NULL when memory is exhausted (reported). */
uint8_t *text_room(struct text *x, struct text_thread *t, size_t n);

/* Adds the bytes of hexadecimal digits, of words. Returns 0, or <0 (reported). */
int text_add_hex(struct text *x, struct text_thread *t, const struct words *w, size_t from, size_t to);

/* Adds an event with the arguments, from the i-th word on. Returns 0, or <0 (reported). */
int text_add_event(struct text *x, struct text_thread *t, const char *mcv, uint64_t clock, const struct words *w, size_t i);

/* Prints letters and arguments of an event so that text_add_event() makes the same bytes: p, of `size` bytes. */
void text_put_event(struct wbuf *w, const struct catalog *c, const uint8_t *p, size_t size);
void text_put_hex(struct wbuf *w, const uint8_t *p, size_t n);
/* Whether it can stand between quotes. */
bool text_is_plain(const char *text, size_t n);

/* The metadata of a thread, of an old process: NULL when memory is exhausted, or an edit is wrong (reported). To be freed
 * with rt_json_free(). */
struct json *text_thread_meta(struct text *x, const struct text_thread *t);
struct json *text_proc_meta(struct text *x, const struct text_proc *p);
/* Its bytes, to be freed. NULL when memory is exhausted (reported). */
char *text_print_meta(struct text *x, const struct json *meta, size_t *size);

/* Path of a thread in the trace, without what ends it; in `buf` if it has none of its own. */
const char *text_relpath(const struct text_thread *t, char *buf, size_t size);

/* Which thread tells the CPUs of a loom if none was told to. */
void text_give_cpus(struct text *x);

/* Writes the trace. Returns 0, or <0 (reported). */
int text_write(struct text *x, const char *dir);

#endif
