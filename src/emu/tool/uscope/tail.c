/* SPDX-License-Identifier: MIT */
/* tail: what a trace recorded last, and what it records while it grows. */
#include "follow.h"
#include "show.h"

#include <getopt.h>

struct tail {
	struct source *src;
	struct follow follow;
	uint64_t segments;
	uint32_t next; /* segment to print */
	int status;
};

static void
print_segment(struct tail *t)
{
	uscope_item_iter_t *it = uscope_segment_items(t->src->reader, t->next);
	uscope_item_t item;
	while (it && !utool_stop(t->src->tool) && uscope_item_next(it, &item))
		if (is_picked(t->src, &item))
			show_item(t->src, &item);
	if (!it || uscope_item_iter_status(it) < 0)
		t->status = utool_failed(t->src->tool, t->src);
	uscope_item_iter_free(it);
	t->next++;
}

int
run_tail(struct conv *c, int argc, char **argv)
{
	struct tool *tool = utool_of(c);
	struct tail t = { .src = &tool->in[0], .segments = 1 };
	follow_init(&t.follow, tool, t.src);
	const struct cli_option own[] = {
		{ 'f', "follow", NULL, "go on with what is added, until the trace is complete", CLI_FLAG, &t.follow.on },
		{ 'n', "segments", "N", "begin N segments before the end (default: 1)" },
		{ 0, "interval", "TIME", "with -f, look for more that often (default: 100ms)", CLI_PS, &t.follow.interval_ps },
		{ 0, "timeout", "TIME", "with -f, give up when nothing comes for so long", CLI_PS, &t.follow.timeout_ps },
	};
	int opt;
	while ((opt = conv_next(&tool->conv, UTOOL_OPTIONS(own), argc, argv)) >= 0)
		if (!cli_number(&tool->conv.cli, "--segments", 0, UINT32_MAX, optarg, &t.segments))
			return 2;
	c->grows = t.follow.on;
	if (!utool_ready(tool, opt, argc, argv, 1))
		return tool->status;
	if (!follow_open(&t.follow, argv[optind]))
		return t.follow.status;

	uint32_t n = uscope_num_segments(t.src->reader);
	t.next = n > t.segments ? n - (uint32_t)t.segments : 0;
	do {
		while (t.next < uscope_num_segments(t.src->reader) && !utool_stop(tool))
			print_segment(&t);
		(void)wbuf_flush(&tool->conv.out);
	} while (!utool_stop(tool) && follow_more(&t.follow));
	return t.status ? t.status : t.follow.status;
}
