/* SPDX-License-Identifier: MIT */
/* at: what all rows show at a time. */
#include "jsonout.h"
#include "uscope/show.h"
#include "timeline.h"

/* The table of a class. */
struct table {
	const struct timeline *t;
	const struct tlclass *class;
	const bool *rows; /* that are chosen */
	const uscope_state_t *state;
	size_t row_width;
	size_t *widths; /* of the channels; 0: not shown */
	size_t nshown;
};

static uint64_t
raw_at(const struct table *b, const struct tlchannel *ch, uint32_t row)
{
	return uscope_slot_field_raw(b->state, ch->storage, (uint16_t)row, ch->field);
}

/* A column that is empty says nothing, but when it was asked for. */
static bool
is_shown(const struct table *b, const struct tlchannel *ch)
{
	const struct timeline *t = b->t;
	if (!t->pick.channels[ch - t->file.channels])
		return false;
	bool shown = t->pick.by_channel || t->all;
	for (uint32_t row = 0; row < b->class->nrows && !shown; row++)
		shown = b->rows[row] && (raw_at(b, ch, row) || tlfile_has_zero(&t->file, ch, row));
	return shown;
}

/* Valid until the next call. */
static const char *
cell_text(const struct table *b, const struct tlchannel *ch, uint32_t row, char buf[TLLABEL_NUMBER])
{
	struct tlstate state = tllabel_state(&b->t->file, ch, raw_at(b, ch, row));
	const char *label = tllabel_of(&b->t->file, ch, &state);
	if (state.raw == 0 && (!label || !*label) && !tlfile_has_zero(&b->t->file, ch, row))
		return "-";
	return tllabel_text(&b->t->file, ch, &state, buf);
}

static void
find_widths(struct table *b)
{
	const struct tlclass *c = b->class;
	char buf[TLLABEL_NUMBER];
	b->row_width = tltext_width(c->name);
	for (uint32_t row = 0; row < c->nrows; row++)
		if (b->rows[row])
			tltext_widen(&b->row_width, c->names[row]);
	for (uint32_t i = 0; i < c->nchannels; i++) {
		if (!is_shown(b, c->channels[i]))
			continue;
		b->nshown++;
		b->widths[i] = tltext_width(c->channels[i]->name);
		for (uint32_t row = 0; row < c->nrows; row++)
			if (b->rows[row])
				tltext_widen(&b->widths[i], cell_text(b, c->channels[i], row, buf));
	}
}

/* A row of the table, or its head: -1. */
static void
print_line(const struct table *b, int64_t row)
{
	const struct tlclass *c = b->class;
	struct wbuf *w = &b->t->tool->conv.out;
	char buf[TLLABEL_NUMBER];
	size_t left = b->nshown;
	tltext_pad(w, row < 0 ? c->name : c->names[row], b->row_width, left == 0);
	for (uint32_t i = 0; i < c->nchannels; i++) {
		if (!b->widths[i])
			continue;
		put_str(w, "  ");
		tltext_pad(w, row < 0 ? c->channels[i]->name : cell_text(b, c->channels[i], (uint32_t)row, buf), b->widths[i], --left == 0);
	}
	put_str(w, "\n");
}

/* false: no memory. */
static bool
print_table(struct table *b)
{
	b->widths = block_alloc(((size_t)b->class->nchannels + 1) * sizeof(*b->widths));
	if (!b->widths)
		return false;
	find_widths(b);
	put_str(&b->t->tool->conv.out, "\n");
	print_line(b, -1);
	for (uint32_t row = 0; row < b->class->nrows && !utool_stop(b->t->tool); row++)
		if (b->rows[row])
			print_line(b, row);
	block_free(b->widths);
	return true;
}

static void
print_json(const struct table *b, uint64_t time_ps)
{
	struct wbuf *w = &b->t->tool->conv.out;
	const struct tlfile *f = &b->t->file;
	for (uint32_t row = 0; row < b->class->nrows && !utool_stop(b->t->tool); row++) {
		if (!b->rows[row])
			continue;
		json_open(w, NULL, '{');
		json_str(w, "kind", "row");
		json_u64(w, "time_ps", time_ps);
		tltext_json_row(w, f, (enum tl_class)(b->class - f->classes), row);
		json_open(w, "states", '[');
		for (uint32_t i = 0; i < b->class->nchannels; i++) {
			const struct tlchannel *ch = b->class->channels[i];
			if (!b->t->pick.channels[ch - f->channels])
				continue;
			struct tlstate state = tllabel_state(f, ch, raw_at(b, ch, row));
			json_open(w, NULL, '{');
			tltext_json_channel(w, ch);
			tltext_json_state(w, f, ch, &state);
			json_close(w, '}');
		}
		json_close(w, ']');
		json_end(w);
	}
}

/* Whether some row and channel of it is chosen. */
static bool
is_picked_class(const struct timeline *t, int class)
{
	const struct tlclass *c = &t->file.classes[class];
	bool row = false;
	bool channel = false;
	for (uint32_t i = 0; i < c->nrows && !row; i++)
		row = t->pick.rows[class][i];
	for (uint32_t i = 0; i < c->nchannels && !channel; i++)
		channel = t->pick.channels[c->channels[i] - t->file.channels];
	return row && channel;
}

int
timeline_at(struct timeline *t, uint64_t time_ps)
{
	uscope_state_t *state = uscope_state_at(t->file.src->reader, time_ps);
	if (!state)
		return utool_failed(t->tool, t->file.src);
	struct wbuf *w = &t->tool->conv.out;
	if (!t->tool->json) {
		put_str(w, "state at ");
		show_time(w, time_ps);
		put_str(w, !uscope_is_complete(t->file.src->reader) ? ", the file is not finished and goes up to " : time_ps > t->file.end_ps ? ", after the end at "
																	      : " of ");
		show_time(w, t->file.end_ps);
		put_str(w, "\n");
	}
	bool good = true;
	for (int k = 0; k < TL_CLASSES && good; k++) {
		struct table b = { .t = t, .class = &t->file.classes[k], .rows = t->pick.rows[k], .state = state };
		if (!is_picked_class(t, k))
			continue;
		if (t->tool->json)
			print_json(&b, time_ps);
		else
			good = print_table(&b);
	}
	uscope_state_free(state);
	return good ? STATUS_GOOD : conv_no_memory(&t->tool->conv);
}
