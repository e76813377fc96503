/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TOOL_H
#define TOOL_USCOPE_TOOL_H

/* tool: what the subcommands of uscope share: options, files, messages, output.
 *
 * A subcommand is a row of the table in uscope.c and a function run_NAME() in NAME.c, which
 * lists its options with the places of their values, has utool_begin() read the command
 * line and open the file, and prints to conv.out. */

#include "kit/conv.h"
#include "moment.h"
#include "pathlist.h"
#include "pick.h"
#include "uscope/uscope.h"

/* What a run returns, beside <0 (reported) and 2. */
enum {
	STATUS_GOOD = 0,
	STATUS_BAD = 1, /* the file has damage, or there are differences; the output is complete */
};

/* Options that several subcommands have. */
enum {
	WITH_JSON = CONV_OWN << 0,
	WITH_MODE = CONV_OWN << 1,  /* --mode, --recover */
	WITH_RANGE = CONV_OWN << 2, /* --from, --to */
	WITH_STORAGE = CONV_OWN << 3,
	WITH_EVENT = CONV_OWN << 4,
	WITH_VALUES = CONV_OWN << 5, /* --hex, --raw */
	WITH_SCOPE = CONV_OWN << 6,
	WITH_CSV = CONV_OWN << 7, /* as WITH_JSON, and CSV */
	WITH_PICK = WITH_SCOPE | WITH_STORAGE | WITH_EVENT,
	WITH_OUTPUT = CONV_WITH_OUTPUT,
	WITH_PROGRESS = CONV_WITH_PROGRESS,
};

struct tool;

typedef int run_fn(struct conv *c, int argc, char **argv);
run_fn run_info, run_check, run_dump, run_state, run_events, run_summary, run_strings, run_tail, run_recover, run_diff, run_timeline,
	run_konata, run_export, run_history, run_view;

/* A file that is read. */
struct source {
	struct tool *tool;
	struct wbuf *w; /* output of the tool */
	const char *path;
	uscope_reader_t *reader;
	const uscope_schema_t *schema;
	struct arena arena; /* of the next two */
	struct pathlist paths;
	struct picked picked;
};

/* Times that options give. */
enum time_use {
	TIME_FROM,
	TIME_TO,
	TIME_AT,
	TIMES,
};

struct time_option {
	const char *option; /* "--from" */
	const char *text;   /* NULL: not given */
	struct moment moment;
};

struct tool {
	struct conv conv;
	struct source in[2];
	struct pick pick;
	struct time_option times[TIMES];
	/* In the file that is opened first. */
	uint64_t from;
	uint64_t to; /* included */
	uint64_t at; /* UINT64_MAX: the end */
	enum uscope_mode mode;
	bool json;
	bool csv;
	bool text; /* --format=text was given */
	bool hex;
	bool raw;        /* numbers, not labels and texts */
	bool own_report; /* the subcommand itself tells of the rules that a file breaks */
	bool out_to_terminal;
	int status; /* once utool_ready() has said no */
};

/* The tool of which c is the front. */
static inline struct tool *
utool_of(struct conv *c)
{
	return (struct tool *)c;
}

/* Closes the files, and tells of the rules that they break. */
void utool_finish(struct conv *c, bool good);

/* For a command that reads one file: takes the options, opens the output and t->in[0], and makes
 * the choice of --scope and so on. false: t->status is what the run returns. */
bool utool_begin(struct tool *t, const struct cli_option *own, size_t n, int argc, char **argv);
/* Whether the command line is right and asks for work: `last` is what conv_next() returned
 * last, nargs the number of arguments. Opens the output. */
bool utool_ready(struct tool *t, int last, int argc, char **argv, int nargs);
#define UTOOL_OPTIONS(own) (own), sizeof(own) / sizeof((own)[0])

/* Opens a file, or takes a reader that is open; then the choice. false: reported. */
bool utool_load(struct tool *t, struct source *s, const char *path);
bool utool_adopt(struct tool *t, struct source *s, const char *path, uscope_reader_t *reader);
bool utool_pick(struct tool *t, struct source *s);

/* ---- Messages, on stderr. ---- */

/* Reports an error of the library about a file. Returns -1. */
int utool_fail(struct tool *t, struct source *s, const uscope_error_t *e);
/* Reports the last error of the reader. Returns -1. */
int utool_failed(struct tool *t, struct source *s);
#define utool_warn(t, ...) ((t)->conv.quiet ? (void)0 : diag_warn(&(t)->conv.diag, NULL, __VA_ARGS__))
/* done of total parts of the work; prints at most some times a second. */
void utool_progress(struct tool *t, double done, double total);

/* Whether nothing more can be written, or the user wants it to end: stop. conv_finish() says why. */
static inline bool
utool_stop(const struct tool *t)
{
	return wbuf_failed(&t->conv.out) || conv_interrupted();
}

#endif
