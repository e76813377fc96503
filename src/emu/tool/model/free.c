/* SPDX-License-Identifier: MIT */
/* The subcommand free: letters and PRV types that no model has. */
#include "clash.h"
#include "free.h"
#include "puttext.h"
#include "tool.h"

#include <ctype.h>

enum {
	TYPES_MAX = 10000, /* far above those of all models; the rest is free */
};

static void
note(bool *used, int type)
{
	if (type > 0 && type < TYPES_MAX)
		used[type] = true;
}

static void
note_model(bool *used, const struct model *m)
{
	for (size_t i = 0; i < m->nchans; i++)
		note(used, m->chans[i].prv_type);
	if (m->breakdown)
		note(used, m->breakdown->prv_type);
}

/* "9 11-19": what is free from one type up to another one. */
static void
put_types(struct wbuf *w, const bool *used, int from, int to)
{
	for (int i = from; i <= to; i++) {
		int end = i;
		if (used[i])
			continue;
		while (end < to && !used[end + 1])
			end++;
		wbuf_printf(w, end > i ? " %d-%d" : " %d", i, end);
		i = end;
	}
}

/* The letters of a class that no model has. */
static void
put_letters(struct wbuf *w, const struct model_set *set, int (*is)(int c))
{
	for (uint8_t c = '!'; c < 0x7f; c++)
		if (is(c) && !modelset_find(set, c))
			wbuf_printf(w, " %c", c);
}

static int
run(struct conv *c, int argc, char **argv)
{
	bool used[TYPES_MAX] = { false };
	struct mtool *t = mtool_of(c);
	(void)argc;
	(void)argv;
	int rc = mtool_ready(t);
	if (rc == 0)
		rc = conv_open_output(c, NULL);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < t->plugins.set.n; i++)
		note_model(used, t->plugins.set.items[i].model);
	for (int i = CLASH_MARKS; i < CLASH_MARKS_END; i++)
		used[i] = true;
	struct wbuf *w = &c->out;
	put_str(w, "For models outside ovniscope, which will never have them:\n  letters");
	put_letters(w, &t->plugins.set, islower);
	put_str(w, "\n  types  ");
	put_types(w, used, FREE_TYPES, FREE_TYPES_END - 1);
	put_str(w, "\nNot used today:\n  letters");
	put_letters(w, &t->plugins.set, isupper);
	put_letters(w, &t->plugins.set, isdigit);
	put_str(w, "\n  types  ");
	put_types(w, used, CLASH_BASE, FREE_TYPES - 1);
	put_types(w, used, FREE_TYPES_END, TYPES_MAX - 1);
	put_str(w, ", and all above\n");
	return 0;
}

const struct conv_command mcommand_free = {
	.name = "free",
	.synopsis = "[options]",
	.brief = "print letters and types that no model has",
	.about = "Print the letters and PRV types that no model has, for a new one.",
	.with = MTOOL_WITH_MODEL,
	.max_args = 0,
	.run = run,
};
