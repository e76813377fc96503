/* SPDX-License-Identifier: MIT */
/* events: the events between two times. */
#include "show.h"
#include "walk.h"

static int
run(struct tool *t, int argc, char **argv)
{
	struct source *src = &t->in[0];
	if (!utool_begin(t, NULL, 0, argc, argv))
		return t->status;
	struct walk walk;
	uscope_item_t item;
	walk_begin(&walk, t, src, t->from, t->to);
	while (walk_next(&walk, &item))
		if (item.kind == USCOPE_ITEM_EVENT && is_picked(src, &item))
			show_item(src, &item);
	return walk_end(&walk);
}

const struct command command_events = {
	.name = "events",
	.synopsis = "[options] FILE",
	.brief = "events between two times",
	.about = "Print the events of a trace, a line each.",
	.with = WITH_JSON | WITH_MODE | WITH_RANGE | WITH_SCOPE | WITH_EVENT | WITH_VALUES | WITH_OUTPUT | WITH_PROGRESS,
	.run = run,
};
