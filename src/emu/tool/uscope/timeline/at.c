/* SPDX-License-Identifier: MIT */
/* at: what all rows show at a time. */
#include "jsonout.h"
#include "uscope/show.h"
#include "timeline.h"
#include "text.h"

#include <string.h>

/* The table of a class. */
struct table {
	const struct timeline *t;
	const struct tlclass *class;
	const bool *rows; /* that are chosen */
	const uscope_state_t *state;
	struct arena arena;
	const struct tlchannel **columns;
	size_t *widths;
	size_t ncolumns;
	size_t first_width; /* of the names of the rows */
	const char **cells; /* by row, then by column */
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
		shown = b->rows[row] && raw_at(b, ch, row);
	return shown;
}

static const char *
make_cell(struct table *b, const struct tlchannel *ch, uint32_t row)
{
	uint64_t raw = raw_at(b, ch, row);
	int64_t value;
	char buf[TLLABEL_NUMBER];
	(void)tllabel_value(&b->t->file, ch, raw, &value);
	const char *label = tllabel_of(&b->t->file, ch, &raw, value);
	if (raw == 0 && (!label || !*label))
		return "-";
	const char *text = tllabel_text(&b->t->file, ch, &raw, value, buf);
	return arena_strndup(&b->arena, text, strlen(text));
}

/* false: no memory. */
static bool
fill(struct table *b)
{
	const struct tlclass *c = b->class;
	b->columns = arena_new(&b->arena, const struct tlchannel *, c->nchannels);
	b->widths = arena_new(&b->arena, size_t, c->nchannels);
	if (!b->columns || !b->widths)
		return false;
	b->first_width = tltext_width(c->name);
	for (uint32_t row = 0; row < c->nrows; row++)
		if (b->rows[row])
			tltext_widen(&b->first_width, c->names[row]);
	for (uint32_t i = 0; i < c->nchannels; i++) {
		if (!is_shown(b, c->channels[i]))
			continue;
		b->widths[b->ncolumns] = tltext_width(c->channels[i]->name);
		b->columns[b->ncolumns++] = c->channels[i];
	}
	b->cells = arena_alloc(&b->arena, c->nrows, b->ncolumns * sizeof(*b->cells));
	for (uint32_t row = 0; b->cells && row < c->nrows; row++) {
		for (size_t i = 0; b->rows[row] && i < b->ncolumns; i++) {
			const char *text = make_cell(b, b->columns[i], row);
			if (!text)
				return false;
			tltext_widen(&b->widths[i], text);
			b->cells[row * b->ncolumns + i] = text;
		}
	}
	return b->cells;
}

/* A row of the table, or its head: cells NULL. */
static void
print_line(const struct table *b, const char *name, const char *const *cells)
{
	struct wbuf *w = &b->t->tool->out;
	tltext_pad(w, name, b->first_width, b->ncolumns == 0);
	for (size_t i = 0; i < b->ncolumns; i++) {
		put_str(w, "  ");
		tltext_pad(w, cells ? cells[i] : b->columns[i]->name, b->widths[i], i + 1 == b->ncolumns);
	}
	put_str(w, "\n");
}

static void
print_table(const struct table *b)
{
	put_str(&b->t->tool->out, "\n");
	print_line(b, b->class->name, NULL);
	for (uint32_t row = 0; row < b->class->nrows && !utool_stop(b->t->tool); row++)
		if (b->rows[row])
			print_line(b, b->class->names[row], &b->cells[row * b->ncolumns]);
}

static void
print_json(const struct table *b, uint64_t time_ps)
{
	struct wbuf *w = &b->t->tool->out;
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
			uint64_t raw = raw_at(b, ch, row);
			json_open(w, NULL, '{');
			tltext_json_channel(w, ch);
			tltext_json_state(w, f, ch, &raw, 0);
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
	struct wbuf *w = &t->tool->out;
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
		if (t->tool->json) {
			print_json(&b, time_ps);
		} else {
			good = fill(&b);
			if (good)
				print_table(&b);
		}
		arena_finish(&b.arena);
	}
	uscope_state_free(state);
	return good ? STATUS_GOOD : utool_no_memory(t->tool);
}
