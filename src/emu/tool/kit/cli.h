/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_CLI_H
#define TOOL_KIT_CLI_H

/* cli: options of a tool, from one table: getopt_long() and --help say the same.
 * GNU style: long and short, anywhere on the line. --help and --version are built in.
 * Ids from 1000 on are its own. */

#include "option.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows of the table that several tools have. */
#define CLI_QUIET(diag) 'q', "quiet", NULL, "print warnings and errors only", CLI_SET, &(diag)->level, DIAG_QUIET
#define CLI_VERBOSE(diag) 'v', "verbose", NULL, "print more", CLI_SET, &(diag)->level, DIAG_VERBOSE
#define CLI_PROGRESS(p) 0, "progress", NULL, "show progress even if stderr is no terminal", CLI_FLAG, &(p)->wanted
#define CLI_JSON(format, index) 'j', "json", NULL, "the same as --format=json", CLI_SET, (format), (index)

/* Behind `to`, for CLI_WORD. */
#define CLI_WORDS(list) sizeof(list) / sizeof((list)[0]), 0, (list)

struct cli {
	const char *program;
	const char *synopsis; /* what is behind the name: "[options] TRACEDIR" */
	const char *about;    /* what the tool does: a line or two */
	const char *footer;   /* printed below the options; NULL: nothing */
	const struct cli_option *options;
	size_t noptions;
	const struct cli_group *groups;
	size_t ngroups;
};

enum {
	CLI_END = -1,    /* no more options: optind is the first argument */
	CLI_USAGE = -2,  /* wrong usage (reported): exit with 2 */
	CLI_DONE = -3,   /* help or version was printed: exit with 0 */
	CLI_FAILED = -4, /* it could not be printed (reported): exit with 1 */
};

/* The next option that the tool takes itself: its id (optarg is set); or one of the above. */
int cli_next(const struct cli *c, int argc, char **argv);

/* Says what is wrong and where to read more: with the options of a group, or, with NULL, with those of
 * no group. Returns CLI_USAGE. */
int cli_group_usage(const struct cli *c, const struct cli_group *g, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define cli_usage(c, ...) cli_group_usage((c), NULL, __VA_ARGS__)

/* The argument of an option as the place of a word in a list. Returns it, or CLI_USAGE (reported). */
int cli_choose(const struct cli *c, const char *option, const char *const *words, size_t n, const char *text);

/* The words of --format for tools that print either. */
extern const char *const cli_text_or_json[2];

/* The argument of an option as a decimal number. Returns false when it is none from min to max (reported). */
bool cli_number(const struct cli *c, const char *option, uint64_t min, uint64_t max, const char *text, uint64_t *to);

/* Adds an argument to a list. Returns 0, or CLI_USAGE (reported): there are too many. */
int cli_list_add(const struct cli *c, const char *option, struct cli_list *list, const char *text);

/* For a tool that takes one trace directory: `opt` is what cli_next() returned last.
 * Returns CLI_END when argv[optind] is it, else opt or CLI_USAGE (reported). */
int cli_directory(const struct cli *c, int opt, int argc);

/* For a tool that takes no arguments. Returns opt or CLI_USAGE (reported). */
int cli_none(const struct cli *c, int opt, int argc, char **argv);

/* Flushes the standard output. Returns CLI_DONE when all of it was written, or CLI_FAILED (reported). */
int cli_written(const struct cli *c);

/* The exit status of a tool whose options ended with opt, which is not CLI_END. */
int cli_status(int opt);

struct cli_command {
	const char *name;
	const char *brief; /* a few words, for the list */
};

/* Finds the command of `TOOL COMMAND [options] FILE...`. c has the program, what it is about, and the
 * options that may stand in front of a command. more: printed below the list of commands. Returns the
 * index, and argc and argv are those of the command; or -1, when help was printed or the usage is
 * wrong (reported), and *status is the exit status. */
int cli_command(const struct cli *c, const struct cli_command *commands, size_t n, const char *more, int *argc, char ***argv, int *status);

/* The first SIGINT, SIGTERM or SIGHUP calls the handler, the second one kills. A file above
 * its limit is a failed write, not a death. */
void cli_catch_signals(void (*handler)(int sig));

#endif
