/* SPDX-License-Identifier: MIT */
/* konata: the pipeline of a processor as a log for the viewer Konata. */
#include "pipeline.h"
#include "walk.h"

#include <getopt.h>

enum {
	OPT_CORE = OPT_OWN,
};

static const struct cli_option options[] = {
	{ OPT_CORE, "core", "PATH", "scope of the processor (default: the first one)" },
};

static int
run(struct tool *t, int argc, char **argv)
{
	const char *core = NULL;
	int opt;
	while ((opt = utool_next(t, argc, argv)) >= 0)
		core = optarg;
	struct source *src = &t->in[0];
	if (!utool_ready(t, opt, argc, argv, 1) || !utool_open(t, src, argv[optind]))
		return t->status;

	int status = STATUS_GOOD;
	struct pipeline *p = pipeline_new(t, src, core, &status);
	if (!p)
		return status;
	if (uscope_num_segments(src->reader)) {
		uscope_state_t *first = uscope_segment_checkpoint(src->reader, 0);
		if (!first) {
			pipeline_free(p);
			return utool_failed(t, src);
		}
		pipeline_begin(p, first);
		uscope_state_free(first);
	}
	struct walk walk;
	uscope_item_t item;
	walk_begin(&walk, t, src, 0, UINT64_MAX);
	walk.stop = true; /* who lives is not known behind a gap */
	while (walk_next(&walk, &item))
		pipeline_item(p, &item);
	pipeline_end(p);
	status = walk_end(&walk);
	pipeline_free(p);
	return status;
}

const struct command command_konata = {
	.name = "konata",
	.synopsis = "[options] FILE",
	.brief = "the pipeline of a processor, for Konata",
	.about = "Print the pipeline of a processor as a log for the viewer Konata.",
	.with = WITH_MODE | WITH_OUTPUT | WITH_PROGRESS,
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.run = run,
};
