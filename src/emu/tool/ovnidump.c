/* SPDX-License-Identifier: MIT */
/* ovnidump: the events of a trace as text, one a line. */
#include "kit/cli.h"
#include "look/line.h"
#include "look/filter.h"
#include "look/play.h"

#include <getopt.h>
#include <signal.h>
#include <unistd.h>

enum {
	OPT_CORRECTED = 256,
	OPT_COMPAT,
	OPT_PROGRESS,
	PROGRESS_EVERY = 1 << 12, /* events */
};

static const struct cli_option options[] = {
	{ 'f', "format", "text|csv|json", "how to print them; json: one object a line" },
	{ 'j', "json", NULL, "the same as --format=json" },
	{ 'x', "hex", NULL, "print the payload in hexadecimal, not the text" },
	{ 'X', "text-and-hex", NULL, "print both" },
	{ 'r', "relative", NULL, "print the time since the first event" },
	{ 'd', "delta", NULL, "also print the time since the line before" },
	{ OPT_CORRECTED, "corrected", NULL, "add the clock offsets of the hosts" },
	{ 'c', "clock-offsets", "FILE", "the same, with the offsets of that file" },
	FILTER_OPTIONS,
	{ OPT_COMPAT, "compat", NULL, "order equal clocks as ovni 1.14 does" },
	{ OPT_PROGRESS, "progress", NULL, "show progress even if stderr is no terminal" },
	{ 'q', "quiet", NULL, "print warnings and errors only" },
	{ 'v', "verbose", NULL, "print more" },
};

struct settings {
	struct loose_options open;
	struct dump_options dump;
	struct filter filter;
	struct progress progress;
	bool relative;
	bool compat;
};

static const char *const formats[] = { [DUMP_TEXT] = "text", [DUMP_CSV] = "csv", [DUMP_JSON] = "json" };

static void
print_events(struct dump *out, struct play *play, struct settings *o)
{
	struct trace *t = play->trace;
	int64_t origin = play_start(play);
	filter_range(&o->filter, origin, o->relative);
	uint64_t shift = o->relative ? (uint64_t)origin : 0;
	play_filter(play, &o->filter);
	const struct event *ev;
	uint64_t seen = 0;
	while (play_next(play, &ev) && !wbuf_failed(&out->out)) {
		if (o->progress.wanted && ++seen % PROGRESS_EVERY == 0)
			loose_progress(t, &o->progress);
		if (filter_takes(&o->filter, ev))
			dump_event(out, &t->streams[ev->stream], ev, (int64_t)((uint64_t)ev->clock - shift));
	}
	diag_end_progress(t->diag);
}

static int
run(struct diag *d, const char *dir, struct settings *o)
{
	struct trace t;
	struct play play;
	struct dump out = { 0 };
	int rc = loose_open(&t, d, dir, &o->open);
	if (rc == 0)
		rc = play_init(&play, &t, o->compat);
	if (rc == 0)
		rc = dump_init(&out, &t, &o->dump, STDOUT_FILENO);
	if (rc == 0) {
		print_events(&out, &play, o);
		rc = dump_finish(&out);
		play_report(&play);
	} else {
		(void)dump_finish(&out);
	}
	trace_close(&t);
	return rc < 0 || d->errors ? 1 : 0;
}

int
main(int argc, char **argv)
{
	const struct cli cli = {
		.program = "ovnidump",
		.synopsis = "[options] TRACEDIR",
		.about = "Print the events of the trace in TRACEDIR in the order of their clocks.",
		.footer = "A time with a unit (ns us ms s min h) or a + counts from the first event.\n"
			  "Lists are split by commas. Status: 0 good, 1 damage or failure, 2 wrong usage.\n"
			  "Manual: man ovnidump\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	struct diag d = { .program = cli.program, .level = DIAG_NORMAL };
	struct settings o = { .dump = { .text = true } };
	int format = DUMP_TEXT;
	progress_init(&o.progress);
	/* Lines on the same terminal are progress enough. */
	o.progress.wanted = o.progress.wanted && !isatty(STDOUT_FILENO);

	int opt;
	while ((opt = cli_next(&cli, argc, argv)) >= 0) {
		switch (opt) {
		case 'f':
			format = cli_choose(&cli, "--format", formats, sizeof(formats) / sizeof(formats[0]), optarg);
			opt = format < 0 ? format : opt;
			break;
		case 'j': format = DUMP_JSON; break;
		case 'x':
		case 'X':
			o.dump.hex = true;
			o.dump.text = opt == 'X';
			break;
		case 'r': o.relative = true; break;
		case 'd': o.dump.delta = true; break;
		case 'c': o.open.clock_table = optarg; /* fall through */
		case OPT_CORRECTED: o.open.corrected = true; break;
		case OPT_COMPAT: o.compat = true; break;
		case OPT_PROGRESS: o.progress.wanted = true; break;
		case 'q': d.level = DIAG_QUIET; break;
		case 'v': d.level = DIAG_VERBOSE; break;
		default: {
			int rc = filter_option(&o.filter, &cli, opt, optarg);
			opt = rc < 0 ? rc : opt;
			break;
		}
		}
		if (opt < 0)
			break;
	}
	o.progress.wanted = o.progress.wanted && d.level > DIAG_QUIET;
	o.dump.format = (enum dump_format)format;
	opt = cli_directory(&cli, opt, argc);
	/* A file above the limit is a failed write, not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);
	int status = cli_status(opt);
	if (opt == CLI_END)
		status = run(&d, argv[optind], &o);
	filter_finish(&o.filter);
	return status;
}
