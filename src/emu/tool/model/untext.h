/* SPDX-License-Identifier: MIT */
#ifndef TOOL_MODEL_UNTEXT_H
#define TOOL_MODEL_UNTEXT_H

/* untext: a trace, taken apart into what its text says. */

#include "text.h"

/* A metadata file. */
struct found_meta {
	struct json *json; /* NULL: it is none */
	char *bytes;       /* NULL: there is no file */
	size_t size;
	const char *path; /* in the trace */
};

/* A thread, by stream. */
struct found_thread {
	struct text_thread text;
	struct found_meta meta;
	const char *header; /* hexadecimal, NULL: as it should be */
	char who[600];      /* names it in events */
};

struct found_proc {
	struct text_proc text;
	struct found_meta meta; /* old traces */
};

struct untext {
	struct text text;
	struct trace *trace;
	struct found_thread *threads;
	struct found_proc *procs;
	size_t nprocs;
};

/* Reads the file at the path, if it is there. Returns 0, or <0 (reported). */
int untext_load(const struct untext *u, struct found_meta *m);

/* Reads metadata and describes the threads. The arena keeps what it says; files are freed by untext_free().
 * Returns 0, or <0 (reported). */
int untext_describe(struct untext *u);
void untext_free(struct untext *u);

/* Prints all but the events. Returns 0, or <0 (reported). */
int untext_put_head(struct untext *u, struct wbuf *w);

#endif
