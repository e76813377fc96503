/* SPDX-License-Identifier: MIT */
#ifndef LTOOL_H
#define LTOOL_H

/* ltool: what the subcommands of ovniscope-laplace share: options, inputs, output, messages.
 *
 * A subcommand is one struct lcommand. Its run() opens inputs and output, works until
 * ltool_stop(), and returns; ovniscope_laplace.c closes all and tells what went wrong. An
 * output file appears under its name when it is complete, and not otherwise. */

#include "cli.h"
#include "lapmachine.h"
#include "lapmerge.h"
#include "wbuf.h"

struct ltool;

enum {
	LTOOL_WITH_OUTPUT = 1 << 0,  /* -o FILE */
	LTOOL_WITH_MACHINE = 1 << 1, /* options of lapmachine */
	LTOOL_WITH_FORMAT = 1 << 2,  /* --format */
	LTOOL_WITH_WINDOW = 1 << 3,
	LTOOL_WITH_KERNEL = 1 << 4, /* --dialect */
	LTOOL_WITH_USCOPE = 1 << 5, /* --freq, --name, --refs */
};

struct lcommand {
	const char *name;
	const char *synopsis;
	const char *brief;
	const char *about;
	unsigned with;
	int max_args; /* -1: any number */
	/* Returns 0, <0 (reported), or the status 2 of ltool_usage(). */
	int (*run)(struct ltool *t, int argc, char **argv);
};

extern const struct lcommand lcommand_text;
extern const struct lcommand lcommand_binary;
extern const struct lcommand lcommand_merge;
extern const struct lcommand lcommand_split;
extern const struct lcommand lcommand_basic;
extern const struct lcommand lcommand_stat;
extern const struct lcommand lcommand_uscope;

struct ltool {
	const struct lcommand *command;
	char program[40];
	struct lap_log log;
	struct lapread *readers;
	int *fds;
	size_t nreaders;
	uint64_t total; /* bytes of all inputs, 0: not known */

	struct wbuf out;
	const char *out_path; /* of -o, NULL: standard output */
	char *final_path;     /* to be renamed to */
	char *part_path;      /* written to */

	enum lap_endian endian;
	enum lap_dialect dialect;
	enum lap_format format;
	uint32_t kernel_base;
	bool offset_in_pages;
	uint64_t window;  /* cycles */
	uint64_t freq;    /* cycles in a second */
	const char *name; /* of the machine */
	bool no_refs;     /* no event for each reference */
	bool quiet;
	bool progress;
	bool to_terminal;
	bool progress_shown;
	double progress_last;
	uint64_t unseen; /* records since the clock was looked at */
	bool reported;   /* an error was */
};

/* Opens the inputs; "-", or no path, is the standard input. format: that of all, LAP_AUTO: by name and
 * content. Returns 0, or <0 (reported). */
int ltool_open_inputs(struct ltool *t, int n, char **paths, enum lap_format format);

/* Opens the output; NULL or "-" is the standard output. Returns 0, <0 (reported), or 2. */
int ltool_open_output(struct ltool *t, const char *path);

/* For what is written by others: a file at part_path, which takes the name of `path` in the
 * end. Returns 0, or <0 (reported), or 2. */
int ltool_place_output(struct ltool *t, const char *path);

/* Writes a record as a line of the interleave. 0, or <0 (reported). */
int ltool_put_record(struct ltool *t, const struct lap_record *rec);
int ltool_put_event(struct ltool *t, const struct lap_event *ev, char *to);

/* Prepares a machine for the inputs. 0, or <0 (reported). */
int ltool_machine(struct ltool *t, struct lapmachine *m);

/* Begins a merge of the inputs. 0, or <0 (reported). */
int ltool_merge(struct ltool *t, struct lapmerge *m);

/* To be called once a record: shows progress. true: the output has failed, stop. */
static inline bool ltool_stop(struct ltool *t);

/* Returns 2, the status. */
int ltool_usage(struct ltool *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns -1. */
int ltool_error(struct ltool *t, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A code of the library that the log was not told of. */
int ltool_code(struct ltool *t, int code);
void ltool_show_progress(struct ltool *t);
/* The line of progress makes room for a message. */
void ltool_clear_progress(struct ltool *t);
/* Called with log.tell. */
void ltool_tell(void *self, const struct lap_issue *issue, bool fatal);
/* Completes or removes the output, closes the inputs, prints counts. Returns the exit status. */
int ltool_finish(struct ltool *t, int rc);

enum {
	LTOOL_PROGRESS_EVERY = 65536,
};

static inline bool
ltool_stop(struct ltool *t)
{
	if (__builtin_expect(++t->unseen >= LTOOL_PROGRESS_EVERY, 0))
		ltool_show_progress(t);
	return wbuf_failed(&t->out);
}

#endif
