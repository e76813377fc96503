/* SPDX-License-Identifier: MIT */
/* ovnidump: the events of a trace as text, one a line. */
#include "kit/cli.h"
#include "look/line.h"
#include "look/filter.h"
#include "look/play.h"
#include "registry.h"

#include <getopt.h>
#include <signal.h>
#include <unistd.h>

enum {
	PROGRESS_EVERY = 1 << 12, /* events */
};

struct settings {
	struct play_options open;
	struct dump_options dump;
	struct filter filter;
	struct progress progress;
	bool relative;
	bool compat;
};

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
	uint64_t taken = 0;
	while (play_next(play, &ev) && !wbuf_failed(&out->out)) {
		if (o->progress.wanted && ++seen % PROGRESS_EVERY == 0)
			play_progress(t, &o->progress);
		if (!filter_takes(&o->filter, ev))
			continue;
		taken++;
		dump_event(out, &t->streams[ev->stream], ev, (int64_t)((uint64_t)ev->clock - shift));
	}
	diag_end_progress(t->diag);
	filter_report(&o->filter, t->diag, taken);
}

static int
run(struct diag *d, const char *dir, struct settings *o)
{
	struct trace t;
	struct play play;
	struct dump out = { 0 };
	int rc = play_open(&t, d, dir, &o->open);
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
	static const char *const formats[] = { [DUMP_TEXT] = "text", [DUMP_CSV] = "csv", [DUMP_JSON] = "json" };
	struct diag d = { .program = "ovnidump", .level = DIAG_NORMAL };
	struct plugins plugins = { 0 };
	struct settings o = { .dump = { .text = true, .models = &plugins.set }, .filter.plugins = &plugins };
	const struct cli_option options[] = {
		{ 'f', "format", "text|csv|json", "how to print them; json: one object a line", CLI_WORD, &o.dump.format, CLI_WORDS(formats) },
		{ CLI_JSON(&o.dump.format, DUMP_JSON) },
		{ 'x', "hex", NULL, "print the payload in hexadecimal, not the text" },
		{ 'X', "text-and-hex", NULL, "print both" },
		{ 'r', "relative", NULL, "print the time since the first event", CLI_FLAG, &o.relative },
		{ 'd', "delta", NULL, "also print the time since the line before", CLI_FLAG, &o.dump.delta },
		{ PLAY_CORRECTED(&o.open) },
		{ PLAY_TABLE(&o.open) },
		FILTER_OPTIONS,
		{ 0, "compat", NULL, "order equal clocks as ovni 1.14 does", CLI_FLAG, &o.compat },
		{ CLI_PROGRESS(&o.progress) },
		{ CLI_QUIET(&d) },
		{ CLI_VERBOSE(&d) },
	};
	const struct cli cli = {
		.program = d.program,
		.synopsis = "[options] TRACEDIR",
		.about = "Print the events of the trace in TRACEDIR in the order of their clocks.",
		.footer = FILTER_FOOTER "Manual: man ovnidump\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	if (registry_add(&plugins.set, &d) < 0)
		return 1;
	progress_init(&o.progress);
	/* Lines on the same terminal are progress enough. */
	o.progress.wanted = o.progress.wanted && !isatty(STDOUT_FILENO);

	int opt;
	int rc = 0;
	while (rc == 0 && (opt = cli_next(&cli, argc, argv)) >= 0) {
		if (opt != 'x' && opt != 'X') {
			rc = filter_option(&o.filter, &cli, opt, optarg);
			continue;
		}
		o.dump.hex = true;
		o.dump.text = opt == 'X';
	}
	o.progress.wanted = o.progress.wanted && d.level > DIAG_QUIET;
	opt = filter_models(&o.filter, &cli, cli_directory(&cli, rc < 0 ? rc : opt, argc), &d);
	/* A file above the limit is a failed write, not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);
	int status = cli_status(opt);
	if (opt == CLI_END)
		status = run(&d, argv[optind], &o);
	filter_finish(&o.filter);
	plugins_close(&plugins);
	return status;
}
