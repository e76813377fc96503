/* SPDX-License-Identifier: MIT */
/* cmd_tail: what a trace recorded last, and what it records while it grows. */
#include "show.h"
#include "timetext.h"

#include <getopt.h>
#include <time.h>

enum {
	OPT_INTERVAL = OPT_OWN,
	OPT_TIMEOUT,
};

#define PS_PER_NS UINT64_C(1000)
#define PS_PER_S UINT64_C(1000000000000)

static const struct cli_option options[] = {
	{ 'f', "follow", NULL, "go on with what is added, until the trace is complete" },
	{ 'n', "segments", "N", "begin N segments before the end (default: 1)" },
	{ OPT_INTERVAL, "interval", "TIME", "with -f, look for more that often (default: 100ms)" },
	{ OPT_TIMEOUT, "timeout", "TIME", "with -f, give up when nothing comes for so long" },
};

struct tail {
	struct tool *tool;
	struct source *src;
	bool follow;
	uint64_t segments;
	uint64_t interval_ps;
	uint64_t timeout_ps; /* 0: none */
	uint64_t quiet_ps;   /* for how long nothing has come */
	uint32_t next;       /* segment to print */
	int status;
};

/* Sleeps between two looks. false: nothing came for too long (reported). */
static bool
wait_for_more(struct tail *t, const char *path)
{
	if (t->timeout_ps && t->quiet_ps >= t->timeout_ps) {
		char buf[TIME_TEXT_MAX];
		utool_error(t->tool, "timeout", "nothing came for %s\n  in %s\n  hint: its writer may have been stopped: `uscope recover` makes it complete",
			time_text(buf, t->timeout_ps), path);
		t->status = STATUS_BAD;
		return false;
	}
	struct timespec ts = { .tv_sec = (time_t)(t->interval_ps / PS_PER_S), .tv_nsec = (long)(t->interval_ps % PS_PER_S / PS_PER_NS) };
	(void)nanosleep(&ts, NULL);
	t->quiet_ps = t->quiet_ps + t->interval_ps < t->quiet_ps ? UINT64_MAX : t->quiet_ps + t->interval_ps;
	return true;
}

/* A file that has just been created lacks its begin. */
static bool
open_growing(struct tail *t, const char *path)
{
	uscope_error_t e;
	uscope_reader_t *r;
	do {
		e = (uscope_error_t){ .segment = -1 };
		r = uscope_reader_open_ex(path, NULL, &e);
	} while (!r && t->follow && e.status == USCOPE_E_TRUNCATED && wait_for_more(t, path));
	if (!r && t->status == STATUS_GOOD) {
		t->src->path = path;
		t->status = utool_fail(t->tool, t->src, &e);
	}
	if (!r)
		return false;
	if (utool_adopt(t->tool, t->src, path, r) && utool_pick(t->tool, t->src))
		return true;
	t->status = t->tool->status;
	return false;
}

static void
print_segment(struct tail *t, const struct show *show)
{
	uscope_item_iter_t *it = uscope_segment_items(t->src->reader, t->next);
	uscope_item_t item;
	while (it && !utool_stop(t->tool) && uscope_item_next(it, &item))
		if (is_picked(t->src, &item))
			print_item(show, &item);
	if (!it || uscope_item_iter_status(it) < 0)
		t->status = utool_failed(t->tool, t->src);
	uscope_item_iter_free(it);
	t->next++;
}

/* false: the end. */
static bool
get_more(struct tail *t)
{
	if (!t->follow || uscope_is_complete(t->src->reader))
		return false;
	if (uscope_poll_new_segments(t->src->reader) || uscope_is_complete(t->src->reader)) {
		t->quiet_ps = 0;
		return true;
	}
	if (uscope_reader_status(t->src->reader) < 0) {
		t->status = utool_failed(t->tool, t->src);
		return false;
	}
	return wait_for_more(t, t->src->path);
}

static int
run(struct tool *tool, int argc, char **argv)
{
	struct tail t = { .tool = tool, .src = &tool->in[0], .segments = 1, .interval_ps = PS_PER_S / 10 };
	int opt;
	while ((opt = utool_next(tool, argc, argv)) >= 0) {
		bool good = true;
		if (opt == 'f')
			t.follow = true;
		else if (opt == 'n')
			good = utool_number(tool, "--segments", optarg, UINT32_MAX, &t.segments);
		else if (opt == OPT_INTERVAL)
			good = utool_time(tool, "--interval", optarg, &t.interval_ps);
		else
			good = utool_time(tool, "--timeout", optarg, &t.timeout_ps);
		if (!good)
			return STATUS_USAGE;
	}
	if (!utool_ready(tool, opt, argc, argv, 1))
		return tool->status;
	/* Not all the time, and not asleep for years either. */
	t.interval_ps = t.interval_ps < PS_PER_S / 1000 ? PS_PER_S / 1000 : t.interval_ps;
	t.interval_ps = t.interval_ps > 3600 * PS_PER_S ? 3600 * PS_PER_S : t.interval_ps;
	if (!open_growing(&t, argv[optind]))
		return t.status;

	struct show show = show_of(tool, t.src);
	uint32_t n = uscope_num_segments(t.src->reader);
	t.next = n > t.segments ? n - (uint32_t)t.segments : 0;
	do {
		while (t.next < uscope_num_segments(t.src->reader) && !utool_stop(tool))
			print_segment(&t, &show);
		(void)wbuf_flush(&tool->out);
	} while (!utool_stop(tool) && get_more(&t));
	return t.status;
}

const struct command command_tail = {
	.name = "tail",
	.synopsis = "[options] [-f] FILE",
	.brief = "what came last; -f: what is added, until it is complete",
	.about = "Print the last operations and events; with -f also those to come.",
	.with = WITH_JSON | WITH_PICK | WITH_VALUES | WITH_OUTPUT,
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.run = run,
};
