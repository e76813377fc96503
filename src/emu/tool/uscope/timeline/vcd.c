/* SPDX-License-Identifier: MIT */
/* vcd: a timeline as a value change dump for waveform viewers: a module for each class, in it one for each
 * thread or CPU, in it a variable for each channel that shows anything. Labels are string variables, which
 * GTKWave knows and the standard does not. A punctual value lasts for a nanosecond. */
#include "uscope/exporter.h"
#include "uscope/vcdout.h"
#include "labelhash.h"
#include "timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	PULSE_PS = 1000,
	NUMBER_BITS = 64,
};

struct tlvar {
	uint32_t number;    /* of the variable, plus 1; 0: it shows nothing */
	uint64_t raw;       /* of the field */
	uint64_t pulse_end; /* until then a punctual value hides it */
};

/* A punctual value that is shown. */
struct pulse {
	uint64_t end_ps;
	const struct tlchannel *channel;
	uint32_t row;
};

struct tlvcd {
	struct vcdout out;
	struct source *src;
	struct tlfile file;
	struct tlvar *vars;   /* by cell */
	bool *texts;          /* by channel: its values are shown by their labels */
	struct pulse *pulses; /* in the order of their ends */
	size_t npulses, pulses_cap;
	size_t first_pulse; /* that goes on */
};

/* ---- What shows anything. ---- */

static struct tlvar *
var_of(const struct tlvcd *v, const struct tlchannel *ch, uint32_t row)
{
	return &v->vars[tlfile_cell(&v->file, ch, row)];
}

/* The channel of an operation. NULL: it is of none. */
static const struct tlchannel *
channel_of(const struct tlvcd *v, const uscope_item_t *item)
{
	bool sets = item->action == USCOPE_SLOT_SET || item->action == USCOPE_SLOT_ADD;
	const struct tlchannel *ch = sets && !item->bad ? tlfile_channel(&v->file, item->storage, item->field) : NULL;
	return ch && item->slot < v->file.classes[ch->class].nrows ? ch : NULL;
}

static void
mark_state(struct tlvcd *v, const uscope_state_t *state)
{
	for (uint32_t i = 0; i < v->file.nchannels; i++) {
		const struct tlchannel *ch = &v->file.channels[i];
		for (uint32_t row = 0; v->src->picked.storages[ch->storage] && row < v->file.classes[ch->class].nrows; row++)
			if (uscope_slot_field_raw(state, ch->storage, (uint16_t)row, ch->field))
				var_of(v, ch, row)->number = 1;
	}
}

static void
mark_item(struct tlvcd *v, const uscope_item_t *item)
{
	if (!is_picked(v->src, item))
		return;
	uint32_t row = item->slot;
	int64_t value;
	bool punctual = item->kind == USCOPE_ITEM_EVENT;
	const struct tlchannel *ch = punctual ? tlfile_punctual(&v->file, item, &row, &value) : channel_of(v, item);
	if (ch && (punctual || item->value))
		var_of(v, ch, row)->number = 1;
}

/* Marks what shows anything in the range, before the header. Damage is told of later, when the changes are written. */
static bool
mark_all(struct tlvcd *v)
{
	const struct tool *t = v->src->tool;
	uscope_reader_t *r = v->src->reader;
	uint64_t begin;
	uscope_state_t *state = walk_state(v->src, &begin);
	bool damaged = false;
	for (uint32_t i = 0; state && i < uscope_num_segments(r) && !utool_stop(t); i++) {
		uscope_segment_t seg;
		if (uscope_segment_info(r, i, &seg) == 0 && (seg.time_end_ps < t->from || seg.time_start_ps > t->to))
			continue;
		uscope_state_t *again = damaged ? uscope_segment_checkpoint(r, i) : NULL;
		if (again)
			mark_state(v, again);
		uscope_state_free(again);
		uscope_item_iter_t *it = uscope_segment_items(r, i);
		uscope_item_t item;
		while (it && uscope_item_next(it, &item) && item.time_ps <= t->to)
			if (item.time_ps >= t->from)
				mark_item(v, &item);
		damaged = !it || uscope_item_iter_status(it) < 0;
		uscope_item_iter_free(it);
	}
	if (state)
		mark_state(v, state);
	uscope_state_free(state);
	return state;
}

/* ---- The header. ---- */

/* Whether the values of a channel are shown by their labels: not if only its error states have some. */
static bool
has_labels(const struct tlvcd *v, const struct tlchannel *ch)
{
	const struct tllabel *l = ch->first;
	while (l && (l->value == TL_BAD || l->value == TL_TOO_MANY))
		l = l->next;
	return !v->src->tool->raw && (ch->kind == TL_ENUM || ch->kind == TL_TEXT || l);
}

static bool
is_text(const struct tlvcd *v, const struct tlchannel *ch)
{
	return v->texts[ch - v->file.channels];
}

/* Numbers the variables of a row. Returns whether there are any. */
static bool
number_row(struct tlvcd *v, const struct tlclass *c, uint32_t row, uint32_t *n)
{
	uint32_t before = *n;
	for (uint32_t i = 0; i < c->nchannels; i++) {
		struct tlvar *var = var_of(v, c->channels[i], row);
		var->number = var->number ? ++*n : 0;
	}
	return *n > before;
}

/* Names a row; a name that a row before it has, as threads of two nodes may, with its number. false: no memory. */
static bool
name_row(struct tlvcd *v, const struct tlclass *c, uint32_t row, struct idmap *names, char word[PATH_CUT])
{
	size_t n = vcdout_make_word(word, c->names[row]);
	struct idmap_slot *same = idmap_slot(names, &v->file.arena, (uint64_t)labelhash(word, n));
	if (same && same->value)
		(void)snprintf(word + (n < PATH_CUT - 16 ? n : PATH_CUT - 16), 16, "_row%" PRIu32, row + 1);
	if (same)
		same->value = v;
	return same;
}

static void
put_row(struct tlvcd *v, const struct tlclass *c, uint32_t row, const char *name)
{
	vcdout_open(&v->out, name);
	for (uint32_t i = 0; i < c->nchannels; i++) {
		const struct tlchannel *ch = c->channels[i];
		const struct tlvar *var = var_of(v, ch, row);
		if (!var->number)
			continue;
		/* GTKWave shows integers as decimal numbers with a sign. */
		vcdout_var(&v->out, is_text(v, ch) ? "string" : "integer", is_text(v, ch) ? 1 : NUMBER_BITS, var->number - 1);
		vcdout_word(&v->out, ch->name);
		put_str(v->out.w, " $end\n");
	}
	vcdout_close(&v->out);
}

/* Returns how many variables there are. false in *good: no memory. */
static uint32_t
put_header(struct tlvcd *v, bool *good)
{
	uint32_t n = 0;
	vcdout_begin(&v->out);
	for (int k = 0; k < TL_CLASSES; k++) {
		const struct tlclass *c = &v->file.classes[k];
		struct idmap names = { 0 };
		uint32_t before = n;
		for (uint32_t row = 0; row < c->nrows && *good; row++) {
			char name[PATH_CUT];
			bool first = n == before;
			*good = name_row(v, c, row, &names, name);
			if (!*good || !number_row(v, c, row, &n))
				continue;
			if (first)
				vcdout_open(&v->out, c->name);
			put_row(v, c, row, name);
		}
		if (n > before)
			vcdout_close(&v->out);
	}
	put_str(v->out.w, "$enddefinitions $end\n");
	return n;
}

/* ---- Changes. ---- */

static void
put_value(struct tlvcd *v, const struct tlchannel *ch, const struct tlvar *var, const struct tlstate *state)
{
	if (!is_text(v, ch)) {
		vcdout_bits(&v->out, NUMBER_BITS, (uint64_t)state->value, var->number - 1);
		return;
	}
	/* A state of 0 is none, whatever its label. */
	char buf[TLLABEL_NUMBER];
	bool empty = !state->by_value && state->raw == 0;
	const char *text = empty ? "" : tllabel_text(&v->file, ch, state, buf);
	vcdout_text(&v->out, text, strlen(text), var->number - 1);
}

static void
put_field(struct tlvcd *v, const struct tlchannel *ch, const struct tlvar *var)
{
	struct tlstate state = tllabel_state(&v->file, ch, var->raw);
	put_value(v, ch, var, &state);
}

/* Ends the punctual values that do not show any more. */
static void
end_pulses(struct tlvcd *v, uint64_t time_ps)
{
	for (; v->first_pulse < v->npulses && v->pulses[v->first_pulse].end_ps <= time_ps; v->first_pulse++) {
		const struct pulse *p = &v->pulses[v->first_pulse];
		vcdout_time(&v->out, p->end_ps);
		put_field(v, p->channel, var_of(v, p->channel, p->row));
	}
	if (v->first_pulse == v->npulses)
		v->first_pulse = v->npulses = 0;
}

static void
tlvcd_state(void *self, const uscope_state_t *state, uint64_t time_ps)
{
	struct tlvcd *v = self;
	bool first = !v->out.timed;
	end_pulses(v, time_ps);
	vcdout_time(&v->out, time_ps);
	put_str(v->out.w, first ? "$dumpvars\n" : "");
	for (uint32_t i = 0; i < v->file.nchannels; i++) {
		const struct tlchannel *ch = &v->file.channels[i];
		for (uint32_t row = 0; row < v->file.classes[ch->class].nrows && !utool_stop(v->src->tool); row++) {
			struct tlvar *var = var_of(v, ch, row);
			var->raw = uscope_slot_field_raw(state, ch->storage, (uint16_t)row, ch->field);
			if (var->number)
				put_field(v, ch, var);
		}
	}
	put_str(v->out.w, first ? "$end\n" : "");
}

static void
tlvcd_op(void *self, const uscope_state_t *state, const uscope_item_t *item, bool was_valid, uint64_t before)
{
	(void)was_valid;
	struct tlvcd *v = self;
	const struct tlchannel *ch = channel_of(v, item);
	struct tlvar *var = ch ? var_of(v, ch, item->slot) : NULL;
	if (!var || !var->number)
		return;
	uint64_t raw = uscope_slot_field_raw(state, item->storage, item->slot, item->field);
	if (raw == before)
		return;
	end_pulses(v, item->time_ps);
	vcdout_time(&v->out, item->time_ps);
	var->raw = raw;
	if (item->time_ps >= var->pulse_end)
		put_field(v, ch, var);
}

static void
tlvcd_event(void *self, const uscope_item_t *item)
{
	struct tlvcd *v = self;
	struct tlstate state = { .by_value = true };
	uint32_t row;
	const struct tlchannel *ch = tlfile_punctual(&v->file, item, &row, &state.value);
	struct tlvar *var = ch ? var_of(v, ch, row) : NULL;
	if (!var || !var->number)
		return;
	end_pulses(v, item->time_ps);
	vcdout_time(&v->out, item->time_ps);
	put_value(v, ch, var, &state);
	if (!arena_grow(&v->file.arena, &v->pulses, v->npulses, &v->pulses_cap, sizeof(*v->pulses))) {
		v->out.w->error = v->out.w->error ? v->out.w->error : ENOMEM;
		return;
	}
	var->pulse_end = item->time_ps + PULSE_PS;
	v->pulses[v->npulses++] = (struct pulse){ var->pulse_end, ch, row };
}

static void
tlvcd_end(void *self, uint64_t time_ps)
{
	struct tlvcd *v = self;
	end_pulses(v, UINT64_MAX);
	vcdout_time(&v->out, time_ps);
}

static void
tlvcd_close(void *self)
{
	struct tlvcd *v = self;
	tlfile_finish(&v->file);
}

static bool
prepare(struct tlvcd *v, struct tool *t)
{
	t->status = -1;
	if (!tlfile_open(&v->file, t, v->src))
		return false;
	v->vars = arena_new(&v->file.arena, struct tlvar, (size_t)v->file.ncells + 1);
	v->texts = arena_new(&v->file.arena, bool, v->file.nchannels);
	for (uint32_t i = 0; v->texts && i < v->file.nchannels; i++)
		v->texts[i] = has_labels(v, &v->file.channels[i]);
	bool good = v->vars && v->texts && mark_all(v);
	uint32_t n = good ? put_header(v, &good) : 0;
	if (!good)
		t->status = conv_no_memory(&t->conv);
	if (n > VCDOUT_VARIABLES_MAX)
		t->status = vcdout_too_many(&t->conv, n, v->src->path);
	return good && n <= VCDOUT_VARIABLES_MAX;
}

static void *
tlvcd_open(struct tool *t, struct source *s, bool labels)
{
	(void)labels; /* a timeline is of little use without */
	struct tlvcd *v = arena_new(&s->arena, struct tlvcd, 1);
	if (!v) {
		t->status = conv_no_memory(&t->conv);
		return NULL;
	}
	*v = (struct tlvcd){ .out = { .w = s->w }, .src = s };
	if (prepare(v, t))
		return v;
	tlvcd_close(v);
	return NULL;
}

const struct exporter timeline_vcd_exporter = {
	.name = "vcd",
	.open = tlvcd_open,
	.state = tlvcd_state,
	.op = tlvcd_op,
	.event = tlvcd_event,
	.end = tlvcd_end,
	.close = tlvcd_close,
};
