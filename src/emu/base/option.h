/* SPDX-License-Identifier: MIT */
#ifndef OPTION_H
#define OPTION_H

/* option: options of the command line as data, so that what a tool is built of can bring its
 * own. kit/cli.h reads them. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where the value of an option goes. */
enum cli_take {
	CLI_ASK,    /* the tool is given its id, and takes it */
	CLI_FLAG,   /* bool: true */
	CLI_SET,    /* int or enum: what `max` is */
	CLI_TEXT,   /* const char *: the argument */
	CLI_LIST,   /* struct cli_list: the argument, behind those that were given before */
	CLI_NUMBER, /* uint64_t: the argument, from min to max */
	CLI_SIZE,   /* uint64_t: the argument, bytes such as 64M */
	CLI_PS,     /* uint64_t: the argument, a time such as 1.5us, in ps */
	CLI_WORD,   /* int: which of `max` words the argument is */
};

enum {
	CLI_LIST_MAX = 64,
};

struct cli_list {
	const char *items[CLI_LIST_MAX];
	size_t n;
};

struct cli_option {
	int id;           /* the short letter, or a number above 255 for a long one only that the tool takes */
	const char *name; /* long name, NULL: none */
	const char *arg;  /* name of its argument, NULL: none */
	const char *help; /* one line; NULL: not listed */
	enum cli_take take;
	void *to;
	uint64_t max, min;
	const char *const *words;
};

enum {
	OPTION_WHY = 1024,
	OPTION_LENIENT = -1, /* id of the tool's own --lenient, which all groups are told */
};

/* Options of a part of the tool: --help-NAME lists them, --help does not. They are long ones
 * with ids of the group's own. */
struct cli_group {
	const char *name;
	const char *about; /* "what it emulates": behind "options of " */
	const struct cli_option *options;
	size_t noptions;
	/* Takes an option; the argument is borrowed. Returns 0, or -1 with the reason in `why`, of
	 * OPTION_WHY bytes. */
	int (*take)(void *self, int id, const char *arg, char *why);
	void *self;
};

/* For take(): says what is wrong. */
#define option_refuse(why, ...) ((void)snprintf((why), OPTION_WHY, __VA_ARGS__), -1)

#endif
