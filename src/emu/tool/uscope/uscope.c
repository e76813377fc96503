/* SPDX-License-Identifier: MIT */
/* uscope: looks into µScope files, checks, repairs and converts them. */
#include "tool.h"

#include <signal.h>
#include <stdio.h>

#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};

enum {
	COMMANDS = sizeof(commands) / sizeof(commands[0]),
};

static const struct command *
find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* `uscope --json info FILE` is `uscope info --json FILE`: the place of the first word that
 * is neither an option nor the argument of one. 0: there is none. */
static int
find_word(int argc, char **argv)
{
	static const char *const with_argument[] = { "--format", "--mode", "--from", "--to", "--scope", "--storage", "--event", "--output", "-o" };
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			return i;
		for (size_t k = 0; k < sizeof(with_argument) / sizeof(with_argument[0]); k++) {
			if (strcmp(argv[i], with_argument[k]) == 0) {
				i++;
				break;
			}
		}
	}
	return 0;
}

static int
run_command(const struct command *c, int argc, char **argv, int word)
{
	for (int i = word; i > 1; i--)
		argv[i] = argv[i - 1];
	/* getopt begins behind argv[1]: the place of the subcommand. */
	argv[1] = argv[0];
	static struct tool t; /* large */
	utool_init(&t, c);
	return utool_finish(&t, c->run(&t, argc - 1, argv + 1));
}

int
main(int argc, char **argv)
{
	/* A file above the limit is a failed write and not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);

	int word = find_word(argc, argv);
	const struct command *c = word ? find_command(argv[word]) : NULL;
	if (c)
		return run_command(c, argc, argv, word);

	char list[2000];
	size_t n = (size_t)snprintf(list, sizeof(list), "Commands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "  %-9s  %s\n", commands[i]->name, commands[i]->brief);
	(void)snprintf(list + n, sizeof(list) - n,
		"\n`uscope COMMAND --help` lists the options of a command.\n"
		"Times are numbers with ps, ns, us, ms, s, min or h behind them, such as 1.5us.\n"
		"Manual: man uscope\n");
	const struct cli cli = {
		.program = "uscope",
		.synopsis = "COMMAND [options] FILE...",
		.about = "Look into µScope traces, check, repair and convert them.",
		.footer = list,
	};
	if (word) {
		(void)cli_usage(&cli, "there is no command '%s'", argv[word]);
		return STATUS_USAGE;
	}
	int opt;
	while ((opt = cli_next(&cli, argc, argv)) >= 0)
		;
	if (opt == CLI_END)
		(void)cli_usage(&cli, "a command is expected");
	return cli_status(opt);
}
