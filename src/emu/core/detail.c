/* SPDX-License-Identifier: MIT */
#include "detail.h"

#include "emu.h"

static const struct chan_stack *
stack_of(const struct emu *emu, uint32_t thread, uint32_t col)
{
	return &emu->chans.stacks[(size_t)thread * emu->chans.nstacks + emu->chans.cols[col].stack];
}

static void
put_note(struct emu *emu, enum note_kind kind, uint32_t row, uint32_t col, int64_t value)
{
	feed_put_note(&emu->feed, &(struct note){ .time = emu->time, .value = value, .row = row, .col = (uint16_t)col, .kind = (uint8_t)kind });
}

void
detail_stack(struct emu *emu, uint32_t thread, uint32_t col)
{
	if (!emu->detail)
		return;
	const struct chan_stack *s = stack_of(emu, thread, col);
	int64_t top = s->values[s->depth];
	uint32_t depth = s->depth;
	while (depth && s->values[depth - 1] == top)
		depth--;
	for (uint32_t i = 1; i < depth; i++)
		if (s->values[i] != s->values[i - 1])
			put_note(emu, NOTE_UNDER, thread, col, s->values[i]);
}

void
detail_truncate(struct emu *emu, uint32_t col, uint32_t before)
{
	if (!emu->detail)
		return;
	const struct chan_stack *s = stack_of(emu, emu->thread, col);
	/* A record tells of one of them if it shows another value. */
	bool told = s->values[before] != s->values[s->depth];
	for (uint32_t i = s->depth + 1; i <= before; i++) {
		bool counts = s->values[i] != s->values[i - 1];
		if (counts && !told)
			put_note(emu, NOTE_LEFT, emu->thread, col, 0);
		told = told && !counts;
	}
}

void
detail_begin(struct emu *emu)
{
	for (uint32_t col = 0; col < emu->chans.ncols; col++)
		for (const struct late_label *l = emu->labels[col].first; l; l = l->next)
			detail_label(emu, col, &l->label);
}

void
detail_task(struct emu *emu, uint32_t task, bool executed)
{
	put_note(emu, executed ? NOTE_EXECUTED : NOTE_CREATED, emu->thread, (uint32_t)(emu->cur - emu->models), task);
}

void
detail_label(struct emu *emu, uint32_t col, const struct label *label)
{
	if (!emu->detail || !emu->feed.cur)
		return;
	feed_put_note(&emu->feed, &(struct note){ .time = emu->time, .label = label, .col = (uint16_t)col, .kind = NOTE_LABEL });
}
