/* SPDX-License-Identifier: MIT */
/* ovnisort: sorts the late events of streams. */
#include "input/inputs.h"
#include "kit/cli.h"
#include "sort/stream.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>

#define WINDOW_DEFAULT 1000000
#define WINDOW_MIN 2
#define WINDOW_MAX INT64_C(1000000000000)

static volatile sig_atomic_t stop;

static void
on_signal(int sig)
{
	stop = sig; /* a second one kills: SA_RESETHAND */
}

/* Counts of streams. */
struct totals {
	size_t changed;
	size_t same;
};

static void
report_sorted(struct diag *d, const struct stream *s, const struct sortstream_options *o,
	const struct sortstream_result *r, struct totals *sum)
{
	const char *would = o->dry_run ? "would be " : "";
	if (r->empty)
		diag_warn(d, &(struct place){ .file = s->relpath }, "%" PRIu64 " empty sort region%s", r->empty, r->empty > 1 ? "s" : "");
	if (r->moved == 0)
		diag_debug(d, "stream %s: nothing to do, %" PRIu64 " events, %" PRIu64 " regions", s->relpath, r->events, r->regions);
	else if (o->all)
		diag_info(d, "stream %s %ssorted: %" PRIu64 " events", s->relpath, would, r->events);
	else
		diag_info(d, "stream %s %ssorted: %" PRIu64 " events, %" PRIu64 " regions", s->relpath, would, r->events, r->regions);
	sum->changed += r->moved > 0;
	sum->same += r->moved == 0;
}

static void
report_checked(struct diag *d, const struct stream *s, const struct sortstream_result *r, int rc)
{
	if (r->back)
		diag_info(d, "stream %s is not sorted", s->relpath);
	else if (rc == 0)
		diag_debug(d, "stream %s is sorted, %" PRIu64 " events", s->relpath, r->events);
}

/* Sorts or checks each stream. Returns how many are left when the user stops it. */
static size_t
take_all(struct trace *t, struct sortstream_options *o, bool check)
{
	struct diag *d = t->diag;
	struct totals sum = { 0 };
	struct sortwin window = { 0 };
	size_t i = 0;
	for (; i < t->nstreams && !stop; i++) {
		struct stream *s = &t->streams[i];
		struct sortstream_result r = { 0 };
		uint64_t size = s->in.file_size;
		int rc = s->failed ? -1 : check ? sortstream_check(s, o, &r)
						: sortstream_sort(s, &window, o, &r);
		if (check)
			report_checked(d, s, &r, rc);
		else if (rc == 0)
			report_sorted(d, s, o, &r, &sum);
		reader_close(&s->in);
		o->before += size;
	}
	sortwin_finish(&window);
	diag_end_progress(d);
	size_t left = t->nstreams - i;
	if (left && !d->errors)
		diag_warn(d, NULL, "stopped by the user: %zu of %zu streams are done, the others are as they were", i, t->nstreams);
	if (check) {
		diag_info(d, d->errors || left ? "streams NOT sorted" : "all streams sorted");
		return left;
	}
	const char *rest = sum.changed + sum.same < t->nstreams ? "; the others have errors" : "";
	diag_info(d, "%zu of %zu streams %s, %zu need no change%s", sum.changed, t->nstreams,
		o->dry_run ? "would be sorted" : "sorted", sum.same, left ? "" : rest);
	return left;
}

static int
run(struct diag *d, const char *dir, struct sortstream_options *o, bool check)
{
	const struct trace_options to = { .events_only = true, .raw_clocks = true, .inputs = inputs };
	struct trace t;
	size_t left = 0;
	int rc = trace_open(&t, d, dir, &to);
	if (rc == 0 && !t.format->wire)
		rc = diag_error(d, ERR_NO_TRACE, NULL, "'%s' is a trace of %s, and ovnisort is for streams of libovni\n"
						       "hint: there is nothing to sort in it: ovniemu takes it as it is",
			dir, t.format->name);
	if (rc == 0) {
		diag_info(d, "loaded %zu streams", t.nstreams);
		left = take_all(&t, o, check);
	}
	trace_close(&t);
	return stop && (left || d->errors) ? 128 + stop : rc < 0 || d->errors || left;
}

int
main(int argc, char **argv)
{
	struct diag d = { .program = "ovnisort", .level = DIAG_NORMAL };
	struct sortstream_options o = { .stop = &stop };
	uint64_t window = WINDOW_DEFAULT;
	struct progress progress;
	bool check = false;
	progress_init(&progress);
	const struct cli_option options[] = {
		{ 'c', "check", NULL, "only check that clocks do not go back; change nothing", CLI_FLAG, &check },
		{ 'n', "window", "N", "look back N - 1 events (default: 1000000)", CLI_NUMBER, &window, WINDOW_MAX, WINDOW_MIN },
		{ 0, "all", NULL, "sort whole streams, whatever their regions", CLI_FLAG, &o.all },
		{ 0, "dry-run", NULL, "say what would be sorted; change nothing", CLI_FLAG, &o.dry_run },
		{ CLI_PROGRESS(&progress) },
		{ CLI_QUIET(&d) },
		{ 'v', "verbose", NULL, "also name the streams that need no change", CLI_SET, &d.level, DIAG_VERBOSE },
	};
	const struct cli cli = {
		.program = d.program,
		.synopsis = "[options] TRACEDIR",
		.about = "Sort the late events of the streams in TRACEDIR, those between OU[ and OU].\n"
			 "Each stream is replaced as a whole when it is done, or left as it was.",
		.footer = "Status: 0 good, 1 bad stream, or not sorted, 2 wrong usage. Manual: man ovnisort\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	int opt = cli_directory(&cli, cli_next(&cli, argc, argv), argc);
	if (opt != CLI_END)
		return cli_status(opt);
	o.reach = window - 1;
	o.progress = progress.wanted && d.level > DIAG_QUIET ? &progress : NULL;
	cli_catch_signals(on_signal);
	return run(&d, argv[optind], &o, check);
}
