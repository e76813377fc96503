/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_CONV_H
#define TOOL_KIT_CONV_H

/* conv: what the tools share that have subcommands (ovniscope-laplace, ovniscope-prism, uscope):
 * options, inputs, output, messages.
 *
 * A tool is one struct conv_family, a subcommand one struct conv_command. Its run() opens
 * inputs and output, works until conv_stop(), and returns; conv_main() closes all and tells
 * what went wrong. An output file appears under its name when it is complete, and not
 * otherwise. A tool puts a struct conv in front of what it adds. */

#include "cli.h"
#include "diag.h"
#include "progress.h"
#include "wbuf.h"

#include <sys/types.h>

enum {
	CONV_WITH_OUTPUT = 1 << 0, /* -o PATH */
	CONV_WITH_LENIENT = 1 << 1,
	CONV_WITH_PROGRESS = 1 << 2,
	CONV_OWN = 1 << 3,  /* the first bit for options of a family */
	CONV_OPT_OWN = 300, /* and the first number of those */
	CONV_TAKES_LINE = -2,
	CONV_OPTIONS_MAX = 40,
	CONV_BESIDE = 2, /* outputs beside the first */
	CONV_COMMANDS_MAX = 16,
};

struct conv;

struct conv_command {
	const char *name;
	const char *synopsis;
	const char *brief;
	const char *about;
	unsigned with; /* options: those with one of these bits */
	int max_args;  /* -1: any number; CONV_TAKES_LINE: run() is given options, too, for conv_next() */
	/* Returns 0; 1: the output is complete and tells of something bad; <0 (reported), or the status 2
	 * of conv_usage(). */
	int (*run)(struct conv *c, int argc, char **argv);
};

struct conv_option {
	unsigned with; /* 0: all have it */
	struct cli_option option;
};

struct conv_family {
	const char *program;
	const char *about;
	const char *footer; /* below the list of commands */
	unsigned with;      /* options of all commands */
	const struct conv_command *const *commands;
	size_t ncommands; /* at most CONV_COMMANDS_MAX */
	const struct conv_option *options;
	size_t noptions;
	/* An option of the family. false: wrong usage (reported). */
	bool (*take)(struct conv *c, int opt);
	/* Inputs read and records of them so far, for progress of conv_stop(); NULL: commands do not call it. */
	void (*so_far)(const struct conv *c, uint64_t *bytes, uint64_t *records);
	const char *records; /* what they are called */
	/* After the run: closes what the family has opened, and prints counts if all was well. */
	void (*finish)(struct conv *c, bool good);
};

struct conv_file {
	int fd; /* -1: closed, or not ours */
	dev_t dev;
	ino_t ino;
};

/* An output that has its name when it is complete. */
struct conv_part {
	char *final_path; /* to be renamed to */
	char *path;       /* written to; NULL: there is none */
};

struct conv {
	const struct conv_family *family;
	const struct conv_command *command;
	struct cli cli;
	struct cli_option options[CONV_OPTIONS_MAX];
	char program[40];
	struct conv_file *files; /* inputs */
	size_t nfiles;
	uint64_t total; /* bytes of all inputs, 0: not known */

	struct wbuf out;
	struct wbuf beside[CONV_BESIDE]; /* more outputs, if there are some */
	const char *out_path;            /* of -o, NULL: standard output */
	struct conv_part part;
	struct conv_part part_beside[CONV_BESIDE];

	bool grows; /* the output is read while it is written: it has its name at once */
	bool lasts; /* it goes on until the user ends it with ^C, which is good */
	bool lenient;
	bool quiet;
	struct progress progress;
	struct diag diag;
	uint64_t unseen;          /* records since the clock was looked at */
	bool reported;            /* an error was */
	bool left;                /* the reader of the output closed it */
	void (*on_pipe)(int sig); /* what SIGPIPE did before */
};

/* The whole program; c: zeroed, with the defaults of the family. Returns the exit status. */
int conv_main(const struct conv_family *family, struct conv *c, int argc, char **argv);

/* Takes options of the command line, the command's own n and those it shares, up to an own one of
 * CLI_ASK: its id; or as cli_next(). */
int conv_next(struct conv *c, const struct cli_option *own, size_t n, int argc, char **argv);

/* Opens one more input; "-" is the standard input. Returns the descriptor, which is closed
 * at the end of the run, or <0 (reported). *size: bytes if it is a regular file, else 0. */
int conv_open_input(struct conv *c, const char *path, uint64_t *size);

/* For who opens the input that was opened last by itself: its descriptor is closed. */
void conv_release_input(struct conv *c);

/* One more file that is read, by others: no output may replace it. */
int conv_note_input(struct conv *c, const char *path);

/* The name behind the directory; dir: that directory, empty when there is none. */
const char *conv_split(const char *path, char *dir, size_t size);

/* Whether two names are of one file, which need not be there yet. */
bool conv_is_same(const char *a, const char *b);

/* Its name in messages. */
const char *conv_input_name(const char *path);

/* Opens the output; NULL or "-" is the standard output. Returns 0, <0 (reported), or 2. */
int conv_open_output(struct conv *c, const char *path);

/* Opens one more output, a file, in c->beside[i]. */
int conv_open_beside(struct conv *c, unsigned i, const char *path);

/* Whether a file may be written: 0, or 2 if it is an input (reported). */
int conv_check_output(struct conv *c, const char *path);

/* For what is written by others: a file at part.path, which takes the name of `path` in the
 * end. Returns 0, or <0 (reported), or 2. */
int conv_place_output(struct conv *c, const char *path);

/* Both for a command with the arguments IN and OUT, which default to the standard input and
 * output, or OUT to that of -o: the path of either. Returns 0 or 2. */
int conv_in_and_out(struct conv *c, int argc, char **argv, const char **in, const char **out);

/* ---- Messages, on stderr. ---- */

/* Wrong usage: 2, the status. */
#define conv_usage(c, ...) (cli_status(cli_usage(&(c)->cli, __VA_ARGS__)))
/* Returns -1. */
int conv_error(struct conv *c, const char *error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Its text has lines, as those of diag_error(). NULL: a warning. */
int conv_fail(struct conv *c, const char *error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int conv_no_memory(struct conv *c);
void conv_warn(struct conv *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Something wrong with an input. */
struct conv_issue {
	const char *error; /* its name */
	const char *code;  /* NULL: it has none */
	const char *text;
	const char *file; /* NULL: not known */
	uint64_t line;    /* 0: none */
	uint64_t offset;
	uint64_t nth; /* how often the code has come; those after the first few are only counted */
	bool fatal;
	const char *hint;    /* NULL: none; of what is fatal only */
	const char *lenient; /* what --lenient does; NULL or empty: nothing */
};

void conv_tell(struct conv *c, const struct conv_issue *issue);
/* At the end: how often a code came. n: 0 prints nothing. */
void conv_count(const struct conv *c, const char *name, uint64_t n, const char *text, const char *lenient);

void conv_show_progress(struct conv *c);

enum {
	CONV_PROGRESS_EVERY = 65536,
};

/* The signal by which the user wants it to end; 0: none. The end of the run tells, and leaves no output
 * file. For who waits. */
int conv_interrupted(void);

/* From here on SIGINT, SIGTERM and SIGHUP are such a wish, and no death. */
void conv_catch_signals(void);

/* To be called once a record: shows progress. true: the output has failed, or the user wants it
 * to end; stop, the end of the run tells. */
static inline bool
conv_stop(struct conv *c)
{
	if (__builtin_expect(++c->unseen >= CONV_PROGRESS_EVERY, 0)) {
		conv_show_progress(c);
		if (conv_interrupted())
			return true;
	}
	bool failed = wbuf_failed(&c->out);
	for (unsigned i = 0; i < CONV_BESIDE; i++)
		failed = failed || wbuf_failed(&c->beside[i]);
	return failed;
}

/* For conv_main(): completes or removes the output, closes the inputs. Returns the status. */
int conv_finish(struct conv *c, int rc);

#endif
