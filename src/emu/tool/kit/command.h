/* SPDX-License-Identifier: MIT */
#ifndef TOOL_KIT_COMMAND_H
#define TOOL_KIT_COMMAND_H

/* command: the command line of a tool with commands: `TOOL COMMAND [options] FILE...`. Options may
 * stand in front of the command, too. */

#include "cli.h"

struct cli_command {
	const char *name;
	const char *brief; /* a few words, for the list */
};

/* Finds the command. c has the program, what it is about, and the options that may stand in front
 * of a command. more: printed below the list of commands. Returns the index, and argc and argv
 * are those of the command; or -1, when help was printed or the usage is wrong (reported), and
 * *status is the exit status. */
int cli_command(const struct cli *c, const struct cli_command *commands, size_t n, const char *more, int *argc, char ***argv, int *status);

#endif
