/* SPDX-License-Identifier: MIT */
/* diff: where the states or events of two files differ. */
#include "diffstate.h"
#include "uscope/layout.h"

#include <getopt.h>

/* The events of a file. The payload lives until the next call. */
struct events {
	uscope_event_iter_t *it;
	bool ready;
	uint64_t time_ps;
	uint16_t type;
	const uint8_t *payload;
};

struct diff {
	struct tool *tool;
	struct source *in;
	struct wbuf *w;
	struct pairs pairs;
	struct diffstate *states;
	struct events events[SIDES];
	uint64_t found;
	bool all;
	bool failed;
};

/* ---- Printing. ---- */

/* Counts a difference. false: no more are wanted. */
static bool
go_on(struct diff *d)
{
	d->found++;
	return d->all && !utool_stop(d->tool);
}

static bool
put_missing(void *user, const char *what, int in, uint16_t scope, const char *owner, const char *field)
{
	struct diff *d = user;
	const struct source *s = &d->in[in];
	if (d->tool->json) {
		json_open(d->w, NULL, '{');
		json_str(d->w, "kind", "schema");
		json_str(d->w, "what", what);
	} else {
		wbuf_printf(d->w, "schema  %s ", what);
	}
	show_path(s, scope, "name", owner);
	if (field && d->tool->json)
		json_str(d->w, "field", field);
	else if (field) {
		put_str(d->w, ".");
		put_text(d->w, field, strlen(field));
	}
	if (d->tool->json)
		json_str(d->w, "in", in ? "b" : "a");
	else
		wbuf_printf(d->w, ": only in %s", s->path);
	show_end(s);
	return go_on(d);
}

static void
put_cell_value(struct diff *d, const struct cell *c, int side)
{
	uint64_t v = diffstate_raw(d->states, c, side);
	const uscope_field_t *f = cell_field(d->in, c, side);
	show_key(d->in, side ? "b" : "a", side ? " | " : ": ");
	if (f)
		show_value(&d->in[side], f, v);
	else if (d->tool->json)
		put_str(d->w, v ? "true" : "false");
	else
		put_str(d->w, v ? "valid" : "invalid");
}

static bool
put_cell(void *user, uint64_t time_ps, const struct cell *c)
{
	static const char *const kinds[] = { [CELL_VALID] = "valid", [CELL_FIELD] = "field", [CELL_PROPERTY] = "property" };
	struct diff *d = user;
	const struct source *a = &d->in[0];
	const uscope_storage_t *st = &a->schema->storages[c->storage->id[0]];
	show_begin(a, kinds[c->kind], time_ps);
	show_path(a, st->scope, "storage", st->name);
	if (c->kind != CELL_PROPERTY)
		show_slot(a, c->slot);
	if (c->kind != CELL_VALID) {
		show_key(a, kinds[c->kind], ".");
		show_name(a, cell_field(d->in, c, 0), cell_index(c, 0));
	}
	put_cell_value(d, c, 0);
	put_cell_value(d, c, 1);
	show_end(a);
	return go_on(d);
}

static void
put_event_side(struct diff *d, int side)
{
	const struct events *e = &d->events[side];
	const uscope_event_type_t *type = &d->in[side].schema->events[e->type];
	show_open(d->in, NULL, '{', "");
	show_path(&d->in[side], type->scope, "event", type->name);
	show_payload(&d->in[side], type, e->payload);
	show_close(d->in, '}', "");
}

/* in: the sides that have an event, as bits. */
static bool
put_event(struct diff *d, uint64_t time_ps, unsigned in)
{
	show_begin(d->in, "event", time_ps);
	put_str(d->w, d->tool->json ? "" : "event");
	for (int side = 0; side < SIDES; side++) {
		show_key(d->in, side ? "b" : "a", side ? " | " : " ");
		if (in & (1u << side))
			put_event_side(d, side);
		else
			put_str(d->w, d->tool->json ? "null" : "none");
	}
	show_end(d->in);
	return go_on(d);
}

/* ---- Events. ---- */

/* Whether there is a next event that both could have. */
static bool
look_event(struct diff *d, int side)
{
	struct events *e = &d->events[side];
	const void *payload;
	while (!e->ready && !d->failed) {
		if (!uscope_event_next(e->it, &e->time_ps, &e->type, &payload)) {
			if (uscope_event_iter_status(e->it) < 0) {
				(void)utool_failed(d->tool, &d->in[side]);
				d->failed = true;
			}
			return false;
		}
		e->payload = payload;
		e->ready = d->pairs.events.ids.index[side][e->type] != NO_PAIR;
	}
	return e->ready;
}

static bool
same_event(const struct diff *d)
{
	const struct events *a = &d->events[0];
	const struct events *b = &d->events[1];
	uint16_t pair = d->pairs.events.ids.index[0][a->type];
	if (pair != d->pairs.events.ids.index[1][b->type])
		return false;
	const struct matching *f = &d->pairs.events.at[pair].fields;
	for (uint32_t i = 0; i < f->n; i++) {
		const uscope_field_t *fa = &d->in[0].schema->events[a->type].fields[f->of[0][i]];
		const uscope_field_t *fb = &d->in[1].schema->events[b->type].fields[f->of[1][i]];
		if (!same_value(d->in, fa, load_value(a->payload + fa->offset, fa->size), load_value(b->payload + fb->offset, fb->size)))
			return false;
	}
	return true;
}

/* Compares the events at a time, one by one. false: stop. */
static bool
diff_events(struct diff *d, uint64_t time_ps)
{
	for (;;) {
		unsigned in = 0;
		for (int side = 0; side < SIDES; side++)
			if (look_event(d, side) && d->events[side].time_ps <= time_ps)
				in |= 1u << side;
		if (in == 0 || d->failed)
			return !d->failed;
		bool same = in == 3 && same_event(d);
		for (int side = 0; side < SIDES; side++)
			if (in & (1u << side))
				d->events[side].ready = false;
		if (!same && !put_event(d, time_ps, in))
			return false;
	}
}

/* ---- The tool. ---- */

/* The earlier of what happens next in the states and in the events. */
static bool
next_time(struct diff *d, uint64_t *time_ps)
{
	bool any = diffstate_next(d->states, time_ps);
	for (int side = 0; side < SIDES; side++) {
		if (!look_event(d, side))
			continue;
		if (!any || d->events[side].time_ps < *time_ps)
			*time_ps = d->events[side].time_ps;
		any = true;
	}
	return any && !d->failed && diffstate_status(d->states) == STATUS_GOOD;
}

static void
compare(struct diff *d)
{
	uint64_t time_ps = 0;
	while (next_time(d, &time_ps) && !utool_stop(d->tool))
		if (!diffstate_advance(d->states, time_ps, put_cell, d) || !diff_events(d, time_ps))
			break;
	d->failed = d->failed || diffstate_status(d->states) != STATUS_GOOD;
}

static void
diff_finish(struct diff *d)
{
	for (int side = 0; side < SIDES; side++)
		uscope_event_iter_free(d->events[side].it);
	diffstate_free(d->states);
}

/* A name is good when one of the files has it. */
static bool
pick_both(struct tool *t)
{
	const char *unmatched[SIDES];
	int bad = 0;
	for (int side = 0; side < SIDES; side++) {
		if (pick_from(&t->pick, &t->in[side].paths, &t->in[side].arena, &t->in[side].picked, &unmatched[side]) == 0)
			continue;
		bad++;
		if (!unmatched[side]) {
			t->status = conv_no_memory(&t->conv);
			return false;
		}
	}
	if (bad < SIDES)
		return true;
	t->status = conv_usage(&t->conv, "nothing in %s and %s is named '%s'", t->in[0].path, t->in[1].path, unmatched[0]);
	return false;
}

int
run_diff(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	struct diff d = { .tool = t, .in = t->in, .w = &t->conv.out };
	const struct cli_option own[] = {
		{ 'a', "all", NULL, "all differences, not only the first", CLI_FLAG, &d.all },
	};
	if (!utool_ready(t, conv_next(&t->conv, UTOOL_OPTIONS(own), argc, argv), argc, argv, 2))
		return t->status;
	if (!utool_load(t, &t->in[0], argv[optind]) || !utool_load(t, &t->in[1], argv[optind + 1]) || !pick_both(t))
		return t->status;
	bool paired = pairs_init(&d.pairs, t->in, put_missing, &d);
	if (!paired && d.found == 0)
		return conv_no_memory(&t->conv);
	if (paired) {
		d.states = diffstate_new(t, t->in, &d.pairs);
		for (int side = 0; side < SIDES; side++)
			d.events[side].it = uscope_events_in_range(t->in[side].reader, 0, UINT64_MAX);
		d.failed = !d.states || !d.events[0].it || !d.events[1].it;
		if (d.failed)
			(void)conv_no_memory(&t->conv);
		if (!d.failed)
			compare(&d);
	}
	diff_finish(&d);
	return d.failed ? -1 : d.found ? STATUS_BAD
				       : STATUS_GOOD;
}
