/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include "uscope/state.h"

enum {
	PROGRESS_ITEMS = 1 << 16, /* between two looks at the clock */
};

uscope_state_t *
walk_state(struct source *s, uint64_t *time_ps)
{
	struct tool *t = s->tool;
	uscope_reader_t *r = s->reader;
	uscope_segment_t seg;
	uscope_state_t *state = NULL;
	*time_ps = t->from;
	if (uscope_num_segments(r) && uscope_segment_info(r, 0, &seg) == 0 && seg.time_start_ps >= t->from) {
		*time_ps = seg.time_start_ps;
		state = uscope_segment_checkpoint(r, 0);
	} else if (t->from) {
		state = uscope_state_at(r, t->from - 1);
	}
	if (state)
		return state;
	/* Nothing is before; or it is damaged, which shows when it is read. */
	state = state_new(s->schema);
	if (!state)
		(void)conv_no_memory(&t->conv);
	return state;
}

void
walk_begin(struct walk *w, struct tool *t, struct source *s, uint64_t from, uint64_t to)
{
	*w = (struct walk){ .tool = t, .src = s, .from = from, .to = to, .end = uscope_num_segments(s->reader) };
	/* Other writers put the last frame at the end of its segment: that one counts. One
	 * whose header cannot be read is tried, and reported. */
	uscope_segment_t seg;
	while (from > 0 && w->next < w->end && uscope_segment_info(s->reader, w->next, &seg) == 0 && seg.time_end_ps < from)
		w->next++;
	w->first = w->next;
}

static void
tell_segment(struct walk *w)
{
	if (w->due && w->segment)
		w->segment(w->user, w->next - 1);
	w->due = false;
}

static bool
next_segment(struct walk *w)
{
	uscope_segment_t seg;
	bool ends_before = false;
	if (w->next >= w->end || (w->stop && w->errors))
		return false;
	if (uscope_segment_info(w->src->reader, w->next, &seg) == 0) {
		if (seg.time_start_ps > w->to)
			return false;
		ends_before = w->from > 0 && seg.time_end_ps <= w->from;
	}
	utool_progress(w->tool, w->next - w->first, w->end - w->first);
	w->it = uscope_segment_items(w->src->reader, w->next);
	if (!w->it) {
		(void)utool_failed(w->tool, w->src);
		w->errors++;
		return false;
	}
	w->next++;
	w->due = true;
	if (!ends_before)
		tell_segment(w);
	return true;
}

/* The end of a segment, or damage in it. */
static void
leave_segment(struct walk *w)
{
	if (uscope_item_iter_status(w->it) < 0) {
		const uscope_error_t *e = uscope_reader_error(w->src->reader);
		(void)utool_fail(w->tool, w->src, e);
		if (w->damage)
			w->damage(w->user, e);
		w->errors++;
		w->jumped = true;
	}
	uscope_item_iter_free(w->it);
	w->it = NULL;
}

bool
walk_next(struct walk *w, uscope_item_t *item)
{
	while (!w->done && !utool_stop(w->tool)) {
		if (!w->it && !next_segment(w))
			break;
		if (!uscope_item_next(w->it, item)) {
			leave_segment(w);
			continue;
		}
		if (++w->count % PROGRESS_ITEMS == 0)
			utool_progress(w->tool, w->next - 0.5 - w->first, w->end - w->first);
		/* Times do not go back inside a segment. */
		if (item->time_ps > w->to) {
			uscope_item_iter_free(w->it);
			w->it = NULL;
			continue;
		}
		if (item->time_ps < w->from)
			continue;
		tell_segment(w);
		return true;
	}
	w->done = true;
	return false;
}

int
walk_end(struct walk *w)
{
	uscope_item_iter_free(w->it);
	w->it = NULL;
	utool_progress(w->tool, w->end, w->end);
	return w->errors ? STATUS_BAD : STATUS_GOOD;
}
