/* SPDX-License-Identifier: MIT */
/* dump: all that is recorded, as JSON lines; and events alone. */
#include "show.h"
#include "walk.h"

#include <getopt.h>
#include <inttypes.h>

struct dump {
	struct source *src;
	bool checkpoints;
	uint32_t errors; /* in checkpoints */
};

static void
put_damage(void *user, const uscope_error_t *e)
{
	const struct dump *d = user;
	struct wbuf *w = d->src->w;
	json_open(w, NULL, '{');
	json_str(w, "kind", "damage");
	json_i64(w, "segment", e->segment);
	json_u64(w, "offset", e->offset);
	json_bool(w, "decompressed", e->raw_offset);
	json_str(w, "status", uscope_status_name(e->status));
	json_str(w, "reason", *e->reason ? e->reason : uscope_status_text(e->status));
	json_end(w);
}

static void
on_segment(void *user, uint32_t index)
{
	struct dump *d = user;
	uscope_segment_t seg;
	/* A bad header shows when the items are read. */
	if (uscope_segment_info(d->src->reader, index, &seg) < 0)
		return;
	struct wbuf *w = d->src->w;
	json_open(w, NULL, '{');
	json_str(w, "kind", "segment");
	json_u64(w, "segment", index);
	json_segment(w, &seg);
	json_end(w);
	if (!d->checkpoints)
		return;
	uscope_state_t *state = uscope_segment_checkpoint(d->src->reader, index);
	if (state) {
		show_state(d->src, state, false, "checkpoint", seg.time_start_ps);
	} else {
		const uscope_error_t *e = uscope_reader_error(d->src->reader);
		(void)utool_fail(d->src->tool, d->src, e);
		put_damage(d, e);
		d->errors++;
	}
	uscope_state_free(state);
}

int
run_dump(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	struct source *src = &t->in[0];
	struct dump dump = { .src = src };
	bool frames = false;
	const struct cli_option own[] = {
		{ 0, "frames", NULL, "also a line where each frame begins", CLI_FLAG, &frames },
		{ 0, "checkpoints", NULL, "also the state at the begin of each segment", CLI_FLAG, &dump.checkpoints },
	};
	int last = conv_next(&t->conv, UTOOL_OPTIONS(own), argc, argv);
	if (t->text)
		return conv_usage(&t->conv, "--format=text is not for `dump`, which prints JSON only: see `events`");
	if (!utool_ready(t, last, argc, argv, 1) || !utool_load(t, src, argv[optind]) || !utool_pick(t, src))
		return t->status;
	t->json = true;
	struct walk walk;
	uscope_item_t item;
	walk_begin(&walk, t, src, t->from, t->to);
	walk.damage = put_damage;
	walk.segment = on_segment;
	walk.user = &dump;
	while (walk_next(&walk, &item))
		if (is_picked(src, &item) || (frames && item.kind == USCOPE_ITEM_FRAME))
			show_item(src, &item);
	int status = walk_end(&walk);
	return dump.errors ? STATUS_BAD : status;
}

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
