/* SPDX-License-Identifier: MIT */
/* timeline: what threads and CPUs did, out of the file that ovniemu writes. */
#include "uscope/follow.h"
#include "timeline.h"
#include <getopt.h>
#include <string.h>

struct request {
	struct timeline t;
	struct tlpatterns patterns;
	struct follow follow;
	const char *prv;
	bool profile;
	bool list;
	size_t row_width;
	size_t channel_width;
};

/* false: reported. */
static bool
add_pattern(struct request *q, bool row, const char *pattern)
{
	size_t *n = row ? &q->patterns.nrows : &q->patterns.nchannels;
	if (*n == TLPICK_MAX) {
		(void)conv_usage(&q->t.tool->conv, "more than %d names of a kind", TLPICK_MAX);
		return false;
	}
	(row ? q->patterns.rows : q->patterns.channels)[(*n)++] = pattern;
	return true;
}

/* Refuses options that exclude each other. false: reported. */
static bool
check_options(struct request *q)
{
	struct tool *t = q->t.tool;
	bool range = t->times[TIME_FROM].text || t->times[TIME_TO].text;
	bool at = t->times[TIME_AT].text;
	bool picks = q->patterns.nrows || q->patterns.nchannels;
	q->list = !at && !q->profile && !q->prv && (range || picks || q->follow.on);
	t->status = 2;
	if (at + q->profile + (q->prv != NULL) > 1)
		(void)conv_usage(&t->conv, "only one of --at, --profile and --prv is possible");
	else if (q->follow.on && !q->list)
		(void)conv_usage(&t->conv, "-f lists intervals: it does not go with --at, --profile and --prv");
	else if (at && range)
		(void)conv_usage(&t->conv, "--at is one time: it does not go with --from and --to");
	else if (q->prv && (picks || t->json))
		(void)conv_usage(&t->conv, "--prv writes all rows and channels: it goes with no choice and no --json");
	else if (q->t.keep_time && !q->prv)
		(void)conv_usage(&t->conv, "--keep-time is for --prv");
	else if (q->t.gzip && !q->prv)
		(void)conv_usage(&t->conv, "--gzip is for --prv");
	else
		return true;
	return false;
}

/* ---- The list of intervals. ---- */

static void
print_span(void *user, const struct tlspan *s)
{
	const struct request *q = user;
	tltext_span(&q->t.file, s, q->row_width, q->channel_width);
}

static void
find_widths(struct request *q)
{
	const struct tlfile *f = &q->t.file;
	for (int k = 0; k < TL_CLASSES; k++)
		for (uint32_t i = 0; i < f->classes[k].nrows; i++)
			if (q->t.pick.rows[k][i])
				tltext_widen(&q->row_width, f->classes[k].names[i]);
	for (uint32_t i = 0; i < f->nchannels; i++)
		if (q->t.pick.channels[i])
			tltext_widen(&q->channel_width, f->channels[i].name);
}

static int
list(struct request *q)
{
	struct tlscan s;
	bool good = tlscan_begin(&s, &q->t);
	if (good) {
		s.span = print_span;
		s.user = q;
		do {
			tlpick_more(&q->t.pick, &q->t.file);
			find_widths(q);
			tlscan_run(&s);
			(void)wbuf_flush(&q->t.tool->conv.out);
		} while (!utool_stop(q->t.tool) && follow_more(&q->follow) && (good = tlfile_learn(&q->t.file)));
		if (good && !utool_stop(q->t.tool))
			tlscan_close(&s);
	}
	int status = tlscan_finish(&s);
	return !good ? STATUS_BAD : q->follow.status ? q->follow.status
						     : status;
}

/* ---- Everything. ---- */

static int
serve(struct request *q)
{
	if (!tlfile_open(&q->t.file, q->t.tool, &q->t.tool->in[0]))
		return STATUS_BAD;
	if (!tlpick_make(&q->t.pick, &q->t.file, &q->patterns))
		return q->t.tool->status;
	const struct tool *t = q->t.tool;
	if (t->times[TIME_AT].text)
		return timeline_at(&q->t, t->at == UINT64_MAX ? q->t.file.end_ps : t->at);
	if (q->profile)
		return timeline_profile(&q->t);
	if (q->prv)
		return timeline_prv(&q->t, q->prv);
	return q->list ? list(q) : timeline_info(&q->t);
}

int
run_timeline(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	static struct request q; /* large */
	q = (struct request){ .t = { .tool = t } };
	follow_init(&q.follow, t, &t->in[0]);
	t->times[TIME_AT].option = "--at";
	const struct cli_option own[] = {
		{ 0, "at", "TIME", "what all rows show then: 1.5ms, 50%, end or end-2us", CLI_TEXT, &t->times[TIME_AT].text },
		{ 'r', "row", "ROW", "list this row: label, number, cpu/NUMBER; with * and ?" },
		{ 'c', "channel", "NAME", "list this channel: name, label or PRV type, likewise" },
		{ 0, "profile", NULL, "how long the rows were in each state", CLI_FLAG, &q.profile },
		{ 0, "prv", "DIR", "write the Paraver files there", CLI_TEXT, &q.prv },
		{ 0, "keep-time", NULL, "with --prv and --from, keep the times of the whole", CLI_FLAG, &q.t.keep_time },
		{ 0, "gzip", NULL, "with --prv, compress the timelines, as .prv.gz", CLI_FLAG, &q.t.gzip },
		{ 'f', "follow", NULL, "list, and go on until the file is complete", CLI_FLAG, &q.follow.on },
		{ 'a', "all", NULL, "also empty states and columns, and what lasts no time", CLI_FLAG, &q.t.all },
		{ 0, "interval", "TIME", "with -f, look for more that often (default: 100ms)", CLI_PS, &q.follow.interval_ps },
		{ 0, "timeout", "TIME", "with -f, give up when nothing comes for so long", CLI_PS, &q.follow.timeout_ps },
	};
	int opt;
	while ((opt = conv_next(&t->conv, UTOOL_OPTIONS(own), argc, argv)) >= 0)
		if (!add_pattern(&q, opt == 'r', optarg))
			return 2;
	c->grows = q.follow.on;
	if (!utool_ready(t, opt, argc, argv, 1) || !check_options(&q))
		return t->status;
	if (!follow_open(&q.follow, argv[optind]))
		return q.follow.status;
	/* The tables come with the first segment. */
	const char *lacks;
	uscope_reader_t *r = t->in[0].reader;
	while (tlfile_is_timeline(r, &lacks) && uscope_num_segments(r) == 0 && follow_more(&q.follow))
		;
	int status = q.follow.status ? q.follow.status : serve(&q);
	tlfile_finish(&q.t.file);
	return status;
}
