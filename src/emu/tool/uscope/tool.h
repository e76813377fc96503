/* SPDX-License-Identifier: MIT */
#ifndef TOOL_USCOPE_TOOL_H
#define TOOL_USCOPE_TOOL_H

/* tool: what the subcommands of uscope share: options, files, messages, output.
 *
 * A subcommand is a row of the table in uscope.c and a function run_NAME() in NAME.c, which
 * lists its options with the places of their values, has utool_begin() read the command
 * line and open the file, prints to tool->out, and returns an exit status. uscope.c cleans up
 * after it. */

#include "diag.h"
#include "kit/cli.h"
#include "kit/progress.h"
#include "pathlist.h"
#include "pick.h"
#include "uscope/uscope.h"
#include "wbuf.h"

/* Exit status. */
enum {
	STATUS_GOOD = 0,
	STATUS_BAD = 1, /* file or run; diff: there are differences */
	STATUS_USAGE = 2,
};

/* Options that several subcommands have. */
enum {
	WITH_JSON = 1 << 0,
	WITH_MODE = 1 << 1,  /* --mode, --recover */
	WITH_RANGE = 1 << 2, /* --from, --to */
	WITH_STORAGE = 1 << 3,
	WITH_EVENT = 1 << 4,
	WITH_VALUES = 1 << 5, /* --hex, --raw */
	WITH_OUTPUT = 1 << 6,
	WITH_PROGRESS = 1 << 7,
	WITH_SCOPE = 1 << 8,
	WITH_PICK = WITH_SCOPE | WITH_STORAGE | WITH_EVENT,
};

enum {
	UTOOL_OPTIONS_MAX = 40,
};

struct tool;

typedef int run_fn(struct tool *t, int argc, char **argv);
run_fn run_info, run_check, run_dump, run_state, run_events, run_summary, run_strings, run_tail, run_recover, run_diff, run_timeline,
	run_konata, run_export;

struct command {
	const char *name;
	run_fn *run;
	const char *synopsis; /* what is behind the name */
	unsigned with;        /* WITH_... */
	const char *brief;    /* a few words, for the list */
	const char *about;    /* what it does */
};

/* A file that is read. */
struct source {
	struct tool *tool;
	struct wbuf *w; /* output of the tool */
	const char *path;
	uscope_reader_t *reader;
	const schema_t *schema;
	struct arena arena; /* of the next two */
	struct pathlist paths;
	struct picked picked;
};

struct tool {
	const struct command *command;
	struct cli cli;
	struct cli_option options[UTOOL_OPTIONS_MAX];
	char program[32]; /* "uscope dump" */
	struct wbuf out;
	const char *out_path; /* NULL: stdout */
	struct source in[2];
	struct pick pick;
	uint64_t from;
	uint64_t to; /* included */
	enum uscope_mode mode;
	bool json;
	bool text; /* --format=text was given */
	bool hex;
	bool raw; /* numbers, not labels and texts */
	bool quiet;
	bool own_report; /* the subcommand itself tells of the rules that a file breaks */
	bool out_to_terminal;
	struct progress progress;
	struct diag diag;
	int status; /* once utool_ready() has said no */
};

/* Fills the options with those of the command and the shared ones of these WITH_... */
void utool_list(struct tool *t, const struct cli_option *own, size_t n, unsigned with);

void utool_init(struct tool *t, const struct command *c);
/* Closes all and reports what went wrong. Returns the exit status. */
int utool_finish(struct tool *t, int status);

/* For a command that reads one file: takes the options, opens the output and t->in[0], and makes
 * the choice of --scope and so on. false: t->status is the exit status. */
bool utool_begin(struct tool *t, const struct cli_option *own, size_t n, int argc, char **argv);
/* Its steps. Takes the options up to one of CLI_ASK that is the command's own; below 0: there are no more. */
int utool_next(struct tool *t, const struct cli_option *own, size_t n, int argc, char **argv);
/* Whether the command line is right and asks for work: `last` is what utool_next returned
 * last, nargs the number of arguments. Opens the output. */
bool utool_ready(struct tool *t, int last, int argc, char **argv, int nargs);
#define UTOOL_OPTIONS(own) (own), sizeof(own) / sizeof((own)[0])
/* Says what is wrong with the command line. Returns STATUS_USAGE. */
#define utool_usage(t, ...) (cli_status(cli_usage(&(t)->cli, __VA_ARGS__)))
/* A time given to an option. false: reported. */
bool utool_time(struct tool *t, const char *option, const char *text, uint64_t *ps);

/* Whether two paths lead to one file. */
bool utool_is_same(const char *a, const char *b);

/* Opens a file, or takes a reader that is open; then the choice. false: reported. */
bool utool_load(struct tool *t, struct source *s, const char *path);
bool utool_adopt(struct tool *t, struct source *s, const char *path, uscope_reader_t *reader);
bool utool_pick(struct tool *t, struct source *s);

/* ---- Messages, on stderr. ---- */

/* Reports an error of the library about a file. Returns STATUS_BAD. */
int utool_fail(struct tool *t, struct source *s, const uscope_error_t *e);
/* Reports the last error of the reader. Returns STATUS_BAD. */
int utool_failed(struct tool *t, struct source *s);
/* Returns STATUS_BAD. */
int utool_error(struct tool *t, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int utool_no_memory(struct tool *t);
#define utool_warn(t, ...) ((t)->quiet ? (void)0 : diag_warn(&(t)->diag, NULL, __VA_ARGS__))
/* done of total parts of the work; prints at most some times a second. */
void utool_progress(struct tool *t, double done, double total);

/* Whether nothing more can be written: stop. utool_finish() says why. */
static inline bool
utool_stop(const struct tool *t)
{
	return wbuf_failed(&t->out);
}

#endif
