/* SPDX-License-Identifier: MIT */
/* events: the events between two times. */
#include "show.h"
#include "walk.h"

int
run_events(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
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
