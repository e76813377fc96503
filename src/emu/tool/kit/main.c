/* SPDX-License-Identifier: MIT */
/* main: commands and options of a family. */
#include "conv.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void
add(struct conv *c, const struct conv_option *options, size_t n, unsigned with)
{
	for (size_t i = 0; i < n; i++)
		if (options[i].with == 0 || (options[i].with & with))
			c->options[c->cli.noptions++] = options[i].option;
}

/* Fills in the options: own ones, and the shared ones that are wanted. */
static void
collect(struct conv *c, const struct cli_option *own, size_t n, unsigned with)
{
	/* The first goes to the front, the others behind. */
	const struct conv_option common[] = {
		{ CONV_WITH_OUTPUT, { 'o', "output", "PATH", "write there; - is the standard output", CLI_TEXT, &c->out_path } },
		{ CONV_WITH_LENIENT, { 0, "lenient", NULL, "go on where something is wrong, and count", CLI_FLAG, &c->lenient } },
		{ CONV_WITH_PROGRESS, { CLI_PROGRESS(&c->progress) } },
		{ 0, { 'q', "quiet", NULL, "print no warnings", CLI_FLAG, &c->quiet } },
	};
	for (size_t i = 0; i < n; i++)
		c->options[i] = own[i];
	c->cli.options = c->options;
	c->cli.noptions = n;
	add(c, common, 1, with);
	add(c, c->family->options, c->family->noptions, with);
	add(c, common + 1, sizeof(common) / sizeof(common[0]) - 1, with);
}

int
conv_next(struct conv *c, const struct cli_option *own, size_t n, int argc, char **argv)
{
	if (!c->cli.options)
		collect(c, own, n, c->family->with | c->command->with);
	int opt;
	while ((opt = cli_next(&c->cli, argc, argv)) >= CONV_OPT_OWN)
		if (!c->family->take(c, opt))
			return CLI_USAGE;
	return opt;
}

static int
run_command(struct conv *c, int argc, char **argv)
{
	const struct conv_command *command = c->command;
	if (command->max_args == CONV_TAKES_LINE)
		return command->run(c, argc, argv);
	int opt = conv_next(c, NULL, 0, argc, argv);
	if (opt != CLI_END)
		return cli_status(opt);
	if (c->quiet && c->progress.terminal)
		c->progress.wanted = false;
	int nargs = argc - optind;
	if (command->max_args >= 0 && nargs > command->max_args)
		return conv_usage(c, "'%s' is one argument too many", argv[optind + command->max_args]);
	return command->run(c, nargs, argv + optind);
}

static volatile sig_atomic_t interrupted; /* the signal */

static void
on_signal(int sig)
{
	interrupted = sig;
}

int
conv_interrupted(void)
{
	return interrupted;
}

void
conv_catch_signals(void)
{
	cli_catch_signals(on_signal);
}

int
conv_main(const struct conv_family *f, struct conv *c, int argc, char **argv)
{
	char footer[120];
	struct cli_command names[CONV_COMMANDS_MAX];
	if (f->so_far)
		conv_catch_signals();
	/* Files that are not complete go before the tool does, and one above its limit is a failed write. */
	c->on_pipe = signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	c->family = f;
	unsigned with = f->with;
	for (size_t i = 0; i < f->ncommands; i++) {
		names[i] = (struct cli_command){ f->commands[i]->name, f->commands[i]->brief };
		with |= f->commands[i]->with;
	}
	collect(c, NULL, 0, with);
	for (size_t i = 1; i <= f->noptions; i++)
		c->options[i].help = NULL; /* those that a command has are in its help */
	c->cli.program = f->program;
	c->cli.about = f->about;
	int status;
	int i = cli_command(&c->cli, names, f->ncommands, f->footer ? f->footer : "", &argc, &argv, &status);
	if (i < 0)
		return status;

	c->command = f->commands[i];
	(void)snprintf(c->program, sizeof(c->program), "%s %s", f->program, c->command->name);
	/* Those that take the line open their inputs themselves. */
	const char *dash = c->command->max_args == CONV_TAKES_LINE ? "" : "\"-\" is the standard input or output. ";
	(void)snprintf(footer, sizeof(footer), "%sManual: man %s\n", dash, f->program);
	c->cli = (struct cli){ .program = c->program, .synopsis = c->command->synopsis, .about = c->command->about, .footer = footer };
	c->diag.program = c->program;
	progress_init(&c->progress);
	return conv_finish(c, run_command(c, argc, argv));
}
