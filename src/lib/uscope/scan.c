/* SPDX-License-Identifier: MIT */
/* scan: finds segments without a list of them, by what their bytes look like. A segment
 * holds its checkpoint, so one that is lost takes no other with it. */
#include "reader.h"

#include <stdlib.h>

enum {
	STEP = 8, /* writers align segments to it */
	SPARE_WORK = 64 * 1024 * 1024,
	SPARE_FACTOR = 16,
};

struct scan {
	struct uscope_reader *r;
	uint64_t last;   /* offset of the last segment found, 0: none */
	uint64_t start;  /* its time_start */
	uint64_t claim;  /* how far segments reach whose content was no good */
	uint64_t spare;  /* bytes that may still be decoded in vain below `claim` */
	uint64_t failed; /* the last offset that was decoded in vain */
	struct window w;
};

/* The most bytes that decoding a segment goes through. */
static uint64_t
work(const uscope_segment_t *s)
{
	return segment_size(s) + s->raw_size;
}

/* Looks for a good segment at a place. Headers of a hostile file may claim the same bytes over and over:
 * bytes below `claim` were decoded once, in vain, and further attempts there share a budget, `spare`. */
static int
try(struct scan *scan, uint64_t at, bool chained, bool *found, uscope_segment_t *s)
{
	struct uscope_reader *r = scan->r;
	*found = false;
	int status = segment_read(r, at, s);
	if (status == USCOPE_E_SEGMENT)
		return 0;
	if (status)
		return status;
	if (s->time_start_ps < scan->start || (chained && s->prev_offset != scan->last) || at == scan->failed)
		return 0;
	if (at < scan->claim && work(s) > scan->spare)
		return 0;
	uint64_t diag[USCOPE_NUM_DIAGS] = { 0 };
	status = segment_decode(r, r->segments.num, s, NULL, diag);
	if (is_ours(status))
		return status;
	if (status) {
		if (at < scan->claim)
			scan->spare -= work(s);
		if (scan->claim < at + segment_size(s))
			scan->claim = at + segment_size(s);
		scan->failed = at;
		return 0;
	}
	if ((status = seglist_add(r, s)))
		return status;
	for (unsigned id = 0; id < USCOPE_NUM_DIAGS; id++)
		r->diag[id] += diag[id];
	seglist_mark(&r->segments, r->segments.num - 1, SEGMENT_COUNTED | SEGMENT_GOOD);
	scan->last = at;
	scan->start = s->time_start_ps;
	*found = true;
	return 0;
}

/* The next segment from an aligned place on. */
static int
search(struct scan *scan, uint64_t from, bool *found, uscope_segment_t *s)
{
	struct uscope_reader *r = scan->r;
	*found = false;
	if (from >= r->size)
		return 0;
	window_open(&scan->w, r, from, r->size - from);
	for (uint64_t at = from; !*found; at += STEP) {
		const uint8_t *p = window_next(&scan->w, STEP);
		if (!p)
			return scan->w.status;
		int status = 0;
		if (memcmp(p, SEGMENT_MAGIC, 4) == 0 && (status = try(scan, at, false, found, s)))
			return status;
	}
	return 0;
}

static int
scan_all(struct scan *scan)
{
	struct uscope_reader *r = scan->r;
	uscope_recovery_t *report = &r->recovery;
	for (uint64_t pos = r->preamble_end; pos < r->size;) {
		uint64_t aligned = align8(pos);
		uscope_segment_t s;
		bool found;
		int status = try(scan, pos, true, &found, &s);
		if (!status && !found && aligned != pos)
			status = try(scan, aligned, true, &found, &s);
		if (!status && !found)
			status = search(scan, aligned, &found, &s);
		if (status)
			return status;
		uint64_t to = found ? s.offset : r->size;
		if (to > aligned) {
			report->discarded += to - aligned;
			report->holes++;
		}
		pos = found ? s.offset + segment_size(&s) : r->size;
	}
	report->segments = r->segments.num;
	return 0;
}

int
scan_segments(struct uscope_reader *r)
{
	struct scan *scan = malloc(sizeof(*scan));
	if (!scan)
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
	seglist_finish(&r->segments);
	scan->r = r;
	scan->last = scan->start = scan->claim = scan->failed = 0;
	scan->spare = SPARE_WORK + SPARE_FACTOR * r->size;
	int status = scan_all(scan);
	free(scan);
	return status;
}
