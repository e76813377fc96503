/* SPDX-License-Identifier: MIT */
/* main: commands and options of a family. */
#include "conv.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	COMMON = 4,
};

struct option_list {
	struct cli_option items[CONV_OPTIONS_MAX + COMMON];
	size_t n;
};

static void
add(struct option_list *l, const struct conv_option *options, size_t n, unsigned with)
{
	for (size_t i = 0; i < n; i++)
		if (options[i].with == 0 || (options[i].with & with))
			l->items[l->n++] = options[i].option;
}

/* with: those that are wanted. */
static void
collect(struct conv *c, const struct conv_family *f, unsigned with, struct option_list *l)
{
	/* All families have these: the first goes to the front, the others behind. */
	const struct conv_option common[COMMON] = {
		{ CONV_WITH_OUTPUT, { 'o', "output", "PATH", "write there; - is the standard output", CLI_TEXT, &c->out_path } },
		{ 0, { 0, "lenient", NULL, "go on where something is wrong, and count", CLI_FLAG, &c->lenient } },
		{ 0, { CLI_PROGRESS(&c->progress) } },
		{ 0, { 'q', "quiet", NULL, "print no warnings", CLI_FLAG, &c->quiet } },
	};
	l->n = 0;
	add(l, common, 1, with);
	add(l, f->options, f->noptions, with);
	add(l, common + 1, COMMON - 1, with);
}

static int
run_command(struct conv *c, int argc, char **argv)
{
	const struct conv_command *command = c->command;
	char footer[120];
	struct option_list list;
	(void)snprintf(c->program, sizeof(c->program), "%s %s", c->family->program, command->name);
	(void)snprintf(footer, sizeof(footer), "\"-\" is the standard input or output. Manual: man %s\n", c->family->program);
	collect(c, c->family, command->with, &list);
	const struct cli cli = {
		.program = c->program,
		.synopsis = command->synopsis,
		.about = command->about,
		.footer = footer,
		.options = list.items,
		.noptions = list.n,
	};
	/* Files that are not complete go before the tool does. */
	c->on_pipe = signal(SIGPIPE, SIG_IGN);
	c->diag.program = c->program;
	progress_init(&c->progress);
	c->cli = &cli;
	int opt;
	while ((opt = cli_next(&cli, argc, argv)) >= 0)
		if (!c->family->take(c, opt))
			return 2;
	if (opt != CLI_END)
		return cli_status(opt);
	if (c->quiet && c->progress.terminal)
		c->progress.wanted = false;
	int nargs = argc - optind;
	if (command->max_args >= 0 && nargs > command->max_args)
		return conv_usage(c, "'%s' is one argument too many", argv[optind + command->max_args]);
	return conv_finish(c, command->run(c, nargs, argv + optind));
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

int
conv_main(const struct conv_family *f, struct conv *c, int argc, char **argv)
{
	cli_catch_signals(on_signal);

	struct option_list all;
	struct cli_command names[CONV_COMMANDS_MAX];
	collect(c, f, ~0u, &all);
	for (size_t i = 1; i <= f->noptions; i++)
		all.items[i].help = NULL; /* those that a command has are in its help */
	for (size_t i = 0; i < f->ncommands; i++)
		names[i] = (struct cli_command){ f->commands[i]->name, f->commands[i]->brief };
	const struct cli cli = { .program = f->program, .about = f->about, .options = all.items, .noptions = all.n };
	int status;
	int i = cli_command(&cli, names, f->ncommands, "", &argc, &argv, &status);
	if (i < 0)
		return status;
	c->family = f;
	c->command = f->commands[i];
	return run_command(c, argc, argv);
}
