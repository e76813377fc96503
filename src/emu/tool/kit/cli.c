/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include "nearest.h"
#include "number.h"
#include "when.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTIONS_MAX = 64,
	COLUMN = 26, /* where the text of an option begins */
	VERSION = 1000,
	HELP_GROUP,          /* and up: --help-NAME */
	LONG_ONLY = 1500,    /* and up: options without an id, by their place in the table */
	GROUP_OPTION = 2000, /* and up: the options of the first group, */
	GROUP_STEP = 100,    /* of the second, ... */
};

int
cli_written(const struct cli *c)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CLI_DONE;
	(void)fprintf(stderr, "%s: error[write]: cannot write the standard output%s%s\n", c->program, errno ? ": " : "", errno ? strerror(errno) : "");
	return CLI_FAILED;
}

static bool
has_letter(const struct cli_option *o)
{
	return o->id > 0 && o->id < 256;
}

static void
print_options(const struct cli_option *options, size_t n_options)
{
	for (size_t i = 0; i < n_options; i++) {
		const struct cli_option *o = &options[i];
		if (!o->help)
			continue;
		char left[80];
		int n = snprintf(left, sizeof(left), "  %c%c%s%s%s%s%s",
			has_letter(o) ? '-' : ' ', has_letter(o) ? o->id : ' ',
			o->name ? (has_letter(o) ? ", --" : "  --") : "", o->name ? o->name : "",
			o->arg ? (o->name ? "=" : " ") : "", o->arg ? o->arg : "", "");
		(void)printf(n >= COLUMN ? "%s\n%*s%s\n" : "%s%*s%s\n", left, n >= COLUMN ? COLUMN : COLUMN - n, "", o->help);
	}
}

static void
print_group(const struct cli *c, const struct cli_group *g)
{
	(void)printf("Usage: %s %s\nOptions of %s:\n", c->program, c->synopsis, g->about);
	print_options(g->options, g->noptions);
	(void)printf("%s --help lists the others. Manual: man %s\n", c->program, c->program);
}

static void
print_help(const struct cli *c)
{
	(void)printf("Usage: %s %s\n%s\n\nOptions:\n", c->program, c->synopsis, c->about);
	print_options(c->options, c->noptions);
	(void)printf("  -h, --help              print this help\n");
	for (size_t i = 0; i < c->ngroups; i++)
		(void)printf("      --help-%-12s options of %s\n", c->groups[i].name, c->groups[i].about);
	(void)printf("      --version           print the version\n");
	if (c->footer)
		(void)printf("\n%s", c->footer);
}

int
cli_group_usage(const struct cli *c, const struct cli_group *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	(void)fprintf(stderr, "%s: error[usage]: ", c->program);
	(void)vfprintf(stderr, fmt, ap);
	(void)fprintf(stderr, "\n  usage: %s %s\n  hint: %s --help%s%s lists the options\n", c->program, c->synopsis, c->program, g ? "-" : "",
		g ? g->name : "");
	va_end(ap);
	return CLI_USAGE;
}

/* The options in the form of getopt_long(). */
struct table {
	struct option longs[OPTIONS_MAX + 1];
	size_t nlongs;
	char shorts[OPTIONS_MAX * 2 + 4];
	char names[OPTIONS_MAX]; /* "help-" and the names of groups */
	size_t nnames;
};

static void
add_long(struct table *t, const char *name, bool arg, int id)
{
	if (t->nlongs < OPTIONS_MAX)
		t->longs[t->nlongs++] = (struct option){ name, arg ? required_argument : no_argument, NULL, id };
}

static void
add_options(struct table *t, const struct cli_option *options, size_t n, int group)
{
	for (size_t i = 0; i < n; i++) {
		const struct cli_option *o = &options[i];
		size_t ns = strlen(t->shorts);
		if (o->name)
			add_long(t, o->name, o->arg != NULL, group ? group + (int)i : o->id ? o->id
											    : LONG_ONLY + (int)i);
		if (has_letter(o) && ns + 3 < sizeof(t->shorts)) {
			t->shorts[ns] = (char)o->id;
			t->shorts[ns + 1] = o->arg ? ':' : 0;
			t->shorts[ns + 2] = 0;
		}
	}
}

static void
add_group(struct table *t, const struct cli_group *g, int i)
{
	add_options(t, g->options, g->noptions, GROUP_OPTION + i * GROUP_STEP);
	char *name = t->names + t->nnames;
	size_t left = sizeof(t->names) - t->nnames;
	int n = snprintf(name, left, "help-%s", g->name);
	if (n < 0 || (size_t)n >= left)
		return;
	add_long(t, name, false, HELP_GROUP + i);
	t->nnames += (size_t)n + 1;
}

/* The group that a word seems to be an option of: --NAME, --NAME-MORE; NULL: none. */
static const struct cli_group *
group_of(const struct cli *c, const char *word)
{
	for (size_t i = 0; i < c->ngroups; i++) {
		size_t n = strlen(c->groups[i].name);
		if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, c->groups[i].name, n) == 0 && strchr("-=", word[2 + n]))
			return &c->groups[i];
	}
	return NULL;
}

static int
unknown_option(const struct cli *c, const struct table *t, const char *word)
{
	struct nearest best = { 0 };
	size_t n = strcspn(word + 2, "=");
	for (size_t i = 0; i < t->nlongs; i++)
		nearest_try(&best, word + 2, n, t->longs[i].name);
	return cli_group_usage(c, group_of(c, word), best.word ? "unknown or ambiguous option %s: is --%s meant?" : "unknown or ambiguous option %s",
		word, best.word);
}

static int
take_of_group(const struct cli *c, int id)
{
	const struct cli_group *g = &c->groups[id / GROUP_STEP];
	char why[OPTION_WHY];
	int rc = g->take(g->self, g->options[id % GROUP_STEP].id, optarg, why);
	return rc < 0 ? cli_group_usage(c, g, "%s", why) : 0;
}

/* A number of bytes: 4096, 64M or 64MiB, 1G. */
static int
take_size(const struct cli *c, const char *option, uint64_t *to)
{
	if (!number_parse(optarg, to))
		return cli_usage(c, "%s needs a number of bytes, such as 65536, 512K, 64M or 2G, not '%s'", option, optarg);
	return 0;
}

/* Takes an option of the table. Returns 0, its id if the tool takes it itself, or CLI_USAGE. */
static int
take_option(const struct cli *c, int id)
{
	char name[80];
	const char *why;
	const struct cli_option *o = c->options + (id >= LONG_ONLY ? id - LONG_ONLY : 0);
	while (id < LONG_ONLY && o->id != id)
		o++;
	(void)snprintf(name, sizeof(name), "--%s", o->name ? o->name : "");
	switch (o->take) {
	case CLI_ASK: return id;
	case CLI_FLAG: *(bool *)o->to = true; return 0;
	case CLI_SET: *(int *)o->to = (int)o->max; return 0;
	case CLI_TEXT: *(const char **)o->to = optarg; return 0;
	case CLI_LIST: return cli_list_add(c, name, o->to, optarg);
	case CLI_NUMBER:
		if (has_letter(o))
			(void)snprintf(name, sizeof(name), "-%c", o->id);
		return cli_number(c, name, o->min, o->max, optarg, o->to) ? 0 : CLI_USAGE;
	case CLI_SIZE: return take_size(c, name, o->to);
	case CLI_PS: return when_parse_ps(optarg, o->to, &why) ? 0 : cli_usage(c, "%s '%s': %s", name, optarg, why);
	case CLI_WORD:
	default: *(int *)o->to = cli_choose(c, name, o->words, (size_t)o->max, optarg); return *(int *)o->to < 0 ? CLI_USAGE : 0;
	}
}

int
cli_next(const struct cli *c, int argc, char **argv)
{
	struct table t = { .shorts = ":h" };
	add_long(&t, "help", false, 'h');
	add_long(&t, "version", false, VERSION);
	add_options(&t, c->options, c->noptions, 0);
	for (size_t i = 0; i < c->ngroups; i++)
		add_group(&t, &c->groups[i], (int)i);

	/* The option that is read now; what stands before it is moved behind. */
	int at = optind ? optind : 1;
	while (at < argc && (argv[at][0] != '-' || !argv[at][1]))
		at++;
	const char *word = at < argc ? argv[at] : "";
	int id = getopt_long(argc, argv, t.shorts, t.longs, NULL);
	switch (id) {
	case -1:
		return CLI_END;
	case 'h':
		print_help(c);
		return cli_written(c);
	case VERSION:
		(void)printf("%s (ovniscope) %s\n", c->program, PROJECT_VERSION);
		return cli_written(c);
	case ':':
		if (optopt < 256 && strncmp(word, "--", 2) != 0)
			return cli_usage(c, "option -%c needs an argument", optopt);
		return cli_group_usage(c, group_of(c, word), "option %s needs an argument", word);
	case '?':
		if (strncmp(word, "--", 2) != 0)
			return cli_usage(c, "unknown option -%c", optopt);
		if (optopt)
			return cli_group_usage(c, group_of(c, word), "option %s takes no argument", word);
		return unknown_option(c, &t, word);
	default:
		if (id >= HELP_GROUP && id < LONG_ONLY) {
			print_group(c, &c->groups[id - HELP_GROUP]);
			return cli_written(c);
		}
		id = id >= GROUP_OPTION ? take_of_group(c, id - GROUP_OPTION) : take_option(c, id);
		return id == 0 ? cli_next(c, argc, argv) : id;
	}
}

int
cli_list_add(const struct cli *c, const char *option, struct cli_list *list, const char *text)
{
	if (list->n == CLI_LIST_MAX)
		return cli_usage(c, "%s may be given %d times", option, CLI_LIST_MAX);
	list->items[list->n++] = text;
	return 0;
}

const char *const cli_text_or_json[2] = { "text", "json" };

int
cli_choose(const struct cli *c, const char *option, const char *const *words, size_t n, const char *text)
{
	char list[400] = "";
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(words[i], text) == 0)
			return (int)i;
		if (at < sizeof(list))
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i == 0 ? "" : i + 1 < n ? ", "
													     : " or ",
				words[i]);
	}
	return cli_usage(c, "%s is %s, not '%s'", option, list, text);
}

bool
cli_number(const struct cli *c, const char *option, uint64_t min, uint64_t max, const char *text, uint64_t *to)
{
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && v >= min && v <= max) {
		*to = v;
		return true;
	}
	(void)cli_usage(c, "%s needs a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, min, max, text);
	return false;
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
cli_none(const struct cli *c, int opt, int argc, char **argv)
{
	return opt == CLI_END && optind < argc ? cli_usage(c, "no argument is expected, and there is '%s'", argv[optind]) : opt;
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

/* ---- Tools with commands. ---- */

/* Whether the next word is the argument of the option at p. */
static bool
has_argument(const struct cli *c, const char *p)
{
	for (size_t i = 0; i < c->noptions; i++) {
		const struct cli_option *o = &c->options[i];
		bool is_short = has_letter(o) && p[1] == o->id && !p[2];
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
	struct nearest best = { 0 };
	for (size_t i = 0; i < n && word; i++)
		nearest_try(&best, argv[word], strlen(argv[word]), commands[i].name);
	if (word)
		return cli_status(cli_usage(&c, best.word ? "there is no command '%s': is '%s' meant?" : "there is no command '%s'", argv[word], best.word));
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
