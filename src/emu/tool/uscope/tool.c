/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "when.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPT_FORMAT = 256,
	OPT_MODE,
	OPT_SCOPE,
	OPT_STORAGE,
	OPT_EVENT,
};

void
utool_list(struct tool *t, const struct cli_option *own, size_t n, unsigned with)
{
	const struct {
		unsigned with;
		struct cli_option option;
	} shared[] = {
		{ WITH_RANGE, { 0, "from", "TIME", "begin at this time, such as 1.5us", CLI_PS, &t->from } },
		{ WITH_RANGE, { 0, "to", "TIME", "end at this time, which is included", CLI_PS, &t->to } },
		{ WITH_SCOPE, { OPT_SCOPE, "scope", "PATH", "only what is in this scope or below" } },
		{ WITH_STORAGE, { OPT_STORAGE, "storage", "NAME", "only this storage: name or path, with * and ?" } },
		{ WITH_EVENT, { OPT_EVENT, "event", "NAME", "only events of this type, likewise" } },
		{ WITH_VALUES, { 0, "hex", NULL, "integers in hexadecimal", CLI_FLAG, &t->hex } },
		{ WITH_VALUES, { 0, "raw", NULL, "numbers instead of labels and texts", CLI_FLAG, &t->raw } },
		{ WITH_JSON, { OPT_FORMAT, "format", "text|json", "how to print; JSON is for programs" } },
		{ WITH_JSON, { 0, "json", NULL, "the same as --format=json", CLI_FLAG, &t->json } },
		{ WITH_OUTPUT, { 'o', "output", "FILE", "write there instead of on stdout", CLI_TEXT, &t->out_path } },
		{ WITH_MODE, { OPT_MODE, "mode", "MODE", "tolerant (default), strict or recover" } },
		{ WITH_MODE, { 0, "recover", NULL, "find segments whose list is missing or broken", CLI_SET, &t->mode, USCOPE_RECOVER } },
		{ WITH_PROGRESS, { CLI_PROGRESS(&t->progress) } },
		{ ~0u, { 'q', "quiet", NULL, "print errors only, no warnings", CLI_FLAG, &t->quiet } },
	};
	size_t at = 0;
	for (size_t i = 0; i < n; i++)
		t->options[at++] = own[i];
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (with & shared[i].with || shared[i].with == ~0u)
			t->options[at++] = shared[i].option;
	t->cli.options = t->options;
	t->cli.noptions = at;
}

void
utool_init(struct tool *t, const struct command *c)
{
	*t = (struct tool){ .command = c, .to = UINT64_MAX };
	for (int i = 0; i < 2; i++)
		t->in[i] = (struct source){ .tool = t, .w = &t->out };
	(void)snprintf(t->program, sizeof(t->program), "uscope %s", c->name);
	t->cli = (struct cli){
		.program = t->program,
		.synopsis = c->synopsis,
		.about = c->about,
		.footer = "Manual: man uscope\n",
	};
	t->diag.program = t->program;
	progress_init(&t->progress);
}

bool
utool_time(struct tool *t, const char *option, const char *text, uint64_t *ps)
{
	const char *why;
	if (when_parse_ps(text, ps, &why))
		return true;
	(void)utool_usage(t, "%s '%s': %s", option, text, why);
	return false;
}

static bool
set_mode(struct tool *t, const char *name)
{
	static const char *const modes[] = { [USCOPE_TOLERANT] = "tolerant", [USCOPE_STRICT] = "strict", [USCOPE_RECOVER] = "recover" };
	if (strcmp(name, "default") == 0)
		name = modes[USCOPE_TOLERANT];
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(name, modes[i]) == 0) {
			t->mode = (enum uscope_mode)i;
			return true;
		}
	}
	(void)utool_usage(t, "--mode '%s': it is tolerant, strict or recover", name);
	return false;
}

static bool
add_pattern(struct tool *t, enum pick_kind kind, const char *pattern)
{
	if (pick_add(&t->pick, kind, pattern))
		return true;
	(void)utool_usage(t, "more than %d names of a kind", PICK_MAX);
	return false;
}

static bool
set_format(struct tool *t)
{
	int i = cli_choose(&t->cli, "--format", cli_text_or_json, 2, optarg);
	t->json = i == 1;
	t->text = i == 0;
	return i >= 0;
}

int
utool_next(struct tool *t, const struct cli_option *own, size_t n, int argc, char **argv)
{
	if (!t->cli.options)
		utool_list(t, own, n, t->command->with);
	for (;;) {
		int opt = cli_next(&t->cli, argc, argv);
		bool good;
		switch (opt) {
		case OPT_FORMAT: good = set_format(t); break;
		case OPT_MODE: good = set_mode(t, optarg); break;
		case OPT_SCOPE: good = add_pattern(t, PICK_SCOPE, optarg); break;
		case OPT_STORAGE: good = add_pattern(t, PICK_STORAGE, optarg); break;
		case OPT_EVENT: good = add_pattern(t, PICK_EVENT, optarg); break;
		default: return opt;
		}
		if (!good)
			return CLI_USAGE;
	}
}

bool
utool_is_same(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int
open_output(struct tool *t, int argc, char **argv)
{
	t->out_to_terminal = !t->out_path && isatty(STDOUT_FILENO);
	errno = 0;
	if (!t->out_path) {
		/* A copy, so that closing it leaves stdout as the C library has it. */
		int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			return utool_error(t, "write", "cannot write the standard output: %s", strerror(errno));
		if (wbuf_attach(&t->out, fd, "the standard output") == 0)
			return STATUS_GOOD;
		(void)close(fd);
		return utool_no_memory(t);
	}
	for (int i = optind; i < argc; i++)
		if (utool_is_same(argv[i], t->out_path))
			return utool_usage(t, "'%s' is read and cannot be written", t->out_path);
	int rc = wbuf_open(&t->out, t->out_path);
	return rc < 0 ? utool_error(t, "write", "cannot create %s: %s", t->out_path, strerror(-rc)) : STATUS_GOOD;
}

bool
utool_ready(struct tool *t, int last, int argc, char **argv, int nargs)
{
	int n = argc - optind;
	if (last != CLI_END)
		t->status = cli_status(last);
	else if (n < nargs)
		t->status = utool_usage(t, nargs == 1 ? "a file is expected" : "two files are expected");
	else if (n > nargs)
		t->status = utool_usage(t, "'%s' is one argument too many", argv[optind + nargs]);
	else if (t->from > t->to)
		t->status = utool_usage(t, "--from is later than --to");
	else
		t->status = open_output(t, argc, argv);
	return last == CLI_END && t->status == STATUS_GOOD;
}

bool
utool_pick(struct tool *t, struct source *s)
{
	const char *unmatched;
	if (pick_from(&t->pick, &s->paths, &s->arena, &s->picked, &unmatched) == 0)
		return true;
	t->status = unmatched ? utool_usage(t, "nothing in %s is named '%s'", s->path, unmatched) : utool_no_memory(t);
	return false;
}

bool
utool_adopt(struct tool *t, struct source *s, const char *path, uscope_reader_t *reader)
{
	s->path = path;
	s->reader = reader;
	s->schema = uscope_schema(reader);
	if (pathlist_init(&s->paths, s->schema, &s->arena) == 0)
		return true;
	t->status = utool_no_memory(t);
	return false;
}

bool
utool_load(struct tool *t, struct source *s, const char *path)
{
	uscope_error_t e = { 0 };
	uscope_reader_options_t options = { .mode = t->mode };
	uscope_reader_t *r = uscope_reader_open_ex(path, &options, &e);
	if (!r) {
		s->path = path;
		t->status = utool_fail(t, s, &e);
		return false;
	}
	return utool_adopt(t, s, path, r);
}

bool
utool_begin(struct tool *t, const struct cli_option *own, size_t n, int argc, char **argv)
{
	int last = utool_next(t, own, n, argc, argv);
	return utool_ready(t, last, argc, argv, 1) && utool_load(t, &t->in[0], argv[optind]) && utool_pick(t, &t->in[0]);
}

/* Rules that the file breaks without being useless. */
static void
warn_rules(struct tool *t, const struct source *s)
{
	char names[300] = "";
	size_t n = 0;
	for (int i = 0; i < USCOPE_NUM_DIAGS && n < sizeof(names); i++) {
		const char *name = uscope_diag_name((enum uscope_diag)i);
		if (name[0] == 'V' && uscope_reader_diag(s->reader, (enum uscope_diag)i))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", name);
	}
	if (n)
		utool_warn(t, "%s breaks rules of the format (%s)\nhint: `uscope check %s` tells more", s->path, names, s->path);
}

static void
source_finish(struct tool *t, struct source *s)
{
	if (s->reader && !t->own_report)
		warn_rules(t, s);
	arena_finish(&s->arena);
	uscope_reader_close(s->reader);
	*s = (struct source){ 0 };
}

int
utool_finish(struct tool *t, int status)
{
	for (int i = 0; i < 2; i++)
		source_finish(t, &t->in[i]);
	diag_end_progress(&t->diag);
	char path[256];
	(void)snprintf(path, sizeof(path), "%s", t->out.path ? t->out.path : "");
	int rc = wbuf_close(&t->out);
	return rc < 0 ? utool_error(t, "write", "cannot write %s: %s", path, strerror(-rc)) : status;
}
