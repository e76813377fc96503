/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Advice for an error, printed after "hint: ". NULL: there is none. */
static const char *
hint_of(const struct tool *t, const uscope_error_t *e)
{
	bool recovering = t->mode == USCOPE_RECOVER || strcmp(t->conv.command->name, "recover") == 0;
	switch (e->status) {
	case USCOPE_E_MAGIC:
		return "a µScope file begins with the letters uSCP";
	case USCOPE_E_VERSION:
	case USCOPE_E_FLAGS:
		return "a newer uscope may be able to read it";
	case USCOPE_E_TRUNCATED:
		return "if the file is being written, try again when its writer has got further";
	case USCOPE_E_STRICT:
		return "without --mode=strict it is read all the same";
	case USCOPE_E_NODATA:
		return "`uscope info` tells when the trace begins and ends";
	case USCOPE_E_LIMIT:
		return "the file asks for more memory than is granted; it is probably damaged";
	case USCOPE_E_SECTION:
	case USCOPE_E_SEGMENT:
	case USCOPE_E_CHECKPOINT:
	case USCOPE_E_COMPRESS:
	case USCOPE_E_FRAME:
		if (recovering)
			return NULL;
		if (e->segment >= 0)
			return "only this segment is affected; `uscope recover` keeps the others";
		if (!(t->conv.command->with & WITH_MODE))
			return "`uscope recover` keeps the segments that are whole";
		return "try --recover, or `uscope recover`, which keeps the segments that are whole";
	default:
		return NULL;
	}
}

int
utool_fail(struct tool *t, struct source *s, const uscope_error_t *e)
{
	int err = errno;
	char text[600];
	int n = snprintf(text, sizeof(text), "%s", *e->reason ? e->reason : uscope_status_text(e->status));
	if (e->status == USCOPE_E_IO && err && !strstr(text, strerror(err)))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ": %s", strerror(err));
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\nin %.250s", s->path);
	if (e->segment >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", segment %" PRId64, e->segment);
	if (e->offset || e->segment >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", offset 0x%" PRIx64 "%s", e->offset,
			e->raw_offset ? " of its decompressed deltas" : "");
	const char *hint = hint_of(t, e);
	if (hint)
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "\nhint: %s", hint);
	return conv_fail(&t->conv, uscope_status_name(e->status), "%s", text);
}

int
utool_failed(struct tool *t, struct source *s)
{
	return utool_fail(t, s, uscope_reader_error(s->reader));
}

void
utool_progress(struct tool *t, double done, double total)
{
	if (!t->conv.progress.wanted || t->conv.quiet || total <= 0)
		return;
	/* Lines of output on the same terminal are progress enough. */
	if (t->out_to_terminal && (t->conv.out.written || t->conv.out.used)) {
		diag_end_progress(&t->conv.diag);
		return;
	}
	/* A log gets the last line as well. */
	if (!progress_due(&t->conv.progress) && (done < total || t->conv.progress.terminal))
		return;
	double part = done / total;
	double took = progress_took(&t->conv.progress);
	diag_progress(&t->conv.diag, "%5.1f %% done, %.0f s left", part * 100, part > 0 ? took / part - took : 0);
}

/* Refuses what is no time in any file. */
static int
check_times(struct tool *t)
{
	const char *why;
	for (int i = 0; i < TIMES; i++) {
		struct time_option *o = &t->times[i];
		if (o->text && !moment_parse(o->text, &o->moment, &why))
			return conv_usage(&t->conv, "%s '%s': %s", o->option, o->text, why);
	}
	return 0;
}

/* Finds the times in the file. */
static int
find_times(struct tool *t, const struct source *s)
{
	uint64_t *const to[TIMES] = { &t->from, &t->to, &t->at };
	const char *why;
	for (int i = 0; i < TIMES; i++) {
		const struct time_option *o = &t->times[i];
		/* The end as the last time means all there is: files of other writers go on behind their end. */
		bool open = i != TIME_FROM && o->text && strcmp(o->text, "end") == 0;
		if (o->text && !open && !moment_find(&o->moment, s->reader, &s->paths, to[i], &why))
			return conv_usage(&t->conv, "%s '%s': %s", o->option, o->text, why);
	}
	return t->from > t->to ? conv_usage(&t->conv, "--from is later than --to") : 0;
}

bool
utool_ready(struct tool *t, int last, int argc, char **argv, int nargs)
{
	struct conv *c = &t->conv;
	int n = argc - optind;
	t->out_to_terminal = !c->out_path && isatty(STDOUT_FILENO);
	t->status = 0;
	if (last != CLI_END)
		t->status = cli_status(last);
	else if (n < nargs)
		t->status = conv_usage(c, nargs == 1 ? "a file is expected" : "two files are expected");
	else if (n > nargs)
		t->status = conv_usage(c, "'%s' is one argument too many", argv[optind + nargs]);
	else
		t->status = check_times(t);
	for (int i = optind; c->out_path && t->status == 0 && i < argc; i++)
		t->status = conv_note_input(c, argv[i]);
	errno = 0;
	if (last == CLI_END && t->status == 0)
		t->status = conv_open_output(c, c->out_path);
	return last == CLI_END && t->status == 0;
}

bool
utool_pick(struct tool *t, struct source *s)
{
	const char *unmatched;
	if (pick_from(&t->pick, &s->paths, &s->arena, &s->picked, &unmatched) == 0)
		return true;
	t->status = unmatched ? conv_usage(&t->conv, "nothing in %s is named '%s'", s->path, unmatched) : conv_no_memory(&t->conv);
	return false;
}

bool
utool_adopt(struct tool *t, struct source *s, const char *path, uscope_reader_t *reader)
{
	s->path = path;
	s->reader = reader;
	s->schema = uscope_schema(reader);
	bool good = pathlist_init(&s->paths, s->schema, &s->arena) == 0;
	t->status = good ? find_times(t, s) : conv_no_memory(&t->conv);
	return t->status == 0;
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
	int last = conv_next(&t->conv, own, n, argc, argv);
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

void
utool_finish(struct conv *c, bool good)
{
	struct tool *t = utool_of(c);
	(void)good;
	for (int i = 0; i < 2; i++) {
		struct source *s = &t->in[i];
		if (s->reader && !t->own_report)
			warn_rules(t, s);
		arena_finish(&s->arena);
		uscope_reader_close(s->reader);
	}
}
