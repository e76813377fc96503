/* SPDX-License-Identifier: MIT */
#include "timeline.h"

static void
emit(const struct tlscan *s, const struct tlchannel *ch, uint32_t row, const struct tlcell *c, uint64_t end, bool cut_end)
{
	/* A cell that was never written had no state. */
	bool first = c->raw == 0 && c->since == end;
	bool nothing = c->raw == 0 && !tlfile_has_zero(s->file, ch, row);
	if (first || (!s->all && (nothing || c->since == end)))
		return;
	struct tlspan span = {
		.channel = ch,
		.row = row,
		.begin_ps = c->since,
		.end_ps = end,
		.state = tllabel_state(s->file, ch, c->raw),
		.cut_begin = c->cut,
		.cut_end = cut_end,
	};
	s->span(s->user, &span);
}

/* The values of a state, from that time on. state: NULL is all 0. */
static void
take_state(struct tlscan *s, const uscope_state_t *state, uint64_t time)
{
	const struct tlfile *f = s->file;
	for (uint32_t i = 0; i < f->nchannels; i++) {
		const struct tlchannel *ch = &f->channels[i];
		for (uint32_t row = 0; row < f->classes[ch->class].nrows; row++) {
			struct tlcell *c = &s->cells[tlfile_cell(f, ch, row)];
			uint64_t raw = state ? uscope_slot_field_raw(state, ch->storage, (uint16_t)row, ch->field) : 0;
			if (s->begun && raw == c->raw)
				continue;
			if (s->begun && tlpick_has(s->pick, f, ch, row))
				emit(s, ch, row, c, time, true);
			*c = (struct tlcell){ .raw = raw, .since = time, .cut = s->begun || time > 0 };
		}
	}
	s->begun = true;
}

bool
tlscan_begin(struct tlscan *s, struct timeline *t)
{
	struct tlfile *f = &t->file;
	uint64_t from = t->tool->from;
	*s = (struct tlscan){ .file = f, .pick = &t->pick, .all = t->all };
	s->cells = block_alloc(((size_t)f->ncells + 1) * sizeof(*s->cells));
	if (!s->cells) {
		(void)conv_no_memory(&f->tool->conv);
		return false;
	}
	uscope_state_t *state = NULL;
	if (from > 0) {
		/* Changes at `from` itself come with the items. */
		state = uscope_state_at(f->src->reader, from - 1);
		if (!state && uscope_reader_status(f->src->reader) != USCOPE_E_NODATA) {
			(void)utool_failed(f->tool, f->src);
			return false;
		}
	}
	take_state(s, state, from);
	uscope_state_free(state);
	walk_begin(&s->walk, f->tool, f->src, from, t->tool->to);
	return true;
}

static void
take_op(struct tlscan *s, const uscope_item_t *item)
{
	const struct tlfile *f = s->file;
	if (item->action != USCOPE_SLOT_ADD && item->action != USCOPE_SLOT_SET)
		return;
	const struct tlchannel *ch = tlfile_channel(f, item->storage, item->field);
	if (!ch || item->slot >= f->classes[ch->class].nrows || !tlpick_has(s->pick, f, ch, item->slot))
		return;
	struct tlcell *c = &s->cells[tlfile_cell(f, ch, item->slot)];
	uint64_t raw = tlchannel_apply(ch, c->raw, item);
	if (raw == c->raw && !s->all)
		return;
	emit(s, ch, item->slot, c, item->time_ps, false);
	*c = (struct tlcell){ .raw = raw, .since = item->time_ps };
}

static void
take_event(struct tlscan *s, const uscope_item_t *item)
{
	struct tlspan span = { .begin_ps = item->time_ps, .end_ps = item->time_ps, .state = { .by_value = true } };
	span.channel = tlfile_punctual(s->file, item, &span.row, &span.state.value);
	if (span.channel && tlpick_has(s->pick, s->file, span.channel, span.row))
		s->span(s->user, &span);
}

/* Takes the checkpoint behind a segment that could not be read: changes inside that one are unknown. */
static void
resume(struct tlscan *s, const uscope_item_t *item)
{
	s->walk.jumped = false;
	uscope_state_t *state = uscope_segment_checkpoint(s->file->src->reader, item->segment);
	if (state)
		take_state(s, state, item->time_ps);
	uscope_state_free(state);
}

void
tlscan_run(struct tlscan *s)
{
	uscope_item_t item;
	s->walk.end = uscope_num_segments(s->file->src->reader);
	s->walk.done = false;
	while (walk_next(&s->walk, &item)) {
		if (s->walk.jumped)
			resume(s, &item);
		if (item.bad)
			continue;
		if (item.kind == USCOPE_ITEM_OP)
			take_op(s, &item);
		else if (item.kind == USCOPE_ITEM_EVENT)
			take_event(s, &item);
	}
}

void
tlscan_close(struct tlscan *s)
{
	const struct tlfile *f = s->file;
	uint64_t end = s->walk.to < f->end_ps ? s->walk.to : f->end_ps;
	bool cut_end = end < f->end_ps || !uscope_is_complete(f->src->reader);
	for (int k = 0; k < TL_CLASSES; k++) {
		const struct tlclass *class = &f->classes[k];
		for (uint32_t row = 0; row < class->nrows && !utool_stop(f->tool); row++) {
			for (uint32_t i = 0; i < class->nchannels; i++) {
				struct tlcell *c = &s->cells[tlfile_cell(f, class->channels[i], row)];
				if (tlpick_has(s->pick, f, class->channels[i], row) && c->since <= end)
					emit(s, class->channels[i], row, c, end, cut_end);
			}
		}
	}
}

int
tlscan_finish(struct tlscan *s)
{
	int status = s->begun ? walk_end(&s->walk) : STATUS_BAD;
	block_free(s->cells);
	s->cells = NULL;
	return status;
}
