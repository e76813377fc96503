/* SPDX-License-Identifier: MIT */
/* uscope: looks into µScope files, checks, repairs and converts them. */
#include "kit/command.h"
#include "tool.h"

#include <signal.h>

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

int
main(int argc, char **argv)
{
	struct cli_command names[COMMANDS];
	static struct tool t; /* large */
	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = (struct cli_command){ commands[i]->name, commands[i]->brief };
	t.cli.program = "uscope";
	t.cli.about = "Look into µScope traces, check, repair and convert them.";
	utool_list(&t, NULL, 0, ~0u);
	for (size_t i = 0; i < t.cli.noptions; i++)
		t.list[i].help = NULL; /* those that a command has are in its help */

	/* A file above the limit is a failed write and not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);
	int status;
	int i = cli_command(&t.cli, names, COMMANDS, "Times are numbers with ps, ns, us, ms, s, min or h behind them, such as 1.5us.\n",
		&argc, &argv, &status);
	if (i < 0)
		return status;
	utool_init(&t, commands[i]);
	return utool_finish(&t, commands[i]->run(&t, argc, argv));
}
