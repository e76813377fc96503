/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	OPTIONS_MAX = 40,
	COLUMN = 26, /* where the text of an option begins */
};

/* What was asked for is on stdout, all of it, or the tool failed. */
static int
flushed(const struct cli *c)
{
	if (fflush(stdout) == 0)
		return CLI_DONE;
	(void)fprintf(stderr, "%s: error[write]: cannot write the standard output\n", c->program);
	return CLI_FAILED;
}

static void
print_help(const struct cli *c)
{
	(void)printf("Usage: %s %s\n%s\n\nOptions:\n", c->program, c->synopsis, c->about);
	for (size_t i = 0; i < c->noptions; i++) {
		const struct cli_option *o = &c->options[i];
		if (!o->help)
			continue;
		char left[80];
		int n = snprintf(left, sizeof(left), "  %c%c%s%s%s%s%s",
			o->id < 256 ? '-' : ' ', o->id < 256 ? o->id : ' ',
			o->name ? (o->id < 256 ? ", --" : "  --") : "", o->name ? o->name : "",
			o->arg ? (o->name ? "=" : " ") : "", o->arg ? o->arg : "", "");
		(void)printf(n >= COLUMN ? "%s\n%*s%s\n" : "%s%*s%s\n", left, n >= COLUMN ? COLUMN : COLUMN - n, "", o->help);
	}
	(void)printf("  -h, --help              print this help\n"
		     "      --version           print the version\n");
	if (c->footer)
		(void)printf("\n%s", c->footer);
}

int
cli_usage(const struct cli *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	(void)fprintf(stderr, "%s: error[usage]: ", c->program);
	(void)vfprintf(stderr, fmt, ap);
	(void)fprintf(stderr, "\n  usage: %s %s\n  hint: %s --help lists the options\n", c->program, c->synopsis, c->program);
	va_end(ap);
	return CLI_USAGE;
}

int
cli_next(const struct cli *c, int argc, char **argv)
{
	enum {
		VERSION = 1000,
	};
	struct option longs[OPTIONS_MAX + 3];
	char shorts[OPTIONS_MAX * 2 + 4] = ":h";
	size_t ns = strlen(shorts);
	size_t nl = 0;
	for (size_t i = 0; i < c->noptions && i < OPTIONS_MAX; i++) {
		const struct cli_option *o = &c->options[i];
		if (o->name)
			longs[nl++] = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL, o->id };
		if (o->id < 256) {
			shorts[ns++] = (char)o->id;
			if (o->arg)
				shorts[ns++] = ':';
		}
	}
	shorts[ns] = 0;
	longs[nl++] = (struct option){ "help", no_argument, NULL, 'h' };
	longs[nl++] = (struct option){ "version", no_argument, NULL, VERSION };
	longs[nl] = (struct option){ 0 };

	int at = optind ? optind : 1;
	int id = getopt_long(argc, argv, shorts, longs, NULL);
	switch (id) {
	case -1:
		return CLI_END;
	case 'h':
		print_help(c);
		return flushed(c);
	case VERSION:
		(void)printf("%s (ovniscope) %s\n", c->program, PROJECT_VERSION);
		return flushed(c);
	case ':':
		if (optopt < 256 && strncmp(argv[at], "--", 2) != 0)
			return cli_usage(c, "option -%c needs an argument", optopt);
		return cli_usage(c, "option %s needs an argument", argv[at]);
	case '?':
		if (strncmp(argv[at], "--", 2) != 0)
			return cli_usage(c, "unknown option -%c", optopt);
		if (optopt)
			return cli_usage(c, "option %s takes no argument", argv[at]);
		return cli_usage(c, "unknown or ambiguous option %s", argv[at]);
	default:
		return id;
	}
}

int
cli_directory(const struct cli *c, int opt, int argc)
{
	int n = argc - optind;
	if (opt != CLI_END || n == 1)
		return opt;
	return n == 0 ? cli_usage(c, "the trace directory is missing")
		      : cli_usage(c, "one trace directory is enough, and there are %d", n);
}

int
cli_status(int opt)
{
	return opt == CLI_DONE ? 0 : opt == CLI_FAILED ? 1
						       : 2;
}

void
cli_catch_signals(void (*handler)(int sig))
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
	(void)sigaction(SIGINT, &sa, NULL);
	(void)sigaction(SIGTERM, &sa, NULL);
	(void)sigaction(SIGHUP, &sa, NULL);
	(void)signal(SIGXFSZ, SIG_IGN);
}
