/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <stdio.h>
#include <string.h>

/* Whether the next word is the argument of the option at p. */
static bool
has_argument(const struct cli *c, const char *p)
{
	for (size_t i = 0; i < c->noptions; i++) {
		const struct cli_option *o = &c->options[i];
		bool is_short = o->id < 256 && p[1] == o->id && !p[2];
		if (o->arg && (is_short || (strncmp(p, "--", 2) == 0 && strcmp(p + 2, o->name) == 0)))
			return true;
	}
	return false;
}

/* The first word that is neither an option nor the argument of one; 0: there is none. */
static int
find_word(const struct cli *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			return i;
		i += has_argument(c, argv[i]);
	}
	return 0;
}

/* Help, or wrong usage. Returns the exit status. */
static int
without(struct cli c, const struct cli_command *commands, size_t n, const char *more, int argc, char **argv, int word)
{
	char list[2000];
	size_t at = (size_t)snprintf(list, sizeof(list), "Commands:\n");
	for (size_t i = 0; i < n && at < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "  %-9s  %s\n", commands[i].name, commands[i].brief);
	if (at < sizeof(list))
		(void)snprintf(list + at, sizeof(list) - at, "\n`%s COMMAND --help` lists the options of a command.\n%sManual: man %s\n",
			c.program, more, c.program);
	c.synopsis = "COMMAND [options] FILE...";
	c.footer = list;
	if (word)
		return cli_status(cli_usage(&c, "there is no command '%s'", argv[word]));
	int opt;
	while ((opt = cli_next(&c, argc, argv)) >= 0)
		;
	if (opt == CLI_END)
		opt = cli_usage(&c, "a command is expected");
	return cli_status(opt);
}

int
cli_command(const struct cli *c, const struct cli_command *commands, size_t n, const char *more, int *argc, char ***argv, int *status)
{
	char **words = *argv;
	int word = find_word(c, *argc, words);
	for (size_t i = 0; word && i < n; i++) {
		if (strcmp(commands[i].name, words[word]) != 0)
			continue;
		/* The command gives way to the name of the tool, which getopt skips. */
		for (int k = word; k > 1; k--)
			words[k] = words[k - 1];
		words[1] = words[0];
		--*argc;
		++*argv;
		return (int)i;
	}
	*status = without(*c, commands, n, more, *argc, words, word);
	return -1;
}
