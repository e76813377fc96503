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
	OPT_JSON = 256,
	OPT_FORMAT,
	OPT_MODE,
	OPT_RECOVER,
	OPT_FROM,
	OPT_TO,
	OPT_SCOPE,
	OPT_STORAGE,
	OPT_EVENT,
	OPT_HEX,
	OPT_RAW,
	OPT_PROGRESS,
};

static const struct {
	unsigned with;
	struct cli_option option;
} shared[] = {
	{ WITH_RANGE, { OPT_FROM, "from", "TIME", "begin at this time, such as 1.5us" } },
	{ WITH_RANGE, { OPT_TO, "to", "TIME", "end at this time, which is included" } },
	{ WITH_SCOPE, { OPT_SCOPE, "scope", "PATH", "only what is in this scope or below" } },
	{ WITH_STORAGE, { OPT_STORAGE, "storage", "NAME", "only this storage: name or path, with * and ?" } },
	{ WITH_EVENT, { OPT_EVENT, "event", "NAME", "only events of this type, likewise" } },
	{ WITH_VALUES, { OPT_HEX, "hex", NULL, "integers in hexadecimal" } },
	{ WITH_VALUES, { OPT_RAW, "raw", NULL, "numbers instead of labels and texts" } },
	{ WITH_JSON, { OPT_FORMAT, "format", "text|json", "how to print; JSON is for programs" } },
	{ WITH_JSON, { OPT_JSON, "json", NULL, "the same as --format=json" } },
	{ WITH_OUTPUT, { 'o', "output", "FILE", "write there instead of on stdout" } },
	{ WITH_MODE, { OPT_MODE, "mode", "MODE", "tolerant (default), strict or recover" } },
	{ WITH_MODE, { OPT_RECOVER, "recover", NULL, "find segments whose list is missing or broken" } },
	{ WITH_PROGRESS, { OPT_PROGRESS, "progress", NULL, "show progress even if stderr is no terminal" } },
	{ 0, { 'q', "quiet", NULL, "print errors only, no warnings" } },
};

size_t
utool_options(struct cli_option *to, unsigned with)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (shared[i].with == 0 || (with & shared[i].with))
			to[n++] = shared[i].option;
	return n;
}

void
utool_init(struct tool *t, const struct command *c)
{
	*t = (struct tool){ .command = c, .to = UINT64_MAX };
	(void)snprintf(t->program, sizeof(t->program), "uscope %s", c->name);
	size_t n = 0;
	for (size_t i = 0; i < c->noptions; i++)
		t->options[n++] = c->options[i];
	n += utool_options(t->options + n, c->with);
	t->cli = (struct cli){
		.program = t->program,
		.synopsis = c->synopsis,
		.about = c->about,
		.options = t->options,
		.noptions = n,
		.footer = "Manual: man uscope\n",
	};
	t->diag.program = t->program;
	progress_init(&t->progress);
}

int
utool_usage(struct tool *t, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)cli_usage(&t->cli, "%s", text);
	return STATUS_USAGE;
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
	static const struct {
		const char *name;
		enum uscope_mode mode;
	} modes[] = {
		{ "tolerant", USCOPE_TOLERANT },
		{ "default", USCOPE_TOLERANT },
		{ "strict", USCOPE_STRICT },
		{ "recover", USCOPE_RECOVER },
	};
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(name, modes[i].name) == 0) {
			t->mode = modes[i].mode;
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

/* One of the shared options. false: reported. */
static bool
take_option(struct tool *t, int opt)
{
	int i;
	switch (opt) {
	case OPT_JSON: t->json = true; break;
	case OPT_FORMAT:
		i = cli_choose(&t->cli, "--format", cli_text_or_json, 2, optarg);
		t->json = i == 1;
		t->text = i == 0;
		return i >= 0;
	case OPT_MODE: return set_mode(t, optarg);
	case OPT_RECOVER: t->mode = USCOPE_RECOVER; break;
	case OPT_FROM: return utool_time(t, "--from", optarg, &t->from);
	case OPT_TO: return utool_time(t, "--to", optarg, &t->to);
	case OPT_SCOPE: return add_pattern(t, PICK_SCOPE, optarg);
	case OPT_STORAGE: return add_pattern(t, PICK_STORAGE, optarg);
	case OPT_EVENT: return add_pattern(t, PICK_EVENT, optarg);
	case OPT_HEX: t->hex = true; break;
	case OPT_RAW: t->raw = true; break;
	case OPT_PROGRESS: t->progress.wanted = true; break;
	case 'o': t->out_path = optarg; break;
	default: t->quiet = true; break;
	}
	return true;
}

static bool
is_own(const struct tool *t, int opt)
{
	for (size_t i = 0; i < t->command->noptions; i++)
		if (t->command->options[i].id == opt)
			return true;
	return false;
}

int
utool_next(struct tool *t, int argc, char **argv)
{
	int opt;
	while ((opt = cli_next(&t->cli, argc, argv)) >= 0) {
		if (is_own(t, opt))
			return opt;
		if (!take_option(t, opt))
			return CLI_USAGE;
	}
	return opt;
}

/* Whether the output would overwrite an argument. */
static bool
is_input(const struct tool *t, int argc, char **argv)
{
	struct stat out, in;
	if (stat(t->out_path, &out) != 0)
		return false;
	for (int i = optind; i < argc; i++)
		if (stat(argv[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	return false;
}

static int
open_output(struct tool *t, int argc, char **argv)
{
	t->out_to_terminal = !t->out_path && isatty(STDOUT_FILENO);
	errno = 0;
	if (!t->out_path) {
		/* A copy, so that closing it leaves stdout as the C library has it. */
		int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (fd < 0) {
			utool_error(t, "write", "cannot write the standard output: %s", strerror(errno));
			return STATUS_BAD;
		}
		if (wbuf_attach(&t->out, fd, "the standard output") == 0)
			return STATUS_GOOD;
		(void)close(fd);
		return utool_no_memory(t);
	}
	if (is_input(t, argc, argv))
		return utool_usage(t, "'%s' is read and cannot be written", t->out_path);
	int rc = wbuf_open(&t->out, t->out_path);
	if (rc < 0)
		utool_error(t, "write", "cannot create %s: %s", t->out_path, strerror(-rc));
	return rc < 0 ? STATUS_BAD : STATUS_GOOD;
}

bool
utool_ready(struct tool *t, int last, int argc, char **argv, int nargs)
{
	t->status = STATUS_USAGE;
	if (last == CLI_DONE)
		t->status = STATUS_GOOD;
	else if (last == CLI_FAILED)
		t->status = STATUS_BAD;
	else if (last == CLI_END && argc - optind < nargs)
		(void)utool_usage(t, nargs == 1 ? "a file is expected" : "two files are expected");
	else if (last == CLI_END && argc - optind > nargs)
		(void)utool_usage(t, "'%s' is one argument too many", argv[optind + nargs]);
	else if (last == CLI_END && t->from > t->to)
		(void)utool_usage(t, "--from is later than --to");
	else if (last == CLI_END)
		t->status = open_output(t, argc, argv);
	return last == CLI_END && t->status == STATUS_GOOD;
}

bool
utool_pick(struct tool *t, struct source *s)
{
	const char *unmatched;
	if (pick_from(&t->pick, &s->paths, &s->arena, &s->picked, &unmatched) == 0)
		return true;
	if (unmatched)
		t->status = utool_usage(t, "nothing in %s is named '%s'", s->path, unmatched);
	else
		t->status = utool_no_memory(t);
	return false;
}

bool
utool_adopt(struct tool *t, struct source *s, const char *path, uscope_reader_t *reader)
{
	*s = (struct source){ .tool = t, .w = &t->out, .path = path, .reader = reader, .schema = uscope_schema(reader) };
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
utool_open(struct tool *t, struct source *s, const char *path)
{
	return utool_load(t, s, path) && utool_pick(t, s);
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
	if (rc < 0) {
		utool_error(t, "write", "cannot write %s: %s", path, strerror(-rc));
		status = STATUS_BAD;
	}
	return status;
}
