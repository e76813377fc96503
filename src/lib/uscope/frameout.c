/* SPDX-License-Identifier: MIT */
/* frameout: the items of frames as bytes, appended to the deltas of the segment. Whether a
 * record has wide or compact operations is guessed when it begins, and its items are
 * encoded again when the guess was wrong. Bytes: doc/format/uscope.md, "Frames". */
#include "room.h"
#include "writer.h"

enum {
	FIRST_ROOM = 64 * 1024,
	SLACK = 64 * 1024, /* for the frame that reaches max_raw */
	V01_HEADER = 6,    /* behind the time */
	V02_HEADER = 2,
	FRAME_HEAD = LEB_MAX + V01_HEADER,
};

/* ---- Room. ---- */

/* n bytes behind p; p and limit may move. */
static bool
reserve(uscope_writer_t *w, size_t n)
{
	struct segment *g = w->segment;
	size_t used = (size_t)(w->p - g->raw);
	if (n <= g->raw_cap - used)
		return true;
	if (n > w->most - used)
		return writer_fail(w, USCOPE_E_LIMIT, "too much for one segment in cycles of one time"), false;
	/* Doubles up to what a segment should have, then in small steps: what is cut by size
	 * never needs much more. */
	size_t need = used + n;
	size_t soft = (size_t)w->options.max_raw + SLACK;
	size_t cap = g->raw_cap ? g->raw_cap * 2 : FIRST_ROOM;
	if (cap > soft)
		cap = soft;
	if (cap < need)
		cap = need + need / 8;
	if (cap > w->most)
		cap = w->most;
	uint8_t *raw = realloc(g->raw, cap);
	if (!raw)
		return writer_fail(w, USCOPE_E_NOMEM, "out of memory for the deltas"), false;
	w->record = raw + (w->record - g->raw);
	w->counted = raw + (w->counted - g->raw);
	w->p = raw + used;
	g->raw = raw;
	g->raw_cap = cap;
	frame_limits(w);
	return true;
}

/* Sets the limit of a record that may have `left` items more. */
static inline void
limit_record(uscope_writer_t *w, uint32_t left)
{
	ptrdiff_t last = ((ptrdiff_t)left - 1) * w->op_bytes;
	w->limit = w->room - w->counted < last ? w->room : w->counted + last;
}

void
frame_limits(uscope_writer_t *w)
{
	const struct segment *g = w->segment;
	size_t room = g->raw_cap - OP_WIDE_SIZE - FRAME_HEAD;
	w->full = g->raw + (room < w->options.max_raw ? room : w->options.max_raw);
	w->room = g->raw + g->raw_cap - OP_WIDE_SIZE;
	limit_record(w, MAX_ITEMS - w->nitems);
}

/* Counts the operations that were appended since the last call. */
static inline void
count_items(uscope_writer_t *w, uint8_t op_bytes)
{
	w->nitems += (uint32_t)((size_t)(w->p - w->counted) / op_bytes);
	w->counted = w->p;
}

/* ---- Records. ---- */

void
frame_form(uscope_writer_t *w, bool wide)
{
	w->wide = wide;
	w->op_bytes = (uint8_t)op_size(wide, !w->v01);
	w->head_bytes = w->v01 ? V01_HEADER : V02_HEADER;
}

static inline void
put_head(uscope_writer_t *w, uint64_t delta)
{
	uint8_t *p = store_leb(w->p, delta);
	w->record = p;
	w->p = w->counted = p + w->head_bytes;
	w->nitems = 0;
	w->nevents = 0;
	w->needs = 0;
	if (likely(!w->wide))
		w->nfast = w->nplain;
	limit_record(w, MAX_ITEMS);
}

static __attribute__((noinline)) bool
begin_record(uscope_writer_t *w, uint64_t delta)
{
	/* With room for one operation, so that limit is never below p by more than it. */
	if (!reserve(w, FRAME_HEAD + OP_WIDE_SIZE))
		return false;
	put_head(w, delta);
	return true;
}

/* Bytes of an item of v0.2, or an operation of v0.1. */
static size_t
item_size(const uscope_writer_t *w, const uint8_t *p, bool wide)
{
	if (!w->v01 && p[0] == TAG_EVENT)
		return EVENT_HEADER_SIZE + (size_t)load32(p + 4);
	return op_size(wide, !w->v01);
}

/* The items of the record in the other form. */
static bool
recode_record(uscope_writer_t *w, bool to_wide)
{
	count_items(w, w->op_bytes);
	uint32_t nops = w->v01 ? w->nitems : w->nitems - w->nevents;
	size_t grown = nops * (op_size(true, !w->v01) - op_size(false, !w->v01));
	if (to_wide && !reserve(w, grown + OP_WIDE_SIZE))
		return false;
	uint8_t *to = w->record + w->head_bytes;
	uint8_t *from = to;
	if (to_wide) {
		/* To the end of the room they will take: what is written never reaches what
		 * is still to be read. */
		memmove(to + grown, to, (size_t)(w->p - to));
		from += grown;
	}
	for (uint32_t i = 0; i < w->nitems; i++) {
		size_t n = item_size(w, from, !to_wide);
		if (!w->v01 && from[0] == TAG_EVENT) {
			memmove(to, from, n);
			to += n;
		} else {
			struct op op = op_load(from, !to_wide, !w->v01);
			op.wide = to_wide;
			op_store(to, !w->v01, op);
			to += op_size(to_wide, !w->v01);
		}
		from += n;
	}
	w->p = to;
	w->counted = to;
	frame_form(w, to_wide);
	w->nfast = to_wide ? 0 : w->nplain;
	limit_record(w, MAX_ITEMS - w->nitems);
	return true;
}

/* Fills in the counts of a record. nevents: v0.1, those that will follow. */
static inline void
put_counts(uscope_writer_t *w, uint32_t nevents)
{
	uint8_t *h = w->record;
	uint32_t nops = w->nitems - nevents;
	if (unlikely(w->v01)) {
		h[0] = w->wide ? FORMAT_WIDE : FORMAT_COMPACT;
		h[1] = 0;
		h += 2;
		store16(h + 2, (uint16_t)nevents);
		nops = w->nitems;
	}
	store16(h, (uint16_t)w->nitems);
	w->stats.operations += nops;
	w->stats.events += nevents;
	w->stats.frames++;
	w->segment->frames++;
	if (unlikely(nops + nevents == 0))
		w->segment->empty++;
}

static __attribute__((noinline)) bool
end_record(uscope_writer_t *w, uint32_t nevents)
{
	count_items(w, w->op_bytes);
	if (unlikely(w->wide) && !w->needs && w->options.frames != USCOPE_WIDE)
		(void)recode_record(w, false); /* takes no memory */
	if (unlikely(w->latest.n) && !latest_record(w))
		return false;
	put_counts(w, nevents);
	return true;
}

/* ---- Items. ---- */

bool
frame_room(uscope_writer_t *w, size_t n)
{
	count_items(w, w->op_bytes);
	if (w->nitems == MAX_ITEMS) {
		uint32_t nevents = w->nevents;
		if (!end_record(w, w->v01 ? 0 : nevents) || !begin_record(w, 0))
			return false;
		if (w->v01)
			w->nevents = nevents;
	}
	return reserve(w, n);
}

bool
frame_wide(uscope_writer_t *w, uint64_t head, uint64_t value, uint32_t needs)
{
	if (!w->wide && !recode_record(w, true))
		return false;
	w->needs |= needs;
	store64(w->p, head);
	store64(w->p + 8, value);
	w->p += OP_WIDE_SIZE;
	return true;
}

static bool
reserve_events(uscope_writer_t *w, size_t n)
{
	if (n > w->most - w->events_size)
		return writer_fail(w, USCOPE_E_LIMIT, "too many events in one cycle"), false;
	if (!room_for(&w->events, &w->events_cap, w->events_size + n, 1))
		return writer_fail(w, USCOPE_E_NOMEM, "out of memory for events"), false;
	return true;
}

uint8_t *
frame_event(uscope_writer_t *w, uint16_t type, uint32_t size)
{
	size_t n = EVENT_HEADER_SIZE + (size_t)size;
	if (w->v01 ? !reserve_events(w, n) : !frame_room(w, n + OP_WIDE_SIZE))
		return NULL;
	uint8_t *p = w->v01 ? w->events + w->events_size : w->p;
	if (w->v01) {
		store16(p, type);
		store16(p + 2, 0);
		w->events_size += n;
	} else {
		p[0] = TAG_EVENT;
		p[1] = 0;
		store16(p + 2, type);
		w->p += n;
		w->counted += n; /* frame_room has counted what is before it */
		w->nitems++;
		limit_record(w, MAX_ITEMS - w->nitems);
	}
	store32(p + 4, size);
	w->nevents++;
	return p + EVENT_HEADER_SIZE;
}

/* ---- Frames. ---- */

bool
frame_begin(uscope_writer_t *w, uint64_t delta)
{
	if (unlikely(w->p >= w->full))
		return begin_record(w, delta);
	put_head(w, delta);
	return true;
}

/* v0.1: the events behind the operations, and more records if a count has no room. */
static bool
put_events(uscope_writer_t *w)
{
	const uint8_t *from = w->events;
	uint32_t left = w->nevents;
	do {
		uint32_t n = left < MAX_ITEMS ? left : MAX_ITEMS;
		(void)end_record(w, n); /* nothing that can fail */
		const uint8_t *p = from;
		for (uint32_t i = 0; i < n; i++)
			p += EVENT_HEADER_SIZE + (size_t)load32(p + 4);
		size_t size = (size_t)(p - from);
		left -= n;
		if (!reserve(w, size + OP_WIDE_SIZE))
			return false;
		if (size)
			memcpy(w->p, from, size);
		w->p += size;
		from = p;
		if (left > 0 && !begin_record(w, 0))
			return false;
	} while (left > 0);
	w->events_size = 0;
	return true;
}

bool
frame_end(uscope_writer_t *w)
{
	if (unlikely(w->v01))
		return put_events(w);
	if (unlikely(w->wide || w->latest.n))
		return end_record(w, w->nevents);
	count_items(w, ITEM_COMPACT_SIZE);
	put_counts(w, w->nevents);
	return true;
}
