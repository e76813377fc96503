/* SPDX-License-Identifier: MIT */
/* export: a trace in the form of another program. */
#include "exporter.h"
#include "timeline/file.h"
#include "walk.h"

#include <getopt.h>

struct exporting {
	struct source *src;
	const struct exporter *to;
	void *self;
	uscope_state_t *state;
	uint64_t time_ps; /* does not go back */
};

static const struct exporter *
find_format(const char *name)
{
	static const struct exporter *const formats[] = { &csv_exporter, &vcd_exporter };
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

/* Starts over from a checkpoint, behind a segment that cannot be read. */
static void
jump(struct exporting *e, uint32_t segment)
{
	uscope_state_t *state = uscope_segment_checkpoint(e->src->reader, segment);
	if (!state)
		return;
	uscope_state_free(e->state);
	e->state = state;
	e->to->state(e->self, state, e->time_ps);
}

static void
take_op(struct exporting *e, const uscope_item_t *item)
{
	if (item->bad)
		return;
	bool property = item->action == USCOPE_PROP_SET;
	bool was_valid = uscope_slot_valid(e->state, item->storage, item->slot);
	uint64_t before = property ? uscope_state_prop(e->state, item->storage, item->field)
				   : uscope_slot_field_raw(e->state, item->storage, item->slot, item->field);
	uscope_state_apply(e->state, item);
	if (is_picked(e->src, item))
		e->to->op(e->self, e->state, item, was_valid, before);
}

static void
take(struct exporting *e, struct walk *walk, uscope_item_t *item)
{
	/* Other writers have frames behind the end of their segment. */
	if (item->time_ps < e->time_ps)
		item->time_ps = e->time_ps;
	e->time_ps = item->time_ps;
	if (walk->jumped) {
		walk->jumped = false;
		jump(e, item->segment);
	}
	if (item->kind == USCOPE_ITEM_OP)
		take_op(e, item);
	else if (item->kind == USCOPE_ITEM_EVENT && !item->bad && is_picked(e->src, item))
		e->to->event(e->self, item);
}

static int
export_all(struct exporting *e)
{
	e->state = walk_state(e->src, &e->time_ps);
	if (!e->state)
		return -1;
	e->to->state(e->self, e->state, e->time_ps);
	struct walk walk;
	uscope_item_t item;
	walk_begin(&walk, e->src->tool, e->src, e->src->tool->from, e->src->tool->to);
	while (walk_next(&walk, &item))
		take(e, &walk, &item);
	uint64_t end = uscope_header(e->src->reader)->total_time_ps;
	end = end > e->src->tool->to ? e->src->tool->to : end;
	if (e->to->end)
		e->to->end(e->self, end > e->time_ps ? end : e->time_ps);
	return walk_end(&walk);
}

int
run_export(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	struct exporting e = { .src = &t->in[0] };
	bool labels = false;
	const char *format = NULL;
	const struct cli_option own[] = {
		{ 0, "format", "FORMAT", "csv or vcd; no default", CLI_TEXT, &format },
		{ 0, "labels", NULL, "vcd: labels and texts as strings, for GTKWave", CLI_FLAG, &labels },
	};
	int last = conv_next(&t->conv, UTOOL_OPTIONS(own), argc, argv);
	if (last == CLI_END) {
		if (!format)
			return conv_usage(&t->conv, "--format=csv or --format=vcd is expected");
		e.to = find_format(format);
		if (!e.to)
			return conv_usage(&t->conv, "--format '%s': it is csv or vcd", format);
	}
	if (!utool_ready(t, last, argc, argv, 1) || !e.to || !utool_load(t, e.src, argv[optind]) || !utool_pick(t, e.src))
		return t->status;
	const char *lacks;
	if (e.to == &vcd_exporter && tlfile_is_timeline(e.src->reader, &lacks))
		e.to = &timeline_vcd_exporter;
	e.self = e.to->open(t, e.src, labels);
	if (!e.self)
		return t->status;
	int status = export_all(&e);
	if (e.to->close)
		e.to->close(e.self);
	uscope_state_free(e.state);
	return status;
}
