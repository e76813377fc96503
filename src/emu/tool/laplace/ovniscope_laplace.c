/* SPDX-License-Identifier: MIT */
/* ovniscope-laplace: converts, merges and counts traces of the Laplace simulator. */
#include "ltool.h"

#include "lapkernel.h"
#include "lapref.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct lcommand *const commands[] = {
	&lcommand_text,
	&lcommand_binary,
	&lcommand_merge,
	&lcommand_split,
	&lcommand_basic,
	&lcommand_stat,
	&lcommand_uscope,
};

enum {
	COMMANDS = sizeof(commands) / sizeof(commands[0]),
	WINDOW = 1000000,
	FREQ = 1000000000,
	FREQ_MIN = 233,
};

#define FREQ_MAX UINT64_C(1000000000000)

enum {
	OPT_ENDIAN = 256,
	OPT_DIALECT,
	OPT_FORMAT,
	OPT_LENIENT,
	OPT_KERNEL_BASE,
	OPT_OFFSET_UNIT,
	OPT_WINDOW,
	OPT_FREQ,
	OPT_NAME,
	OPT_REFS,
	OPT_PROGRESS,
};

static const struct {
	unsigned with; /* 0: all have it */
	struct cli_option option;
} options[] = {
	{ LTOOL_WITH_OUTPUT, { 'o', "output", "PATH", "write there; - is the standard output" } },
	{ 0, { OPT_ENDIAN, "endian", "little|big", "byte order; default little" } },
	{ LTOOL_WITH_KERNEL, { OPT_DIALECT, "dialect", "DIALECT", "of kernel events; default laplace" } },
	{ LTOOL_WITH_FORMAT, { OPT_FORMAT, "format", "FORMAT", "what all inputs are; default: found out" } },
	{ LTOOL_WITH_MACHINE, { OPT_KERNEL_BASE, "kernel-base", "HEX", "first address of the kernel; c0000000" } },
	{ LTOOL_WITH_MACHINE, { OPT_OFFSET_UNIT, "offset-unit", "byte|page", "of file mappings; default byte" } },
	{ LTOOL_WITH_WINDOW, { OPT_WINDOW, "window", "CYCLES", "length of a window; default 1000000" } },
	{ LTOOL_WITH_USCOPE, { OPT_FREQ, "freq", "HZ", "cycles in a second; default 1000000000" } },
	{ LTOOL_WITH_USCOPE, { OPT_NAME, "name", "NAME", "of the machine; default node0" } },
	{ LTOOL_WITH_USCOPE, { OPT_REFS, "refs", "all|none", "an event for each reference; default all" } },
	{ 0, { OPT_LENIENT, "lenient", NULL, "go on where something is wrong, and count" } },
	{ 0, { OPT_PROGRESS, "progress", NULL, "show progress even if stderr is no terminal" } },
	{ 0, { 'q', "quiet", NULL, "print no warnings" } },
};

enum {
	OPTIONS = sizeof(options) / sizeof(options[0]),
};

static const char *const format_names[LAP_FORMATS] = {
	[LAP_AUTO] = "auto",
	[LAP_BINARY] = "binary",
	[LAP_TEXT] = "text",
	[LAP_KERNEL] = "kernel",
	[LAP_MIXED] = "interleave",
	[LAP_BASIC] = "basic",
	[LAP_PROCESS] = "process",
};

static const char *const endian_names[] = { [LAP_LITTLE] = "little", [LAP_BIG] = "big" };
static const char *const unit_names[] = { "byte", "page" };
static const char *const refs_names[] = { "all", "none" };

/* The place of a name in a list; -1: reported. */
static int
choose(struct ltool *t, const char *option, const char *const *names, size_t n, const char *name)
{
	char list[200] = "";
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return (int)i;
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", names[i]);
	}
	(void)ltool_usage(t, "%s '%s': it is one of %s", option, name, list);
	return -1;
}

static bool
set_window(struct ltool *t, const char *text)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);
	if (*text < '1' || *text > '9' || *end || strlen(text) > 18) {
		(void)ltool_usage(t, "--window '%s': a number of cycles is expected", text);
		return false;
	}
	t->window = v;
	return true;
}

/* The period is in picoseconds, in 32 bits. */
static bool
set_freq(struct ltool *t, const char *text)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);
	if (*text < '1' || *text > '9' || *end || strlen(text) > 13 || v < FREQ_MIN || v > FREQ_MAX) {
		(void)ltool_usage(t, "--freq '%s': a number from %d to 1000000000000 is expected", text, FREQ_MIN);
		return false;
	}
	t->freq = v;
	return true;
}

static bool
set_kernel_base(struct ltool *t, const char *text)
{
	uint64_t v;
	if (lapref_number(text, strlen(text), 8, &v) != 0) {
		(void)ltool_usage(t, "--kernel-base '%s': up to 8 hexadecimal digits are expected, without 0x", text);
		return false;
	}
	t->kernel_base = (uint32_t)v;
	return true;
}

/* false: wrong usage, reported. */
static bool
take_option(struct ltool *t, int opt)
{
	int i = 0;
	switch (opt) {
	case 'o': t->out_path = optarg; break;
	case 'q': t->quiet = true; break;
	case OPT_ENDIAN:
		i = choose(t, "--endian", endian_names, 2, optarg);
		t->endian = (enum lap_endian)i;
		break;
	case OPT_DIALECT:
		i = choose(t, "--dialect", lap_dialect_names, LAP_DIALECTS, optarg);
		t->dialect = (enum lap_dialect)i;
		break;
	case OPT_FORMAT:
		i = choose(t, "--format", format_names, LAP_FORMATS, optarg);
		t->format = (enum lap_format)i;
		break;
	case OPT_OFFSET_UNIT:
		i = choose(t, "--offset-unit", unit_names, 2, optarg);
		t->offset_in_pages = i == 1;
		break;
	case OPT_KERNEL_BASE: return set_kernel_base(t, optarg);
	case OPT_REFS:
		i = choose(t, "--refs", refs_names, 2, optarg);
		t->no_refs = i == 1;
		break;
	case OPT_FREQ: return set_freq(t, optarg);
	case OPT_NAME: t->name = optarg; break;
	case OPT_WINDOW: return set_window(t, optarg);
	case OPT_LENIENT: t->log.lenient = true; break;
	default: t->progress = true; break;
	}
	return i >= 0;
}

static int
run_command(const struct lcommand *c, int argc, char **argv)
{
	struct ltool t = { .command = c, .kernel_base = 0xc0000000, .window = WINDOW, .freq = FREQ, .name = "node0" };
	struct cli_option list[OPTIONS];
	size_t n = 0;
	(void)snprintf(t.program, sizeof(t.program), "ovniscope-laplace %s", c->name);
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].with == 0 || (options[i].with & c->with))
			list[n++] = options[i].option;
	struct cli cli = {
		.program = t.program,
		.synopsis = c->synopsis,
		.about = c->about,
		.footer = "\"-\" is the standard input or output. Manual: man ovniscope-laplace\n",
		.options = list,
		.noptions = n,
	};
	t.log.tell = ltool_tell;
	t.log.self = &t;
	t.to_terminal = isatty(STDERR_FILENO);
	t.progress = t.to_terminal;
	int opt;
	while ((opt = cli_next(&cli, argc, argv)) >= 0)
		if (!take_option(&t, opt))
			return 2;
	if (opt != CLI_END)
		return cli_status(opt);
	if (t.quiet && t.to_terminal)
		t.progress = false;
	int nargs = argc - optind;
	if (c->max_args >= 0 && nargs > c->max_args)
		return ltool_usage(&t, "'%s' is one argument too many", argv[optind + c->max_args]);
	return ltool_finish(&t, c->run(&t, nargs, argv + optind));
}

/* The first word that is neither an option nor the argument of one; 0: there is none. */
static int
find_word(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			return i;
		for (size_t k = 0; k < OPTIONS; k++) {
			const struct cli_option *o = &options[k].option;
			bool is_short = o->id < 256 && argv[i][1] == o->id && !argv[i][2];
			if (o->arg && (is_short || (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, o->name) == 0))) {
				i++;
				break;
			}
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	/* A reader that leaves, or a file above the limit, is a failed write and not a death. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);

	int word = find_word(argc, argv);
	for (size_t i = 0; word && i < COMMANDS; i++) {
		if (strcmp(commands[i]->name, argv[word]) != 0)
			continue;
		/* The command goes to the front, where getopt does not look. */
		for (int k = word; k > 1; k--)
			argv[k] = argv[k - 1];
		argv[1] = argv[0];
		return run_command(commands[i], argc - 1, argv + 1);
	}

	char list[1000];
	size_t n = (size_t)snprintf(list, sizeof(list), "Commands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "  %-8s %s\n", commands[i]->name, commands[i]->brief);
	(void)snprintf(list + n, sizeof(list) - n,
		"\n`ovniscope-laplace COMMAND --help` lists the options of a command.\nManual: man ovniscope-laplace\n");
	struct cli_option all[OPTIONS];
	for (size_t i = 0; i < OPTIONS; i++)
		all[i] = options[i].option;
	const struct cli cli = {
		.program = "ovniscope-laplace",
		.synopsis = "COMMAND [options] FILE...",
		.about = "Convert, merge and count traces of the Laplace simulator.",
		.footer = list,
		.options = all,
		.noptions = OPTIONS,
	};
	int opt = CLI_USAGE;
	if (word)
		(void)cli_usage(&cli, "there is no command '%s'", argv[word]);
	else
		while ((opt = cli_next(&cli, argc, argv)) >= 0)
			;
	if (opt == CLI_END) {
		(void)cli_usage(&cli, "a command is expected");
		opt = CLI_USAGE;
	}
	return cli_status(opt);
}
