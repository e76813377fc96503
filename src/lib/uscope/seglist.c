/* SPDX-License-Identifier: MIT */
/* seglist: the segments of a file in order. A finalized file has a table of them, which
 * stays on disk; otherwise each header says where the one before it is. */
#include "reader.h"
#include "room.h"

#include <stdlib.h>

enum {
	FIRST_MARKED = 1024,
	MARKED_MAX = 1 << 27,
	TABLE_START = 8, /* offsets in an entry of the table */
	TABLE_END = 16,
};

/* ---- Headers. ---- */

uint64_t
segment_size(const uscope_segment_t *s)
{
	return (uint64_t)SEGMENT_HEADER_SIZE + s->checkpoint_size + s->compressed_size;
}

static int
bad(struct uscope_reader *r, uint64_t offset, const char *why)
{
	return status_set(&r->error, USCOPE_E_SEGMENT, NO_SEGMENT, offset, "%s", why);
}

int
segment_read(struct uscope_reader *r, uint64_t offset, uscope_segment_t *s)
{
	uint8_t p[SEGMENT_HEADER_SIZE];
	if (offset < r->preamble_end)
		return bad(r, offset, "a segment inside the preamble");
	if (offset > r->size || SEGMENT_HEADER_SIZE > r->size - offset)
		return bad(r, offset, "a segment passes the end of the file");
	int status = reader_read(r, offset, p, sizeof(p));
	if (status)
		return status;
	*s = (uscope_segment_t){
		.offset = offset,
		.time_start_ps = load64(p + SEG_TIME_START),
		.time_end_ps = load64(p + SEG_TIME_END),
		.prev_offset = load64(p + SEG_PREV),
		.flags = load32(p + SEG_FLAGS),
		.checkpoint_size = load32(p + SEG_CHECKPOINT_SIZE),
		.compressed_size = load32(p + SEG_COMPRESSED_SIZE),
		.raw_size = load32(p + SEG_RAW_SIZE),
		.num_frames = load32(p + SEG_NUM_FRAMES),
		.num_frames_active = load32(p + SEG_NUM_ACTIVE),
	};
	if (memcmp(p, SEGMENT_MAGIC, 4) != 0)
		return bad(r, offset, "no segment begins here");
	if (segment_size(s) > r->size - offset)
		return bad(r, offset, "a segment passes the end of the file");
	if (s->time_end_ps < s->time_start_ps)
		return bad(r, offset, "a segment ends before it begins");
	if (s->prev_offset != 0 && (s->prev_offset < r->preamble_end || s->prev_offset >= offset))
		return bad(r, offset, "the segment before is not before this one");
	return 0;
}

/* ---- Making the list. ---- */

/* Times of the next segment, in order. */
static void
note_times(struct seglist *l, uint64_t start, uint64_t end)
{
	if (l->num == 0)
		l->ends_ascend = true;
	else if (end < l->last_end)
		l->ends_ascend = false;
	l->last_start = start;
	l->last_end = end;
	l->num++;
}

int
seglist_table(struct uscope_reader *r, uint64_t offset, uint64_t size)
{
	if (size % SEGMENT_ENTRY_SIZE)
		return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, offset, "the size of the segment table is not a multiple of %d", SEGMENT_ENTRY_SIZE);
	if (size / SEGMENT_ENTRY_SIZE > UINT32_MAX)
		return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, offset, "more than 2^32 - 1 segments");
	struct window *w = &r->window;
	window_open(w, r, offset, size);
	struct seglist list = { .table = offset };
	uint64_t last = 0;
	const uint8_t *p;
	while ((p = window_next(w, SEGMENT_ENTRY_SIZE))) {
		uint64_t start = load64(p + TABLE_START);
		if (list.num && (load64(p) <= last || start < list.last_start))
			return status_set(&r->error, USCOPE_E_SECTION, NO_SEGMENT, offset + (uint64_t)list.num * SEGMENT_ENTRY_SIZE, "the segments of the table are not in order");
		last = load64(p);
		note_times(&list, start, load64(p + TABLE_END));
	}
	if (!w->status)
		r->segments = list;
	return w->status;
}

static int
add_offset(struct uscope_reader *r, size_t n, uint64_t offset)
{
	struct seglist *l = &r->segments;
	if (!room_for(&l->offsets, &l->cap, n + 1, sizeof(*l->offsets)))
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, offset, "out of memory");
	l->offsets[n] = offset;
	return 0;
}

int
seglist_add(struct uscope_reader *r, const uscope_segment_t *s)
{
	struct seglist *l = &r->segments;
	int status = add_offset(r, l->num, s->offset);
	if (!status)
		note_times(l, s->time_start_ps, s->time_end_ps);
	return status;
}

/* Walks back from the last segment and keeps the offsets only if the walk ends well, in reverse. Each
 * offset must be less than the one after it, so there are no circles. */
int
seglist_chain(struct uscope_reader *r, uint64_t tail)
{
	struct seglist *l = &r->segments;
	uint64_t known = l->num ? l->offsets[l->num - 1] : 0;
	uint64_t most = r->size / SEGMENT_HEADER_SIZE;
	size_t n = l->num;
	uscope_segment_t last = { 0 }, after = { .time_start_ps = UINT64_MAX, .time_end_ps = UINT64_MAX };
	bool ascend = true;
	int status = 0;
	for (uint64_t at = tail; at != known;) {
		uscope_segment_t s = { 0 };
		if (at < known)
			return status_set(&r->error, USCOPE_E_STATE, NO_SEGMENT, at, "the segments known before are no longer there");
		if (n >= most || n >= UINT32_MAX)
			return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, at, "more segments than the file has room for");
		if ((status = segment_read(r, at, &s)))
			return status;
		if (s.time_start_ps > after.time_start_ps)
			return bad(r, at, "a segment begins later than the one after it");
		if (s.prev_offset == 0 && known)
			return status_set(&r->error, USCOPE_E_STATE, NO_SEGMENT, at, "the segments known before are no longer there");
		if ((status = add_offset(r, n++, at)))
			return status;
		ascend &= s.time_end_ps <= after.time_end_ps;
		if (at == tail)
			last = s;
		after = s;
		at = s.prev_offset;
	}
	if (n == l->num)
		return 0;
	if (l->num && after.time_start_ps < l->last_start)
		return bad(r, l->offsets[n - 1], "a segment begins earlier than the one before it");

	for (size_t a = l->num, b = n; a + 1 < b; a++) {
		uint64_t swap = l->offsets[a];
		l->offsets[a] = l->offsets[--b];
		l->offsets[b] = swap;
	}
	l->ends_ascend = ascend && (l->num == 0 || (l->ends_ascend && l->last_end <= after.time_end_ps));
	l->last_start = last.time_start_ps;
	l->last_end = last.time_end_ps;
	l->num = (uint32_t)n;
	return 0;
}

void
seglist_finish(struct seglist *l)
{
	free(l->marks);
	free(l->offsets);
	*l = (struct seglist){ 0 };
}

/* ---- Using it. ---- */

int
seglist_get(struct uscope_reader *r, uint32_t i, uscope_segment_t *s)
{
	const struct seglist *l = &r->segments;
	uint8_t p[SEGMENT_ENTRY_SIZE];
	int status;
	if (i >= l->num)
		return status_set(&r->error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no segment %u", i);
	if (!l->table) {
		status = segment_read(r, l->offsets[i], s);
	} else {
		uint64_t entry = l->table + (uint64_t)i * SEGMENT_ENTRY_SIZE;
		status = reader_read(r, entry, p, sizeof(p));
		if (!status)
			status = segment_read(r, load64(p), s);
		if (!status && (s->time_start_ps != load64(p + TABLE_START) || s->time_end_ps != load64(p + TABLE_END)))
			status = bad(r, s->offset, "the segment table has other times for this segment");
	}
	if (status)
		r->error.segment = i;
	return status;
}

/* Counts the segments that end before t, or begin before it or at it: those that come first. */
static int
count_before(struct uscope_reader *r, uint64_t t, bool ends, uint32_t *count)
{
	const struct seglist *l = &r->segments;
	bool linear = ends && !l->ends_ascend; /* no writer makes ends in no order */
	uint32_t low = 0, high = l->num;
	while (low < high) {
		uint32_t mid = linear ? low : low + (high - low) / 2;
		uint8_t p[8];
		/* The header is not checked. */
		uint64_t at = l->table ? l->table + (uint64_t)mid * SEGMENT_ENTRY_SIZE + (ends ? TABLE_END : TABLE_START)
				       : l->offsets[mid] + (ends ? SEG_TIME_END : SEG_TIME_START);
		int status = reader_read(r, at, p, sizeof(p));
		if (status)
			return status;
		if (ends ? load64(p) < t : load64(p) <= t)
			low = mid + 1;
		else
			high = linear ? low : mid;
	}
	*count = low;
	return 0;
}

int
seglist_find(struct uscope_reader *r, uint64_t t, uint32_t *i)
{
	int status = count_before(r, t, false, i);
	if (status)
		return status;
	if (*i == 0)
		return status_set(&r->error, USCOPE_E_NODATA, NO_SEGMENT, 0, r->segments.num ? "the first segment begins later" : "the file has no segments");
	--*i;
	return 0;
}

int
seglist_first(struct uscope_reader *r, uint64_t t, uint32_t *i)
{
	return count_before(r, t, true, i);
}

/* ---- Marks. ---- */

unsigned
seglist_marks(const struct seglist *l, uint32_t i)
{
	return i < l->marked ? (unsigned)(l->marks[i / 4] >> i % 4 * 2) & 3 : 0;
}

void
seglist_mark(struct seglist *l, uint32_t i, unsigned marks)
{
	if (i >= l->marked) {
		uint32_t n = FIRST_MARKED;
		while (n <= i && n < MARKED_MAX)
			n *= 2;
		uint8_t *more = i < n ? realloc(l->marks, n / 4) : NULL;
		if (!more)
			return;
		memset(more + l->marked / 4, 0, (n - l->marked) / 4);
		l->marks = more;
		l->marked = n;
	}
	l->marks[i / 4] |= (uint8_t)(marks << i % 4 * 2);
}
