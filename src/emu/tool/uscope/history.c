/* SPDX-License-Identifier: MIT */
/* history: the values of one cell of the state over time. */
#include "cell.h"
#include "show.h"
#include "walk.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

struct history {
	struct source *src;
	struct cell cell;
	uscope_state_t *state; /* right at the cell only */
	const char *becomes;   /* only this value; NULL: all */
	bool is_number;        /* it is `number` */
	uint64_t number;
	bool first;
	bool count;
	uint64_t found;
};

/* ---- The value that is looked for. ---- */

/* Reads a number that the field can hold. */
static bool
parse_number(const uscope_field_t *f, const char *text, uint64_t *to)
{
	char *end;
	bool negative = *text == '-';
	bool hex = strncmp(text, "0x", 2) == 0;
	if (!strchr("0123456789", text[negative]) || !text[negative])
		return false;
	errno = 0;
	uint64_t v = negative ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, hex ? 16 : 10);
	*to = value_cut(f, v);
	return !errno && !*end && (v == *to || (value_is_signed(f) && v == (uint64_t)value_signed(f, *to)));
}

/* false: the field never holds it (reported). */
static bool
take_wanted(struct history *h, struct tool *t)
{
	const uscope_field_t *f = h->cell.type;
	bool raw = t->raw;
	if (!h->becomes || (f->type == USCOPE_STRING_REF && !raw))
		return true;
	for (uint32_t v = 0; v <= UINT8_MAX && f->type == USCOPE_ENUM && !raw; v++) {
		const char *label = uscope_enum_label(h->src->schema, f->enum_id, (uint8_t)v);
		if (label && strcmp(label, h->becomes) == 0)
			return true;
	}
	h->is_number = true;
	if (f->type == USCOPE_BOOL && (strcmp(h->becomes, "true") == 0 || strcmp(h->becomes, "false") == 0)) {
		h->number = *h->becomes == 't';
		return true;
	}
	if (parse_number(f, h->becomes, &h->number))
		return true;
	t->status = conv_usage(&t->conv, "--becomes '%s': %s has no such value, its type is %s", h->becomes, f->name, uscope_type_name(f->type));
	return false;
}

static bool
is_wanted(const struct history *h, uint64_t value)
{
	if (!h->becomes || h->is_number)
		return !h->becomes || value == h->number;
	uint32_t n = 0;
	const char *text = value_text(h->src, h->cell.type, value, &n);
	return text && n == strlen(h->becomes) && memcmp(text, h->becomes, n) == 0;
}

/* ---- Lines. ---- */

static void
put_csv_line(const struct history *h, const char *kind, uint64_t time_ps, bool valid, uint64_t value)
{
	struct wbuf *w = h->src->w;
	uint32_t n = 0;
	const char *label = valid ? value_text(h->src, h->cell.type, value, &n) : NULL;
	put_u64(w, time_ps);
	wbuf_printf(w, ",%s,", kind);
	if (valid)
		show_number(h->src, h->cell.type, value);
	put_str(w, ",");
	if (label)
		put_csv(w, label, n);
	put_str(w, "\n");
}

static void
put_line(const struct history *h, const char *kind, uint64_t time_ps, bool valid, uint64_t value)
{
	const struct source *s = h->src;
	if (!s->tool->json && s->tool->csv) {
		put_csv_line(h, kind, time_ps, valid, value);
		return;
	}
	show_begin(s, kind, time_ps);
	if (!s->tool->json)
		wbuf_printf(s->w, valid ? "%-5s  " : "%s", kind);
	else if (!valid)
		json_str(s->w, "value", NULL);
	if (valid) {
		show_key(s, "value", "");
		show_value(s, h->cell.type, value);
	}
	show_end(s);
}

/* What is there at the begin, or behind a gap. */
static void
put_state(const struct history *h, uint64_t time_ps)
{
	bool valid = cell_is_valid(&h->cell, h->state);
	if (!h->count && !h->first && !h->becomes)
		put_line(h, "init", time_ps, valid, valid ? cell_value(&h->cell, h->state) : 0);
}

/* ---- The walk. ---- */

/* Starts over behind a segment that cannot be read. */
static void
jump(struct history *h, const uscope_item_t *item)
{
	uscope_state_t *state = uscope_segment_checkpoint(h->src->reader, item->segment);
	if (!state)
		return;
	uscope_state_free(h->state);
	h->state = state;
	put_state(h, item->time_ps);
}

/* Whether the item is a change that is looked for. */
static bool
take(struct history *h, const uscope_item_t *item)
{
	bool was_valid = cell_is_valid(&h->cell, h->state);
	uint64_t before = cell_value(&h->cell, h->state);
	uscope_state_apply(h->state, item);
	bool valid = cell_is_valid(&h->cell, h->state);
	uint64_t value = cell_value(&h->cell, h->state);
	if (valid == was_valid && value == before)
		return false;
	if (h->becomes && (!valid || !is_wanted(h, value)))
		return false;
	h->found++;
	if (!h->count)
		put_line(h, action_name(item), item->time_ps, valid, value);
	return true;
}

static void
put_count(const struct history *h)
{
	const struct source *s = h->src;
	if (s->tool->json) {
		json_open(s->w, NULL, '{');
		json_str(s->w, "kind", "count");
		json_u64(s->w, "count", h->found);
		json_end(s->w);
		return;
	}
	wbuf_printf(s->w, "%s%" PRIu64 "\n", s->tool->csv ? "count\n" : "", h->found);
}

static int
walk_all(struct history *h)
{
	struct tool *t = h->src->tool;
	uint64_t time_ps;
	h->state = walk_state(h->src, &time_ps);
	if (!h->state)
		return -1;
	if (!t->json && t->csv && !h->count)
		put_str(h->src->w, "time_ps,kind,value,label\n");
	put_state(h, time_ps);
	struct walk walk;
	uscope_item_t item;
	walk_begin(&walk, t, h->src, t->from, t->to);
	while (walk_next(&walk, &item)) {
		if (walk.jumped) {
			walk.jumped = false;
			jump(h, &item);
		}
		if (cell_is_changed(&h->cell, &item) && take(h, &item) && h->first)
			break;
	}
	if (h->count)
		put_count(h);
	uscope_state_free(h->state);
	return walk_end(&walk);
}

int
run_history(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	struct history h = { .src = &t->in[0] };
	const struct cli_option own[] = {
		{ 0, "becomes", "VALUE", "only where it becomes this: a number, label or text", CLI_TEXT, &h.becomes },
		{ 0, "first", NULL, "only the first change", CLI_FLAG, &h.first },
		{ 0, "count", NULL, "only how many changes there are", CLI_FLAG, &h.count },
	};
	int last = conv_next(&t->conv, UTOOL_OPTIONS(own), argc, argv);
	if (last == CLI_END && argc - optind < 2)
		return conv_usage(&t->conv, "a place, such as rob[3].done, and a file are expected");
	if (!utool_ready(t, last, argc, argv, 2) || !utool_load(t, h.src, argv[optind + 1]) ||
		!cell_find(t, h.src, argv[optind], &h.cell) || !take_wanted(&h, t))
		return t->status;
	return walk_all(&h);
}
